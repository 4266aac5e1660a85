import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { CRASHED, supervised } from "./supervision.ts"

describe("whoever runs a listener", () => {
  it.each([
    ["one that is not needed any more", "exit 0", 1, true],
    ["one that could not begin", "exit 1", 1, true],
    ["one that is killed, and then not needed", '[ "$times" = 3 ] && exit 0; kill -KILL $$', 3, true],
    ["one that crashes, and then is not needed", `[ "$times" = 3 ] && exit 0; exit ${CRASHED}`, 3, true],
    ["one that crashes whenever it runs, whose line goes with it", `exit ${CRASHED}`, 10, false],
  ])("runs %s as often as that has a use", (_, body, times, keepsLine) => {
    const { path: folder, remove } = temporaryDirectory("chorus-supervision-")
    onTestFinished(remove)
    const path = join(folder, "s.sock")
    writeFileSync(`${path}.line`, "●1\n")
    const count = `echo >> '${folder}/times'; times=$(wc -l < '${folder}/times' | tr -d ' ')`
    const [program, ...args] = supervised(path, ["sh", "-c", `${count}; ${body}`])
    spawnSync(program, args)
    expect(readFileSync(join(folder, "times"), "utf8")).toHaveLength(times)
    expect(existsSync(`${path}.line`)).toBe(keepsLine)
  })
})
