import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { damaged, patiently, readJson, tryReadJson, Unfinished } from "./patient-json.ts"

let file: string
beforeEach(() => {
  file = join(scratchFolder(), "f.json")
})

describe("reading JSON that others write", () => {
  it.each([
    ['{"a":1}', { state: "read", value: { a: 1 } }],
    ["null", { state: "read", value: null }],
    ["", { state: "unfinished", value: undefined }],
    ["[1,", { state: "unfinished", value: undefined }],
    ["\0\0\0\0", { state: "unfinished", value: undefined }],
  ])("of the content %j is %j", (content, read) => {
    writeFileSync(file, content)
    expect(tryReadJson(file)).toEqual(read)
  })

  it("finds nothing where there is no file, a folder, or a file in the way", () => {
    expect(tryReadJson(file).state).toBe("missing")
    mkdirSync(file)
    expect(tryReadJson(file).state).toBe("missing")
    writeFileSync(`${file}.x`, "")
    expect(tryReadJson(join(`${file}.x`, "below")).state).toBe("missing")
  })

  it("waits for a write to finish", async () => {
    writeFileSync(file, '{"half":')
    const reading = readJson(file)
    appendFileSync(file, '"whole"}')
    expect(await reading).toEqual({ half: "whole" })
  })

  it("does not wait for what nobody has written for longer than that", async () => {
    writeFileSync(file, '{"half":')
    utimesSync(file, 1, 1)
    const before = performance.now()
    await expect(readJson(file)).rejects.toMatchObject({ code: "file_damaged" })
    await expect(patiently(file, () => Promise.reject(new Unfinished()))).rejects.toMatchObject({
      code: "file_damaged",
    })
    expect(performance.now() - before).toBeLessThan(2500)
  })

  it("gives up after its patience, says how large the file is, and changes nothing", async () => {
    writeFileSync(file, '{"half":')
    await expect(readJson(file, 0)).rejects.toMatchObject({
      code: "file_damaged",
      message: `${file} (8 bytes) is not valid JSON and did not become so.`,
      status: 500,
    })
    expect(readFileSync(file, "utf8")).toBe('{"half":')
    expect(damaged(join(file, "gone")).message).toContain("(0 bytes)")
  })
})

describe("working patiently", () => {
  it("tries again while a file is unfinished, and hands on the first answer", async () => {
    let tries = 0
    const work = async () => {
      tries++
      if (tries < 3) throw new Unfinished()
      return "third"
    }
    expect(await patiently(file, work)).toBe("third")
    expect(tries).toBe(3)
  })

  it("does not repeat work that failed for another reason", async () => {
    let tries = 0
    const work = async () => {
      tries++
      throw new Error("broken")
    }
    await expect(patiently(file, work)).rejects.toThrow("broken")
    expect(tries).toBe(1)
  })

  it("names the file as damaged when it stays unfinished", async () => {
    await expect(patiently(file, () => Promise.reject(new Unfinished()), 0)).rejects.toMatchObject({
      code: "file_damaged",
    })
  })
})
