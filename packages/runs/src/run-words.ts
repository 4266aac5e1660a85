import { stripVTControlCharacters } from "node:util"
import { ChorusError, type runs } from "@chorus/contracts"
import { AcpError, fieldsOf } from "./acp-connection.ts"
import type { WorkFacts, Worktree } from "./worktree.ts"

/** What the runner may report; a run in the queue is the server's. */
export function told(state: runs.RunState): Exclude<runs.RunState, "queued"> {
  return state === "queued" ? "starting" : state
}

const MOST_COMMANDS = 5

/** What git shows and what was run, in a few lines for the report. */
export function evidenceOf(facts: WorkFacts, tree: Worktree | undefined, commands: readonly string[]): string {
  const { branch, files, insertions, deletions, commits } = facts
  const changes = `${files} ${files === 1 ? "file" : "files"} changed, +${insertions} −${deletions}`
  const base = tree === undefined ? "" : ` since ${tree.baseCommit.slice(0, 10)}`
  const made = `${commits} ${commits === 1 ? "commit" : "commits"} on ${branch}`
  const shown = `Git: ${changes}${base}, ${made}; checkpoint ${facts.checkpoint.slice(0, 10)}.`
  if (commands.length === 0) return shown
  const last = clean(commands.slice(-MOST_COMMANDS).join(", "))
  return `${shown}\nTranscript: ${commands.length} ${commands.length === 1 ? "command" : "commands"}, last ${last}.`
}

export function reasonOf(error: unknown): string {
  const { details } = fieldsOf(error instanceof AcpError ? error.data : undefined)
  const message = error instanceof Error ? error.message : String(error)
  const next = error instanceof ChorusError && error.next !== undefined ? ` ${error.next}` : ""
  return clean(`${message}${typeof details === "string" ? `: ${details}` : ""}${next}`).slice(0, 900)
}

/** What a program said last before it ended too early. */
export function lastOf(stderr: string): string | undefined {
  const said = clean(stderr).trim().split("\n").at(-1)
  return said === undefined || said === "" ? undefined : `The program ended at its start: ${said.slice(0, 500)}`
}

export function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ").trim()
}

/** What a run that is over has done already; anything else it can no longer do. */
export function assertEnd({ order }: runs.RunOrder): void {
  if (order === "stop" || order === "interrupt") return
  throw new ChorusError("run_over", "This run is over on this machine.", { status: 409, next: "Resume it." })
}

/** Not for good: the words stay with the server, which knows in a moment that the run has ended, and goes on with them. */
export function justEnded(): ChorusError {
  return new ChorusError("run_ending", "This run has just ended.", {
    status: 503,
    next: "It is taken up again with these words as soon as that is known.",
  })
}

/** What may stand in a text that people read: no colours, and nothing that moves a cursor. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\t\n\r]/gu, "")
}
