import type { StatusLine } from "@chorus/contracts"
import type { TerminalEntry } from "../listener/terminal-book.ts"
import type { ProcessRow, ProcessTable } from "./process-table.ts"

/** The hook that brings the question is itself a process of the agent's, begun a moment before. */
const AFTER_MS = 150
/** Programs that show something in a status line come and go faster than this. */
const LASTS_MS = 300

/**
 * Codex has no hook for the answer to a permission prompt, and its word to the terminal is read in tmux alone. A
 * process that it starts after it has asked, and that stays, is the command that was asked about.
 */
export async function answeredByWork(
  entries: readonly TerminalEntry[],
  processes: ProcessTable,
): Promise<StatusLine[]> {
  const asking = entries.filter(
    ({ status }) => status.agent === "codex" && status.state === "needsInput" && status.pid !== null,
  )
  if (asking.length === 0) return []
  const first = await processes.all()
  const begun = asking.map(({ status }) =>
    below(first, status.pid ?? 0).filter((row) => row.startedAt > status.since + AFTER_MS),
  )
  if (begun.every((rows) => rows.length === 0)) return []
  await new Promise((wake) => setTimeout(wake, LASTS_MS))
  const alive = await processes.read(begun.flat().map((row) => row.pid))
  return asking.flatMap(({ status }, index): StatusLine[] => {
    const work = begun[index]?.find((row) => alive.has(row.pid))
    if (work === undefined) return []
    const { terminalId, agent } = status
    const at = Math.max(Math.round(work.startedAt), status.sourceAt)
    return [{ terminalId, agent, event: "running", at, source: "watch:process", only: ["needsInput"] }]
  })
}

function below(rows: readonly ProcessRow[], pid: number): ProcessRow[] {
  return rows.filter((row) => row.parent === pid).flatMap((row) => [row, ...below(rows, row.pid)])
}
