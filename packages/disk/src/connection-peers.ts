import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { type Forebear, lineOf } from "./forebears.ts"

/** A connection within this machine, as the process that was called sees it. */
export interface Connection {
  readonly localPort: number
  readonly remotePort: number
}

/**
 * The processes that called, each with all above it: one that only handed its end on is among them. None where whoever called
 * has gone; undefined where the system does not tell, as of another account's processes.
 */
export function callersOf(connection: Connection): Forebear[][] | undefined {
  const tables = TABLES.map(rowsOf)
  if (tables.every((rows) => rows === undefined)) return undefined
  // An end that nobody holds any more has no number, and counts as the system's own.
  const ends = tables.flatMap((rows) => rows ?? []).filter((row) => isCallersEnd(row, connection) && row.inode !== "0")
  const own = ends.filter(({ uid }) => uid === process.getuid?.())
  if (ends.length > 0 && own.length === 0) return undefined
  const sockets = new Set(own.map(({ inode }) => `socket:[${inode}]`))
  // Who went while its line was read may have gone before all of it was: only who is still there was seen whole.
  return pids()
    .filter((pid) => holdsOne(pid, sockets))
    .map((pid) => ({ pid, line: lineOf(pid) }))
    .filter(({ pid }) => holdsOne(pid, sockets))
    .map(({ line }) => line)
}

/** The kernel's own. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"]

interface Row {
  readonly here: string
  readonly there: string
  readonly uid: number
  readonly inode: string
}

function rowsOf(table: string): Row[] | undefined {
  try {
    return readFileSync(table, "utf8")
      .split("\n")
      .map((row) => row.trim().split(/\s+/))
      .map(([, here = "", there = "", , , , , uid = "", , inode = ""]) => ({ here, there, uid: Number(uid), inode }))
  } catch {
    return undefined
  }
}

function isCallersEnd({ here, there }: Row, { localPort, remotePort }: Connection): boolean {
  return endsWithPort(here, remotePort) && endsWithPort(there, localPort)
}

function endsWithPort(address: string, port: number): boolean {
  return address.endsWith(`:${port.toString(16).toUpperCase().padStart(4, "0")}`)
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** A process that has gone meanwhile, or belongs to another account, shows nothing. */
function holdsOne(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)))
  } catch {
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}
