import { execFile } from "node:child_process"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { ChorusError } from "@chorus/contracts"
import { processStart } from "@chorus/disk"
import { writeShellSnapshot } from "../agents/environment.ts"
import { entriesOf } from "../files/index.ts"
import type { Backend, Placement, Running } from "./backend.ts"

const run = promisify(execFile)
const LOOK_MS = 50
const PATIENCE_MS = 2000

export interface TmuxOptions {
  /** The program and its arguments for a member; never a shell string. */
  argvOf(placement: Placement): readonly string[]
  /** A server of its own (`tmux -L`); the usual one when left out. */
  readonly socket?: string | undefined
  /** The pane next to which members open. Left out: the caller's own pane, or a session made for the team. */
  readonly beside?: string | undefined
}

/** Runs each member in a real pane that a person can look at and type into. */
export function tmuxBackend(options: TmuxOptions): Backend {
  const tmux = (...args: string[]) => tmuxCommand(options.socket, args)
  return {
    type: "tmux",
    async start(placement) {
      const { team, cwd, env } = placement
      const snapshot = writeShellSnapshot(team.paths.own, env, team.clock.now())
      // The only shell text is this constant; program, arguments and environment reach it as data.
      const read = '. "$1"; rm -f "$1"; shift; exec "$@"'
      const command = ["sh", "-c", read, "sh", snapshot, ...options.argvOf(placement)].map(literal)
      const beside = options.beside ?? (options.socket === undefined ? process.env["TMUX_PANE"] : undefined)
      const session = `chorus-${team.name.replaceAll(/[.:]/g, "_")}`
      const open = ["-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-c", cwd]
      const fresh = beside === undefined && !(await has(tmux, session))
      const opened = fresh
        ? await tmux("new-session", ...open, "-x", "160", "-y", "48", "-s", session, ...command)
        : await tmux("split-window", ...open, "-t", beside ?? session, ...command)
      const [pane = "", pid] = opened.trim().split(" ")
      await tmux("select-layout", "-t", pane, "tiled").catch(() => undefined)
      return { ...running(tmux, pane), pid: Number(pid) }
    },
  }
}

type Tmux = (...args: string[]) => Promise<string>

/** A pane that is already there, by its id. */
export function tmuxPane(pane: string, socket?: string): Running {
  return running((...args) => tmuxCommand(socket, args), pane)
}

const SHELL = /^-?(ba|z|fi|da|k|c|tc)?sh$/

/**
 * The process that runs in a pane which somebody else opened, such as a Claude Code lead. Undefined where that cannot be
 * told: each server numbers its panes from the beginning, so it takes the folder to know one, and that of one server only.
 */
export async function paneProcess(pane: string, cwd: string): Promise<number | undefined> {
  const found = (await Promise.all(servers().map((socket) => panesOf(socket)))).flat()
  const [pid, ...others] = found.flatMap((line) => {
    const [, id, processId, path] = /^(%\d+) (\d+) 0 (.*)$/.exec(line) ?? []
    return id === pane && path === cwd ? [Number(processId)] : []
  })
  if (pid === undefined || others.length > 0) return undefined
  const { stdout } = await run("ps", ["-o", "tpgid=,comm=", "-p", String(pid)]).catch(() => ({ stdout: "" }))
  const [, inFront, name = ""] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout) ?? []
  if (inFront === undefined || (Number(inFront) === pid && SHELL.test(basename(name)))) return undefined
  return Number(inFront)
}

function panesOf(socket: string): Promise<string[]> {
  const format = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_current_path}"
  return tmuxCommand(socket, ["list-panes", "-a", "-F", format]).then(
    (text) => text.split("\n"),
    () => [],
  )
}

/** Every server of this person, by name; one that has ended leaves its socket behind. */
function servers(): string[] {
  return entriesOf(join(process.env["TMUX_TMPDIR"] ?? "/tmp", `tmux-${process.getuid?.()}`))
}

function running(tmux: Tmux, pane: string): Running {
  return {
    place: pane,
    ended: gone(tmux, pane),
    capture: () => tmux("capture-pane", "-p", "-t", pane),
    async stop() {
      const pid = Number(await tmux("display-message", "-p", "-t", pane, "#{pane_pid}").catch(() => ""))
      const start = pid > 0 ? processStart(pid) : undefined
      await tmux("kill-pane", "-t", pane).catch(() => undefined)
      // It is only told to hang up, and may still write into the roster that it is taken off next.
      if (start !== undefined) await over(pid, start)
    },
  }
}

/** Waits for a process to end, and ends it when it takes too long. */
async function over(pid: number, start: string): Promise<void> {
  for (let waited = 0; processStart(pid) === start && waited < 2 * PATIENCE_MS; waited += LOOK_MS) {
    if (waited === PATIENCE_MS) kill(pid)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

/** tmux tells nobody when a pane closes; a look every second is cheap and only while members run. */
async function gone(tmux: Tmux, pane: string): Promise<void> {
  for (;;) {
    const state = await tmux("display-message", "-p", "-t", pane, "#{pane_id} #{pane_dead}").catch(() => "")
    if (state.trim() !== `${pane} 0`) return
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 1_000).unref()
    })
  }
}

async function has(tmux: Tmux, session: string): Promise<boolean> {
  return tmux("has-session", "-t", `=${session}`).then(
    () => true,
    () => false,
  )
}

async function tmuxCommand(socket: string | undefined, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("tmux", [...(socket === undefined ? [] : ["-L", socket]), ...args])
    return stdout
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT"
    throw new ChorusError(
      missing ? "tmux_missing" : "tmux_failed",
      missing ? "tmux is not installed." : `tmux ${args[0]} failed: ${(error as { stderr?: string }).stderr?.trim()}`,
      {
        next: missing ? "Install tmux, or choose another back end." : "Check the pane or session it names.",
        cause: error,
      },
    )
  }
}

/** tmux takes a final semicolon for the end of a command. */
function literal(argument: string): string {
  return argument.endsWith(";") ? `${argument.slice(0, -1)}\\;` : argument
}
