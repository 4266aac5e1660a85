import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"

const env = { CHORUS_DATA: join(scratchFolder(), "data") }
const LINK = /^http:\/\/127\.0\.0\.1:8637\/sign-in#[\w-]{43}$/

interface Person {
  readonly uuid: string
  readonly name: string
  readonly email: string | null
  readonly role: string
  readonly signIn: string
}

const add = (name: string, ...more: string[]) => chorusHereJson<Person>(["user", "add", name, ...more], { env })
const link = (...more: string[]) =>
  chorusHereJson<{ url: string; expiresAt: string; serverRuns: boolean }>(["signin", ...more], { env })

let eve: Person

beforeAll(async () => {
  eve = await add("Eve", "--email", "Eve@Example.com", "--role", "viewer")
})

describe("chorus user", () => {
  it("adds a member with the link by which they first come in", async () => {
    expect(await add("Mallory")).toMatchObject({
      name: "Mallory",
      email: null,
      role: "member",
      signIn: expect.stringMatching(LINK),
    })
    const { stdout } = await chorusHere(["user", "add", "Grace"], { env })
    expect(stdout).toMatch(
      /^added Grace [0-9a-f-]{36}\nthey sign in once, before 20\S+: http:\/\/127\.0\.0\.1:8637\/sign-in#[\w-]{43}\n$/,
    )
  })

  it("lists everybody with their address, role and state", async () => {
    await chorusHereJson(
      ["call", "update_member", JSON.stringify({ userUuid: (await add("Left")).uuid, disabled: true })],
      { env },
    )
    const { stdout } = await chorusHere(["user", "list"], { env })
    expect(stdout).toMatch(/^name +e-mail +role +state +uuid\n/)
    expect(stdout).toMatch(/^Owner +- +owner +active +/m)
    expect(stdout).toMatch(/^Eve +eve@example\.com +viewer +active +/m)
    expect(stdout).toMatch(/^Left +- +member +disabled +/m)
  })

  it("refuses an address that somebody has, and one that is none", async () => {
    expect(await refusalOf(["user", "add", "Eve again", "--email", "EVE@example.com"], { env })).toMatchObject({
      code: "email_taken",
    })
    expect(await refusalOf(["user", "add", "Nobody", "--email", "not an address"], { env })).toMatchObject({
      code: "invalid_input",
    })
  })
})

describe("chorus signin", () => {
  it("is for the owner when nobody is named, and says that no server runs", async () => {
    expect(await link()).toMatchObject({ url: expect.stringMatching(LINK), serverRuns: false })
    const { stdout } = await chorusHere(["signin"], { env })
    expect(stdout).toMatch(
      /^sign in \(once, within 15 minutes\): http\S+\nno server runs here; start it first: chorus start\n$/,
    )
  })

  it.each([
    ["uuid", () => eve.uuid],
    ["name", () => "Eve"],
    ["address", () => "eve@example.com"],
    ["address, written as they like", () => " EVE@Example.COM "],
  ])("finds somebody else by their %s", async (_, wanted) => {
    expect((await link("--user", wanted())).url).toMatch(LINK)
  })

  it("gives an agent no link, nor a new person's, by whichever command it asks", async () => {
    const below = { env: { ...env, CLAUDECODE: "1" } }
    for (const argv of [
      ["signin"],
      ["signin", "--user", "Eve"],
      ["user", "add", "Sock"],
      ["call", "create_sign_in_link", JSON.stringify({ userUuid: eve.uuid })],
      ["call", "chorus_invite_member", JSON.stringify({ name: "Sock", role: "admin" })],
    ])
      expect(await refusalOf(argv, below), argv.join(" ")).toMatchObject({
        code: "needs_a_person",
        message: expect.stringContaining("has CLAUDECODE set; a link that signs a person in is for people"),
      })
    expect((await chorusHere(["user", "list"], { env })).stdout).not.toContain("Sock")
  })

  it("makes another link each time", async () => {
    expect((await link("--user", "Eve")).url).not.toBe((await link("--user", "Eve")).url)
  })

  it("does not choose between two of the same name", async () => {
    for (const _ of [1, 2]) await add("Kim")
    expect(await refusalOf(["signin", "--user", "Kim"], { env })).toMatchObject({
      code: "ambiguous",
      message: "2 people are known as Kim.",
      next: "See `chorus user list` and name one by uuid.",
    })
  })

  it("says that nobody is known by a name, and does not take a part of one", async () => {
    expect(await refusalOf(["signin", "--user", "Ev"], { env })).toMatchObject({
      code: "not_found",
      message: "Nobody is known as Ev.",
    })
  })
})
