import type { attentions, runs } from "@chorus/contracts"
import { runTime } from "@chorus/core"
import { harmless, oneLine, paint, printJson, printTable, type Target } from "../output.ts"

const LONGEST_LINE = 500

export function printRun(row: runs.RunRow, options: Target): void {
  if (options.json) return printJson(row)
  process.stdout.write(`${paint("green", row.state)} ${harmless(row.taskTitle)} ${paint("dim", row.uuid)}\n`)
  if (row.reason !== null) process.stdout.write(`${harmless(row.reason)}\n`)
}

export function printRuns(
  rows: readonly runs.RunRow[],
  options: Target,
  asked: readonly attentions.AttentionRow[] = [],
): void {
  if (options.json) return printJson(rows)
  printTable(
    ["state", "task", "program", "machine", "since (UTC)", "uuid", "why"],
    rows.map((row) => [
      row.state,
      [row.taskShortId, row.taskTitle].filter(Boolean).join(" "),
      row.program,
      row.machine ?? "",
      row.stateSince.slice(0, 16).replace("T", " "),
      row.uuid,
      whyOf(row, asked),
    ]),
  )
}

/** Why a run is in its state; what one that waits was asked or asks comes before a warning. */
export function whyOf(
  { uuid, state, reason, warning }: Pick<runs.RunRow, "uuid" | "state" | "reason" | "warning">,
  asked: readonly Pick<attentions.AttentionRow, "kind" | "title" | "detail">[],
): string {
  if (state !== "waiting") return warning ?? reason ?? ""
  const asks = asked
    .filter(({ detail }) => detail["runUuid"] === uuid)
    .map(({ kind, title }) => `${kind === "permission" ? "permission" : "question"}: ${oneLine(title)}`)
  return [reason ?? asks.join("; "), warning].filter(Boolean).join(" ")
}

/** A message that grew is gone on with; anything else begins a line, and ends it. */
export function entryPrinter(): (entry: runs.RunEntry) => string {
  const shown = new Map<string, string>()
  let open: string | undefined
  return (entry) => {
    const grows = entry.kind === "message" || entry.kind === "thought"
    const text = grows ? (entry.text ?? "") : lineOf(entry)
    const before = shown.get(entry.id)
    shown.set(entry.id, text)
    if (text === before) return ""
    const goesOn = open === entry.id && before !== undefined && text.startsWith(before)
    const start = goesOn || open === undefined ? "" : "\n"
    open = grows ? entry.id : undefined
    return harmless(`${start}${goesOn ? text.slice(before.length) : text}${grows ? "" : "\n"}`)
  }
}

function lineOf({ kind, title, text, status }: runs.RunEntry): string {
  const state = status?.replace("_", " ") ?? ""
  const who = kind === "user" && state !== "" ? `${kind}, ${state}` : kind
  const said = [title ?? "", kind === "user" ? "" : state, kind === "tool" ? "" : (text ?? "")]
  const line = oneLine([`[${who}]`, ...said.filter((part) => part !== "")].join(" "))
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line
}

export function timeOf(row: Parameters<typeof runTime>[0]): string {
  const { workMs, waitMs } = runTime(row, new Date().toISOString())
  return `${minutes(workMs)} at work, ${minutes(waitMs)} waiting for a person`
}

function minutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function tokens({ inputTokens, outputTokens, costUsd }: runs.RunUsage): string {
  return `${inputTokens} in, ${outputTokens} out${costUsd === null ? "" : `, ${costUsd.toFixed(2)} USD`}`
}
