import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { basename } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { agentIn, agentProcessIn, type Forebear, lineOf, ownLine } from "@chorus/disk"

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
  const agent = agentIn(line())
  if (agent !== undefined) throw notAPerson(`This runs below ${agent}`)
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

/** Refuses an agent what only people do at their own machine. */
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

/** The process of the agent that runs this, where one is known by its program. */
export function agentAbove(): number | undefined {
  return agentProcessIn(standing.line())
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
