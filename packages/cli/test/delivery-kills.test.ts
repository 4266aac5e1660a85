import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createClient, isPassing } from "@chorus/client"
import type { InputOf, OperationName, OutputOf, SignatureNamed } from "@chorus/contracts"
import { ChorusError } from "@chorus/contracts"
import { startStatusService } from "@chorus/status"
import { bodyOf, createTeam, requestPlanApproval, type Team } from "@chorus/teams"
import { CHORUS_MAIN, freePort, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterEach, expect, it } from "vitest"
import { type RunningChorus, startChorus } from "./chorus-process.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
const KILLS = STRESS ? 100 : 4
const PATIENCE = 120_000
/** So much may be under way at once, so that what is killed always has something in hand. */
const UNDER_WAY = 8
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

it(
  "answers, orders and webhooks arrive once in effect, whichever of server and companion is killed",
  { timeout: STRESS ? 3_600_000 : 300_000 },
  async () => {
    const home = temporaryDirectory().path
    const data = join(home, "server")
    const port = await freePort()
    const start = () => startChorus(["--data", data, "--port", String(port)])
    let server: RunningChorus = await start()
    cleanups.push(() => server.end("SIGKILL"))
    const status = await startStatusService({ socketPath: join(home, "status.sock"), home })
    cleanups.push(() => status.close())
    const agent = await person(data, "chorus_create_agent", { name: "laptop agent" }, "agent")
    const { key } = await person(data, "chorus_create_key", { agentUuid: agent.uuid }, "key")
    const receiver = await startReceiver()
    cleanups.push(() => receiver.close())
    const hook = { url: receiver.url, kinds: ["order.given", "attention.answered"], allowPrivate: true }
    await person(data, "chorus_create_webhook", hook, "webhook")

    const team = await createTeam({ name: "session-0a1b2c3d" }, { root: join(home, "claude") })
    await team.join({ name: "bob", agentType: "general-purpose" })
    let companion = startCompanionProcess(home, server.url, key)
    cleanups.push(() => companion.kill("SIGKILL"))
    const bob = readInbox(team)
    cleanups.push(() => bob.close())
    const seen = () => person(data, "chorus_list_teams", {}).then(({ teams }) => teams[0])
    const { uuid: teamUuid } = await waitFor(
      async () => (await seen())?.members.some(({ name }) => name === "bob") && (await seen()),
      PATIENCE,
      "the team on the board",
    )

    const stop = new AbortController()
    const written: string[] = []
    const asked: string[] = []
    const people = [giveOrders(), askForApproval(), approve()]
    let kills = 0
    const killed = { server: 0, companion: 0 }
    while (kills < KILLS) {
      const before = bob.words.length
      await waitFor(() => bob.words.length > before, PATIENCE, "bob to hear something")
      await new Promise((wake) => setTimeout(wake, Math.random() * 150))
      const victim = Math.random() < 0.5 ? "server" : "companion"
      if (victim === "server") {
        await server.end("SIGKILL")
        server = await start()
      } else {
        expect([companion.exitCode, companion.signalCode], "it runs until it is killed").toEqual([null, null])
        const ended = once(companion, "exit")
        companion.kill("SIGKILL")
        await ended
        companion = startCompanionProcess(home, server.url, key)
      }
      killed[victim]++
      kills++
    }
    stop.abort()
    await Promise.all(people)

    await waitFor(
      () => bob.words.length >= written.length,
      PATIENCE,
      () => `orders: ${missing(written, bob.words)}`,
    )
    await waitFor(
      () => bob.answers.length >= asked.length,
      PATIENCE,
      () => `answers: ${missing(asked, bob.answers)}`,
    )
    const wanted = (await Promise.all(["order.given", "attention.answered"].map((kind) => eventsOf(data, kind)))).flat()
    await waitFor(
      () => receiver.applied.size >= wanted.length,
      PATIENCE,
      () => `webhooks: ${receiver.applied.size}`,
    )
    const unsettled = async () => (await person(data, "chorus_list_deliveries", { state: "pending" })).deliveries
    await waitFor(async () => (await unsettled()).length === 0, PATIENCE, "everything to be settled")
    console.log(
      `${killed.server} kills of the server, ${killed.companion} of the companion: ` +
        `${bob.words.length} of ${written.length} orders, ${bob.answers.length} of ${asked.length} answers, ` +
        `${receiver.applied.size} of ${wanted.length} events by ${receiver.posts()} posts`,
    )
    expect(bob.words).toEqual(written)
    expect(bob.answers.toSorted()).toEqual(asked.toSorted())
    expect([...receiver.applied.values()].toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b))
    expect((await person(data, "chorus_list_deliveries", { state: "dead" })).deliveries).toEqual([])

    async function giveOrders(): Promise<void> {
      for (let n = 0; !stop.signal.aborted; n++) {
        const text = `order ${n}`
        await person(data, "chorus_write_to_member", { teamUuid, to: "bob", text }, text)
        written.push(text)
        await waitFor(() => written.length - bob.words.length < UNDER_WAY, PATIENCE, "bob to hear what was said")
      }
    }

    /** One plan after the other: a newer one of the same member takes the place of the last. */
    async function askForApproval(): Promise<void> {
      while (!stop.signal.aborted) {
        asked.push(await requestPlanApproval(team, "bob", { path: "plan.md", content: `# Plan ${asked.length}` }))
        await waitFor(() => bob.answers.length === asked.length, PATIENCE, "bob to hear an answer")
      }
    }

    async function approve(): Promise<void> {
      while (!stop.signal.aborted || bob.answers.length < asked.length) {
        const { attentions } = await person(data, "chorus_list_attentions", { open: true, pageSize: 50 })
        for (const { uuid: attentionUuid, kind, answerable } of attentions)
          if (kind === "plan" && answerable)
            await person(
              data,
              "chorus_answer_attention",
              { attentionUuid, answer: { decision: "approve" } },
              attentionUuid,
            )
        await new Promise((wake) => setTimeout(wake, 50))
      }
    }
  },
)

