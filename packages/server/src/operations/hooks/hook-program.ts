import { ChorusError, type HookEvent, type HookOutput, type UsedByModel } from "@chorus/contracts"
import { fieldsOf } from "./event-field.ts"

type Line = Readonly<Record<string, unknown>>

/** What the hook program asks besides the event, as it stands in its address. */
export interface ProgramQuery {
  readonly program?: string | undefined
  readonly machine?: string | undefined
  readonly process?: string | undefined
  /** Below the event stand the figures of a transcript, and whose that is where the event does not say so. */
  readonly used?: string | undefined
  readonly agent?: string | undefined
  /** Nothing happened; the program lives. */
  readonly beat?: string | undefined
  /** For how long the program waits for an answer from the page. */
  readonly answerSeconds?: string | undefined
  /** The person has a dialog, and the program waits for as long as that is open. */
  readonly dialog?: string | undefined
  /** The question that it waits for, and that it no longer does: for an answer from the page (`late`), or at all. */
  readonly asked?: string | undefined
  readonly gaveUp?: string | undefined
  /** Nothing more of the transcript will come. */
  readonly last?: string | undefined
  /** The event lay in the spool; what else belonged to it may have been lost. */
  readonly kept?: string | undefined
  /** The event came as a tool call over MCP, and is answered as one. */
  readonly call?: string | undefined
}

export interface ProgramRequest {
  /** The event as the operation takes it. */
  readonly event: Line
  /** The file an agent's words stand in, where they can be asked for. */
  readonly transcript: string | undefined
  /** Whether the transcript has to be seen before the event can be taken at all. */
  readonly needsPrompt: boolean
  /** Nothing more of that file will come. What it says was used still counts. */
  readonly last?: true
  /** It was kept, and is told when what waited for it has gone on. */
  readonly kept?: true
  /** The tool call that it came as. */
  readonly call?: unknown
}

/**
 * What our hook program sends: an event as its agent's program wrote it, and below it lines of the agent's transcript
 * if it was asked for them.
 */
export function readProgramRequest(body: string, query: ProgramQuery): ProgramRequest {
  if (query.call !== undefined) {
    const call = fieldsOf(body) ?? {}
    const event = { ...calledWith(call), program: query.program }
    return { event, transcript: transcriptOf(event), needsPrompt: false, call: call["id"] }
  }
  const [told, below] = eventAndLines(body)
  const event: Line = {
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null)),
    ...(query.program === undefined ? {} : { program: query.program }),
    ...(query.answerSeconds === undefined ? {} : { answer_seconds: query.answerSeconds }),
    ...(query.dialog === undefined ? {} : { dialog: true }),
    ...(query.process === undefined ? {} : { machine: query.machine, process: query.process }),
  }
  if (query.used !== undefined) {
    const { session_id, agent_id, agent_type } = calledWith(event) ?? event
    const { transcript_head } = saidIn(linesOf(below), event)
    const used = { session_id, program: query.program, agent_id: query.agent ?? agent_id, agent_type }
    return {
      event: { ...used, transcript_head, usage: usedIn(below), hook_event_name: "Usage" },
      transcript: undefined,
      needsPrompt: false,
    }
  }
  if (query.beat !== undefined)
    return { event: { ...event, hook_event_name: "Beat" }, transcript: undefined, needsPrompt: false }
  if (query.asked !== undefined) {
    const { session_id, program, tool_name, tool_input } = event
    const reason = query.gaveUp === undefined ? {} : { reason: query.gaveUp === "late" ? "late" : "gave_up" }
    const goesOn = goingOn(linesOf(below), event)
    const tail = goesOn === undefined ? {} : { transcript_tail: goesOn }
    const asked = { hook_event_name: "PermissionAnswer", attention_uuid: query.asked, ...reason, ...tail }
    return {
      event: { session_id, program, tool_name, tool_input, ...asked },
      transcript: undefined,
      needsPrompt: false,
    }
  }
  const lines = linesOf(below)
  const transcript = transcriptOf(event)
  const growing = query.last === undefined ? transcript : undefined
  // What ran behind a turn that is told late says nothing of now.
  const late = query.kept === undefined ? {} : { background_tasks: undefined }
  const whole = { ...event, ...saidIn(lines, event), ...awaited(event, growing), ...late }
  return {
    event: whole,
    transcript,
    needsPrompt: growing !== undefined && lines.length === 0 && isUnclear(whole, query),
    ...(query.last === undefined ? {} : { last: true }),
    ...(query.kept === undefined ? {} : { kept: true }),
  }
}

