import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"

const dist = join(import.meta.dirname, "..", "..", "..", "dist")
const run = promisify(execFile)

it.each([
  "team-member.js",
  "team-tools.js",
  "status-listener.cjs",
  "opencode-plugin.js",
  "opencode-board.js",
  "emit.pl",
  "emit.cjs",
  "launch.pl",
])("the build brings %s, which agents start by its path", (name) => {
  expect(existsSync(join(dist, "programs", name))).toBe(true)
})

it("the built command runs a team and tells its members' program by a path that is there", async () => {
  const home = temporaryDirectory()
  const env = { ...process.env, CLAUDE_CONFIG_DIR: home.path }
  const chorus = (...args: string[]) => run(process.execPath, [join(dist, "chorus.js"), "team", ...args], { env })
  await chorus("create", "demo")
  const { stdout } = await chorus("teammate", "--program", "command", "true")
  const { stdout: script } = await run("cat", [stdout.trim()])
  expect(script).toContain(`'${join(dist, "chorus.js")}' team member`)
  await home.remove()
})
