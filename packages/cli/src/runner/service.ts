import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Client, createClient } from "@chorus/client"
import { ChorusError, type LogEvent } from "@chorus/contracts"
import { claim, noteDone } from "@chorus/disk"
import { readPolicy, type Runner, startRunner } from "@chorus/runs"
import { runningServer } from "@chorus/server/data-directory"
import { startDownlink } from "../companion/downlink.ts"
import { pause } from "../companion/pause.ts"
import { leanFetch } from "../lean-fetch.ts"
import type { Target } from "../output.ts"
import { ownKey } from "../own-key.ts"
import { programCache } from "../program-cache.ts"

const LOOK_MS = 1000
const DEAF_MS = 5000

export interface RunnerService {
  /** Resolves when it has begun to ask for work. */
  readonly begun: Promise<void>
  close(): Promise<void>
}

export interface ServiceOptions extends Pick<Target, "data" | "url" | "key"> {
  readonly machine: string
  readonly atRest?: () => void
}

/**
 * The runner of this machine. It does nothing before the machine's policy allows something, and waits while another is
 * at work on the same data.
 */
export function startRunnerService(options: ServiceOptions): RunnerService {
  const { data, machine } = options
  const ended = new AbortController()
  const begun = Promise.withResolvers<void>()
  const running = run()

  async function run(): Promise<void> {
    while (!ended.signal.aborted && readPolicySafely(data) === undefined) await pause(LOOK_MS, ended.signal)
    if (ended.signal.aborted) return
    mkdirSync(join(data, "runner"), { recursive: true, mode: 0o700 })
    let held = claim(join(data, "runner", "lock"))
    while (held === undefined && !ended.signal.aborted) {
      await pause(LOOK_MS, ended.signal)
      held = claim(join(data, "runner", "lock"))
    }
    if (held === undefined) return
    try {
      await work()
    } finally {
      held.release()
    }
  }

  async function work(): Promise<void> {
    const key = await keyOf(options, ended.signal)
    if (key === undefined) return
    const server = (): Client => createClient({ url: urlOf(options), key, fetch: leanFetch })
    const call: Client["call"] = (name, input, callOptions) => server().call(name, input, callOptions)
    const runner: Runner = startRunner({
      call,
      machine,
      data,
      fetched: adaptersIn(),
      mcpUrl: (work) => `${urlOf(options)}/api/mcp?tools=${work === "review" || work === "plan" ? work : "lean"}`,
      environment: process.env,
      atRest: options.atRest,
    })
    const downlink = startDownlink({
      client: { call },
      machine,
      to: "runner",
      directory: join(data, "runner"),
      carryOut: async ({ uuid, payload }, note) => {
        if (!("run" in payload)) return undefined
        await runner.order(payload.run, uuid)
        noteDone(note)
        return undefined
      },
    })
    begun.resolve()
    while (!ended.signal.aborted) {
      await hear().catch(() => undefined)
      await pause(LOOK_MS, ended.signal)
    }
    await downlink.close()
    await runner.close()

    /** As long as one connection holds: a server that was started again may listen elsewhere. */
    async function hear(): Promise<void> {
      const lost = new AbortController()
      const deaf = setTimeout(() => lost.abort(), DEAF_MS)
      try {
        for await (const item of server().events({
          kinds: ["check.changed", "delivery.queued", "landing.queued", "run.queued", "run.changed"],
          signal: AbortSignal.any([ended.signal, lost.signal]),
          onConnection(connected) {
            clearTimeout(deaf)
            if (!connected) return lost.abort()
            downlink.nudge()
            runner.nudge()
          },
        })) {
          if (item.type !== "event" || item.event.entityType === "delivery") downlink.nudge()
          if (item.type !== "event" || isNews(item.event)) runner.nudge()
        }
      } finally {
        clearTimeout(deaf)
      }
    }
  }

  return {
    begun: begun.promise,
    async close() {
      ended.abort()
      await running
    },
  }
}

/** Whether there may be something to do for a runner; what a check prints while it runs is not. */
function isNews(event: LogEvent): boolean {
  if (event.entityType === "check") return event.action === "created" || typeof event.patch.endedAt === "string"
  return ["landing", "run"].includes(event.entityType)
}

/** Where adapters lie that `chorus runner setup` fetched. */
export function adaptersIn(): string {
  return join(programCache(), "acp")
}

/** The server's address now: one that was started again may listen elsewhere. */
function urlOf({ url, data }: ServiceOptions): string {
  const found = url ?? runningServer(data)?.url
  if (found !== undefined && found !== "") return found
  throw new ChorusError("unreachable", "No server runs on this data.", {
    status: 503,
    next: "Start it: `chorus start`.",
  })
}

/**
 * The key this machine's runner works with; on the server's own machine it waits for the server and makes itself one.
 */
async function keyOf({ key, data }: ServiceOptions, signal: AbortSignal): Promise<string | undefined> {
  for (;;) {
    const found = key ?? (await ownKey(data, "runner"))
    if (found !== undefined || signal.aborted) return found
    await pause(LOOK_MS, signal)
  }
}

/** A policy that cannot be read allows nothing; `chorus runner` says what is wrong with it. */
function readPolicySafely(data: string) {
  try {
    return readPolicy(data)
  } catch {
    return undefined
  }
}
