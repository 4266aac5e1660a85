import type { attentions } from "@chorus/contracts"
import type { Translate } from "../i18n/language.ts"
import { isLate } from "../items/due.ts"
import { nameOfProgram } from "../runs/run.ts"
import { questionsOf } from "./agent-questions.ts"

export type Item = attentions.WaitingItem

/** What `a` and `r` do to a waiting item; opening it is always possible. */
export interface Choices {
  readonly yes: "approve" | "verify" | "allow" | undefined
  readonly no: "reject" | "sendBack" | "deny" | undefined
  /** Refusing asks for a note first, which whoever asked gets to read. */
  readonly note: boolean
  /** Answered by text in place. */
  readonly text: boolean
}

export function choicesFor(item: Item): Choices {
  if (item.kind === "proposal") return { yes: "approve", no: "reject", note: true, text: false }
  if (item.kind === "task") return { yes: "verify", no: "sendBack", note: true, text: false }
  const asked = item.attention
  if (asked === null || !asked.answerable) return { yes: undefined, no: undefined, note: false, text: false }
  if (asked.kind === "input")
    return { yes: undefined, no: undefined, note: false, text: questionsOf(asked.detail).length === 0 }
  return {
    yes: asked.kind === "permission" ? "allow" : "approve",
    no: asked.kind === "permission" ? "deny" : "reject",
    // To a question of a terminal the answer is yes or no, without words.
    note: asked.kind === "permission" ? !isOfTerminal(item) : asked.kind === "plan" || asked.kind === "change",
    text: false,
  }
}

export type Urgency = "blocks" | "stuck" | "decide" | "verify" | "idle"

const RANK: readonly Urgency[] = ["blocks", "stuck", "decide", "verify", "idle"]

/**
 * How pressing it is: an agent waits, work stands still, a plan or a change waits, work is only to be looked at, or a
 * terminal has ended its turn and merely stands at its prompt.
 */
export function urgencyOf({ kind, attention }: Pick<Item, "kind" | "attention">): Urgency {
  if (attention?.notice === "waits") return "blocks"
  if (attention !== null && attention.notice !== null) return "stuck"
  if (attention?.detail["notification"] === "idle_prompt") return "idle"
  if (kind === "attention") return attention?.kind === "change" ? "decide" : "blocks"
  return kind === "task" ? "verify" : "decide"
}

/**
 * What blocks an agent comes first, then what stands still, decisions, verifications, idle terminals; within each what
 * lapses, what is overdue, then the oldest.
 */
