import { promisify } from "node:util"
import { ChorusError } from "@chorus/contracts"
import { givenHere } from "../launch/terminal-identity.ts"
import { environmentOf } from "../watch/process-table.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** One command, with what it needs of the environment of the terminal it is about. */
export interface JumpCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

const ITERM = `on run argv
tell application "iTerm2"
repeat with w in windows
repeat with t in tabs of w
repeat with s in sessions of t
if unique id of s is item 1 of argv then
select w
select t
select s
activate
return
end if
end repeat
end repeat
end repeat
end tell
error "no such session"
end run`

/** How the terminal program that a process runs in is asked to show its tab; nothing where it cannot be asked. */
export function jumpCommands(env: Environment, folder: string | null): JumpCommand[] {
  const { TMUX: tmux, TMUX_PANE: pane, KITTY_WINDOW_ID: kitty, WEZTERM_PANE: wezterm, ITERM_SESSION_ID: iterm } = env
  if (tmux && pane && /^%\d+$/.test(pane)) {
    const ask = (...words: string[]): JumpCommand => ({ argv: ["tmux", "-S", tmux.split(",")[0] ?? "", ...words] })
    return [ask("select-window", "-t", pane), ask("select-pane", "-t", pane), ask("switch-client", "-t", pane)]
  }
  if (kitty && env["KITTY_LISTEN_ON"])
    return [{ argv: ["kitty", "@", "--to", env["KITTY_LISTEN_ON"], "focus-window", "--match", `id:${kitty}`] }]
  if (wezterm) {
    const socket = env["WEZTERM_UNIX_SOCKET"]
    const argv: JumpCommand["argv"] = ["wezterm", "cli", "activate-pane", "--pane-id", wezterm]
    return [socket === undefined ? { argv } : { argv, env: { WEZTERM_UNIX_SOCKET: socket } }]
  }
  if (iterm?.includes(":")) return [{ argv: ["osascript", "-e", ITERM, "--", iterm.split(":")[1] ?? ""] }]
  // VS Code shows its window; which of its terminals is meant it cannot be told.
  if (env["TERM_PROGRAM"] === "vscode" && folder !== null) return [{ argv: ["code", "--reuse-window", folder] }]
  return []
}

/**
 * Brings the tab of the process in a terminal to the front, or where its program cannot be asked, the one that was
 * opened from.
 */
export async function jump(pid: number | null, folder: string | null): Promise<void> {
  const env = pid === null ? {} : await environmentOf(pid)
  const own = pid === null ? [] : jumpCommands(await givenHere(env, pid), folder)
  const commands = own.length > 0 ? own : jumpCommands(env, folder)
  if (commands.length === 0)
    throw new ChorusError("cannot_jump", "The program of that terminal cannot be asked to show it.", {
      next: "Go there yourself; tmux, kitty (with remote control), WezTerm, iTerm and VS Code can be asked.",
      status: 409,
    })
  const { execFile } = process.getBuiltinModule("node:child_process")
  for (const [index, { argv, env: more }] of commands.entries()) {
    const [program, ...args] = argv
    await promisify(execFile)(program, args, { timeout: 5000, env: { ...process.env, ...more } }).catch((cause) => {
      // Nobody looks at this tmux now; whoever does next finds the pane in front.
      if (index === commands.length - 1 && index > 0) return
      throw new ChorusError("cannot_jump", `${program} could not show that terminal.`, {
        next: program === "kitty" ? "Allow remote control in kitty.conf." : "Go there yourself.",
        status: 409,
        cause,
      })
    })
  }
}