/** Their message is the line of state itself. */
const BEGINS = new Set(["SessionStart", "Beat"])

/** The answer in lines that a shell can follow, an empty one, and what the agent's program reads. */
export function programAnswer({ event, transcript, last, kept, call }: ProgramRequest, output: HookOutput): string {
  const { chorus, ...rest } = output
  // What lies there when a kept event is told may be the work's own.
  const begins = (kept === undefined ? (chorus?.begun ?? []) : []).map((taskUuid) => `begin ${taskUuid}\n`)
  const lost =
    chorus?.lost === undefined || transcript === undefined ? [] : [`lost ${chorus.lost.join("|")} ${transcript}\n`]
  const first = [...begins, ...lost].join("")
  if (call !== undefined) {
    const result = { content: [{ type: "text", text: JSON.stringify(rest) }] }
    return `chorus\n${first}\n${JSON.stringify({ jsonrpc: "2.0", id: call, result })}`
  }
  const said = rest.systemMessage === undefined ? "" : ascii(rest.systemMessage).slice(1, -1)
  const { hook_event_name: name, session_id, program, transcript_path } = event
  const state = BEGINS.has(String(name)) && said !== "" ? rest.systemMessage : chorus?.state
  const will = { hook_event_name: "SessionEnd", session_id, program, transcript_path, reason: "crashed" }
  const isTold = chorus?.awaited === true && kept === undefined
  const lines = [
    ...(state === undefined ? [] : [`state ${ascii(state).slice(1, -1)}`]),
    ...(state !== undefined && BEGINS.has(String(name)) ? [`will ${ascii(will)}`] : []),
    ...(name === "SubagentStop" && said !== "" && !isTold ? [`news ${said}`] : []),
    ...(chorus?.lead === undefined ? [] : [`tell ${chorus.lead.session} ${ascii(chorus.lead.words).slice(1, -1)}`]),
    ...(chorus?.needs === undefined || transcript === undefined || last !== undefined
      ? []
      : [`bring ${chorus.needs === "words" ? "later" : "now"} ${transcript}`]),
    ...(chorus?.changes ?? []).map(({ taskUuid, since }) => `change ${taskUuid} ${since}`),
    ...(chorus?.counts !== true || transcript === undefined ? [] : [`count ${transcript}`]),
    ...(chorus?.attentionUuid === undefined || chorus.settled === true ? [] : [`asked ${chorus.attentionUuid}`]),
    ...(name !== "PermissionRequest" || transcript === undefined ? [] : [`watch ${transcript}`]),
  ]
  return `chorus\n${first}${lines.map((line) => `${line}\n`).join("")}\n${Object.keys(rest).length === 0 ? "" : JSON.stringify(rest)}`
}

function eventAndLines(body: string): [Line, string[]] {
  const whole = fieldsOf(body)
  if (whole !== undefined) return [whole, []]
  const [first = "", ...below] = body.split("\n")
  const event = fieldsOf(first)
  if (event === undefined) {
    throw new ChorusError("invalid_json", "The body does not begin with an event in JSON.", {
      next: "Send an event as the agent's program tells it.",
    })
  }
  return [event, below]
}

/** The event that a tool call brings. */
function calledWith(call: Line): Line | undefined {
  return fieldsOf(fieldsOf(call["params"])?.["arguments"])
}

/** Lines of a transcript; figures stand beside them, by the thousand. */
function linesOf(below: readonly string[]): Line[] {
  const written = below.filter((line) => line.startsWith("{"))
  return written.map((line) => fieldsOf(line)).filter((line) => line !== undefined)
}

function transcriptOf(event: Line): string | undefined {
  const path = event["agent_transcript_path"] ?? event["transcript_path"]
  return typeof path === "string" && !path.includes("\n") ? path : undefined
}

/**
 * Programs of February 2026 leave an agent's last words to its transcript, and write them there when its hook has
 * ended.
 */
function awaited(event: Line, transcript: string | undefined): Pick<HookEvent, "awaits_words"> {
  const ends = event["hook_event_name"] === "SubagentStop" || event["hook_event_name"] === "TeammateIdle"
  const leftOut = ends && event["last_assistant_message"] === undefined
  return leftOut && event["program"] !== "codex" && transcript !== undefined ? { awaits_words: true } : {}
}

/**
 * The name a sub-agent of Codex was given stands where its record begins. An end that was kept may be all that is heard
 * of an agent.
 */
