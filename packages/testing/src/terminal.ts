import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { commandOnPath, installDebianPackage } from "./debian.ts"
import { lastWill } from "./last-will.ts"
import { isRunning, killTree } from "./process-tree.ts"
import { temporaryDirectory } from "./temporary-directory.ts"
import { waitFor } from "./wait.ts"

const LOOK_EVERY = 60
const SETTLED = 300
/** On a busy machine an agent program takes more than a minute to begin. */
const PATIENCE = 120_000

// The last screen of a program that ended stays as it was; no status line takes a row.
const SETTINGS = [
  ["-g", "remain-on-exit", "on"],
  ["-gq", "remain-on-exit-format", ""],
  ["-g", "default-terminal", "xterm-256color"],
  ["-g", "status", "off"],
  ["-s", "escape-time", "0"],
]

export interface TerminalOptions {
  command: string
  args?: string[]
  /** All the program gets, besides what tmux adds. */
  env: Readonly<Record<string, string>>
  cwd: string
  columns?: number
  rows?: number
}

export interface Pane {
  readonly id: string
  readonly title: string
  readonly pid: number
  /** Whether nothing holds its terminal open any more. */
  readonly closed: boolean
  /** The exit code once the program ended. */
  readonly exit: number | undefined
}

/** Where no pane is named, the one the program was started in is meant. */
export interface Terminal extends AsyncDisposable {
  /** The tmux socket name, for `tmux -L`. */
  readonly socket: string
  type(text: string, pane?: string): Promise<void>
  /** Presses keys by their tmux names: "Enter", "Escape", "C-c", "Up". */
  key(...names: string[]): Promise<void>
  /** Types a line, waits until the program shows it, and presses Enter. A line after an Escape begins with a space. */
  submit(text: string, pane?: string): Promise<void>
  /** What is visible, without trailing blanks. */
  screen(pane?: string): Promise<string>
  waitForText(pattern: RegExp, timeout?: number, pane?: string): Promise<string>
  /** Resolves with the exit code of the program. */
  waitForExit(timeout?: number): Promise<number>
  /** All panes of all windows: programs such as Claude Code open their own. */
  panes(): Promise<Pane[]>
  /** Everything the program wrote to the first pane, control sequences included. */
  raw(): string
  /** Closes the terminal as a person closes a window: the programs get SIGHUP. Resolves when they ended. */
  hangUp(): Promise<void>
  /** Ends every program in the terminal, and the terminal. */
  stop(): Promise<void>
}

