import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { basename } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { type Forebear, lineOf, ownLine } from "@chorus/disk"

/** Where a person is asked: the terminal that this process is controlled by, and what stands between the two. */
export interface Asking {
  readonly line: () => readonly Forebear[]
  /**
   * In a pane of tmux, whose server stands beside whoever opened it and types for whoever tells it to: those who look at it
   * and have pressed a key since then, in seconds, each with what is above. Undefined elsewhere.
   */
  readonly typing?: (line: readonly Forebear[], since: number) => readonly (readonly Forebear[])[] | undefined
  readonly answer: (question: string) => string
}

/**
 * Goes on only for a person: no agent is above this process, and a code that stands on its terminal alone was typed there.
 * Variables can be wiped and a terminal can be made, so neither says who asks; the processes above were there before.
 */
export function requirePerson(shown: string, { line, typing, answer }: Asking = ownTerminal): void {
  refuseBelowAgent(line)
  refuseSecretWindow(line())
  const watchers = typing?.(line(), 0)
  refuseUnwatched(watchers)
  const code = String(randomInt(1000, 10_000))
  const asked = watchers === undefined ? 0 : nextSecond()
  if (answer(`${shown}\nType ${code} to confirm: `).trim() !== code) throw notAPerson("The code was not typed")
  refuseUnwatched(typing?.(line(), asked))
}

/** Waits for it: tmux tells in whole seconds when a key was pressed, and one that was pressed before does not count. */
function nextSecond(): number {
  const now = Date.now()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000 - (now % 1000))
  return Math.floor(now / 1000) + 1
}

function refuseUnwatched(watchers: readonly (readonly Forebear[])[] | undefined): void {
  const agents = watchers?.map(agentIn)
  if (agents?.every((agent) => agent !== undefined) === true)
    throw notAPerson(`Nobody sits at this pane of tmux${agents[0] === undefined ? "" : ` but ${agents[0]}`}`)
}

export function refuseBelowAgent(line: Asking["line"] = standing.line): void {
  const agent = agentIn(line())
  if (agent !== undefined) throw notAPerson(`This runs below ${agent}`)
}

/** Refuses an agent what only people do at their own machine, such as making a link that signs one in. */
export function refuseAgent(what: string): void {
  const agent = agentIn(standing.line())
  if (agent === undefined) return
  throw new ChorusError("needs_a_person", `This runs below ${agent}; ${what}`, {
    status: 403,
    next: "Run it in a terminal of your own.",
  })
}

/** They stand beside whoever opened them, as tmux does, type for whoever tells them to, and do not tell who looks at a window. */
const SECRET = /^(screen|dtach|abduco|zellij)$/i

function refuseSecretWindow(line: readonly Forebear[]): void {
  const server = line.find(({ name, words: [first = ""] }) => SECRET.test(name) || SECRET.test(basename(first)))
  if (server !== undefined) throw notAPerson(`Nobody can tell who sits at a window of ${server.name}`)
}

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

/** The process of the agent that runs this, where one is known by its program. */
export function agentAbove(line: readonly Forebear[] = standing.line()): number | undefined {
  return line.find((forebear) => agentProgramOf(forebear) !== undefined)?.pid
}

function agentProgramOf({ name, words: [first = "", second = ""] }: Forebear): string | undefined {
  const programs = [name, basename(first), ...(RUNS_SCRIPTS.test(basename(first)) ? [basename(second)] : [])]
  return programs.find((one) => AGENT.test(one)) ?? (AGENT_PACKAGE.test(`${first} ${second}`) ? name : undefined)
}

/** What this process stands below. Tests run also below an agent, and lend the place of a person's shell. */
export const standing: { line: Asking["line"] } = { line: () => ownLine() }

/** Where tmux does not say who looks, nobody does. */
export function typingInTmux(line: readonly Forebear[], since: number): Forebear[][] | undefined {
  if (!line.some(({ name }) => name.startsWith("tmux"))) return undefined
  const { TMUX = "", TMUX_PANE = "" } = process.env
  if (TMUX === "" || TMUX_PANE === "")
    throw notAPerson("This runs below tmux without its TMUX and TMUX_PANE, so nobody can tell who sits at its pane")
  try {
    const clients = [
      "-S",
      TMUX.split(",")[0] ?? "",
      "list-clients",
      "-F",
      "#{pane_id} #{client_activity} #{client_pid}",
    ]
    const listed = execFileSync("tmux", clients, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    return listed.split("\n").flatMap((client) => {
      const [pane, activity, pid] = client.split(" ")
      return pane === TMUX_PANE && Number(activity) >= since ? [lineOf(Number(pid))] : []
    })
  } catch {
    return []
  }
}

const ownTerminal: Asking = {
  line: ownLine,
  typing: typingInTmux,
  answer(question) {
    let terminal: number
    try {
      terminal = openSync("/dev/tty", "r+")
    } catch {
      throw notAPerson("There is no terminal")
    }
    try {
      writeSync(terminal, question)
      // A terminal hands over a line at a time.
      const line = Buffer.alloc(1024)
      return line.toString("utf8", 0, readSync(terminal, line))
    } finally {
      closeSync(terminal)
    }
  },
}

function notAPerson(why: string): ChorusError {
  return new ChorusError("needs_a_person", `${why}; a decision is a person's, made at a terminal or on the page.`, {
    status: 403,
    next: "Open a terminal of your own and type the code it shows, or decide on the page.",
  })
}
