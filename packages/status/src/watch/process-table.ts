import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { promisify } from "node:util"
import { processStart } from "@chorus/disk"

/** Tells one process from a later one that was given the same number. */
export type ProcessMark = string

/** One process, as far as anybody may know it. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  /** The program's own name: "claude", "bash". */
  readonly name: string
  readonly hasTerminal: boolean
  /** Epoch milliseconds, to the second or better. */
  readonly startedAt: number
}

export interface ProcessTable {
  /** The mark of each of these that is alive. A zombie is dead: nobody works in it. */
  read(pids: readonly number[]): Promise<Map<number, ProcessMark>>
  /** Everything that runs. */
  all(): Promise<ProcessRow[]>
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === "linux" ? { read: readFromProc, all: allFromProc } : { read: readFromPs, all: allFromPs }
}

async function readFromProc(pids: readonly number[]): Promise<Map<number, ProcessMark>> {
  const alive = new Map<number, ProcessMark>()
  for (const pid of pids) {
    const mark = processStart(pid)
    if (mark !== undefined && mark !== "ended") alive.set(pid, mark)
  }
  return alive
}

async function readFromPs(pids: readonly number[]): Promise<Map<number, ProcessMark>> {
  const alive = new Map<number, ProcessMark>()
  if (pids.length === 0) return alive
  for (const [pid, stat, ...started] of await ps(["-o", "pid=,stat=,lstart=", "-p", pids.join(",")]))
    if (pid !== undefined && stat !== undefined && !stat.startsWith("Z")) alive.set(Number(pid), started.join(" "))
  return alive
}

/** The kernel counts in hundredths of a second since it started. */
async function allFromProc(): Promise<ProcessRow[]> {
  const bootedAt = Date.now() - Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1000
  return readdirSync("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? textOf(`/proc/${entry}/stat`) : ""
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (fields.length < 20 || fields[0] === "Z") return []
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
    const startedAt = bootedAt + Number(fields[19]) * 10
    return [{ pid: Number(entry), parent: Number(fields[1]), name, hasTerminal: fields[4] !== "0", startedAt }]
  })
}

async function allFromPs(): Promise<ProcessRow[]> {
  const rows = await ps(["-A", "-o", "pid=,ppid=,stat=,tty=,lstart=,comm="])
  return rows.flatMap(([pid, parent, stat, tty, ...rest]) => {
    if (stat === undefined || stat.startsWith("Z")) return []
    const [started, name] = [rest.slice(0, 5).join(" "), rest.slice(5).join(" ").split("/").at(-1) ?? ""]
    const hasTerminal = tty !== undefined && !tty.startsWith("?")
    return [{ pid: Number(pid), parent: Number(parent), name, hasTerminal, startedAt: Date.parse(started) }]
  })
}

/** ps ends with 1 when it found nothing; what it printed counts either way. */
async function ps(args: readonly string[]): Promise<string[][]> {
  const { execFile } = process.getBuiltinModule("node:child_process")
  const { stdout } = await promisify(execFile)("ps", [...args]).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? "",
  }))
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/))
}

/** The environment a process of this user was started with; empty where it cannot be read. */
export async function environmentOf(pid: number): Promise<Record<string, string>> {
  if (process.platform === "linux") return pairs(textOf(`/proc/${pid}/environ`).split("\0"))
  // What follows the command are its variables; one whose value holds a space is cut, and none that we read does.
  return pairs((await ps(["eww", "-o", "command=", "-p", String(pid)])).flat())
}

/** Where a process works, and the files it has open; nothing where that cannot be seen. */
export function filesOf(pid: number): { folder: string | undefined; open: string[] } {
  const links = (names: readonly string[]) =>
    names.flatMap((name) => {
      try {
        return [readlinkSync(`/proc/${pid}/${name}`)]
      } catch {
        return []
      }
    })
  try {
    const open = links(readdirSync(`/proc/${pid}/fd`).map((name) => `fd/${name}`))
    return { folder: links(["cwd"])[0], open }
  } catch {
    return { folder: undefined, open: [] }
  }
}

function pairs(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.flatMap((word) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    }),
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
