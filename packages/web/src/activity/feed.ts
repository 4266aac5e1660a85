import type { activity, LogEvent } from "@chorus/contracts"
import { en } from "../i18n/en.ts"
import type { TextKey, Translate } from "../i18n/language.ts"

export type Line = activity.ActivityRow

/** What there are words for; all else is signs of life and bookkeeping, and nobody reads it in a feed. */
export function isWorthTelling({ kind, value }: Pick<Line, "kind"> & Partial<Pick<Line, "value">>): boolean {
  // Somebody drew or removed an arrow; without its end it is what follows when another task is done.
  if (kind === "task.dependencies_changed") return value?.["dependsOnUuids"] !== undefined
  return wordsKey(kind) in en
}

/** The words for what was done; kinds that came later than the dictionary still read as a change. */
export function didKey({ kind, value }: Pick<Line, "kind"> & Partial<Pick<Line, "value">>): TextKey {
  // Work that comes back is sent back, as the button says; only what nobody had handed in is reopened.
  const key = wordsKey(kind === "task.reopened" && value?.["returned"] !== undefined ? "task.sent_back" : kind)
  return key in en ? (key as TextKey) : "activity.did.other"
}

function wordsKey(kind: string): string {
  return `activity.did.${kind}`
}

/** An event as the feed shows it; titles are taken from the event or from what the feed already knows. */
export function lineOf(event: LogEvent, titles: ReadonlyMap<string, string>): Line {
  const value: Line["value"] = { ...event.patch }
  const text = (name: string) => (typeof value[name] === "string" ? value[name] : null)
  const about = aboutOf({ value, targetUuid: event.entityUuid })
  return {
    id: event.id,
    uuid: String(event.id),
    projectUuid: event.projectUuid,
    targetType: event.entityType,
    targetUuid: event.entityUuid,
    targetTitle: text("title") ?? titles.get(about) ?? text("name") ?? text("taskTitle"),
    kind: event.kind,
    action: event.kind.slice(event.kind.indexOf(".") + 1),
    value,
    actor: event.actor,
    actorType: event.actor.type,
    actorUuid: event.actor.uuid,
    actorName: event.actor.name,
    sessionUuid: text("sessionUuid"),
    sessionName: text("sessionName"),
    createdAt: event.at,
  }
}

/** Lines of one day together, in the order they came; `dayOf` names the day in the reader's zone. */
export function byDay(
  lines: readonly Line[],
  dayOf: (iso: string) => string,
): { readonly day: string; readonly lines: readonly Line[] }[] {
  return [...Map.groupBy(lines, ({ createdAt }) => dayOf(createdAt))].map(([day, members]) => ({ day, lines: members }))
}

/** One thing somebody did, with what belongs to it. */
export interface Deed {
  readonly line: Line
  /** What else happened with it, in the same change. */
  readonly parts: readonly Line[]
  /** How many times in a row, for reports on work that goes on. */
  readonly times: number
  /** To how many other tasks the same was done in the same change. */
  readonly others: number
}

/** What a change is told by, where it did several things to one task: the first of these. */
const TELLING = [
  "task.submitted",
  "task.verified",
  "task.reopened",
  "task.started",
  "task.reported",
  "attention.created",
  "attention.answered",
]

/**
 * Lines of one change about one thing are one deed: a change has one moment and one actor. An agent's reports are one deed as
 * well, as long as nothing else was done to the task between them, and so is what was done to many tasks at once.
 */
