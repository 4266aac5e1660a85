import { createHash } from "node:crypto"
import { join } from "node:path"
import { type Client, isPassing } from "@chorus/client"
import type { ReportedRow, StatusRow } from "@chorus/contracts"
import { noteDone } from "@chorus/disk"
import type { PluginContext } from "@chorus/plugins"
import { ensureListener, type ResumeStore, resumeStore, settleFolders, watchRows } from "@chorus/status"
import { TeamObserver, TeamRelay } from "@chorus/teams"
import { atTerminal } from "./at-terminal.ts"
import { startTidying } from "./checkouts.ts"
import { landAsAllowed } from "./landing-order.ts"
import { startDownlink } from "./downlink.ts"
import { watchPlugins } from "./plugin-watch.ts"
import { pause } from "./pause.ts"
import { openQuestions } from "./questions.ts"
import { startUplink } from "./uplink.ts"

const LISTENER_RETRY_MS = 1000
const DEAF_MS = 10_000
const SETTLE_MS = 60_000
/** So soon the server hears that sessions are no longer to be come back to. */
const SWITCH_MS = 2000

export interface CompanionOptions {
  readonly client: Client
  readonly machine: string
  readonly socketPath: string
  /** Where the companion keeps what must outlive it, and where this machine says what people may do with it. */
  readonly data: string
  /** Where this machine's plugins are; those are not told when left out. */
  readonly plugins?: (() => PluginContext) | undefined
  /** Where Claude Code keeps its teams; its own default when left out. */
  readonly claudeDirectory?: string | undefined
  /** Told when the server hears and is heard, and when it no longer is. */
  readonly onConnection?: (connected: boolean) => void
}

export function companionDirectory(data: string): string {
  return join(data, "companion")
}

export interface Companion {
  close(): Promise<void>
}

/**
 * What lives near the agents of one machine: carries their status and teams up to the server, and people's decisions
 * down into the files where the agents read them.
 */
export function startCompanion(options: CompanionOptions): Companion {
  const { client, machine, socketPath, data, plugins, claudeDirectory } = options
  const ended = new AbortController()
  const resume = resumeStore()
  const questions = openQuestions(client, machine)
  const uplink = startUplink({ client, machine })
  const relay = new TeamRelay({
    root: claudeDirectory,
    send: async (to, items) => void (await client.call("chorus_relay_team", { machine, to, parts: [...items] })),
    passes: isPassing,
  })
  const tidying = startTidying(claudeDirectory)
  const observer = new TeamObserver({
    root: claudeDirectory,
    tellsLeads: true,
    onFact(fact) {
      relay.nudge()
      if (fact.fact === "member_left") tidying.nudge()
      questions.hear(fact)
      uplink.fact(fact)
    },
  })
  void observer.look().then(questions.looked, () => undefined)
  const watch =
    plugins === undefined
      ? undefined
      : watchPlugins(plugins, (inventory) => uplink.inventory({ ...inventory, machine }))
  const downlink = startDownlink({
    client,
    machine,
    directory: companionDirectory(data),
    carryOut: async ({ uuid, payload }, note) => {
      if ("decision" in payload) {
        if (payload.decision.decision === "land")
          return landAsAllowed(payload.decision, uuid, { data, root: claudeDirectory })
        await observer.decide(payload.decision, note)
      }
      if ("relay" in payload) await relay.carryOut(payload, note)
      if ("terminal" in payload) {
        await atTerminal(socketPath, payload.terminal)
        noteDone(note)
      }
      return undefined
    },
  })
  settleFolders()
  const settling = setInterval(settleFolders, SETTLE_MS)
  let sayAgain = () => {}
  void followTerminals()
  void hearPeople()

  /** As long as the companion lives, also after a time in which the server would not have it. */
  async function hearPeople(): Promise<void> {
    while (!ended.signal.aborted) {
      await hear().catch(() => undefined)
      await pause(DEAF_MS, ended.signal)
      downlink.nudge()
    }
  }

  async function hear(): Promise<void> {
    for await (const item of client.events({
      kinds: ["delivery.queued", "plugins.curated"],
      machine,
      signal: ended.signal,
      onConnection: (connected) => {
        if (connected) sayAgain()
        options.onConnection?.(connected)
      },
    })) {
      if (item.type === "event" && item.event.kind === "plugins.curated") watch?.again()
      else downlink.nudge()
    }
  }

  async function followTerminals(): Promise<void> {
    while (!ended.signal.aborted) {
      await ensureListener(socketPath).then(
        // It may have been asked to end while the listener started; the end is told once.
        () => (ended.signal.aborted ? undefined : follow()),
        () => undefined,
      )
      await pause(LISTENER_RETRY_MS, ended.signal)
    }
  }

  /** Resolves when the listener went away. */
  function follow(): Promise<void> {
    return new Promise((gone) => {
      const known = new Map<string, string>()
      let isFirst = true
      const tell = () => {
        // Some may have ended while nobody here was listening.
        if (isFirst) uplink.present([...terminals.rows.keys()])
        isFirst = false
        for (const told of terminals.rows.values()) {
          const row = reported(told, resume)
          const text = JSON.stringify(row)
          if (known.get(row.terminalId) === text) continue
          known.set(row.terminalId, text)
          uplink.terminal(row)
          // It did not end as usual: its program may have died, and whoever watched over its session with it.
          if (row.reason !== null) settleFolders()
        }
        for (const terminalId of known.keys()) {
          if (terminals.rows.has(terminalId)) continue
          known.delete(terminalId)
          uplink.terminalGone(terminalId)
        }
      }
      const terminals = watchRows(socketPath, tell, () => {
        clearInterval(switched)
        gone()
      })
      const switched = setInterval(() => void (isFirst || tell()), SWITCH_MS)
      // While no companion was heard, what it had said was in doubt.
      sayAgain = () => terminals.rows.forEach((row) => uplink.terminal(reported(row, resume)))
      ended.signal.addEventListener("abort", () => terminals.close(), { once: true })
    })
  }

  return {
    async close() {
      ended.abort()
      clearInterval(settling)
      watch?.close()
      await downlink.close()
      await relay.close()
      observer.close()
      await tidying.close()
      await questions.close()
      await uplink.close()
    },
  }
}

/** The server keeps what it is told: what a session is called stays here unless its person wants to come back to it. */
function reported(row: StatusRow, resume: ResumeStore): ReportedRow {
  const id = row.resumeCommand?.split(" ").at(-1)
  const sessionMark = id === undefined ? null : createHash("sha256").update(id).digest("hex")
  return { ...row, resumeCommand: resume.isOn(row.agent) ? row.resumeCommand : null, sessionMark }
}
