import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { promisify } from "node:util"
import { oneLine } from "../line/index.ts"
import { environmentOf, processTable } from "../watch/process-table.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The terminal a process is in, as the operating system knows it. */
export interface ControllingTerminal {
  /** "pts/3" */
  device: string
  /** Tells this terminal from an earlier one on the same device: when the first process in it began. */
  began: string
}

/**
 * What terminal programs call their tabs; read together with the device, as variables are inherited and devices are
 * not.
 */
const TAB_VARIABLES = [
  "TMUX_PANE",
  "ITERM_SESSION_ID",
  "WEZTERM_PANE",
  "KITTY_WINDOW_ID",
  "TERM_SESSION_ID",
  "WINDOWID",
] as const

/** What tells apart two of a terminal program, whose tabs have the same names. */
const SERVER_VARIABLES: Readonly<Record<string, string>> = {
  TMUX_PANE: "TMUX",
  WEZTERM_PANE: "WEZTERM_UNIX_SOCKET",
  KITTY_WINDOW_ID: "KITTY_PID",
}

/** Where a command runs: the name its status goes by, the terminal itself, and what its tab is called. */
export interface Place {
  terminalId: string
  terminal: string | undefined
  tab: string | undefined
  /** Nobody comes back to it: it has no terminal, or an agent started it in its own. */
  once: boolean
}

export async function placeOf(env: Environment = process.env): Promise<Place> {
  const terminal = controllingTerminal()
  const own = await givenHere(env, process.pid)
  const terminalId = terminalIdFrom(own, terminal, process.pid)
  const name = terminal === undefined ? undefined : nameOf(own, terminal)
  return {
    terminalId,
    terminal: name,
    tab: terminal === undefined ? undefined : await tabName(own),
    once: terminalId !== name && terminalId !== own["CHORUS_TERMINAL_ID"],
  }
}

/**
 * The variables of a process without the names that its terminal only inherited: whoever opened it has them too, as a
 * tmux server has those of the terminal it was started in.
 */
export async function givenHere(env: Environment, pid: number): Promise<Environment> {
  const names = ["CHORUS_TERMINAL_ID", ...TAB_VARIABLES].filter((name) => env[name])
  const opener = names.length === 0 ? undefined : openerOf(pid)
  if (opener === undefined) return env
  const above = await environmentOf(opener)
  const isSame = (name: string | undefined) => name === undefined || env[name] === above[name]
  const inherited = names.filter((name) => isSame(name) && isSame(SERVER_VARIABLES[name]))
  return { ...env, ...Object.fromEntries(inherited.map((name) => [name, undefined])) }
}

/** The first process above that is not in the same terminal: the terminal program, or its server. */
export function openerOf(pid: number): number | undefined {
  const device = controllingTerminal(pid)?.device
  if (device === undefined) return undefined
  let above = pid
  while (above > 1 && controllingTerminal(above)?.device === device) above = parentOf(above)
  return above > 1 ? above : undefined
}

/** The terminals that are open now, as their names end. */
export async function openTerminals(): Promise<string[]> {
  const rows = (await processTable().all()).filter(({ hasTerminal }) => hasTerminal)
  return [...new Set(rows.flatMap(({ pid }) => bareName(controllingTerminal(pid)) ?? []))]
}

/**
 * This terminal's name while it is open. A name that somebody gave counts, unless an agent of another terminal handed
 * it down: two terminals never share a name, however their shells were started.
 */
export function terminalIdFrom(env: Environment, terminal: ControllingTerminal | undefined, pid: number): string {
  const own = terminal === undefined ? undefined : nameOf(env, terminal)
  const given = env["CHORUS_TERMINAL_ID"]
  if (given === undefined || given === "") return own ?? `process-${pid}`
  if (env["CHORUS_AGENT"] === undefined) return given
  // An agent started by an agent shares its terminal but not its state.
  const isElsewhere = own !== undefined && env["CHORUS_TERMINAL"] !== own
  return isElsewhere ? own : `${given}/${pid}`
}

function nameOf(env: Environment, terminal: ControllingTerminal): string {
  return [tabIn(env), bareName(terminal)].filter((part) => part !== undefined).join("-")
}

export function bareName(terminal: ControllingTerminal | undefined): string | undefined {
  return terminal === undefined ? undefined : `${terminal.device.replaceAll("/", "-")}-${terminal.began}`
}

/** Whose ids are no numbers that are given out anew. */
const LASTING = /^(iterm|term)-/

/**
 * What comes back after a restart, when tabs and panes are counted anew: in tmux the window, by the name that somebody
 * gave it, else by its place in a session. A number alone would be another tab's by then.
 */
