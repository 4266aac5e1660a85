import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const LOCKFILES = ["package-lock.json", "npm-shrinkwrap.json"]
const TIMEOUT_MS = 60_000

/** Whether a plugin's packages come from a lockfile; then `node_modules` is no part of the plugin itself. */
export function hasNodeLockfile(folder: string): boolean {
  return existsSync(join(folder, "package.json")) && LOCKFILES.some((name) => existsSync(join(folder, name)))
}

/** Installs exactly what the lockfile names, without running any script of it. Returns a note when that did not work; the plugin stays. */
export async function installNodePackages(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!hasNodeLockfile(folder) || existsSync(join(folder, "node_modules"))) return undefined
  const fault = await run(folder, env)
  return fault === undefined
    ? undefined
    : `Its Node packages were not installed (${fault}); run npm ci --ignore-scripts in its folder.`
}

function run(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("npm", ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-progress"], {
      cwd: folder,
      env: { ...env, npm_config_ignore_scripts: "true" },
      timeout: TIMEOUT_MS,
      stdio: ["ignore", "ignore", "pipe"],
      killSignal: "SIGKILL",
    })
    let err = ""
    child.stderr.on("data", (chunk: Buffer) => (err = (err + chunk.toString("utf8")).slice(-2_000)))
    child.on("error", (error) => resolve(error.message))
    child.on("close", (code) =>
      resolve(
        code === 0
          ? undefined
          : (/npm (?:error|ERR!) (?!code|A complete log)(.+)/.exec(err)?.[1] ?? `npm ended with ${String(code)}`),
      ),
    )
  })
}
