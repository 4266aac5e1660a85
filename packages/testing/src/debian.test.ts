import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import { commandOnPath } from "./debian.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

afterEach(() => void vi.unstubAllEnvs())

describe("a command on the path", () => {
  test("is the first that may be run, in the order of the path", async () => {
    await using home = temporaryDirectory()
    const [first, second, third] = ["first", "second", "third"].map((name) => join(home.path, name))
    for (const [index, folder] of [first, second, third].entries()) {
      mkdirSync(folder ?? "")
      if (index > 0) writeFileSync(join(folder ?? "", "saw"), "")
    }
    chmodSync(join(third ?? "", "saw"), 0o755)
    vi.stubEnv("PATH", [first, second, third].join(delimiter))
    expect(commandOnPath("saw")).toBe(join(third ?? "", "saw"))
  })

  test("that is nowhere is undefined, also where there is no path", () => {
    expect(commandOnPath("no-such-command-of-ours")).toBeUndefined()
    vi.stubEnv("PATH", "")
    expect(commandOnPath("sh")).toBeUndefined()
  })
})