const missing = (wanted: readonly string[], got: readonly string[]) =>
  wanted.filter((one) => !got.includes(one)).join(", ")

/** Calls as the owner until there is an answer; said once, however often it has to be said. */
async function person<Name extends OperationName>(
  data: string,
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  idempotencyKey?: string,
): Promise<OutputOf<SignatureNamed<Name>>> {
  for (const began = Date.now(); ;) {
    try {
      const { url, token } = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as Record<string, string>
      if (!token) throw new SyntaxError("the server has not said yet how to reach it")
      const options = idempotencyKey === undefined ? {} : { idempotencyKey: idempotencyKey.replaceAll(" ", "-") }
      return await createClient({ url: url ?? "", key: token }).call(name, input, options)
    } catch (error) {
      // The server is away, or another one since the note was read.
      const passes =
        error instanceof SyntaxError || isPassing(error) || (error as NodeJS.ErrnoException).code === "ENOENT"
      const settled = error instanceof ChorusError && error.code === "attention_settled"
      if (settled) return {} as OutputOf<SignatureNamed<Name>>
      const mayPass = passes || (error instanceof ChorusError && error.status === 401)
      if (!mayPass || Date.now() - began > PATIENCE) throw error
      await new Promise((wake) => setTimeout(wake, 100))
    }
  }
}

async function eventsOf(data: string, kind: string): Promise<number[]> {
  const ids: number[] = []
  for (let before: number | undefined; ; before = ids.at(-1)) {
    const { events } = await person(data, "chorus_list_events", { kind, limit: 100, ...(before && { before }) })
    if (events.length === 0) return ids
    ids.push(...events.map(({ id }) => id))
  }
}

function startCompanionProcess(home: string, url: string, key: string): ChildProcess {
  const place = ["--data", join(home, "machine"), "--machine", "laptop"]
  return spawn(process.execPath, [CHORUS_MAIN, "companion", "--url", url, "--key", key, ...place], {
    env: {
      PATH: process.env["PATH"],
      HOME: join(home, "home"),
      CLAUDE_CONFIG_DIR: join(home, "claude"),
      CHORUS_SOCK: join(home, "status.sock"),
    },
    stdio: ["ignore", "ignore", "inherit"],
  })
}

/** Takes what comes out of the inbox, as a session of Claude Code does, so that nothing there tells what was in it. */
function readInbox(team: Team) {
  const words: string[] = []
  const answers: string[] = []
  const closing = new AbortController()
  const reading = (async () => {
    while (!closing.signal.aborted) {
      for (const { entry } of await team.take("bob")) {
        const body = bodyOf(entry.text)
        if (body === undefined) words.push(entry.text)
        else if (body.type === "plan_approval_response") answers.push(body.requestId)
      }
      await new Promise((wake) => setTimeout(wake, Math.random() * 60))
    }
  })()
  return {
    words,
    answers,
    close: async () => {
      closing.abort()
      await reading
    },
  }
}

/** A receiver that keeps the marks; at first it refuses some, and of some it does not say that it took them. */
async function startReceiver() {
  const applied = new Map<string, number>()
  const known = new Set<string>()
  let posts = 0
  const http = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on("data", (part: Buffer) => parts.push(part))
    incoming.on("end", () => {
      posts++
      const { delivery, event } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        delivery: string
        event: { id: number }
      }
      if (incoming.headers["x-chorus-delivery"] !== delivery) throw new Error("the mark differs")
      const fails = !known.has(delivery) && posts % 10
      known.add(delivery)
      if (fails === 3) return void outgoing.writeHead(503).end()
      applied.set(delivery, event.id)
      if (fails === 7) return void incoming.socket.destroy()
      outgoing.writeHead(204).end()
    })
  })
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    applied,
    posts: () => posts,
    close: async () => {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}
