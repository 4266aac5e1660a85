import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"

const env = { CHORUS_DATA: join(scratchFolder(), "data") }

interface Key {
  readonly uuid: string
  readonly name: string
  readonly prefix: string
  readonly revokedAt: string | null
}

const keys = (...more: string[]) => chorusHereJson<Key[]>(["key", "list", ...more], { env })
const make = (name: string, ...more: string[]) =>
  chorusHereJson<Key & { key: string }>(["agent", "key", "bob", "--name", name, ...more], { env })

beforeAll(async () => {
  for (const name of ["bob", "carol"]) await chorusHereJson(["agent", "add", name], { env })
})

describe("chorus key list", () => {
  it("names the agent of each key and shows its beginning, never the key", async () => {
    const { key } = await make("laptop")
    const { stdout } = await chorusHere(["key", "list"], { env })
    expect(stdout).toMatch(/^agent +name +key +state +last used +uuid\n/)
    expect(stdout).toMatch(/^bob +laptop +cho_\S+… +active +never +[0-9a-f-]{36}$/m)
    expect(stdout).toMatch(/^carol +default +cho_\S+… +active +never/m)
    expect(stdout).not.toContain(key)
  })

  it("tells one agent's keys from the others'", async () => {
    expect((await keys("--agent", "carol")).map(({ name }) => name)).toEqual(["default"])
    expect(await refusalOf(["key", "list", "--agent", "nobody"], { env })).toMatchObject({ code: "not_found" })
  })

  it("says which were revoked and which end on a day", async () => {
    const ending = await make("ending", "--expires", "30")
    const ended = await make("ended")
    await chorusHereJson(["key", "revoke", ended.uuid], { env })
    const { stdout } = await chorusHere(["key", "list", "--agent", "bob"], { env })
    expect(stdout).toMatch(new RegExp(` until \\d{4}-\\d\\d-\\d\\d +never +${ending.uuid}$`, "m"))
    expect(stdout).toMatch(new RegExp(` revoked +never +${ended.uuid}$`, "m"))
  })
})

describe("chorus key revoke", () => {
  it.each([
    ["its uuid", (key: Key & { key: string }) => key.uuid],
    ["the whole key", (key: Key & { key: string }) => key.key],
    ["its beginning as the list shows it", (key: Key & { key: string }) => `${key.prefix}…`],
  ])("takes %s", async (name, wordFor) => {
    const key = await make(name)
    const { stdout } = await chorusHere(["key", "revoke", wordFor(key)], { env })
    expect(stdout).toBe(`revoked ${key.prefix}… ${key.uuid}\n`)
    expect((await keys()).find(({ uuid }) => uuid === key.uuid)?.revokedAt).not.toBeNull()
  })

  it("does not guess by a beginning that is too short to be one key's", async () => {
    expect(await refusalOf(["key", "revoke", "cho_"], { env })).toMatchObject({
      code: "not_found",
      message: "There is no key cho_.",
      next: "See `chorus key list`.",
    })
  })

  it("repeats no more of a mistyped key than its beginning", async () => {
    const { message } = await refusalOf(["key", "revoke", `cho_${"s".repeat(43)}`], { env })
    expect(message).toBe("There is no key cho_ssssss.")
  })
})
