import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { ChorusError } from "@chorus/contracts"
import { writeShellSnapshot } from "../agents/environment.ts"
import type { Backend, Placement, Running } from "./backend.ts"

const run = promisify(execFile)

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

function running(tmux: Tmux, pane: string): Running {
  return {
    place: pane,
    ended: gone(tmux, pane),
    capture: () => tmux("capture-pane", "-p", "-t", pane),
    async stop() {
      await tmux("kill-pane", "-t", pane).catch(() => undefined)
    },
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
