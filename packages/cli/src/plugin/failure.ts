import { ChorusError } from "@chorus/contracts"
import type { Command } from "commander"

/** A failure as programs read it, of a whole command or of one part of it: what Claude Code tells, and ours beside it. */
export interface Failure {
  readonly outcome: "failed"
  readonly message: string
  readonly failureCode: string
  readonly next?: string
  readonly details?: Record<string, unknown>
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ChorusError))
    return {
      outcome: "failed",
      message: error instanceof Error ? error.message : String(error),
      failureCode: "error_unknown",
    }
  const { code: failureCode, ...told } = error.toBody()
  return { outcome: "failed", failureCode, ...told }
}

/** The failure of one part, which does not keep the others from their work. What is our own fault does. */
export function partFailure(error: unknown): Failure {
  if (error instanceof ChorusError) return failureOf(error)
  throw error
}

/** Details that Claude Code tells beside the failure. */
const BESIDE = ["disableFirst", "reverseDependents", "alreadyInGoalState"]

let running: Command | undefined

/** Keeps in mind which command runs, and about what, for the failure it may end with. */
export function toldByFailures(command: Command): Command {
  return command.hook("preAction", (_, action) => {
    running = action
  })
}

/** What a failed `chorus plugin … --json` prints last on stdout, as Claude Code does; the error itself goes to stderr as everywhere. */
export function printFailure(argv: readonly string[], error: unknown): void {
  const noun = argv.find((word) => !word.startsWith("-"))
  if (running === undefined || (noun !== "plugin" && noun !== "plugins")) return
  const isMarketplace = running.parent?.name() === "marketplace"
  const command = isMarketplace ? `marketplace-${running.name()}` : running.name()
  const named = running.registeredArguments.findIndex((argument) => argument.name() === "plugin")
  const about = running.args[Math.max(0, named)]
  const subject = about === undefined ? {} : { [isMarketplace ? "marketplace" : "plugin"]: about }
  const { scope = ["install", "uninstall"].includes(command) ? "user" : undefined } = running.opts<{ scope?: string }>()
  const failure = failureOf(error)
  const beside = Object.entries(failure.details ?? {}).filter(([key]) => BESIDE.includes(key))
  process.stdout.write(`${JSON.stringify({ command, ...subject, scope, ...Object.fromEntries(beside), ...failure })}\n`)
}