/** A real terminal with a program in it, on a tmux server of its own. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const tmux = await findTmux()
  const socket = `chorus-${randomBytes(6).toString("hex")}`
  const directory = temporaryDirectory("tty-")
  const log = join(directory.path, "raw")
  writeFileSync(log, "")
  const server = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(tmux, ["-u", "-L", socket, ...args], { env: { ...options.env } })).stdout
  const will = lastWill([tmux, "-L", socket, "kill-server"])
  const size = ["-x", String(options.columns ?? 150), "-y", String(options.rows ?? 45)]
  // One invocation, so that nothing the program writes is missed. "env" makes tmux run it without a shell.
  const start = [
    "new-session",
    "-d",
    "-s",
    "main",
    ...size,
    "-c",
    options.cwd,
    "--",
    "env",
    options.command,
    ...(options.args ?? []),
  ].map(literal)
  const settings = ["start-server", ";", ...SETTINGS.flatMap((setting) => ["set-option", ...setting, ";"])]
  try {
    await server("-f", "/dev/null", ...settings, ...start, ";", "pipe-pane", `cat >> '${log}'`)
  } catch (error) {
    will.revoke()
    await directory.remove()
    throw error
  }
  const first = (await server("list-panes", "-t", "main", "-F", "#{pane_id}")).trim()

  const panes = async (): Promise<Pane[]> => {
    const format = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status} #{pane_dead_signal} #{pane_title}"
    return (await server("list-panes", "-a", "-F", format)).split("\n").filter(Boolean).map(paneOf)
  }
  const screen = async (pane = first): Promise<string> =>
    (await server("capture-pane", "-p", "-t", pane)).replace(/[^\S\n]+$/gm, "").trimEnd()
  let lastKey: string | undefined
  const type = async (text: string, pane = first): Promise<void> => {
    await server("send-keys", "-t", pane, "-l", "--", literal(text))
    lastKey = undefined
  }
  const key = async (...names: string[]): Promise<void> => {
    await server("send-keys", "-t", first, ...names)
    lastKey = names.at(-1)
  }
  const close = async (end: (pids: number[]) => Promise<void>): Promise<void> => {
    const pids = (await panes().catch(() => [])).filter((pane) => !pane.closed).map((pane) => pane.pid)
    await end(pids)
    await server("kill-server").catch(() => {})
    will.revoke()
    await directory.remove()
  }
  const stop = (): Promise<void> => close(async (pids) => void (await Promise.all(pids.map((pid) => killTree(pid)))))
  return {
    socket,
    type,
    key,
    async submit(text, pane = first) {
      const shown = await screen(pane)
      // A busy program reads an Escape together with the letter after it, as Alt and that letter. A command has to come first in its line.
      await type(lastKey === "Escape" && !text.startsWith("/") ? ` ${text}` : text, pane)
      await settled(text, shown, () => screen(pane))
      await server("send-keys", "-t", pane, "Enter")
    },
    screen,
    async waitForText(pattern, timeout = PATIENCE, pane = first) {
      let seen = ""
      const look = async (): Promise<string | undefined> => {
        seen = await screen(pane)
        return pattern.test(seen) ? seen : undefined
      }
      return waitFor(look, timeout, () => `${pattern} on the screen, which shows:\n${seen}`, LOOK_EVERY)
    },
    async waitForExit(timeout = 30_000) {
      const look = async (): Promise<{ status: number } | undefined> => {
        const pane = (await panes()).find((one) => one.id === first)
        if (pane?.exit !== undefined) return { status: pane.exit }
        // Some kernels do not tell tmux of a child that ended as its terminal closed; the end of another makes it look.
        if (pane?.closed) await server("run-shell", "true")
        return undefined
      }
      return (await waitFor(look, timeout, "the program to end", LOOK_EVERY)).status
    },
    panes,
    raw: () => readFileSync(log, "utf8"),
    hangUp: () =>
      close(async (pids) => {
        await server("kill-server")
        await waitFor(() => !pids.some(isRunning), 60_000, "the programs to end after SIGHUP", LOOK_EVERY)
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function findTmux(): Promise<string> {
  const found = commandOnPath("tmux") ?? ((await installDebianPackage("tmux")) ? commandOnPath("tmux") : undefined)
  if (found === undefined) throw new Error("tmux is missing; install it (apt-get install tmux, brew install tmux).")
  return found
}

// Agents take a burst of keys for pasted text, in which Enter is a line break; so Enter has to come after the text was shown for a while.
// What was on the screen before may end alike: an earlier line is not this one.
async function settled(text: string, before: string, screen: () => Promise<string>): Promise<void> {
  const tail = letters(text).slice(-24)
  const count = (shown: string): number => letters(shown).split(tail).length + shown.split("[Pasted").length
  let earlier = count(before)
  let since: number | undefined
  let shown = before
  const look = async (): Promise<boolean> => {
    shown = await screen()
    const now = count(shown)
    earlier = Math.min(earlier, now)
    since = now > earlier ? (since ?? Date.now()) : undefined
    return since !== undefined && Date.now() - since >= SETTLED
  }
  await waitFor(look, PATIENCE, () => `"${text.slice(-40)}" on the screen, which shows:\n${shown}`, LOOK_EVERY)
}

// Frames and line breaks of an input box stand between the letters of a long line.
function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "")
}

// tmux takes a final semicolon for the end of a command.
function literal(argument: string): string {
  return argument.replace(/;$/, "\\;")
}

function paneOf(row: string): Pane {
  const [id = "", pid = "", dead = "", status = "", signal = "", ...title] = row.split(" ")
  const closed = dead === "1"
  return { id, title: title.join(" "), pid: Number(pid), closed, exit: closed ? exitOf(status, signal) : undefined }
}

/** A pane is dead when its terminal is closed, a moment before it is known how its program ended. */
function exitOf(status: string, signal: string): number | undefined {
  if (status !== "") return Number(status)
  return signal === "" ? undefined : 128 + Number(signal)
}
