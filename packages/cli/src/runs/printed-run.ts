import type { runs } from "@chorus/contracts"
import { runTime } from "@chorus/core"
import { harmless, paint, printJson, printTable, type Target } from "../output.ts"

export function printRun(row: runs.RunRow, options: Target): void {
  if (options.json) return printJson(row)
  process.stdout.write(`${paint("green", row.state)} ${harmless(row.taskTitle)} ${paint("dim", row.uuid)}\n`)
  if (row.reason !== null) process.stdout.write(`${harmless(row.reason)}\n`)
}

export function printRuns(rows: readonly runs.RunRow[], options: Target): void {
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
      row.warning ?? row.reason ?? "",
    ]),
  )
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
