import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { holdDirectory } from "@chorus/server"
import { beforeAll, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"
import { megabytes } from "./size.ts"

const scratch = scratchFolder()
const at = (name: string) => join(scratch, name)
const on = (name: string) => ["--data", at(name)]
const names = async (data: string) =>
  (await chorusHereJson<{ name: string }[]>(["project", "list", ...on(data)])).map(({ name }) => name).toSorted()

beforeAll(async () => {
  for (const name of ["Shop", "Till"]) await chorusHereJson(["project", "add", name, ...on("source")])
  await chorusHereJson(["agent", "add", "bob", ...on("source")])
  await chorusHereJson(["backup", at("whole.backup"), ...on("source")])
  await chorusHereJson(["export", at("whole.jsonl"), ...on("source")])
})

describe("chorus backup", () => {
  it("says where the file is and how large, and only its owner can read it", async () => {
    const { stdout, stderr } = await chorusHere(["backup", at("said.backup"), ...on("source")])
    expect(stdout).toBe("")
    expect(stderr).toMatch(
      new RegExp(`^backing up to ${at("said.backup")} …\nbacked up to ${at("said.backup")} \\([\\d.]+ [kM]B\\)\n$`),
    )
    expect(statSync(at("said.backup")).mode & 0o777).toBe(0o600)
  })

  it("tells programs the same, and nothing else", async () => {
    const { stdout, stderr } = await chorusHere(["backup", at("json.backup"), "--json", ...on("source")])
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual({ file: at("json.backup"), bytes: statSync(at("json.backup")).size })
  })

  it("replaces a file only when forced", async () => {
    writeFileSync(at("there.backup"), "mine")
    expect(await refusalOf(["backup", at("there.backup"), ...on("source")])).toMatchObject({
      code: "would_overwrite",
      next: expect.stringContaining("--force"),
    })
    expect(readFileSync(at("there.backup"), "utf8")).toBe("mine")
    await chorusHereJson(["backup", at("there.backup"), "--force", ...on("source")])
    expect(readFileSync(at("there.backup")).subarray(0, 15).toString()).toBe("SQLite format 3")
  })

  it.each(["backup", "export"])("%s needs a folder to write into, and a name in it", async (command) => {
    expect(await refusalOf([command, at("no/such/x"), ...on("source")])).toMatchObject({
      code: "not_found",
      message: `There is no folder ${at("no/such")}.`,
      next: "Make it, or choose another place.",
    })
    expect(await refusalOf([command, scratch, "--force", ...on("source")])).toMatchObject({
      code: "not_a_file",
      next: "Name a file.",
    })
    expect(existsSync(at("no"))).toBe(false)
  })
})

describe("chorus restore", () => {
  it("puts everything back, and says so", async () => {
    const { stdout } = await chorusHere(["restore", at("whole.backup"), ...on("restored")])
    expect(stdout).toBe(`restored ${at("whole.backup")}\n`)
    expect(await names("restored")).toEqual(["Shop", "Till"])
  })

  it("sets data aside that it was forced to replace, and says where", async () => {
    await chorusHereJson(["project", "add", "Newer", ...on("forced")])
    const { stdout } = await chorusHere(["restore", at("whole.backup"), "--force", ...on("forced")])
    const aside = /^the data that was there is now (.+)$/m.exec(stdout)?.[1] ?? ""
    expect(existsSync(aside)).toBe(true)
    expect(await names("forced")).toEqual(["Shop", "Till"])
    await chorusHereJson(["restore", aside, ...on("unforced")])
    expect(await names("unforced")).toEqual(["Newer"])
  })

  it.each([
    ["a file that is not there", () => at("nothing"), "not_found"],
    ["a folder", () => at("folder"), "not_a_file"],
    ["an empty file", () => at("empty"), "bad_bundle"],
    ["a file of words", () => at("words"), "bad_bundle"],
    ["the first half of a backup", () => at("half"), "bad_backup"],
  ])("refuses %s, and makes no data of it", async (_, file, code) => {
    mkdirSync(at("folder"), { recursive: true })
    writeFileSync(at("empty"), "")
    writeFileSync(at("words"), "Dear all,\n")
    const whole = readFileSync(at("whole.backup"))
    writeFileSync(at("half"), whole.subarray(0, whole.length / 2))
    expect(await refusalOf(["restore", file(), ...on("untouched")])).toMatchObject({ code, next: expect.any(String) })
    expect(existsSync(at("untouched/chorus.sqlite"))).toBe(false)
  })

  it("lets the directory go again, also after it refused", async () => {
    await chorusHere(["restore", at("nothing-at-all"), ...on("free")])
    await chorusHere(["restore", at("words"), ...on("free")])
    expect(() => holdDirectory(at("free")).release()).not.toThrow()
  })

  it("leaves nothing behind where the database does not answer", async () => {
    const { code } = await refusalOf([
      "restore",
      at("whole.backup"),
      ...on("pg"),
      "--database",
      "postgres://127.0.0.1:9/x",
    ])
    expect(code).toBe("store_unavailable")
    expect(readdirSync(at("pg")).filter((name) => name.includes("sqlite"))).toEqual([])
  })

  it("waits for nobody: data that is in use is refused", async () => {
    const held = holdDirectory(at("held"))
    for (const argv of [
      ["restore", at("whole.backup"), "--force"],
      ["import", at("whole.jsonl")],
    ])
      expect(await refusalOf([...argv, ...on("held")])).toMatchObject({ code: "data_in_use" })
    held.release()
  })
})

describe("chorus export and import", () => {
  it("carry everything over but secrets, and say how people and agents come back", async () => {
    const { stderr } = await chorusHere(["import", at("whole.jsonl"), ...on("imported")])
    expect(stderr).toMatch(
      /^importing .+ …\nimported \d+ rows; people sign in with `chorus signin --user NAME`, agents get new keys with `chorus agent key NAME`\n$/,
    )
    expect(await names("imported")).toEqual(["Shop", "Till"])
  })

  it("count the same rows that are in the file", async () => {
    const lines = readFileSync(at("whole.jsonl"), "utf8").trimEnd().split("\n")
    const { rows } = await chorusHereJson<{ rows: number }>(["import", at("whole.jsonl"), ...on("counted")])
    expect(rows).toBeLessThan(lines.length)
    expect(rows).toBeGreaterThan(lines.length - 4)
  })

  it("print to the next program when the file is -", async () => {
    const { stdout, stderr } = await chorusHere(["export", "-", ...on("source")])
    expect(stderr).toBe("")
    const rest = (text: string) => text.split("\n").slice(1)
    expect(rest(stdout)).toEqual(rest(readFileSync(at("whole.jsonl"), "utf8")))
  })

  it("replace nothing: neither a file nor data", async () => {
    expect(await refusalOf(["export", at("whole.jsonl"), ...on("source")])).toMatchObject({ code: "would_overwrite" })
    expect(await refusalOf(["import", at("whole.jsonl"), ...on("source")])).toMatchObject({ code: "store_not_empty" })
    expect(await names("source")).toEqual(["Shop", "Till"])
  })

  it.each([
    ["a file that is not there", "nothing", "not_found"],
    ["a backup, which is not an export", "whole.backup", "bad_bundle"],
    ["an export without its end", "cut.jsonl", "bad_bundle"],
    ["an export with a line that is broken", "broken.jsonl", "bad_bundle"],
  ])("refuse %s, and leave nothing half done", async (_, file, code) => {
    const text = readFileSync(at("whole.jsonl"), "utf8")
    writeFileSync(at("cut.jsonl"), text.slice(0, text.length / 2))
    writeFileSync(at("broken.jsonl"), text.replace(/\n\{/, "\n{{"))
    expect(await refusalOf(["import", at(file), ...on("clean")])).toMatchObject({ code, next: expect.any(String) })
    expect(
      readdirSync(scratch, { recursive: true }).filter((path) => String(path).startsWith("clean/chorus.sqlite")),
    ).toEqual([])
  })

  it("leave no part of a file when there is nothing to export", async () => {
    expect(await refusalOf(["export", at("part.jsonl"), ...on("nowhere")])).toMatchObject({ code: "no_data" })
    expect(readdirSync(scratch).filter((name) => name.startsWith("part.jsonl"))).toEqual([])
  })
})

describe("a size", () => {
  it.each([
    [0, "0 kB"],
    [1, "1 kB"],
    [1001, "2 kB"],
    [999_000, "999 kB"],
    [1_000_000, "1.0 MB"],
    [12_345_678, "12.3 MB"],
  ])("of %i bytes is %s", (bytes, text) => {
    expect(megabytes(bytes)).toBe(text)
  })
})
