import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { TeamPermissionMode, TeamProgress } from "@chorus/contracts"
import { livenessOf, type ProcessIdentity, readJson, replaceFile } from "@chorus/disk"
import { fileNameOf, type TeamPaths } from "../files/index.ts"
import { identityOf } from "./host-note.ts"

/** How far a member's agent has got: what people see of it, and what it takes to go on where it was. */
export interface Progress extends TeamProgress {
  /** Its conversation, as its program names it. */
  readonly thread?: string | undefined
  /** The last words of its last turn, which are its answer. */
  readonly said?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  /** The plan that waits for a decision. */
  readonly plan?: string | undefined
  /** The agent's own process, which outlives a host that is killed. */
  readonly agent?: ProcessIdentity | undefined
}

/** One sign of life of an agent. */
export interface Sign {
  /** What it says or does, for people. */
  readonly line?: string | undefined
  readonly thread?: string | undefined
  readonly pid?: number | undefined
  /** What was spent since the last sign that told. */
  readonly costUsd?: number | undefined
  readonly tokens?: number | undefined
}

const LONGEST_LINE = 300

export function progressOf(paths: TeamPaths, agent: string): Progress | undefined {
  return (readJson(progressPath(paths, agent)) as Progress | null | undefined) ?? undefined
}

export function noteProgress(paths: TeamPaths, agent: string, progress: Progress): void {
  if (existsSync(paths.config)) replaceFile(progressPath(paths, agent), JSON.stringify(progress), { fleeting: true })
}

export function dropProgress(paths: TeamPaths, agent: string): void {
  rmSync(progressPath(paths, agent), { force: true })
}

/** Ends the agent that a killed host left behind, and everything that it started. */
export function endOrphan(paths: TeamPaths, name: string): void {
  const { agent } = progressOf(paths, name) ?? {}
  if (agent === undefined || livenessOf(agent) !== "alive") return
  try {
    process.kill(-agent.pid, "SIGKILL")
  } catch {
    // It has ended a moment ago.
  }
}

export function withSign(before: Progress, { line, thread, pid, costUsd, tokens }: Sign, at: string): Progress {
  return {
    ...before,
    at,
    ...(line === undefined ? {} : { line: oneLine(line) }),
    ...(thread === undefined ? {} : { thread }),
    ...(pid === undefined ? {} : { agent: identityOf(pid) }),
    ...(costUsd === undefined ? {} : { costUsd: (before.costUsd ?? 0) + costUsd }),
    ...(tokens === undefined ? {} : { tokens: (before.tokens ?? 0) + tokens }),
  }
}

/** The last line that says something, as it comes last on a terminal too. */
function oneLine(text: string): string {
  return (
    text
      .trim()
      .split(/\s*\n\s*/)
      .at(-1) ?? ""
  ).slice(0, LONGEST_LINE)
}

function progressPath(paths: TeamPaths, agent: string): string {
  return join(paths.own, "progress", `${fileNameOf(agent)}.json`)
}