export async function tabName(env: Environment): Promise<string | undefined> {
  const tab = tabIn(env)
  const [pane, socket] = [env["TMUX_PANE"], env["TMUX"]?.split(",")[0]]
  if (pane === undefined || !/^%\d+$/.test(pane) || !socket) return LASTING.test(tab ?? "") ? tab : undefined
  const { execFile } = process.getBuiltinModule("node:child_process")
  // Only a name that somebody gave switches this off for a window; any other is that of the program in it.
  const isNamed = ["show-options", "-wqv", "-t", pane, "automatic-rename"]
  const names = ["display-message", "-p", "-t", pane, "#{session_name}:#{window_index}:#{window_name}"]
  const ask = promisify(execFile)("tmux", ["-u", "-S", socket, ...isNamed, ";", ...names], { timeout: 2000 })
  const { stdout } = await ask.catch(() => ({ stdout: "" }))
  const [, named, session = "", index = "", name = ""] = /^(off\n|on\n)?([^:]*):(\d+):(.*)\n$/.exec(stdout) ?? []
  if (index === "") return undefined
  const server = basename(socket)
  const parts = [
    "tmux",
    ...(server === "default" ? [] : [server]),
    // A session without a name is counted anew too.
    ...(/^\d+$/.test(session) ? [] : [session]),
    named === "off\n" && name !== "" ? name : index,
  ]
  return oneLine(parts.join("/"), 120)
}

/** The tab as its terminal program numbers it; nothing where tabs have no numbers. */
export function tabIn(env: Environment): string | undefined {
  for (const name of TAB_VARIABLES) {
    const value = env[name]?.replace(/[^A-Za-z0-9_.-]/g, "")
    if (!value) continue
    if (name !== "TMUX_PANE") return `${name.split("_")[0]?.toLowerCase()}-${value}`
    const server = basename(env["TMUX"]?.split(",")[0] ?? "default").replace(/[^A-Za-z0-9_.-]/g, "")
    return server === "default" ? `tmux-${value}` : `tmux-${server}-${value}`
  }
  return undefined
}

/** The terminal this process belongs to, also when its input and output are pipes. */
export function controllingTerminal(pid: number | "self" = "self"): ControllingTerminal | undefined {
  if (process.platform !== "linux") return terminalFromPs(pid === "self" ? process.pid : pid)
  const fields = statFields(pid)
  const device = deviceName(Number(fields?.[4] ?? 0))
  if (device === undefined) return undefined
  const leader = Number(fields?.[3])
  return { device, began: Number(statFields(leader)?.[19] ?? leader).toString(36) }
}

/** Whether what is typed in this process's terminal is for it: Ctrl-C too. */
export function isInFront(): boolean {
  if (process.platform === "linux") {
    const fields = statFields("self")
    return fields !== undefined && fields[2] === fields[5]
  }
  const { execFileSync } = process.getBuiltinModule("node:child_process")
  const groups = execFileSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" })
  const [own, front] = groups.trim().split(/\s+/)
  return own === front
}

function parentOf(pid: number): number {
  if (process.platform === "linux") return Number(statFields(pid)?.[1] ?? 0)
  const { execFileSync } = process.getBuiltinModule("node:child_process")
  return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }))
}

/** /proc/<pid>/stat from its third field on; the command before that may hold spaces and brackets. */
function statFields(pid: number | "self"): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

/** From the number the kernel keeps: 136 to 143 are what terminal programs open, 4 are consoles. */
function deviceName(number: number): string | undefined {
  const [major, minor] = [(number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00)]
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 256 + minor}`
  if (major === 4 && minor < 64) return `tty${minor}`
  return number === 0 ? undefined : `device/${number}`
}

function terminalFromPs(pid: number): ControllingTerminal | undefined {
  const { execFileSync } = process.getBuiltinModule("node:child_process")
  try {
    const [device] = execFileSync("ps", ["-o", "tty=", "-p", String(pid)], { encoding: "utf8" }).split(/\s/)
    if (!device || device.startsWith("?")) return undefined
    // The first process in a terminal is its login or shell, which outlives whatever is started in it.
    const first = execFileSync("ps", ["-t", device, "-o", "pid=,lstart="], { encoding: "utf8" })
    const began = first.trim().split("\n")[0]?.trim().split(/\s+/) ?? []
    return {
      device,
      began: `${began[0]}.${began
        .slice(1)
        .join("")
        .replace(/[^A-Za-z0-9]/g, "")}`,
    }
  } catch {
    return undefined
  }
}