export function deedsOf(lines: readonly Line[]): Deed[] {
  const changes = Map.groupBy(lines, (line) => `${line.createdAt} ${line.actorUuid} ${aboutOf(line)}`)
  const deeds: Deed[] = []
  /** Where the last deed about a thing stands. */
  const place = new Map<string, number>()
  for (const members of changes.values()) {
    const rank = ({ kind }: Line) => (TELLING.indexOf(kind) + TELLING.length + 1) % (TELLING.length + 1)
    const line = members.reduce((best, each) => (rank(each) < rank(best) ? each : best))
    // A report is also a comment, in the same words, and so is a question with its answer.
    const parts = members.filter((each) => each !== line && each.kind !== "comment.added")
    const at = place.get(aboutOf(line)) ?? -1
    const [before, last] = [deeds[at], deeds.at(-1)]
    const goesOn =
      before?.line.kind === "task.reported" && line.kind === "task.reported" && sameDoing(before.line, line)
    const sameChange =
      last?.line.kind === line.kind &&
      line.targetType === "task" &&
      // What is new is named, each by itself.
      line.kind !== "task.created" &&
      last.line.createdAt === line.createdAt &&
      last.line.actorUuid === line.actorUuid
    if (before !== undefined && goesOn) {
      deeds[at] = { ...before, times: before.times + 1 }
      continue
    }
    if (last !== undefined && sameChange) deeds[deeds.length - 1] = { ...last, others: last.others + 1 }
    else
      deeds.push({
        line,
        parts: /^(?:task|attention)\./.test(line.kind) ? parts : members.filter((each) => each !== line),
        times: 1,
        others: 0,
      })
    place.set(aboutOf(line), deeds.length - 1)
  }
  return deeds
}

/** What was said with it, a line each: verdicts with their evidence, a review with its findings, who had the task before, why. */
export function wordsOf(text: Translate, { kind, value }: Pick<Line, "kind" | "value">): string[] {
  const { verdicts = [], verdict, summary, findings = [], from, reason, handIn, checkoutReason } = value as Said
  return [
    ...verdicts.map((each) => `${mark(each.verdict)} ${joinedBy(" — ", [each.criterion, each.evidence])}`),
    ...(kind === "review.submitted" ? [`${mark(verdict)} ${summary ?? ""}`] : []),
    ...(kind === "review.submitted" ? findings.map((finding) => finding.text) : []),
    ...(kind === "task.submitted" && handIn !== undefined && handIn > 1 ? [text("activity.handIn", { handIn })] : []),
    ...(kind === "task.reclaimed" && from ? [text("activity.from", { name: from.name })] : []),
    ...(kind.startsWith("task.") && reason ? [reason] : []),
    ...(checkoutReason === "session_lost" ? [text("tasks.left.lost")] : []),
  ]
}

interface Said {
  readonly verdicts?: readonly { readonly criterion: string; readonly verdict: string; readonly evidence?: string }[]
  readonly verdict?: string
  readonly summary?: string
  readonly findings?: readonly { readonly text: string }[]
  readonly from?: { readonly name: string } | null
  readonly reason?: string
  readonly handIn?: number
  readonly checkoutReason?: string | null
}

function mark(verdict: string | undefined): string {
  return verdict === "fail" || verdict === "failed" ? "✗" : "✓"
}

function joinedBy(between: string, parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(between)
}

function sameDoing(one: Line, other: Line): boolean {
  return one.actorUuid === other.actorUuid && aboutOf(one) === aboutOf(other)
}

/** Two lists without what is in both, newest first. */
export function joined(a: readonly Line[], b: readonly Line[]): Line[] {
  return [...new Map([...b, ...a].map((line) => [line.id, line])).values()].sort((x, y) => y.id - x.id)
}

/** Lines about a stay or a comment take the title of the task or text they belong to, where another line knows it. */
export function withTitles(lines: readonly Line[]): Line[] {
  const titles = new Map(
    lines.flatMap(({ targetUuid, targetTitle }) => (targetTitle === null ? [] : [[targetUuid, targetTitle] as const])),
  )
  return lines.map((line) =>
    line.targetTitle === null ? { ...line, targetTitle: titles.get(aboutOf(line)) ?? null } : line,
  )
}

/** What a line is about: the task of a stay, the target of a comment, else the thing itself. */
export function aboutOf({ value, targetUuid }: Pick<Line, "value" | "targetUuid">): string {
  const about = value["taskUuid"] ?? value["targetUuid"]
  return typeof about === "string" ? about : targetUuid
}
