import type { runs } from "@chorus/contracts"
import { fieldsOf, listOf, textOf } from "./acp-connection.ts"
import { Printed } from "./printed.ts"

type Entry = runs.ReportedEntry
type Fields = Readonly<Record<string, unknown>>

/** A message that grows beyond this goes on in a further entry, so that its growing never costs more than this. */
const LONGEST_MESSAGE = 8000
const LONGEST_DIFF = 20_000
const LONGEST_INPUT = 8000
const MOST_DIFFS = 50

/** What an agent said and did, put together from the protocol's updates. Tells only what changed since last asked. */
export interface Transcript {
  update(sessionId: string, update: Fields): void
  say(kind: "user" | "note" | "ask", text: string, more?: Partial<Pick<Entry, "title" | "status" | "data">>): string
  change(id: string, changes: Partial<Entry>): void
  /** A turn begins. */
  turn(): number
  /** Whether a call is under way. */
  isCalling(): boolean
  /** Calls that are still open will hear of no end any more. */
  closeCalls(): void
  changed(): Entry[]
  /** The commands it ran, and how they ended as far as its program tells. */
  commands(): string[]
  /** The agent's own last message; an answer to a person's word after its report comes below the report. */
  lastWords(): string
  /** A tool call as far as it is known; a request for permission may say less. */
  callOf(toolCallId: string): Fields | undefined
  /** The place of what comes next. */
  place(): number
}

export interface TranscriptOptions {
  /** Blots out what nobody may read. */
  redact<T>(value: T): T
  readonly root: () => string | undefined
  readonly now: () => Date
  /** What the run said before it was taken up again keeps its place. */
  readonly first: { readonly place: number; readonly turn: number }
}

/** How an agent says by its last message where its work stands. */
const REPORT = /^[\s*_#>`]*(DONE|UNFINISHED|PASS|FAIL)\b/

export function openTranscript({ redact, root, now, first }: TranscriptOptions): Transcript {
  const entries = new Map<string, Entry>()
  /** Tool calls by the program's own ids, which it may give again after it was started again. */
  const calls = new Map<string, Call>()
  /** What sub-agents are called, by their sessions; their fields are told one at a time. */
  const names = new Map<string, string>()
  const dirty = new Set<string>()
  let { place, turn } = first
  /** The message of each, agent and sub-agents, that grows. */
  const open = new Map<string | null, { readonly id: string; readonly key: string }>()
  let words = ""
  /** The name of the message that these are of. */
  let spoken: string | undefined
  let report = ""

  function put(id: string, entry: Partial<Entry> & Pick<Entry, "kind">): string {
    const known = entries.get(id)
    const fresh = { id, turn, child: null, title: null, text: null, status: null, data: {}, at: now().toISOString() }
    const agent = names.get(entry.child ?? known?.child ?? "")
    const data = { ...(entry.data ?? known?.data), ...(agent === undefined ? {} : { agent }) }
    entries.set(id, { ...fresh, place: known?.place ?? place++, ...known, ...entry, data })
    dirty.add(id)
    return id
  }

  function grow(kind: "message" | "thought", child: string | null, update: Fields): void {
    const text = wordsIn(update)
    if (text === "") return
    // Programs that name their messages may say one right after the other.
    const name = textOf(update["messageId"])
    const key = JSON.stringify([kind, name])
    const before = open.get(child)
    const goesOn = before?.key === key
    if (kind === "message" && child === null) {
      // One that has a name goes on also where something was said in the middle of it.
      const isSame = goesOn || (name !== undefined && name === spoken)
      if (!isSame && before !== undefined) keepReport()
      words = isSame ? words + text : text
      spoken = name
    }
    const grown = goesOn ? (entries.get(before.id)?.text ?? "") : ""
    const fits = goesOn && grown.length + text.length <= LONGEST_MESSAGE
    const { id } = fits ? before : { id: `${kind}-${turn}-${place}` }
    open.set(child, { id, key })
    put(id, { kind, child, text: cut((fits ? grown : "") + text, LONGEST_MESSAGE * 2) })
  }

  /** What is said after it, and is no report, is told below it. */
  function keepReport(): void {
    if (REPORT.test(words)) report = words
  }

  function call(child: string | null, update: Fields): void {
    const id = textOf(update["toolCallId"])
    if (id === undefined) return
    open.delete(child)
    const known = calls.get(id) ?? {
      entry: `tool-${place}`,
      since: now().getTime(),
      told: {},
      printed: new Printed(),
    }
    const told = { ...known.told, ...defined(update) }
    const { entry, printed } = known
    calls.set(id, { ...known, told })
    hear(printed, update)
    const status = textOf(told["status"]) ?? "pending"
    const over = status === "completed" || status === "failed"
    const exitCode = exitCodeOf(told)
    const output = printed.shown()
    const whole = over ? printed.take() : undefined
    put(entry, {
      kind: "tool",
      child,
      title: cut(textOf(told["title"]) ?? textOf(told["name"]) ?? "A tool", 1000),
      status,
      text: output.trim() === "" ? null : output,
      ...(whole === undefined ? {} : { whole }),
      data: {
        kind: textOf(told["kind"]) ?? "other",
        input: capped(told["rawInput"]),
        diffs: diffsOf(told),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(over && printed.isLong ? { more: true } : {}),
        ...(over ? { ms: now().getTime() - known.since } : {}),
      },
    })
  }

  function openCalls() {
    return [...calls.values()].flatMap(({ entry: id, printed }) => {
      const entry = entries.get(id)
      return entry?.status === "pending" || entry?.status === "in_progress" ? [{ id, entry, printed }] : []
    })
  }

  return {
    update(sessionId, update) {
      const child = sessionId === root() ? null : sessionId
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
          if (isOfProgram(update)) return void put(`note-${turn}-${place}`, { kind: "note", text: wordsIn(update) })
          return grow("message", child, update)
        case "agent_thought_chunk":
          return grow("thought", child, update)
        case "tool_call":
        case "tool_call_update":
          return call(child, update)
        case "subagent_update": {
          const [session, title] = [textOf(update["sessionId"]), textOf(update["title"])]
          if (session !== undefined && title !== undefined) names.set(session, cut(title, 200))
          return
        }
        case "plan":
          put(`plan-${turn}-${child ?? ""}`, {
            kind: "plan",
            child,
            data: { steps: listOf(update["entries"]).slice(0, 200) },
          })
      }
    },
    say(kind, text, more = {}) {
      open.clear()
      if (kind === "user") keepReport()
      return put(`${kind}-${turn}-${place}`, { kind, text: cut(text, 50_000), ...more })
    },
    change(id, changes) {
      const entry = entries.get(id)
      if (entry !== undefined) put(id, { ...entry, ...changes })
    },
    turn() {
      open.clear()
      keepReport()
      return ++turn
    },
    isCalling: () => openCalls().length > 0,
    closeCalls() {
      for (const { id, entry, printed } of openCalls()) {
        const whole = printed.take()
        const more = whole === undefined ? {} : { whole, data: { ...entry.data, more: true } }
        put(id, { ...entry, status: "ended", ...more })
      }
    },
    changed() {
      const told = [...dirty].flatMap((id) => entries.get(id) ?? [])
      dirty.clear()
      // Whoever tells it keeps it until it was heard.
      for (const { whole, ...entry } of told) if (whole !== undefined) entries.set(entry.id, entry)
      return told.map((entry) => redact(entry)).toSorted((one, other) => one.place - other.place)
    },
    commands: () =>
      [...entries.values()]
        .filter(({ kind, data }) => kind === "tool" && data["kind"] === "execute")
        .map(({ title, status, data }) => {
          const ended = typeof data["exitCode"] === "number" ? `exit ${data["exitCode"]}` : (status ?? "")
          return redact(`\`${(title ?? "").replaceAll(/\s+/g, " ").slice(0, 120)}\` (${ended})`)
        }),
    lastWords() {
      const said = REPORT.test(words) ? [words] : [report, words]
      return redact(
        said
          .map((part) => part.trim())
          .filter(Boolean)
          .join("\n\n"),
      )
    },
    callOf: (id) => calls.get(id)?.told,
    place: () => place,
  }
}

