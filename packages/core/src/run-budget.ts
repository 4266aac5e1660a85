import type { runPolicy } from "@chorus/contracts"

type Measure = keyof runPolicy.RunSpend

/** What a scope allows, and what was used of it. */
export interface Account {
  readonly scope: runPolicy.BudgetScope
  readonly budget: runPolicy.RunBudget
  readonly spent: runPolicy.RunSpend
}

export interface BudgetVerdict {
  /** What was overdrawn, in words: whatever is at work has to stop. */
  readonly over: string | undefined
  /** What is used up to the last, in words: nothing more may begin. */
  readonly spent: string | undefined
  /** What is nearly used up, in words. */
  readonly warning: string | undefined
  /** What is left of the narrowest budget. */
  readonly left: runPolicy.RunBudget
}

/** From this share on people are told. */
const WARN_AT = 0.8
const MEASURES: readonly Measure[] = ["usd", "tokens", "turns", "minutes"]
const COSTS_UNTOLD: readonly runPolicy.RunProgram[] = ["codex", "qwen", "gemini"]
const OF: Record<runPolicy.BudgetScope, string> = {
  run: "for this run",
  task: "for its task",
  project: "for its project",
  day: "for today in its project",
}

/** Judges what was used by every budget at once: the narrowest decides. */
export function judgeSpend(accounts: readonly Account[]): BudgetVerdict {
  const lines: Line[] = accounts.flatMap(({ scope, budget, spent }) =>
    MEASURES.flatMap((measure) => {
      const limit = budget[measure]
      return limit === undefined ? [] : [{ scope, measure, limit, used: spent[measure] }]
    }),
  )
  const over = lines.find(({ used, limit }) => used > limit)
  const spent = over ?? lines.find(({ used, limit }) => used >= limit)
  const near = lines
    .filter(({ used, limit }) => used >= limit * WARN_AT)
    .toSorted((one, other) => other.used / other.limit - one.used / one.limit)[0]
  const left: Partial<Record<Measure, number>> = {}
  for (const { measure, used, limit } of lines)
    left[measure] = Math.min(left[measure] ?? Infinity, Math.max(0, limit - used))
  return {
    over: over && overBudget(over),
    spent: spent && overBudget(spent),
    warning: near && `${Math.floor((near.used / near.limit) * 100)} % of ${amountOf(near)} used.`,
    left,
  }
}

/**
 * Whether a program tells what it costs: no limit in dollars stops one that does not. What else speaks the protocol may
 * tell it.
 */
export function tellsCost(program: runPolicy.RunProgram): boolean {
  return !COSTS_UNTOLD.includes(program)
}

/** The call an agent made last, and how often in a row. */
export interface CallStreak {
  readonly id: string
  readonly call: string
  readonly times: number
}

interface Call {
  readonly id: string
  readonly kind: string
  readonly title: string | null
  readonly status: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const MOST_CALL = 2000

/** Follows an agent's calls; one that is told of again in a newer form is still one. */
export function callStreak(before: CallStreak | null, entries: readonly Call[]): CallStreak | null {
  let streak = before
  for (const { id, kind, title, status, data } of entries) {
    // What it is asked to do is known for sure only when it is over.
    if (kind !== "tool" || status === "pending" || status === "in_progress" || id === streak?.id) continue
    const call = `${title ?? ""} ${JSON.stringify(data["input"] ?? null)}`.slice(0, MOST_CALL)
    streak = { id, call, times: streak?.call === call ? streak.times + 1 : 1 }
  }
  return streak
}

/** A yes that was given once for all. */
export interface KeptYes {
  readonly runUuid: string | null
  readonly kind: string
  /** What it is about, see `askSubject`. */
  readonly title: string
}

/** What a request for permission is about: the command, the file, else what the program calls it. */
export function askSubject(title: string, detail: Readonly<Record<string, unknown>>): string {
  const input = (detail["input"] ?? {}) as Readonly<Record<string, unknown>>
  const { command, file_path, filePath, path } = typeof input === "object" ? input : {}
  const subject = Array.isArray(command) ? command.join(" ") : (command ?? file_path ?? filePath ?? path)
  return typeof subject === "string" && subject.trim() !== "" ? subject : title
}

/**
 * Whether a kept yes answers this request: only to the very same call. A machine or a run in which everything is to be asked
 * keeps asking, whatever was said elsewhere.
 */
export function answersAsk(
  yes: KeptYes,
  ask: { readonly kind: string; readonly title: string },
  run: {
    readonly uuid: string
    readonly mode: runPolicy.RunMode | null
    /** The most its machine lets an agent do unasked; not known of older ones. */
    readonly machineMode: runPolicy.RunMode | null
  },
): boolean {
  if (yes.kind !== ask.kind || yes.title !== ask.title) return false
  if (run.machineMode === null || run.machineMode === "ask") return false
  return yes.runUuid === null ? run.mode !== "ask" : yes.runUuid === run.uuid
}

interface Line {
  readonly scope: runPolicy.BudgetScope
  readonly measure: Measure
  readonly limit: number
  readonly used: number
}

function overBudget(line: Line): string {
  return `Over budget: ${amount(line.used, line.measure)} of ${amountOf(line)}.`
}

function amountOf({ limit, measure, scope }: Line): string {
  return `${amount(limit, measure)} ${OF[scope]}`
}

function amount(value: number, measure: Measure): string {
  if (measure === "usd") return `$${value.toFixed(2)}`
  const shown = measure === "minutes" ? Math.round(value * 10) / 10 : value
  return `${shown} ${shown === 1 ? measure.slice(0, -1) : measure}`
}