export function byUrgency(items: readonly Item[]): Item[] {
  const lapses = ({ attention }: Item) => Date.parse(attention?.expiresAt ?? "") || Infinity
  return items.toSorted(
    (a, b) =>
      RANK.indexOf(urgencyOf(a)) - RANK.indexOf(urgencyOf(b)) ||
      (lapses(a) === lapses(b) ? 0 : lapses(a) - lapses(b)) ||
      Number(isLate(b)) - Number(isLate(a)) ||
      (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  )
}

/** What it is called above it: of what agents ask and what stands still, which of these. */
export function kindOf({ kind, attention }: Item) {
  return attention?.notice ?? attention?.kind ?? kind
}

const NOT_LANDED = " has not landed"

/** What it is called: a change by what it would change; that something has not landed stands above it already. */
export function titleOf(text: Translate, { title, attention }: Pick<Item, "title"> & Partial<Pick<Item, "attention">>) {
  const target = attention?.kind === "change" ? attention.detail["target"] : undefined
  if (typeof target === "string") return text("needsYou.changeOf", { target })
  const stuck = (attention?.notice ?? null) !== null
  return stuck && title.endsWith(NOT_LANDED) ? title.slice(0, -NOT_LANDED.length) : title
}

export function isOfTerminal({ attention }: Pick<Item, "attention">): boolean {
  return typeof attention?.detail["terminalId"] === "string"
}

/**
 * Who waits: of what a terminal asks, its session; the companion that tells of it waits for nobody. Of what a member asks, that
 * member, by the word of whoever tells.
 */
export function senderOf(text: Translate, { from, attention }: Pick<Item, "from" | "attention">): string | undefined {
  const { session, agent, cwd, machine, team, member, program } = attention?.detail ?? {}
  const words = (...parts: unknown[]) => parts.filter((part) => typeof part === "string" && part !== "").join(" · ")
  if (typeof team === "string" && typeof member === "string")
    return words(text("needsYou.ofTeam", { member, team }), nameOfProgram(program), from?.name)
  if (!isOfTerminal({ attention })) return from?.name
  return words(session, text("agents.onMachine", { agent: words(agent, cwd), machine: words(machine) }))
}

export type Grouping = "urgency" | "kind" | "project"

/** In the order in which their first items come. */
export function inGroups(items: readonly Item[], by: Grouping): [string, Item[]][] {
  const key = (item: Item) =>
    by === "urgency" ? urgencyOf(item) : by === "kind" ? kindOf(item) : (item.projectName ?? "")
  return [...Map.groupBy(items, key)]
}

/** What of the items fits the words typed: title, short id, project or who waits. */
export function matching(items: readonly Item[], words: string): readonly Item[] {
  const wanted = words.trim().toLocaleLowerCase()
  if (wanted === "") return items
  return items.filter(({ title, shortId, projectName, from }) =>
    [title, shortId, projectName, from?.name].some((part) => part?.toLocaleLowerCase().includes(wanted)),
  )
}

/** What an agent wants to do, for a person to judge: what counts first, and all of it as it was sent. */
export interface AskedFor {
  readonly lines: readonly { readonly name: AskedName; readonly value: string }[]
  /** Everything else that came with it; undefined where the lines say it all. */
  readonly rest: string | undefined
}

export type AskedName =
  | "tool"
  | "command"
  | "path"
  | "address"
  | "text"
  | "reason"
  | "files"
  | "patch"
  | "folder"
  | "machine"

/** By what programs call it. The first of each that is there is shown. */
const NAMES: Readonly<Record<AskedName, readonly string[]>> = {
  tool: ["tool", "toolName"],
  command: ["command", "cmd", "script"],
  path: ["file_path", "filePath", "filepath", "path", "notebook_path", "filename"],
  address: ["url"],
  text: ["text", "message", "waitsFor", "description"],
  reason: ["reason"],
  files: ["files"],
  patch: ["patch", "diff"],
  folder: ["cwd"],
  machine: ["machine"],
}

/** Where it belongs is a link, questions and plans are shown as such, and marks are for programs. */
const NOT_FOR_PEOPLE = new Set([
  "options",
  "choices",
  "questions",
  "plan",
  "held",
  "personUuid",
  "taskUuid",
  "runUuid",
  "requestId",
  "request",
])

export function askedFor(detail: Readonly<Record<string, unknown>>): AskedFor {
  const input = fieldsOf(detail["input"])
  // What the tool is given counts, whatever else was said of it.
  const said: Record<string, unknown> = { ...detail, ...input }
  const shown = new Set<string>()
  const lines = (Object.keys(NAMES) as AskedName[]).flatMap((name) => {
    const field = NAMES[name].find((each) => wordsOf(said[each]) !== "")
    if (field === undefined) return []
    shown.add(field)
    return [{ name, value: wordsOf(said[field], name === "files" ? "\n" : " ") }]
  })
  const kept = (name: string, value: unknown) =>
    name !== "input" && !NOT_FOR_PEOPLE.has(name) && value !== null && value !== undefined && value !== ""
  const all = Object.fromEntries(Object.entries(said).filter(([name, value]) => kept(name, value)))
  const more = Object.keys(all).some((name) => !shown.has(name))
  return { lines, rest: more ? JSON.stringify(all, null, 2) : undefined }
}

/** A command may come as its words, and an input as the text of its JSON. */
function wordsOf(value: unknown, between = " "): string {
  if (typeof value === "string") return value
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(between) : ""
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === "string") {
    try {
      return fieldsOf(JSON.parse(input))
    } catch {
      return { given: input }
    }
  }
  return typeof input === "object" && input !== null ? { ...input } : {}
}

/** The answers an agent offers with its question. */
export function optionsOf({ attention }: Item): readonly string[] {
  const options = attention?.detail["options"]
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : []
}

/** The item to look at after this one has gone: the next, else the one before. */
export function nextAfter(items: readonly Pick<Item, "uuid">[], uuid: string): string | undefined {
  const at = items.findIndex((item) => item.uuid === uuid)
  return (items[at + 1] ?? items[at - 1])?.uuid
}
