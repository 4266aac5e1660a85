import { chmodSync, mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { VERSION } from "@chorus/server"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { chorusHereJson, scratchFolder } from "../../test/command-line.ts"
import { away, refuse, scriptedServer } from "../../test/scripted-server.ts"
import type { Target } from "../output.ts"
import { type Finding, findings } from "./findings.ts"

/** Higher than any process id that Linux gives. */
const NOBODY = 2 ** 22 + 1
const scratch = scratchFolder()
const data = join(scratch, "data")

beforeAll(async () => {
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(scratch, "claude"))
  await chorusHereJson(["project", "add", "Shop", "--data", data])
})

afterEach(() => void vi.unstubAllGlobals())
afterAll(() => void vi.unstubAllEnvs())

/** Everything up to the companion; what follows asks programs of this machine. */
async function found(target: Target, deep?: true): Promise<Record<string, Finding>> {
  const all: Record<string, Finding> = {}
  for await (const finding of findings(target, deep)) {
    all[finding.what] = finding
    if (finding.what === "companion") break
  }
  return all
}

function directory(name: string, files: Record<string, string> = {}): string {
  const path = join(scratch, name)
  mkdirSync(path, { mode: 0o700 })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

const note = (more: object) =>
  JSON.stringify({ pid: process.pid, url: "http://chorus.test", startedAt: "", engine: "sqlite", token: "t", ...more })

describe("the doctor", () => {
  it("finds sound data sound, and says that nobody serves it", async () => {
    const all = await found({ data })
    expect(Object.keys(all)).toEqual(["version", "Node", "data directory", "disk", "store", "server", "companion"])
    expect(all["version"]).toMatchObject({
      state: "good",
      found: expect.stringContaining(`Chorus ${VERSION}, schema `),
    })
    expect(all["data directory"]).toEqual({ what: "data directory", state: "good", found: `${data}, yours alone` })
    expect(all["store"]).toMatchObject({
      state: "good",
      found: expect.stringMatching(/^sound, \S+ [kM]B, schema \d+$/),
    })
    expect(all["server"]).toMatchObject({ state: "odd", found: expect.stringContaining("none runs on this data") })
  })

  it("says what the first start will make, and makes nothing itself", async () => {
    const none = await found({ data: join(scratch, "none") })
    expect(none["data directory"]).toMatchObject({ state: "odd", next: "It is made by the first `chorus start`." })
    expect(none["store"]).toBeUndefined()
    const empty = await found({ data: directory("empty") })
    expect(empty["store"]).toMatchObject({ state: "odd", found: "no data yet" })
  })

  it("warns of a directory that others can open, and says how to close it", async () => {
    const open = directory("open")
    chmodSync(open, 0o755)
    expect((await found({ data: open }))["data directory"]).toMatchObject({ state: "bad", next: `chmod 700 ${open}` })
  })

  it.each([
    [
      "is not one",
      (path: string) => writeFileSync(path, "not a database, though long enough to be read as one".repeat(100)),
    ],
    ["was cut off", (path: string) => truncateSync(path, 8192)],
  ])("says what to do about a store that %s", async (name, harm) => {
    const harmed = directory(name)
    await chorusHereJson(["project", "add", "Shop", "--data", harmed])
    harm(join(harmed, "chorus.sqlite"))
    expect((await found({ data: harmed }))["store"]).toMatchObject({
      state: "bad",
      next: "Stop the server and restore a backup: chorus restore FILE --force.",
    })
  })

  it("reads and counts all data where it is asked to, and tells what does not fit together", async () => {
    expect((await found({ data }))["all data"]).toBeUndefined()
    expect((await found({ data }, true))["all data"]).toMatchObject({ state: "good" })
    const harmed = directory("harmed")
    await chorusHereJson(["project", "add", "Shop", "--data", harmed])
    const database = new DatabaseSync(join(harmed, "chorus.sqlite"))
    database.exec(`update workspaces set "lastEvent" = 4711`)
    database.close()
    expect((await found({ data: harmed }, true))["all data"]).toMatchObject({
      state: "bad",
      found: expect.stringMatching(/counted to 4711/),
      next: expect.stringContaining("chorus restore"),
    })
  })

  it("says that PostgreSQL does not answer, without its password", async () => {
    const store = (await found({ data, database: "postgres://eve:s3cret@127.0.0.1:9/chorus" }))["store"]
    expect(store).toMatchObject({
      state: "bad",
      found: expect.stringMatching(/^PostgreSQL: /),
      next: expect.stringContaining("--database"),
    })
    expect(JSON.stringify(store)).not.toContain("s3cret")
  })

  it.each([
    [
      "of this version",
      { chorus_health: () => ({ version: VERSION, engine: "sqlite" }) },
      { state: "good", found: `process ${process.pid} at http://chorus.test, Chorus ${VERSION} on sqlite` },
    ],
    [
      "of another version",
      { chorus_health: () => ({ version: "0.0.1", engine: "postgres" }) },
      { state: "odd", next: "Restart the server to run the version of this command." },
    ],
    [
      "that does not answer",
      { chorus_health: away },
      { state: "bad", next: `Stop process ${process.pid} and start again.` },
    ],
    [
      "that is something else by now",
      { chorus_health: () => refuse("not_found", 404) },
      { state: "bad", next: `Stop process ${process.pid} and start again.` },
    ],
  ])("tells of a server %s", async (name, operations, expected) => {
    vi.stubGlobal("fetch", scriptedServer(operations).fetch)
    const served = directory(`served ${name}`, { "server.json": note({}) })
    expect((await found({ data: served }))["server"]).toMatchObject(expected)
  })

  it("tells a server that was killed from one that hangs", async () => {
    vi.stubGlobal("fetch", scriptedServer({ chorus_health: away }).fetch)
    const killed = directory("killed", { "server.json": note({ pid: NOBODY }) })
    expect((await found({ data: killed }))["server"]).toMatchObject({
      state: "odd",
      found: expect.stringContaining(`none runs on this data; the last one, process ${NOBODY}, was killed`),
      next: expect.stringContaining("chorus start"),
    })
  })

  it("tells a companion that was killed from one that runs, and from none", async () => {
    const companion = async (name: string, files: Record<string, string> = {}) => {
      const path = directory(name)
      mkdirSync(join(path, "companion"))
      for (const [file, text] of Object.entries(files)) writeFileSync(join(path, "companion", file), text)
      return (await found({ data: path }))["companion"]
    }
    expect(await companion("no companion")).toMatchObject({
      state: "good",
      found: expect.stringMatching(/^not enabled/),
    })
    expect(await companion("enabled", { start: "" })).toMatchObject({ found: expect.stringMatching(/^starts with/) })
    expect(await companion("at work", { "server.json": note({}) })).toMatchObject({
      state: "good",
      found: expect.stringMatching(`^process ${process.pid} reports`),
    })
    expect(await companion("dead", { "server.json": note({ pid: NOBODY }) })).toMatchObject({
      state: "odd",
      found: expect.stringMatching(`^process ${NOBODY} was killed`),
      next: expect.stringContaining("chorus companion"),
    })
  })

  it.each([
    [
      "takes",
      () => ({ name: "Claude Code" }),
      { state: "good", found: "http://chorus.test accepts it as the key of Claude Code" },
    ],
    [
      "refuses",
      () => refuse("unauthenticated", 401),
      {
        state: "bad",
        found: "http://chorus.test refuses it",
        next: "Make a key there, in Settings → Agents and keys, and run `chorus connect claude --url http://chorus.test --key KEY`.",
      },
    ],
    ["cannot be asked about", away, { state: "odd", found: "No Chorus answers at http://chorus.test." }],
  ])("asks about the key of Claude Code, which the board %s", async (_, whoami, expected) => {
    vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: whoami }).fetch)
    const id = "chorus@chorus-plugins"
    const connected = {
      "settings.json": {
        enabledPlugins: { [id]: true },
        pluginConfigs: { [id]: { options: { chorus_url: "http://chorus.test" } } },
      },
      ".credentials.json": { pluginSecrets: { [id]: { chorus_api_key: "cho_1" } } },
    }
    const older = {
      "settings.json": {
        enabledPlugins: { "chorus-legacy@chorus-plugins": true },
        env: { CHORUS_URL: "http://chorus.test", CHORUS_API_KEY: "cho_1" },
      },
    }
    mkdirSync(join(scratch, "claude"), { recursive: true })
    for (const files of [connected, older]) {
      for (const [file, content] of Object.entries(files))
        writeFileSync(join(scratch, "claude", file), JSON.stringify(content))
      expect((await found({ data }))["claude key"]).toMatchObject(expected)
      // A machine that works with a Chorus elsewhere lacks nothing, least of all an empty one of its own.
      const guest = await found({ data: join(scratch, "guest") })
      expect(Object.keys(guest)).toEqual(["version", "Node", "server", "claude key", "companion"])
      expect(guest["server"]).toEqual({
        what: "server",
        state: "good",
        found: "none of its own: Claude Code is connected to http://chorus.test",
      })
    }
    writeFileSync(join(scratch, "claude", "settings.json"), "{}")
    expect((await found({ data }))["claude key"]).toBeUndefined()
  })

  it("does not take a server that only starts for one that answers", async () => {
    const starting = directory("starting", { "server.json": note({ url: "" }) })
    expect((await found({ data: starting }))["server"]).toMatchObject({ state: "odd" })
  })
})
