import { spawn } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { openSqliteStore } from "@chorus/store"
import { freePort, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { makeKeyInStore } from "../../packages/server/test/key-in-store.ts"
import { runningServer, type TestServer } from "../../packages/server/test/running-server.ts"

const SERVE = join(import.meta.dirname, "..", "..", "packages", "server", "test", "serve.ts")

describe("a running server", () => {
  let chorus: TestServer
  beforeAll(async () => {
    chorus = await runningServer()
  })
  afterAll(() => chorus.close())

  it("sends a thread of 10 MB again to a reader that comes back, each event once, while others hear news at once", async () => {
    const project = String((await chorus.post("chorus_admin_create_project", { name: "Long" })).body["uuid"])
    const created = await chorus.post("chorus_create_tasks", {
      projectUuid: project,
      tasks: [{ title: "talked about", description: "", acceptanceCriteriaItems: [{ description: "works" }] }],
    })
    const taskUuid = (created.body["tasks"] as { uuid: string }[])[0]?.uuid ?? ""
    for (let at = 0; at < 250; at++)
      await chorus.post("chorus_add_comment", {
        targetType: "task",
        targetUuid: taskUuid,
        content: `${at} ${"x".repeat(45_000)}`,
      })
    const client = createClient({ url: chorus.url, key: chorus.key })
    const { last } = await client.call("chorus_list_events", { limit: 1 })
    const live = listener({})
    await waitFor(() => live.text().includes(": connected"))
    const back = listener({ "last-event-id": "0" })
    const news = await chorus.post("chorus_admin_create_project", { name: "News" })
    expect(news.status).toBe(200)
    await waitFor(() => live.ids().includes(last + 1), 60_000, "the live reader to hear the news")
    await waitFor(() => back.ids().includes(last + 1), 60_000, "the reader that came back to catch up")
    expect(back.bytes()).toBeGreaterThan(10_000_000)
    expect(back.ids()).toEqual(Array.from({ length: last + 1 }, (_, at) => at + 1))
    expect([back.ended(), live.ended()]).toEqual([false, false])
    for (const each of [back, live]) each.close()
  })

  it("lets nobody upgrade a connection, and looks at Host and Origin before it looks at that", async () => {
    const upgrade = (host: string, origin?: string) =>
      statusOf(
        `GET /api/events HTTP/1.1\r\nHost: ${host}\r\n${origin === undefined ? "" : `Origin: ${origin}\r\n`}Authorization: Bearer ${chorus.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      )
    const { host } = new URL(chorus.url)
    expect(await upgrade("evil.example")).toContain(" 403 ")
    expect(await upgrade(host, "https://evil.example")).toContain(" 403 ")
    expect(await upgrade(host)).not.toContain(" 101 ")
  })

  it.each(["token", "key", "apiKey", "api_key", "access_token", "authorization", "Authorization", "bearer"])(
    "takes no credential from an address: ?%s=",
    async (name) => {
      for (const path of [
        "/api/v1/chorus_list_projects",
        "/api/events",
        "/api/events/notifications",
        "/api/mcp",
        "/metrics/../api/v1/chorus_whoami",
      ]) {
        for (const value of [chorus.key, `Bearer ${chorus.key}`]) {
          const response = await fetch(`${chorus.url}${path}?${name}=${encodeURIComponent(value)}`, {
            headers: { accept: "application/json, text/event-stream" },
          })
          await response.body?.cancel()
          expect(response.status, path).toBe(401)
        }
      }
    },
  )

  it("tells a newer client what it does not know, and an older one nothing that disturbs it", async () => {
    const newer = await chorus.post("chorus_of_next_year", { name: "x" })
    expect(newer).toMatchObject({
      status: 404,
      body: { error: { code: expect.stringMatching(/^[a-z_]+$/), next: expect.stringMatching(/\S/) } },
    })
    const odd = await chorus.post("chorus_list_projects", { fieldOfNextYear: true })
    expect(odd.status).toBeLessThan(500)
    const old = await chorus.post(
      "chorus_list_projects",
      {},
      { "mcp-protocol-version": "2024-11-05", "x-chorus-version": "0.0.1" },
    )
    expect(old.status).toBe(200)
  })

  interface Heard {
    ids(): number[]
    text(): string
    bytes(): number
    ended(): boolean
    close(): void
  }

  function listener(headers: Record<string, string>): Heard {
    const chunks: Buffer[] = []
    let ended = false
    const call = request(
      `${chorus.url}/api/events`,
      { headers: { authorization: `Bearer ${chorus.key}`, ...headers } },
      (response) => {
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("close", () => (ended = true))
      },
    )
    call.on("error", () => (ended = true)).end()
    const text = () => Buffer.concat(chunks).toString("utf8")
    return {
      text,
      ids: () => [...text().matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])),
      bytes: () => chunks.reduce((sum, { length }) => sum + length, 0),
      ended: () => ended,
      close: () => call.destroy(),
    }
  }

  function statusOf(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(chorus.url).port), "127.0.0.1")
      socket
        .on("error", () => resolve(""))
        .once("data", (chunk) => {
          resolve(chunk.toString("latin1").split("\r\n")[0] ?? "")
          socket.destroy()
        })
      socket.once("close", () => resolve(""))
      socket.write(bytes)
    })
  }
})

describe("a full disk", () => {
  it("is told to who writes, loses nothing that was acknowledged, and is over when there is room again", async () => {
    await using directory = temporaryDirectory("chorus-full-")
    const store = await openSqliteStore(join(directory.path, "chorus.sqlite"))
    const key = await makeKeyInStore(store)
    await store.close()
    const port = await freePort()
    // No file may grow beyond this; whoever tries is told so instead of being ended.
    const full = start(directory.path, port, ["sh", "-c", "trap '' XFSZ; ulimit -f 4000; exec \"$@\"", "sh"])
    await ready(full)
    const call = (name: string) =>
      fetch(`http://127.0.0.1:${port}/api/v1/chorus_admin_create_project`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name, description: "x".repeat(19_000) }),
      })
    const kept: string[] = []
    let refusal: unknown
    for (let at = 0; at < 1000 && refusal === undefined; at++) {
      const response = await call(`p${at}`)
      if (response.ok) kept.push(`p${at}`)
      else refusal = await response.json()
    }
    expect(kept.length).toBeGreaterThan(5)
    expect(refusal).toMatchObject({ error: { code: "disk_full", next: expect.stringMatching(/room|space/) } })
    const reads = await fetch(`http://127.0.0.1:${port}/api/v1/chorus_list_projects`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(reads.status, "what is there can still be read").toBe(200)
    full.kill("SIGKILL")
    await once(full, "exit")
    const roomy = start(directory.path, port, [])
    await ready(roomy)
    expect((await call("with room")).status).toBe(200)
    roomy.kill("SIGTERM")
    await once(roomy, "exit")
    const after = await openSqliteStore(join(directory.path, "chorus.sqlite"))
    const names = (await after.db.selectFrom("projects").select("name").execute()).map(({ name }) => name)
    await after.close()
    expect(names.filter((name) => name !== "with room").toSorted()).toEqual(kept.toSorted())
  })

  function start(directory: string, port: number, before: readonly string[]) {
    const [command = process.execPath, ...args] = [...before, process.execPath, SERVE, directory, String(port)]
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    return child
  }

  function ready(child: ReturnType<typeof start>): Promise<unknown> {
    return once(child.stdout, "data")
  }
})
