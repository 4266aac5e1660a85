import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Client, isPassing } from "@chorus/client"
import { ChorusError, type deliveries } from "@chorus/contracts"
import { dropNote, isNoted } from "@chorus/disk"
import { oneLine } from "../output.ts"
import { pause } from "./pause.ts"

const RETRY_MS = 2000
const PULSE_MS = 30_000
/** The server gives up what nobody fetched for a week; a note older than this is of nothing that still waits. */
const NOTES_KEPT_MS = 14 * 24 * 3_600_000

export interface Downlink {
  /** Asks for what waits now. */
  nudge(): void
  close(): Promise<void>
}

export interface DownlinkOptions {
  readonly client: Pick<Client, "call">
  readonly machine: string
  /** Whose lane it is; the companion's when left out. */
  readonly to?: "companion" | "runner"
  /** Where the notes lie of what was done and not yet said. */
  readonly directory: string
  /** Does what is asked, once for each note; says what came of it where there is more to say than that. */
  carryOut(delivery: deliveries.MachineDelivery, note: string): Promise<string | undefined>
}

interface Failure {
  readonly error: string
  readonly next?: string
  readonly final: boolean
}

/** It was done, and what came of it. */
interface Done {
  readonly error?: undefined
  readonly next?: string
}

/**
 * Fetches what people said to this machine and carries it out: in order within a thread, and once each, whoever is killed
 * between doing it and saying so. What cannot be done now is said too; the server tells when to try again.
 */
export function startDownlink({ client, machine, to, directory, carryOut }: DownlinkOptions): Downlink {
  const closing = new AbortController()
  const notes = join(directory, "deliveries")
  let nudged = new AbortController()
  openNotes(notes)
  const running = run()

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      nudged = new AbortController()
      const wait = await fetchAndDo().catch(() => RETRY_MS)
      await pause(wait, AbortSignal.any([nudged.signal, closing.signal]))
    }
  }

  /** Tells after how long to ask again. */
  async function fetchAndDo(): Promise<number> {
    const { deliveries: waiting, nextAttemptAt } = await client.call("chorus_fetch_deliveries", { machine, to })
    const stuck = new Set<string | null>()
    let again = nextAttemptAt === null ? PULSE_MS : Math.min(PULSE_MS, Date.parse(nextAttemptAt) - Date.now())
    for (const delivery of waiting) {
      if (closing.signal.aborted || (delivery.thread !== null && stuck.has(delivery.thread))) continue
      const note = join(notes, delivery.uuid)
      const outcome: Failure | Done = isNoted(note) ? {} : await attempt(delivery, note)
      const comesAgain = outcome.error !== undefined && !outcome.final
      if (comesAgain) stuck.add(delivery.thread)
      if (!(await say(delivery.uuid, outcome))) again = Math.min(again, RETRY_MS)
      else if (!comesAgain) dropNote(note)
      if (comesAgain) again = Math.min(again, RETRY_MS)
    }
    return Math.max(again, 10)
  }

  async function attempt(delivery: deliveries.MachineDelivery, note: string): Promise<Failure | Done> {
    try {
      const next = await carryOut(delivery, note)
      return next === undefined ? {} : { next: oneLine(next).slice(0, 1000) }
    } catch (error) {
      return failureOf(error)
    }
  }

  /** Whether the server knows now; what it will not hear of again counts as known. */
  async function say(deliveryUuid: string, outcome: Failure | Done): Promise<boolean> {
    return client.call("chorus_settle_delivery", { deliveryUuid, ...outcome }).then(
      () => true,
      (error: unknown) => !isPassing(error),
    )
  }

  return {
    nudge: () => nudged.abort(),
    async close() {
      closing.abort()
      await running
    },
  }
}

/** A refusal stays one; what the disk says may pass. */
function failureOf(error: unknown): Failure {
  const message = oneLine(error instanceof Error ? error.message : String(error)).slice(0, 1000)
  const refusal = error instanceof ChorusError ? error : undefined
  return {
    error: message || "It failed without a word.",
    next: oneLine(refusal?.next ?? "Make the member's inbox on that machine writable, then send it again.").slice(
      0,
      1000,
    ),
    final: refusal !== undefined && refusal.status < 500,
  }
}

function openNotes(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - statSync(path).mtimeMs > NOTES_KEPT_MS) rmSync(path, { force: true })
  }
}
