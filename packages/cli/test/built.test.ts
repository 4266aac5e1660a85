import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
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

it.each([
  ["runner", 850_000],
  ["runs", 650_000],
])("of the built command, `chorus %s` loads its own part, without the server's", (noun, most) => {
  const textOf = (path: string) => readFileSync(path, "utf8")
  const loadedWith = (first: string) => {
    const loaded = new Set([first])
    for (const path of loaded)
      for (const [, next = ""] of textOf(path).matchAll(/^(?:import|\}) ?(?:from )?"(\.[^"]+)";$/gm))
        loaded.add(join(dirname(path), next))
    return [...loaded]
  }
  const begun = (from: readonly string[], call: string) => {
    const words = new RegExp(String.raw`import\("(\.[^"]+)"\)${call}`)
    return from.flatMap((path) => {
      const name = words.exec(textOf(path))?.[1]
      return name === undefined ? [] : [join(dirname(path), name)]
    })
  }
  const [program = ""] = begun([join(dist, "chorus.js")], "")
  const [command = ""] = begun(loadedWith(program), String.raw`\)\.${noun}Command\(`)
  expect(loadedWith(command).reduce((sum, path) => sum + textOf(path).length, 0)).toBeLessThan(most)
})
