import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, TeamPermissionMode } from "@chorus/contracts"
import { parse } from "yaml"
import { entriesOf } from "../files/index.ts"

/** A kind of member: which tools it has and how it is told to behave. */
export interface AgentType {
  readonly name: string
  readonly description: string
  /** Left out: all tools. */
  readonly tools?: readonly string[] | undefined
  readonly disallowedTools?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  readonly prompt?: string | undefined
}

/** What changes nothing. */
export const LOOKING = ["Read", "Grep", "Glob", "WebFetch", "WebSearch"]

const BUILT_IN: readonly AgentType[] = [
  { name: "general-purpose", description: "All tools: code, analysis, anything with several steps." },
  { name: "Explore", description: "Looks for things in the code and on the web; changes nothing.", tools: LOOKING },
  { name: "Plan", description: "Designs an approach; changes nothing.", tools: LOOKING },
  { name: "Bash", description: "Runs commands.", tools: ["Bash"] },
]

/** Built-in types and those from agent files; a project's own file wins over the user's, and both over a built-in of that name. */
export function agentTypes(places: { root: string; project: string }): AgentType[] {
  const own = [join(places.project, ".claude", "agents"), join(places.root, "agents")].flatMap(typesIn)
  const names = new Set<string>()
  return [...own, ...BUILT_IN].filter((type) => !names.has(type.name) && names.add(type.name))
}

export function agentType(name: string, places: { root: string; project: string }): AgentType {
  const types = agentTypes(places)
  const type = types.find((one) => one.name === name)
  if (type !== undefined) return type
  throw new ChorusError("no_such_agent_type", `There is no agent type "${name}".`, {
    status: 404,
    next: `Known types: ${types.map((one) => one.name).join(", ")}.`,
  })
}

function typesIn(folder: string): AgentType[] {
  return entriesOf(folder)
    .filter((file) => file.endsWith(".md"))
    .sort()
    .flatMap((file) => parseAgentFile(textOf(join(folder, file))) ?? [])
}

/** A file that cannot be read describes no agent; the others still do. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Reads the front matter that Claude Code's agent files have; a file without a name is no agent. */
export function parseAgentFile(text: string): AgentType | undefined {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text.replace(/^\uFEFF/, ""))
  const head = match?.[1] === undefined ? undefined : headOf(match[1])
  const name = head?.["name"]
  if (head === undefined || typeof name !== "string") return undefined
  const model = head["model"]
  return {
    name,
    description: typeof head["description"] === "string" ? head["description"] : "",
    tools: listOf(head["tools"]),
    disallowedTools: listOf(head["disallowedTools"]),
    model: typeof model === "string" && model !== "inherit" ? model : undefined,
    mode: TeamPermissionMode.safeParse(head["permissionMode"]).data,
    prompt: match?.[2]?.trim() || undefined,
  }
}

function headOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function listOf(value: unknown): string[] | undefined {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value.map(String) : undefined
  return list?.map((item) => item.trim()).filter((item) => item !== "")
}
