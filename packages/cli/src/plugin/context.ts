import { pluginContext, type PluginContext } from "@chorus/plugins"
import type { PluginScope } from "@chorus/contracts"
import { InvalidArgumentError, Option } from "commander"
import { harmless, paint, plain, visible } from "../output.ts"
import type { Failure } from "./failure.ts"
import { progressBar } from "./progress-bar.ts"

/** The context of this process, with a bar on stderr for people. */
export function commandContext(options: { json?: boolean | undefined } = {}): PluginContext {
  return pluginContext({ progress: options.json === true ? undefined : progressBar() })
}

export function scopeOption(): Option {
  return new Option("-s, --scope <scope>", "user, project or local").argParser((text): PluginScope => {
    if (text === "user" || text === "project" || text === "local") return text
    throw new InvalidArgumentError("Must be one of: user, project, local.")
  })
}

/** A number with its noun. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}

/** What an update changes. */
export function versionStep(from: string, to: string): string {
  return from === to ? `${from} → other files of ${to}` : `${from} → ${to}`
}

/** Digests that somebody read and accepts; the option may be given several times, or name several with commas between. */
export function acceptOption(): Option {
  return new Option("--accept <sha256>", "accept exactly what this digest names; may be repeated").argParser(
    (text, before: readonly string[] = []) => [...before, ...text.split(",")],
  )
}

/** What every changing command prints for programs: one object on the last line. With failures among its parts it failed. */
export function printResult(result: Record<string, unknown>, failures: readonly Failure[] = []): void {
  const [first] = failures
  const outcome =
    first === undefined ? { outcome: "ok" } : { ...first, message: failures.map(({ message }) => message).join(" ") }
  process.stdout.write(`${JSON.stringify({ ...result, ...outcome })}\n`)
}

/** Line breaks, and styles that `paint` does not use here: such a style could hide what it holds. */
const THEIRS = new RegExp(String.raw`\n|\u001b(?!\[(?:[12]|22|3[1-69])m)`, "g")

/** Lines for people, which may hold what a plugin or marketplace says of itself: what is theirs is shown, not done. */
export function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${harmless(line.replaceAll(THEIRS, visible))}\n`)
}

/** What people should know beside the answer; programs read that alone. */
export function warn(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${paint("yellow", "⚠")} ${plain(line)}\n`)
}
