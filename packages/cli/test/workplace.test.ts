import { join } from "node:path"
import { createClient } from "@chorus/client"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { chorus, chorusJson, type RunningChorus, startChorus } from "./chorus-process.ts"

interface Named {
  readonly uuid: string
  readonly name: string
}

let directory: TemporaryDirectory

beforeAll(() => {
  directory = temporaryDirectory()
})

afterAll(() => directory.remove())

describe.each(["beside a running server", "without a server"])("%s", (place) => {
  // By which of the two ways a command gets to the store, the other tests ask.
  const tags = place.startsWith("beside") ? [] : ["stress"]
  let server: RunningChorus | undefined
  let data: string[]

  beforeAll(async () => {
    const path = join(directory.path, place.replaceAll(" ", "-"))
    data = ["--data", path]
    if (place.startsWith("beside")) server = await startChorus(data)
  })

  afterAll(() => server?.end())

  test("projects are added and listed", async () => {
    const added = await chorusJson<Named>(["project", "add", "Größe & Co", "--description", "x", ...data])
    const listed = await chorusJson<Named[]>(["project", "list", ...data])
    expect(listed.map(({ uuid, name }) => ({ uuid, name }))).toEqual([{ uuid: added.uuid, name: "Größe & Co" }])
    const table = await chorus(["project", "list", ...data])
    expect(table.stdout).toMatch(/^name +status +created +uuid\nGröße & Co +active/)
    const events = await chorusJson<{ events: { kind: string; actor: { name: string } }[] }>([
      "call",
      "list_events",
      '{"kind":"project.created"}',
      ...data,
    ])
    expect(events.events).toMatchObject([{ kind: "project.created", actor: { name: "Owner" } }])
  })

  test("an agent is added with a key that is shown once, gets further keys, and loses them", { tags }, async () => {
    const agent = await chorusJson<Named & { key: string; keyUuid: string; presets: string[] }>([
      "agent",
      "add",
      "bob",
      "--preset",
      "pm",
      ...data,
    ])
    expect(agent.key).toMatch(/^cho_[\w-]{43}$/)
    expect(agent.presets).toEqual(["pm"])
    const further = await chorusJson<{ uuid: string; key: string; expiresAt: string }>([
      "agent",
      "key",
      "bob",
      "--name",
      "laptop",
      "--expires",
      "30",
      ...data,
    ])
    expect(Date.parse(further.expiresAt)).toBeGreaterThan(Date.now() + 29 * 86_400_000)
    const keys = await chorus(["key", "list", "--agent", "bob", "--json", ...data])
    expect((JSON.parse(keys.stdout) as { name: string }[]).map(({ name }) => name).sort()).toEqual([
      "default",
      "laptop",
    ])
    expect(keys.stdout).not.toContain(agent.key)
    if (server !== undefined)
      expect(await createClient({ url: server.url, key: agent.key }).call("chorus_whoami", {})).toMatchObject({
        uuid: agent.uuid,
        type: "agent",
      })
    await chorusJson(["key", "revoke", agent.key, ...data])
    if (server !== undefined)
      await expect(createClient({ url: server.url, key: agent.key }).call("chorus_whoami", {})).rejects.toMatchObject({
        code: "key_revoked",
      })
    const archived = await chorusJson<{ archivedAt: string | null }>(["agent", "archive", "bob", ...data])
    expect(archived.archivedAt).not.toBeNull()
    expect(await chorusJson(["agent", "list", ...data])).toEqual([])
  })

  test("people are added with a link, and the owner gets a new one", { tags }, async () => {
    const added = await chorusJson<Named & { signIn: string; role: string }>([
      "user",
      "add",
      "Eve",
      "--email",
      "eve@example.com",
      "--role",
      "viewer",
      ...data,
    ])
    expect(added).toMatchObject({ name: "Eve", role: "viewer" })
    expect(added.signIn).toMatch(/\/sign-in#[\w-]{43}$/)
    expect((await chorusJson<Named[]>(["user", "list", ...data])).map(({ name }) => name)).toEqual(["Owner", "Eve"])
    const own = await chorusJson<{ url: string; serverRuns: boolean }>(["signin", ...data])
    expect(own.serverRuns).toBe(server !== undefined)
    if (server !== undefined) expect(own.url.startsWith(server.url)).toBe(true)
    expect((await chorus(["signin", "--user", "nobody", ...data])).stderr).toContain("Nobody is known as nobody")
  })

  test("doctor finds all in order", async () => {
    const { ok, findings } = await chorusJson<{ ok: boolean; findings: { what: string; state: string }[] }>([
      "doctor",
      ...data,
    ])
    expect(ok).toBe(true)
    expect(findings.find(({ what }) => what === "server")?.state).toBe(server === undefined ? "odd" : "good")
    expect(findings.find(({ what }) => what === "store")?.state).toBe("good")
  })

  test("a task is named by its short id", { tags }, async () => {
    const { uuid: projectUuid } = await chorusJson<Named>(["project", "add", "Lamp shop", ...data])
    const acceptanceCriteriaItems = [{ description: "It shines" }]
    const made = { projectUuid, tasks: [{ title: "Hang the lamp", acceptanceCriteriaItems }] }
    const { tasks } = await chorusJson<{ tasks: { uuid: string; shortId: string }[] }>([
      "call",
      "create_tasks",
      JSON.stringify(made),
      ...data,
    ])
    const [{ uuid, shortId } = { uuid: "", shortId: "" }] = tasks
    expect(shortId).toMatch(/^[A-Z]+-1$/)
    expect(await chorusJson(["call", "get_task", JSON.stringify({ taskUuid: shortId }), ...data])).toMatchObject({
      uuid,
    })
    expect(await chorus(["change", "show", shortId, ...data])).toMatchObject({ code: 0, stderr: "" })
    expect((await chorus(["change", "show", `${shortId}0`, ...data])).code).not.toBe(0)
  })

  test("commands at the same time wait for each other", async () => {
    const names = Array.from({ length: 4 }, (_, index) => `parallel ${index}`)
    await Promise.all(names.map((name) => chorusJson(["project", "add", name, ...data])))
    const listed = await chorusJson<Named[]>(["project", "list", ...data])
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  test("a refusal is JSON on stderr for programs, and the exit code says so", { tags }, async () => {
    const refused = await chorus([
      "call",
      "get_project",
      '{"projectUuid":"00000000-0000-4000-8000-000000000000"}',
      "--json",
      ...data,
    ])
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe("")
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "not_found", next: expect.any(String) } })
    expect((await chorus(["call", "whoami", "{", ...data])).stderr).toContain("invalid_json")
  })
})

