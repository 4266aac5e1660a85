import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createClient } from "@chorus/client"
import { ProjectId } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { chorus, chorusJson, type RunningChorus, startChorus } from "./chorus-process.ts"

const EMAIL = "ada@example.test"
const PASSWORD = "a long enough password"

let directory: TemporaryDirectory
const at = (name: string) => join(directory.path, name)

beforeAll(() => {
  directory = temporaryDirectory()
})

afterAll(() => directory.remove())

test("a backup made while a server writes holds every change acknowledged before it, and restores", async () => {
  const server = await startChorus(["--data", at("busy")])
  const { call } = createClient({ url: server.url, key: runningServer(at("busy"))?.token })
  const acknowledged: string[] = []
  const stop = new AbortController()
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let number = 0; !stop.signal.aborted; number++)
      acknowledged.push((await call("chorus_admin_create_project", { name: `w${writer} ${number}` })).uuid)
  })
  await Promise.race([...writers, enough(() => acknowledged.length > 50)])
  const before = [...acknowledged]
  await chorusJson(["backup", at("busy.backup"), "--data", at("busy")])
  const after = acknowledged.length
  stop.abort()
  await Promise.all(writers)
  expect(after).toBeGreaterThan(before.length)
  expect(statSync(at("busy.backup")).mode & 0o777).toBe(0o600)
  await server.end()

  const restored = await chorus(["restore", at("busy.backup"), "--data", at("restored")])
  expect(restored).toMatchObject({ code: 0 })
  const projects = await chorusJson<{ uuid: string }[]>(["project", "list", "--data", at("restored")])
  expect(projects.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(before))
  const { events, last } = await chorusJson<{ events: { id: number }[]; last: number }>([
    "call",
    "list_events",
    '{"limit":1}',
    "--data",
    at("restored"),
  ])
  expect(events[0]?.id).toBe(last)
  expect(readdirSync(at("restored")).filter((name) => name.includes("restore-"))).toEqual([])
})

test("restore does not overwrite unless told to, and then sets the old data aside", async () => {
  await chorusJson(["project", "add", "old", "--data", at("one")])
  await chorusJson(["backup", at("one.backup"), "--data", at("one")])
  await chorusJson(["project", "add", "newer", "--data", at("one")])
  const refused = await chorus(["restore", at("one.backup"), "--data", at("one"), "--json"])
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "would_overwrite" } })
  expect(await names("one")).toEqual(["newer", "old"])
  const { setAside } = await chorusJson<{ setAside: string }>([
    "restore",
    at("one.backup"),
    "--force",
    "--data",
    at("one"),
  ])
  expect(await names("one")).toEqual(["old"])
  await chorusJson(["restore", setAside, "--data", at("again")])
  expect(await names("again")).toEqual(["newer", "old"])
})

test("a backup that is damaged, foreign or cut off is refused and the data stays", async () => {
  await chorusJson(["project", "add", "kept", "--data", at("safe")])
  await chorusJson(["backup", at("safe.backup"), "--data", at("safe")])
  const whole = readFileSync(at("safe.backup"))
  const damaged = Buffer.from(whole)
  damaged.fill(0xff, 5000, 60_000)
  const broken = {
    "cut.backup": whole.subarray(0, whole.length / 2),
    "damaged.backup": damaged,
    "text.backup": Buffer.from("hello\n"),
    "empty.backup": Buffer.alloc(0),
  }
  for (const [name, bytes] of Object.entries(broken)) {
    writeFileSync(at(name), bytes)
    const refused = await chorus(["restore", at(name), "--force", "--data", at("safe"), "--json"])
    expect(JSON.parse(refused.stderr), name).toMatchObject({
      error: { code: expect.stringMatching(/^(bad_backup|bad_bundle|store_not_empty)$/) },
    })
  }
  expect(await names("safe")).toEqual(["kept"])
})

test("neither restore nor import works on data that a server uses", async () => {
  await chorusJson(["backup", at("safe2.backup"), "--data", at("safe")])
  await chorusJson(["export", at("safe2.jsonl"), "--data", at("safe")])
  const server = await startChorus(["--data", at("used")])
  for (const args of [
    ["restore", at("safe2.backup"), "--force"],
    ["import", at("safe2.jsonl")],
  ]) {
    const refused = await chorus([...args, "--data", at("used"), "--json"])
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "data_in_use", details: { pid: server.pid } } })
  }
  await server.end()
})

test("export, import, export gives the same rows, and no secret is among them", async () => {
  const { key } = await chorusJson<{ key: string }>(["agent", "add", "bob", "--data", at("source")])
  await chorusJson(["project", "add", "p", "--data", at("source")])
  const server = await startChorus(["--data", at("source")])
  await chorusJson(["export", at("a.jsonl"), "--data", at("source")])
  await server.end()
  await chorusJson(["import", at("a.jsonl"), "--data", at("target")])
  const printed = await chorus(["export", "-", "--data", at("target")])
  const [first, second] = [readFileSync(at("a.jsonl"), "utf8"), printed.stdout].map((text) => text.split("\n"))
  expect(second?.slice(1)).toEqual(first?.slice(1))
  expect(first?.join()).not.toMatch(/"hash"|passwordHash|signIn/)
  const refused = await chorus(["import", at("a.jsonl"), "--data", at("target"), "--json"])
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "store_not_empty" } })

  const again = await startChorus(["--data", at("target")])
  expect(again.signIn).toMatch(/sign-in#/)
  await expect(createClient({ url: again.url, key }).call("chorus_whoami", {})).rejects.toMatchObject({
    code: "key_unknown",
  })
  const fresh = await chorusJson<{ key: string }>(["agent", "key", "bob", "--data", at("target")])
  expect(await createClient({ url: again.url, key: fresh.key }).call("chorus_whoami", {})).toMatchObject({
    name: "bob",
  })
  await again.end()
})

