import { randomUUID } from "node:crypto"
import { type Client, isPassing } from "@chorus/client"
import { ChorusError, type MachineInventory, type ReportedRow, type TeamFact } from "@chorus/contracts"

/** While one report is on its way the next gathers by itself; this only lets what comes in one burst go together. */
const GATHER_MS = 15
const RETRY_MS = 2000
/** The page says what terminals do within two seconds of its server's return. */
const AWAY_MS = 700
const PULSE_MS = 30_000
/** Of terminals, of those that are gone, and of facts, in one report. */
const MOST = 500

export interface Uplink {
  /** All that are there now; the server drops the others. */
  present(terminalIds: readonly string[]): void
  terminal(row: ReportedRow): void
  terminalGone(terminalId: string): void
  fact(fact: TeamFact): void
  inventory(inventory: MachineInventory): void
  /** Sends what is still to be sent and stops. */
  close(): Promise<void>
}

export interface UplinkOptions {
  readonly client: Client
  readonly machine: string
}

/**
 * Reports this machine to the server: what gathered within a moment in one call, in order, and again until it arrived.
 * Of a terminal only the newest row matters; team facts are all kept. What the server will not take is sent in smaller
 * parts, and at last without the one thing that it refuses, so that nothing holds up the rest for good.
 */
export function startUplink({ client, machine }: UplinkOptions): Uplink {
  const terminals = new Map<string, ReportedRow>()
  const gone = new Set<string>()
  let present: readonly string[] | undefined
  let facts: TeamFact[] = []
  let inventory: MachineInventory | undefined
  let most = MOST
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<number> | undefined
  let unheard: ReturnType<typeof composed> | undefined
  let closed = false
  const pulse = setInterval(() => schedule(0), PULSE_MS)

  function schedule(after: number): void {
    if (!closed) timer ??= setTimeout(() => void send(), after)
  }

  async function send(): Promise<void> {
    timer = undefined
    if (sending !== undefined) return schedule(GATHER_MS)
    sending = report()
    const wait = await sending
    sending = undefined
    if (wait > 0 || isSomethingLeft()) schedule(wait || GATHER_MS)
  }

  /**
   * How long to wait because the server did not hear it; nothing if it did. It may have refused it, and then the next
   * report is another; one of which nobody knows whether it arrived goes again as it was.
   */
  async function report(): Promise<number> {
    const { input, idempotencyKey, forget } = (unheard ??= composed())
    try {
      await client.call("chorus_report_machine", input, { idempotencyKey, retry: false })
      unheard = undefined
      forget()
      most = MOST
      return 0
    } catch (error) {
      if (isPassing(error)) return AWAY_MS
      unheard = undefined
      if (!isRefused(error) || !isSomethingLeft()) return RETRY_MS
      if (most === 1) forget()
      most = most === 1 ? MOST : Math.ceil(most / 8)
      return 0
    }
  }

  function composed() {
    const rows = [...terminals.values()].slice(0, most)
    const left = [...gone].slice(0, most)
    const told = facts.slice(0, most)
    const taken = inventory
    const there = present
    const input = {
      machine,
      terminals: rows,
      goneTerminals: left,
      teamFacts: told,
      ...(taken === undefined ? {} : { inventory: taken }),
      ...(there === undefined ? {} : { presentTerminals: [...there] }),
    }
    const forget = () => {
      for (const row of rows) if (terminals.get(row.terminalId) === row) terminals.delete(row.terminalId)
      for (const terminalId of left) gone.delete(terminalId)
      facts = facts.slice(told.length)
      if (inventory === taken) inventory = undefined
      if (present === there) present = undefined
    }
    return { input, idempotencyKey: randomUUID(), forget }
  }

  function isSomethingLeft(): boolean {
    return terminals.size > 0 || gone.size > 0 || facts.length > 0 || inventory !== undefined || present !== undefined
  }

  schedule(0)
  return {
    present(terminalIds) {
      present = terminalIds
      schedule(GATHER_MS)
    },
    terminal(row) {
      gone.delete(row.terminalId)
      terminals.set(row.terminalId, row)
      schedule(GATHER_MS)
    },
    terminalGone(terminalId) {
      terminals.delete(terminalId)
      gone.add(terminalId)
      schedule(GATHER_MS)
    },
    fact(fact) {
      facts.push(fact)
      schedule(GATHER_MS)
    },
    inventory(taken) {
      inventory = taken
      schedule(GATHER_MS)
    },
    async close() {
      closed = true
      clearInterval(pulse)
      clearTimeout(timer)
      await sending
      while (isSomethingLeft() && (await report()) === 0);
    },
  }
}

/** It will not take this, however often it is sent: too much at once, or something in it that it does not know. */
function isRefused(error: unknown): boolean {
  return error instanceof ChorusError && [400, 413].includes(error.status)
}
