import { createServer, type IncomingMessage, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type StreamItem, createClient } from "@chorus/client"
import type { LogEvent } from "@chorus/contracts"
import { type ChorusServer, runningServer, startServer } from "@chorus/server"
import { temporaryDirectory, type TemporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, test } from "vitest"

let directory: TemporaryDirectory
let server: ChorusServer

beforeAll(async () => {
  directory = temporaryDirectory()
  server = await startServer({ dataDirectory: directory.path, port: 0 })
})

afterAll(async () => {
  await server.close()
  await directory.remove()
})

test("calls typed operations and tells refusals apart by code", async () => {
  const client = owner(server.url)
  const project = await client.call("chorus_admin_create_project", { name: "Typed" })
  expect((await client.call("chorus_get_project", { projectUuid: project.uuid as never })).name).toBe("Typed")
  await expect(client.send("chorus_get_project", { projectUuid: "no" })).rejects.toMatchObject({
    code: "invalid_input",
    status: 400,
  })
  await expect(createClient({ url: server.url }).call("chorus_whoami", {})).rejects.toMatchObject({
    code: "unauthenticated",
    status: 401,
  })
})

test("a change whose answer was lost is made once", async () => {
  const cut = await proxy(server.url, { dropAnswers: 1 })
  const project = await owner(cut.url).call("chorus_admin_create_project", { name: "Once only" })
  const { projects } = await owner(server.url).call("chorus_list_projects", {})
  expect(projects.filter(({ name }) => name === "Once only").map(({ uuid }) => uuid)).toEqual([project.uuid])
  expect(cut.requests()).toBe(2)
  await cut.close()
})

test("events go on without gap or repeat while the connection keeps breaking", async () => {
  const cut = await proxy(server.url, {})
  const abort = new AbortController()
  const seen: LogEvent[] = []
  const connections: boolean[] = []
  const reading = collect(
    owner(cut.url).events({
      signal: abort.signal,
      kinds: ["project.created"],
      onConnection: (on) => connections.push(on),
    }),
    (item) => item.type === "event" && seen.push(item.event),
  )
  const client = owner(server.url)
  await waitFor(() => connections.length > 0)
  for (let index = 0; index < 20; index++) {
    await client.call("chorus_admin_create_project", { name: `event ${index}` })
    if (index % 5 !== 4) continue
    const before = opened(connections)
    cut.breakAll()
    // Half the time the next changes happen while nobody is connected.
    if (index % 2 === 0) await waitFor(() => opened(connections) > before)
  }
  await waitFor(() => seen.length >= 20)
  abort.abort()
  await reading
  expect(seen.map((event) => event.entityType === "project" && event.patch.name)).toEqual(
    Array.from({ length: 20 }, (_, index) => `event ${index}`),
  )
  expect(opened(connections)).toBeGreaterThan(2)
  expect(connections.at(-1)).toBe(false)
  await cut.close()
})

test("says so when the position asked for is not in the log", async () => {
  const first = await owner(server.url).events({ lastEventId: 1_000_000 }).next()
  expect(first.value).toMatchObject({ type: "gap" })
})

test("a stream that may not be read ends with the refusal", async () => {
  const stranger = createClient({ url: server.url, key: `cho_${"a".repeat(43)}` })
  await expect(stranger.events({ lastEventId: 0 }).next()).rejects.toMatchObject({ code: "key_unknown", status: 401 })
})

test("a silent connection is taken for dead and made anew", async () => {
  let connections = 0
  const silent = createServer((_, response) => {
    connections++
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": connected\n\n")
  })
  const url = await listening(silent)
  const abort = new AbortController()
  const reading = collect(
    createClient({ url }).events({ lastEventId: 0, silenceMs: 50, signal: abort.signal }),
    () => undefined,
  )
  await waitFor(() => connections >= 3)
  abort.abort()
  await reading
  silent.closeAllConnections()
  silent.close()
  expect(connections).toBeGreaterThanOrEqual(3)
})

function opened(connections: readonly boolean[]): number {
  return connections.filter((connected) => connected).length
}

function owner(url: string) {
  const token = runningServer(directory.path)?.token ?? ""
  return createClient({ url, key: token })
}

async function collect(items: AsyncIterable<StreamItem>, take: (item: StreamItem) => unknown): Promise<void> {
  for await (const item of items) take(item)
}

async function listening(http: Server): Promise<string> {
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** A network that loses answers and breaks connections when told. */
async function proxy(target: string, { dropAnswers = 0 }) {
  let drop = dropAnswers
  let requests = 0
  const http = createServer((incoming: IncomingMessage, response) => {
    requests++
    const onward = request(
      target + incoming.url,
      { method: incoming.method, headers: { ...incoming.headers, host: new URL(target).host } },
      (answer) => {
        if (drop-- > 0) return void answer.resume().on("end", () => response.destroy())
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  const url = await listening(http)
  return {
    url,
    requests: () => requests,
    breakAll: () => http.closeAllConnections(),
    close: async () => {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}
