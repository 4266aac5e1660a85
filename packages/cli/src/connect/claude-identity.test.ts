import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { chorusHereJson, scratchFolder } from "../../test/command-line.ts"
import { agentPermissions } from "@chorus/core"
import { operations, Registry } from "@chorus/server"
import { openStore } from "../workplace.ts"
import { forgetIdentity, greet, type Identity, type PresetOption, withIdentity } from "./claude-identity.ts"
import type { Target } from "../output.ts"
import { marketplaceFolder } from "./marketplace-folder.ts"

const scratch = scratchFolder()
const data = join(scratch, "data")
const KEY_NAME = `Claude Code on ${hostname()}`.slice(0, 100)

interface Key {
  readonly uuid: string
  readonly name: string
  readonly revokedAt: string | null
}

const identityFor = (target: Target & PresetOption, agent: string): Promise<Identity> =>
  withIdentity(target, { name: agent }, (identity) => Promise.resolve(identity))
const keysOf = (agent: string) => chorusHereJson<Key[]>(["key", "list", "--agent", agent, "--data", data])
const working = async (agent: string) =>
  (await keysOf(agent)).filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name)

/** A session of the agent, whose key was used a moment ago. */
async function atWork(name: string) {
  const asAgent = async (operation: string, input: object): Promise<{ uuid: string }> => {
    const store = await openStore({ data })
    try {
      const agent = await store.db.selectFrom("agents").selectAll().where("name", "=", name).executeTakeFirstOrThrow()
      const used = { lastUsedAt: new Date().toISOString() }
      await store.write(({ db }) => db.updateTable("apiKeys").set(used).where("agentUuid", "=", agent.uuid).execute())
      const permissions = agentPermissions(["lead"], [])
      const actor = { ...agent, type: "agent", role: null, permissions, projectUuids: null } as const
      const call = { actor, requestId: "test" }
      return (await new Registry(store, operations).execute(operation, input, call)) as { uuid: string }
    } finally {
      await store.close()
    }
  }
  return { asAgent, sessionUuid: (await asAgent("chorus_create_session", { name: "open" })).uuid }
}