function isUnclear(event: Line, { kept }: ProgramQuery): boolean {
  const name = event["hook_event_name"]
  if (name === "SubagentStart") return event["program"] === "codex" && event["agent_path"] === undefined
  return name === "SubagentStop" && kept !== undefined && event["awaits_words"] === undefined
}

/** The prompt an agent was given, what it said last, and the name it goes by, as far as these lines tell. */
function saidIn(lines: readonly Line[], event: Line): Partial<HookEvent> {
  const codex = event["program"] === "codex"
  const head = codex
    ? lines.findLast((line) => fieldsOf(line["payload"])?.["type"] === "agent_message")
    : lines.find((line) => roleOf(line) === "user")
  const tail = newest(lines.filter((line) => roleOf(line) !== undefined))
  const path = fieldsOf(lines[0]?.["payload"])?.["agent_path"]
  return {
    ...(head === undefined ? {} : { transcript_head: head }),
    ...(tail === undefined || !isFinal(tail) ? {} : { transcript_tail: tail }),
    ...(codex && typeof path === "string" ? { agent_path: path } : {}),
  }
}

/**
 * Programs of February 2026 write into a new folder several times at once, and a line may get there before one that came
 * earlier. Where the time is not said, the place counts.
 */
function newest(lines: readonly Line[]): Line | undefined {
  const time = ({ timestamp }: Line) => (typeof timestamp === "string" ? timestamp : "")
  return lines.reduce<Line | undefined>(
    (last, line) => (last !== undefined && time(line) < time(last) ? last : line),
    undefined,
  )
}

/**
 * The line of a transcript by which a call that its person was asked about has begun or ended. What hooks do before it
 * says nothing.
 */
function goingOn(lines: readonly Line[], { tool_name: name, tool_input: given }: Line): Line | undefined {
  const input = JSON.stringify(given)
  const isCall = (block: Line) =>
    block["type"] === "tool_use" && block["name"] === name && JSON.stringify(block["input"]) === input
  const call = lines.flatMap((line) => contentOf(line)).findLast(isCall)?.["id"]
  const isOf = (line: Line) =>
    fieldsOf(line["data"])?.["type"] === "bash_progress"
      ? line["parentToolUseID"] === call
      : contentOf(line).some((block) => block["type"] === "tool_result" && block["tool_use_id"] === call)
  return call === undefined ? undefined : lines.findLast(isOf)
}

function contentOf(line: Line): Line[] {
  const content = fieldsOf(line["message"])?.["content"]
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks.map((block) => fieldsOf(block)).filter((block) => block !== undefined)
}

function roleOf(line: Line): "user" | "assistant" | undefined {
  const role = fieldsOf(line["message"])?.["role"]
  return role === "user" || role === "assistant" ? role : undefined
}

/** Said by the agent, and not on its way to a tool. */
function isFinal(line: Line): boolean {
  return roleOf(line) === "assistant" && !contentOf(line).some((block) => block["type"] === "tool_use")
}

/**
 * What a transcript says was used, by model: lines like `12:"output_tokens":34`, each figure with the number of the
 * line it stands in. An answer stands there once for each of its parts, and its figures grow; the last count.
 */
function usedIn(figures: readonly string[]): UsedByModel[] {
  const answers = new Map<string, Map<string, string>>()
  const lines = Map.groupBy(figures, (figure) => figure.slice(0, figure.indexOf(":")))
  for (const [line, found] of lines) {
    // The first of a name is the answer's own; further ones stand inside it.
    const fields = new Map(found.toReversed().map((figure) => fieldIn(figure)))
    if (fields.has("output_tokens")) answers.set(fields.get("id") ?? line, fields)
  }
  const byModel = Map.groupBy(answers.values(), (fields) => fields.get("model") ?? "unknown")
  return [...byModel].map(([model, all]) => {
    const sum = (name: string) => all.reduce((total, fields) => total + Number(fields.get(name) ?? 0), 0)
    return {
      model,
      inputTokens: sum("input_tokens"),
      outputTokens: sum("output_tokens"),
      cacheReadTokens: sum("cache_read_input_tokens"),
      cacheCreationTokens: sum("cache_creation_input_tokens"),
    }
  })
}

function fieldIn(figure: string): [string, string] {
  const [, name = "", value = ""] = /^\d+:"(\w+)":"?([^"]*)/.exec(figure) ?? []
  return [name, value]
}

/** JSON that any shell and any header can carry. */
function ascii(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
