import type { ModelRequest } from "@chorus/testing"
import { encode } from "gpt-tokenizer"

export interface Tally {
  /** What the models called in all, and what of that was tracking or planning on the board. */
  readonly calls: {
    readonly all: number
    readonly planning: number
    readonly subagents: number
    readonly members: number
  }
  /** Tokens the models were given in all, counted once, how many of these the hooks put there, and how many the skill did. */
  readonly tokens: {
    readonly all: number
    readonly injected: number
    readonly texts: number
    readonly skill: number
    readonly reference: number
  }
  /** Seconds the server spent on hooks and on what agents called. */
  readonly serverSeconds: { readonly hooks: number; readonly calls: number }
}

/** What tracking cost: read from what the models were asked and answered, and from the server's own figures. */
export function tally(requests: readonly ModelRequest[], metrics: string): Tally {
  const turns = requests.filter(({ purpose, api }) => purpose === "turn" && api !== "other")
  const called = (wanted: (request: ModelRequest) => boolean) =>
    turns
      .filter(wanted)
      .flatMap(({ turn }) => turn?.tools ?? [])
      .map(({ name }) => name)
  const onBoard = (names: readonly string[]) => names.filter((name) => /chorus_[a-z_]+$/.test(name)).length
  const isSubagent = ({ firstPrompt }: ModelRequest) => firstPrompt.includes("<chorus session=")
  const isMember = ({ all }: ModelRequest) => /You are "(claude|codex|opencode)", a member/.test(all)
  const seconds = (wanted: (operation: string) => boolean) =>
    [...metrics.matchAll(/^chorus_operation_seconds_sum\{operation="(\w+)"[^}]*\} (\S+)/gm)]
      .filter(([, operation = ""]) => wanted(operation))
      .reduce((sum, [, , value]) => sum + Number(value), 0)
  const added = injected(turns)
  const [skill, reference] = skillRead(turns)
  return {
    calls: {
      all: called(() => true).length,
      planning: onBoard(called((request) => !isSubagent(request) && !isMember(request))),
      subagents: onBoard(called(isSubagent)),
      members: onBoard(called(isMember)),
    },
    tokens: {
      all: conversations(turns).reduce((sum, { body }) => sum + encode(JSON.stringify(body)).length, 0),
      injected: added.reduce((sum, text) => sum + encode(text).length, 0),
      texts: added.length,
      skill: encode(skill).length,
      reference: encode(reference).length,
    },
    serverSeconds: {
      hooks: seconds((operation) => operation === "chorus_hook"),
      calls: seconds((operation) => BY_AGENTS.has(operation)),
    },
  }
}

const BY_AGENTS = new Set([
  "chorus_claim_idea",
  "chorus_pm_start_elaboration",
  "chorus_inbox",
  "chorus_submit_plan",
  "chorus_start_task",
  "chorus_finish_task",
])

/** The last request of each conversation holds all that was said in it. */
function conversations(turns: readonly ModelRequest[]): ModelRequest[] {
  const last = new Map<string, ModelRequest>()
  for (const request of turns)
    last.set(`${request.api} ${request.sessionId} ${request.agentId} ${request.firstPrompt}`, request)
  return [...last.values()]
}

/** What the one who loaded the skill was given for it, and what for the part that it opened then. */
function skillRead(turns: readonly ModelRequest[]): [string, string] {
  const loaded = turns.find(({ newest }) => newest.includes("Base directory for this skill:"))
  const opened = turns.find(
    ({ sessionId, turns: at }) => sessionId === loaded?.sessionId && at === (loaded?.turns ?? 0) + 1,
  )
  return [loaded?.newest ?? "", opened?.newest ?? ""]
}

/** What hooks added to conversations: the introduction of a session, the brief of a sub-agent, single lines. */
function injected(turns: readonly ModelRequest[]): string[] {
  return conversations(turns).flatMap(({ all }) => INJECTED.flatMap((pattern) => all.match(pattern) ?? []))
}

const INJECTED = [
  /SessionStart hook additional context: # Chorus[\s\S]*?overrides your own\./g,
  /<chorus session=[\s\S]*?<\/chorus>/g,
  /^(?:UserPromptSubmit|PostToolUse:Agent|SubagentStop) hook additional context: Chorus.*$/gm,
]
