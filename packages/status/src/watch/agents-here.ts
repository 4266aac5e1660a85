import type { StatusAgent } from "@chorus/contracts"
import { controllingTerminal, givenHere, tabName, terminalIdFrom } from "../launch/terminal-identity.ts"
import { isAgent } from "../line/index.ts"
import { environmentOf, filesOf, type ProcessRow, type ProcessTable } from "./process-table.ts"

/** An agent program that runs in a terminal of this machine, whoever started it. */
export interface AgentHere {
  readonly agent: StatusAgent
  readonly pid: number
  readonly terminalId: string
  /** Its terminal program is asked for it. */
  readonly tab: () => Promise<string | undefined>
  readonly folder: string | undefined
  /** Where it reports to, when it was started through us. */
  readonly reportsTo: string | undefined
  readonly environment: Readonly<Record<string, string>>
  /** Its session's own file, where it keeps one open. */
  readonly record: string | undefined
}

/** Somebody who only asks an agent for its version is gone by then. */
const STAYS_MS = 3000

/** The agents in terminals, without those that another agent started for a part of its work. */
export async function agentsHere(processes: ProcessTable, stays = STAYS_MS): Promise<AgentHere[]> {
  const rows = await processes.all()
  const byPid = new Map(rows.map((row) => [row.pid, row]))
  const before = Date.now() - stays
  const own = rows.filter(
    (row) => agentOf(row) !== undefined && row.hasTerminal && row.startedAt <= before && !isBelowAgent(row, byPid),
  )
  const found = await Promise.all(own.map((row) => describe(row, workersOf(row, own, rows))))
  return found.flatMap((one) => one ?? [])
}

/** Codex's windows share one process that works for them; only where there is one window, all of it is about that. */
function workersOf(window: ProcessRow, own: readonly ProcessRow[], rows: readonly ProcessRow[]): ProcessRow[] {
  if (own.filter((row) => agentOf(row) === agentOf(window)).length > 1) return []
  return rows.filter((row) => row.parent === window.pid && agentOf(row) === agentOf(window) && !row.hasTerminal)
}

async function describe(row: ProcessRow, workers: readonly ProcessRow[]): Promise<AgentHere | undefined> {
  const [agent, terminal] = [agentOf(row), controllingTerminal(row.pid)]
  const environment = await environmentOf(row.pid)
  if (agent === undefined || terminal === undefined || Object.keys(environment).length === 0) return undefined
  const { CHORUS_AGENT: launched, CHORUS_TERMINAL_ID: given, CHORUS_SOCK: socket, ...bare } = environment
  const own = await givenHere(bare, row.pid)
  const isOurs = launched !== undefined && given !== undefined && socket !== undefined
  const { folder, open } = filesOf(row.pid)
  const records = [...open, ...workers.flatMap(({ pid }) => filesOf(pid).open)].filter((path) =>
    /\/sessions\/.*rollout-[^/]*\.jsonl$/.test(path),
  )
  return {
    agent,
    pid: row.pid,
    terminalId: isOurs ? given : terminalIdFrom(own, terminal, row.pid),
    tab: () => tabName(own),
    folder,
    reportsTo: isOurs ? socket : undefined,
    environment,
    record: new Set(records).size === 1 ? records[0] : undefined,
  }
}

function isBelowAgent(row: ProcessRow, byPid: ReadonlyMap<number, ProcessRow>): boolean {
  for (let above = byPid.get(row.parent); above !== undefined; above = byPid.get(above.parent))
    if (agentOf(above) !== undefined) return true
  return false
}

function agentOf({ name }: ProcessRow): StatusAgent | undefined {
  const bare = name.replace(/^\./, "")
  return isAgent(bare) ? bare : undefined
}