test("a server elsewhere is reached by address and key", async () => {
  const server = await startChorus(["--data", join(directory.path, "elsewhere")])
  const { key } = await chorusJson<{ key: string }>([
    "agent",
    "add",
    "far",
    "--data",
    join(directory.path, "elsewhere"),
  ])
  const me = await chorus(["call", "whoami"], { CHORUS_URL: server.url, CHORUS_KEY: key })
  expect(JSON.parse(me.stdout)).toMatchObject({ name: "far", type: "agent" })
  await server.end()
  const gone = await chorus(["call", "whoami", "--url", server.url, "--key", key, "--json"])
  expect(JSON.parse(gone.stderr)).toMatchObject({ error: { code: "server_unreachable" } })
})

test("hook scripts call tools through the command, as they did through curl", async () => {
  const data = join(directory.path, "hooks")
  const server = await startChorus(["--data", data])
  const { key } = await chorusJson<{ key: string }>(["agent", "add", "bob", "--data", data])
  // Scripts of others ask for this version or a newer one, and give address and key by the environment or by option.
  const { stdout: version } = await chorus(["--version"])
  expect(Number(version.split(".")[1])).toBeGreaterThanOrEqual(17)
  const env = { CHORUS_URL: server.url, CHORUS_API_KEY: key }
  const checkin = await chorus(["mcp", "call", "chorus_checkin", "{}"], env)
  expect(JSON.parse(checkin.stdout)).toMatchObject({ agent: { name: "bob" } })
  const door = ["--url", server.url, "--api-key", key]
  expect((await chorus(["mcp", "list", ...door])).stdout).toMatch(/^chorus_checkin\t/m)
  const unknown = await chorus(["mcp", "call", "chorus_get_task", '{"taskUuid":"SHOP-1"}', ...door])
  expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining("There is no task")])
  const stranger = await chorus(["mcp", "call", "chorus_checkin", "--url", server.url])
  expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining("--api-key")])
  await server.end()
})
