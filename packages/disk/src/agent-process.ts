import { basename } from "node:path"
import type { Forebear } from "./forebears.ts"

const MARKS = [
  "CLAUDECODE",
  "CODEX_SANDBOX",
  "CODEX_THREAD_ID",
  "OPENCODE",
  "CHORUS_AGENT",
  "CHORUS_RUN_ID",
  "CHORUS_RUNNER",
  "CHORUS_TEAM_MODE",
]
const AGENT =
  /^(claude|codex|opencode|gemini|qwen|aider|amp|copilot|crush|cursor-agent|goose|(claude-agent|codex)-acp|team-member|member-main)(\.(exe|js|mjs|cjs|ts))?$/
const AGENT_PACKAGE = /[/\\](@anthropic-ai[/\\]claude-code|@openai[/\\]codex|opencode-ai)[/\\]/
const RUNS_SCRIPTS = /^(node|bun|deno|python[0-9.]*|(ba|da|z|k)?sh)$/

/** The nearest agent, in words; undefined when there is none. */
export function agentIn(line: readonly Forebear[]): string | undefined {
  for (const forebear of line) {
    const { pid, name, marks } = forebear
    const program = agentProgramOf(forebear)
    if (program !== undefined) return `${program}, process ${pid}`
    const mark = MARKS.find((one) => marks.includes(one))
    if (mark !== undefined) return `an agent: process ${pid} (${name}) has ${mark} set`
  }
  return undefined
}

/** The process of the nearest agent, where one is known by its program. */
export function agentProcessIn(line: readonly Forebear[]): number | undefined {
  return line.find((forebear) => agentProgramOf(forebear) !== undefined)?.pid
}

function agentProgramOf({ name, words: [first = "", second = ""] }: Forebear): string | undefined {
  const programs = [name, basename(first), ...(RUNS_SCRIPTS.test(basename(first)) ? [basename(second)] : [])]
  return programs.find((one) => AGENT.test(one)) ?? (AGENT_PACKAGE.test(`${first} ${second}`) ? name : undefined)
}
