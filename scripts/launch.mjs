// Runs the chorus command of this clone: packages installed, Node 24 found, build up to date.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { isStale } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"
import { environmentFor, node24, runOnNode24 } from "./node24.mjs"

const command = join(root, "dist", "chorus.js")

const LOOK_MS = 500

export async function launch(args) {
  prepare()
  if (process.env.npm_lifecycle_event !== undefined) endWithParent()
  if (node24() !== process.execPath) {
    process.exitCode = await runOnNode24([command, ...args])
    return
  }
  process.argv = [process.execPath, command, ...args]
  await import(pathToFileURL(command).href)
}

/** npm passes a signal only to the shell between it and us, which dies of it alone. */
function endWithParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, LOOK_MS)
  timer.unref()
}

/** Everything `dist/chorus.js` needs; costs a few milliseconds when it is all there. */
export function prepare() {
  ensureInstalled()
  const node = node24()
  if (!isStale()) return
  process.stderr.write("chorus: building …\n")
  const built = spawnSync(node, [join(root, "scripts", "build.mjs")], { cwd: root, stdio: ["ignore", "inherit", "inherit"], env: environmentFor(node) })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
