import { createHmac } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../../test/scratch-team.ts"
import { type Decision, openAuthority } from "./authority.ts"

let root: string
beforeEach(() => {
  root = scratchFolder()
})
const key = () => join(root, "chorus", "authority.key")
const decision: Decision = { team: "t", member: "bob", text: "yes" }

describe("the authority of a machine", () => {
  it("is one key, made once, that only its owner may read, and leaves nothing else", () => {
    const mark = openAuthority(root).sign(decision)
    expect(openAuthority(root).verify(decision, mark)).toBe(true)
    expect(statSync(key()).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(root, "chorus"))).toEqual(["authority.key"])
  })

  it.each<[string, Decision]>([
    ["another team", { ...decision, team: "u" }],
    ["another member", { ...decision, member: "bo" }],
    ["another text", { ...decision, text: "yes " }],
    ["the same letters cut elsewhere", { team: "tb", member: "ob", text: "yes" }],
    ["quotes that would end a field", { team: 't","bob', member: "yes", text: "" }],
  ])("does not vouch for %s", (_, other) => {
    const authority = openAuthority(root)
    expect(authority.verify(other, authority.sign(decision))).toBe(false)
  })

  it.each([undefined, null, 7, "", "short", {}, ["x"]])("does not take %j for a mark", (mark) => {
    expect(openAuthority(root).verify(decision, mark)).toBe(false)
  })

  it("does not vouch for what another machine signed", () => {
    const elsewhere = openAuthority(scratchFolder()).sign(decision)
    expect(openAuthority(root).verify(decision, elsewhere)).toBe(false)
  })

  it.each(["", "\n", "c2hvcnQ"])("never works with a key of %j: that could be guessed", (content) => {
    mkdirSync(join(root, "chorus"), { recursive: true })
    writeFileSync(key(), content)
    const guessed = createHmac("sha256", Buffer.from(content.trim(), "base64url"))
      .update(JSON.stringify(["t", "bob", "yes"]))
      .digest("base64url")
    expect(openAuthority(root).verify(decision, guessed)).toBe(false)
    expect(Buffer.from(readFileSync(key(), "utf8"), "base64url")).toHaveLength(32)
  })
})
