import type { StatusLine } from "@chorus/contracts"
import { isRecord, isTerminalId, readAt } from "../line/index.ts"

/**
 * What the Codex interface writes to its terminal (`ESC ] 7501 ; state=working:app=codex ESC \`), as `osc.pl` or a
 * terminal program hands it over: `{"osc":"state=working:app=codex","terminalId":…,"at":…}`.
 *
 * It carries no text, so hooks remain the source of details; it counts where they are silent: an approval that was
 * granted, a turn that ended in an error. States it does not know change nothing.
 */
export function oscLine(value: unknown, receivedAt: number): StatusLine | undefined {
  if (!isRecord(value) || typeof value["osc"] !== "string" || !isTerminalId(value["terminalId"])) return undefined
  const fields = new Map(
    value["osc"].split(":").map((field): [string, string] => [field.split("=")[0] ?? "", field.split("=")[1] ?? ""]),
  )
  if ((fields.get("app") ?? "codex") !== "codex") return undefined
  const base = {
    terminalId: value["terminalId"],
    agent: "codex" as const,
    at: readAt(value["at"], receivedAt),
    source: "codex:osc7501",
  }
  switch (fields.get("state")) {
    case "working":
      return { ...base, event: "running", only: ["needsInput", "unknown"] }
    case "blocked":
      return {
        ...base,
        event: "needsInput",
        only: ["running", "unknown"],
        toolDetail: fields.get("kind") === "question" ? "Codex asks a question" : "Codex asks for permission",
      }
    case "error":
      return {
        ...base,
        event: "finished",
        exitCode: 1,
        reason: "Codex reports an error",
        only: ["running", "needsInput", "unknown"],
      }
    case "idle":
    case "done":
      return {
        ...base,
        event: "idle",
        only: ["running", "needsInput", "unknown"],
        reason: "the turn was interrupted or ended without a word",
      }
    default:
      return undefined
  }
}
