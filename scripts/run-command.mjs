// Runs a built chorus command: in this process when it is Node 24, else in one of its own. Goes into the package as it is.
import { pathToFileURL } from "node:url"
import { node24, runOnNode24 } from "./node24.mjs"

const LOOK_MS = 500

export async function runCommand(command, args) {
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