test("the embedded store moves to PostgreSQL and back with its keys, passwords, webhooks and bridges", async () => {
  const server = await startChorus(["--data", at("embedded")])
  const { key } = await chorusJson<{ key: string }>(["agent", "add", "bob", "--data", at("embedded")])
  const { call } = createClient({ url: server.url, key: runningServer(at("embedded"))?.token })
  const { uuid: projectUuid } = await call("chorus_admin_create_project", { name: "Shop" })
  await call("chorus_create_webhook", { url: "https://ci.example.test/hook" })
  const origin = "github:octo/shop"
  await call("chorus_create_bridge", { projectUuid: ProjectId.parse(projectUuid), origin, token: "forge-token" })
  await givePassword(server)
  await chorusJson(["backup", at("embedded.backup"), "--data", at("embedded")])
  await server.end()

  const database = await sharedDatabase()
  const there = ["--data", at("moved"), "--database", database]
  await chorusJson(["restore", at("embedded.backup"), ...there])
  expect((await chorus(["restore", at("embedded.backup"), ...there, "--json"])).stderr).toContain("store_not_empty")
  await chorusJson(["backup", at("moved.backup"), ...there])
  await chorusJson(["restore", at("moved.backup"), "--data", at("back")])
  expect(secretsIn(at("back"))).toEqual(secretsIn(at("embedded")))
  expect(secretsIn(at("back"))).toMatchObject([[{ origin, token: "forge-token" }], [{ secret: expect.any(String) }]])
  for (const place of [there, ["--data", at("back")]]) {
    const restored = await startChorus(place)
    expect(await createClient({ url: restored.url, key }).call("chorus_whoami", {})).toMatchObject({ name: "bob" })
    expect((await postTo(restored, "/api/auth/sign-in", { email: EMAIL, password: PASSWORD })).status).toBe(200)
    await restored.end()
  }
})

test("PostgreSQL is backed up while a server runs on it, and restores with its keys, also into the embedded store", async () => {
  const database = await sharedDatabase()
  const server = await startChorus(["--data", at("pg"), "--database", database])
  const { key } = await chorusJson<{ key: string }>(["agent", "add", "bob", "--data", at("pg")])
  const unnamed = await chorus(["backup", at("pg.backup"), "--data", at("pg"), "--json"])
  expect(JSON.parse(unnamed.stderr)).toMatchObject({ error: { code: "database_unnamed" } })
  await chorusJson(["backup", at("pg.backup"), "--data", at("pg"), "--database", database])
  await server.end()
  for (const target of [
    ["--data", at("pg2"), "--database", await sharedDatabase()],
    ["--data", at("pg3")],
  ]) {
    await chorusJson(["restore", at("pg.backup"), ...target])
    const restored = await startChorus(target)
    expect(await createClient({ url: restored.url, key }).call("chorus_whoami", {})).toMatchObject({ name: "bob" })
    await restored.end()
  }
})

test("an existing file is not overwritten, and a place without data is named", async () => {
  writeFileSync(at("there"), "mine")
  for (const command of ["backup", "export"]) {
    expect((await chorus([command, at("there"), "--data", at("safe")])).stderr).toContain("would_overwrite")
    expect((await chorus([command, at("new"), "--data", at("nowhere")])).stderr).toContain("no_data")
  }
  expect(readFileSync(at("there"), "utf8")).toBe("mine")
  expect(existsSync(at("new"))).toBe(false)
})

/** The first person of an installation opens their link, and chooses a password. */
async function givePassword(server: RunningChorus): Promise<void> {
  const token = new URL(server.signIn ?? "").hash.slice(1)
  const signedIn = await postTo(server, "/api/auth/link", { token })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(";")))
    .join("; ")
  expect((await postTo(server, "/api/v1/chorus_update_me", { email: EMAIL }, cookie)).status).toBe(200)
  expect((await postTo(server, "/api/auth/password", { password: PASSWORD }, cookie)).status).toBe(200)
}

function postTo({ url }: RunningChorus, path: string, body: object, cookie = ""): Promise<Response> {
  const headers = { "content-type": "application/json", origin: url, ...(cookie === "" ? {} : { cookie }) }
  return fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) })
}

/** What nobody can type anew by heart. */
function secretsIn(data: string): unknown[] {
  const database = new DatabaseSync(join(data, "chorus.sqlite"), { readOnly: true })
  const rows = [`select "origin", "token", "secret" from bridges`, `select "url", "secret" from webhooks`].map(
    (query) => database.prepare(query).all(),
  )
  database.close()
  return rows
}

async function names(data: string): Promise<string[]> {
  return (await chorusJson<{ name: string }[]>(["project", "list", "--data", at(data)])).map(({ name }) => name).sort()
}

async function enough(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise(setImmediate)
}
