import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { signatures } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { chorusHere, chorusHereJson, refusalOf, scratchFolder } from "../../test/command-line.ts"
import { fullName } from "./command.ts"

const env = { CHORUS_DATA: join(scratchFolder(), "data") }

describe("chorus call", () => {
  it("finds an operation with and without its prefix, and leaves a name that nobody knows as it is", () => {
    expect(fullName("chorus_whoami")).toBe("chorus_whoami")
    expect(fullName("whoami")).toBe("chorus_whoami")
    expect(fullName("make_coffee")).toBe("make_coffee")
  })

  it("acts for the owner where no server runs", async () => {
    const { code, stdout } = await chorusHere(["call", "whoami"], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name: "Owner", type: "user", role: "owner" })
  })

  it("takes its input as an argument or from a pipe", async () => {
    const argument = await chorusHereJson<{ name: string }>(
      ["call", "admin_create_project", '{"name":"By argument"}'],
      { env },
    )
    const piped = await chorusHereJson<{ name: string }>(["call", "admin_create_project", "-"], {
      env,
      input: '{"name":"Größe aus der Leitung"}\n',
    })
    expect([argument.name, piped.name]).toEqual(["By argument", "Größe aus der Leitung"])
  })

  it("answers a repeat under the same key with the first answer, and makes the change once", async () => {
    const create = (input: object) => [
      "call",
      "admin_create_project",
      JSON.stringify(input),
      "--idempotency-key",
      "import-7",
    ]
    const first = await chorusHereJson<{ uuid: string }>(create({ name: "Once" }), { env })
    expect(await chorusHereJson(create({ name: "Once" }), { env })).toEqual(first)
    expect(await refusalOf(create({ name: "Another" }), { env })).toMatchObject({ code: "idempotency_key_reused" })
    const { projects } = await chorusHereJson<{ projects: { name: string }[] }>(["call", "list_projects", "{}"], {
      env,
    })
    expect(projects.filter(({ name }) => name === "Once")).toHaveLength(1)
  })

  it("does not answer what agents ask for below one of them", async () => {
    const answer = [
      "call",
      "answer_attention",
      JSON.stringify({ attentionUuid: randomUUID(), answer: { decision: "approve" } }),
    ]
    expect(await refusalOf(answer, { env: { ...env, CLAUDECODE: "1" } })).toMatchObject({
      code: "needs_a_person",
      message: expect.stringContaining("has CLAUDECODE set"),
    })
  })

  it.each([
    ["input that is not JSON", ["call", "whoami", "{"], {}, "invalid_json", /Quote it for your shell/],
    ["an empty pipe", ["call", "whoami", "-"], { input: "" }, "invalid_json", /Quote it for your shell/],
    ["an operation that is not there", ["call", "make_coffee"], {}, "unknown_operation", /names/],
    ["input that does not fit", ["call", "get_project", '{"projectUuid":7}'], {}, "invalid_input", /./],
  ])("refuses %s", async (_, argv, more, code, next) => {
    expect(await refusalOf(argv, { env, ...more })).toMatchObject({ code, next: expect.stringMatching(next) })
  })

  it("lists every operation with what it needs when none is named", async () => {
    const rows = await chorusHereJson<{ name: string }[]>(["call"], { env })
    expect(rows).toHaveLength(signatures.length)
    const { stdout } = await chorusHere(["call"], { env })
    expect(stdout).toMatch(/^operation +kind +needs +does\n/)
    expect(stdout).toMatch(/^chorus_admin_create_project +write +project:write +Create a project\.$/m)
  })
})
