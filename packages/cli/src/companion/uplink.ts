import type { Client } from "@chorus/client"
import type { machines, MachineInventory, StatusRow, TeamFact } from "@chorus/contracts"

/** While one report is on its way the next gathers by itself; this only lets what comes in one burst go together. */
const GATHER_MS = 15
const RETRY_MS = 2000
const PULSE_MS = 30_000
const MOST_FACTS = 500

export interface Uplink {
  terminal(row: StatusRow): void
  terminalGone(terminalId: string): void
  fact(fact: TeamFact): void
  inventory(inventory: MachineInventory): void
  /** Asks for waiting orders now. */
  nudge(): void
  /** Sends what is still to be sent and stops. */
  close(): Promise<void>
}

export interface UplinkOptions {
  readonly client: Client
  readonly machine: string
  onOrder(order: machines.TeamOrder): void
}

/**
 * Reports this machine to the server: what gathered within a moment in one call, in order, and again until it arrived.
 * Of a terminal only the newest row matters; team facts are all kept.
 */
export function startUplink({ client, machine, onOrder }: UplinkOptions): Uplink {
  const terminals = new Map<string, StatusRow>()
  const gone = new Set<string>()
  let facts: TeamFact[] = []
  let inventory: MachineInventory | undefined
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let closed = false
  const pulse = setInterval(() => schedule(0), PULSE_MS)

  function schedule(after: number): void {
    if (!closed) timer ??= setTimeout(() => void send(), after)
  }

  async function send(): Promise<void> {
    timer = undefined
    if (sending !== undefined) return schedule(GATHER_MS)
    sending = report().then(
      () => undefined,
      () => schedule(RETRY_MS),
    )
    await sending
    sending = undefined
    if (facts.length > 0 || terminals.size > 0) schedule(GATHER_MS)
  }

  async function report(): Promise<void> {
    const rows = [...terminals.values()]
    const left = [...gone]
    const told = facts.slice(0, MOST_FACTS)
    const taken = inventory
    const answer = await client.call("chorus_report_machine", {
      machine,
      terminals: rows,
      goneTerminals: left,
      teamFacts: told,
      ...(taken === undefined ? {} : { inventory: taken }),
    })
    for (const row of rows) if (terminals.get(row.terminalId) === row) terminals.delete(row.terminalId)
    for (const terminalId of left) gone.delete(terminalId)
    facts = facts.slice(told.length)
    if (inventory === taken) inventory = undefined
    for (const order of answer.orders) onOrder(order)
  }

  schedule(0)
  return {
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
    nudge: () => schedule(0),
    async close() {
      clearInterval(pulse)
      clearTimeout(timer)
      await sending
      if (terminals.size > 0 || gone.size > 0 || facts.length > 0) await report().catch(() => undefined)
      closed = true
    },
  }
}
