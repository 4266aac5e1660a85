import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { waitFor } from "./wait.ts"

const FETCH_TIMEOUT = 600_000

/** Where fetched programs are kept between runs. */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env["CHORUS_CACHE"] ?? join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "chorus"))
}

/**
 * The folder at `path`, filled by `fill` when it is not there yet. Processes that ask at the same time wait for the one that
 * fills; a folder is there completely or not at all, because it is filled under another name and renamed.
 */
export async function filledOnce(path: string, fill: (directory: string) => Promise<void>): Promise<string> {
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const turn = await takeTurn(`${path}.lock`, () => existsSync(path))
  const temporary = `${path}.${process.pid}.tmp`
  try {
    if (existsSync(path)) return path
    mkdirSync(temporary, { recursive: true })
    await fill(temporary)
    renameSync(temporary, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
    turn.end()
  }
  return path
}

/** Installs one exact npm package, with what it depends on, into `directory`; what it can do without, only if asked for. */
export async function npmInstall(directory: string, wanted: string, optional = true): Promise<void> {
  // A package.json of its own keeps npm from climbing to a project above.
  writeFileSync(join(directory, "package.json"), `${JSON.stringify({ private: true })}\n`)
  const options = [
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--engine-strict=false",
    `--${optional ? "include" : "omit"}=optional`,
  ]
  try {
    await promisify(execFile)("npm", ["install", "--prefix", directory, ...options, wanted], {
      cwd: directory,
      env: withoutNpmSettings(process.env),
      shell: process.platform === "win32",
    })
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error)
    const reason = said.split("\n").find((line) => /error/i.test(line)) ?? said
    throw new Error(`npm could not install ${wanted} (${reason.trim()}); check that the npm registry is reachable.`, {
      cause: error,
    })
  }
}

interface Turn {
  end(): void
}

// The lock only saves a second download: renaming is what keeps the folder whole, so a lock that is wrongly broken does no harm.
async function takeTurn(lock: string, done: () => boolean): Promise<Turn> {
  const mine = String(process.pid)
  const attempt = (): Turn | undefined => {
    if (done()) return { end: () => {} }
    try {
      writeFileSync(lock, mine, { flag: "wx" })
      return { end: () => rmSync(lock, { force: true }) }
    } catch {
      if (isAbandoned(lock)) rmSync(lock, { force: true })
      return undefined
    }
  }
  return waitFor(attempt, FETCH_TIMEOUT, `another process to fill ${lock.replace(/\.lock$/, "")}`)
}

function isAbandoned(lock: string): boolean {
  const holder = Number(readFileSync(lock, "utf8"))
  if (!holder || holder === process.pid) return false
  try {
    process.kill(holder, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}

// Under `npm test` npm passes its own settings down, which would point this install at the workspace.
function withoutNpmSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^npm_(config_(local_prefix|prefix|workspaces?|global)|package_|lifecycle_)/i.test(name),
  )
  return Object.fromEntries(kept)
}