/** A tool call, with what its program has told of it so far. */
interface Call {
  readonly entry: string
  readonly since: number
  readonly told: Fields
  readonly printed: Printed
}

function wordsIn(update: Fields): string {
  return textOf(fieldsOf(update["content"])["text"]) ?? ""
}

/** Claude Code says the state of its servers as if its model spoke. */
function isOfProgram(update: Fields): boolean {
  return typeof fieldsOf(fieldsOf(update["_meta"])["claudeCode"])["kind"] === "string"
}

/** Each program says elsewhere what a command printed: bit by bit, or all of it again. */
function hear(printed: Printed, update: Fields): void {
  const delta = textOf(fieldsOf(fieldsOf(update["_meta"])["terminal_output_delta"])["data"])
  if (delta !== undefined) return printed.add(delta)
  const shown = listOf(update["content"])
    .map((piece) => textOf(fieldsOf(fieldsOf(piece)["content"])["text"]) ?? "")
    .join("\n")
  if (shown.trim() !== "") printed.become(unfenced(shown))
}

/** Without the fence that a program puts around all of it, for a page that shows Markdown. */
function unfenced(text: string): string {
  return /^\s*(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text
}

function exitCodeOf(told: Fields): number | undefined {
  const raw = fieldsOf(told["rawOutput"])
  const exit = fieldsOf(fieldsOf(told["_meta"])["terminal_exit"])["exit_code"]
  const code = exit ?? raw["exit_code"] ?? raw["exitCode"] ?? fieldsOf(raw["metadata"])["exit"]
  if (typeof code === "number") return code
  // Claude Code says it in what its model reads, and of a command that failed alone.
  const words = told["status"] === "failed" && told["kind"] === "execute" ? textOf(told["rawOutput"]) : undefined
  const said = /^Exit code (\d+)$/.exec(words?.split("\n", 1)[0] ?? "")?.[1]
  return said === undefined ? undefined : Number(said)
}

function diffsOf(told: Fields): object[] {
  return listOf(told["content"])
    .map(fieldsOf)
    .filter(({ type }) => type === "diff")
    .slice(0, MOST_DIFFS)
    .map(({ path, oldText, newText }) => ({
      path: cut(String(path ?? ""), 1000),
      oldText: typeof oldText === "string" ? cut(oldText, LONGEST_DIFF) : null,
      newText: cut(String(newText ?? ""), LONGEST_DIFF),
    }))
}

/** What an agent put into a call, if it is not too much to be looked at. */
function capped(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  return text.length <= LONGEST_INPUT ? (value ?? null) : { cut: cut(text, LONGEST_INPUT) }
}

/** Begin and end, where the middle is too long. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor((most - 60) / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`
}

function defined(update: Fields): Fields {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null))
}