describe("the identity of Claude Code on this machine", () => {
  it("is a new agent with one key at first, and the same agent with another key later", async () => {
    const first = await identityFor({ data }, "Claude Code")
    expect(first).toMatchObject({
      url: "http://127.0.0.1:8637",
      agent: "Claude Code",
      made: "added the agent Claude Code, lead: it plans and builds",
      key: expect.stringMatching(/^cho_/),
    })
    const second = await identityFor({ data }, "Claude Code")
    expect(second).toMatchObject({ made: "found the agent Claude Code, lead: it plans and builds" })
    expect(second.key).not.toBe(first.key)
    expect(await working("Claude Code")).toEqual([KEY_NAME])
  })

  it("that could not be used leaves the agent as it was: with the key it had, or none at all", async () => {
    const fails = (agent: string) => withIdentity({ data }, { name: agent }, () => Promise.reject(new Error("no room")))
    const [before] = await keysOf("Claude Code").then((keys) => keys.filter(({ revokedAt }) => revokedAt === null))
    await expect(fails("Claude Code")).rejects.toThrow("no room")
    expect((await keysOf("Claude Code")).filter(({ revokedAt }) => revokedAt === null)).toEqual([before])
    await expect(fails("never")).rejects.toThrow("no room")
    const agents = await chorusHereJson<{ name: string }[]>(["agent", "list", "--data", data])
    expect(agents.map(({ name }) => name)).not.toContain("never")
  })

  it("changes what an agent may do only when told to", async () => {
    await identityFor({ data, preset: ["developer"] }, "careful")
    expect((await identityFor({ data }, "careful")).made).toContain("developer: it builds tasks; with --preset lead")
    expect((await identityFor({ data, preset: ["lead"] }, "careful")).made).toContain("lead: it plans and builds")
  })

  it("leaves keys that somebody else made for the agent", async () => {
    await identityFor({ data }, "shared")
    await chorusHereJson(["agent", "key", "shared", "--name", "laptop", "--data", data])
    await identityFor({ data }, "shared")
    expect((await working("shared")).toSorted()).toEqual([KEY_NAME, "laptop"].toSorted())
    expect(await forgetIdentity({ data }, { name: "shared" })).toBe(true)
    expect(await working("shared")).toEqual(["laptop"])
    expect(await forgetIdentity({ data }, { name: "shared" })).toBe(false)
  })

  it("leaves an earlier key to the session that is open with it, and takes that when it has ended", async () => {
    const first = await identityFor({ data }, "open")
    expect(first.leaves).toBe(false)
    const { sessionUuid, asAgent } = await atWork("open")
    expect((await identityFor({ data }, "open")).leaves).toBe(true)
    expect(await working("open")).toEqual([KEY_NAME, KEY_NAME])
    await asAgent("chorus_close_session", { sessionUuid })
    expect((await identityFor({ data }, "open")).leaves).toBe(false)
    expect(await working("open")).toEqual([KEY_NAME])
  })

  it("is what was given for a server elsewhere, and needs a key there", async () => {
    expect(await identityFor({ data, url: "https://chorus.example//", key: "cho_k" }, "Claude Code")).toEqual({
      url: "https://chorus.example",
      key: "cho_k",
      agent: "",
      made: undefined,
    })
    await expect(identityFor({ data, url: "https://chorus.example" }, "Claude Code")).rejects.toMatchObject({
      code: "no_key",
      next: expect.stringContaining("--key"),
    })
  })

  it.each([
    ["on a server elsewhere", { data, url: "https://chorus.example" }, "Claude Code"],
    ["where there is no data, which is not made for that", { data: join(scratch, "none") }, "Claude Code"],
    ["of an agent that is not there", { data }, "nobody"],
  ])("is not forgotten %s", async (_, target, agent) => {
    expect(await forgetIdentity(target, { name: agent })).toBe(false)
    expect(existsSync(join(scratch, "none"))).toBe(false)
  })
})

describe("a greeting", () => {
  const answer = vi.fn<() => Promise<Response>>()
  beforeEach(() => void vi.stubGlobal("fetch", answer))
  afterEach(() => void vi.unstubAllGlobals())

  const server = { url: "http://chorus.test", key: "cho_k" }

  it("is answered with the name the key stands for", async () => {
    answer.mockResolvedValueOnce(Response.json({ name: "bob" }))
    expect(await greet(server)).toBe("bob")
    expect(answer).toHaveBeenLastCalledWith(
      "http://chorus.test/api/v1/chorus_whoami",
      expect.objectContaining({ headers: expect.objectContaining({ authorization: "Bearer cho_k" }) }),
    )
  })

  it.each([
    ["that nobody hears", () => Promise.reject(new TypeError("fetch failed")), "no_server", 503],
    ["with a key that was revoked", async () => new Response("", { status: 401 }), "key_refused", 401],
    ["to a page", async () => new Response("<html>", { status: 200 }), "not_chorus", 502],
    ["to something that has no names", async () => Response.json({}), "not_chorus", 502],
  ])("%s says what to do", async (_, given, code, status) => {
    answer.mockImplementationOnce(given)
    await expect(greet(server)).rejects.toMatchObject({ code, status, next: expect.any(String) })
  })
})

describe("the marketplace beside the program", () => {
  it("is found upwards from the program", () => {
    expect(existsSync(join(marketplaceFolder(), ".claude-plugin", "marketplace.json"))).toBe(true)
  })

  it("is asked for where there is none", () => {
    expect(() => marketplaceFolder("/")).toThrow(
      expect.objectContaining({
        code: "no_marketplace",
        next: "Say where it is: --marketplace FOLDER, or owner/repository.",
      }),
    )
  })
})
