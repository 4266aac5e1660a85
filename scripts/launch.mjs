// Runs the chorus command of this clone: packages installed, Node 24 found, build up to date.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isStale } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"
import { environmentFor, node24 } from "./node24.mjs"
import { runCommand } from "./run-command.mjs"

const command = join(root, "dist", "chorus.js")

export async function launch(args) {
  prepare()
  await runCommand(command, args)
}

/** Everything `dist/chorus.js` needs; costs a few milliseconds when it is all there. */
export function prepare() {
  ensureInstalled()
  const node = node24()
  if (!isStale()) return
  process.stderr.write("chorus: building …\n")
  const built = spawnSync(node, [join(root, "scripts", "build.mjs")], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: environmentFor(node),
  })
  if (built.status !== 0) process.exit(built.status ?? 1)
}
