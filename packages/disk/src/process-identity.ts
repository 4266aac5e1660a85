import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Names one process for good: a pid alone comes back for another process. */
export interface ProcessIdentity {
  readonly pid: number
  readonly pidSpace: string
  readonly procStart: string
}

export type Liveness = "alive" | "dead" | "unknown"

let self: ProcessIdentity | undefined

export function ownIdentity(): ProcessIdentity {
  self ??= { pid: process.pid, pidSpace: pidSpace(), procStart: processStart(process.pid) ?? "" }
  return self
}

/** `unknown` when the process lives in a pid space that cannot be looked into from here. */
export function livenessOf(who: {
  pid: number
  pidSpace?: string | undefined
  procStart?: string | undefined
}): Liveness {
  if (who.pidSpace !== undefined && who.pidSpace !== pidSpace()) return "unknown"
  if (!exists(who.pid)) return "dead"
  const start = processStart(who.pid)
  if (start === undefined || who.procStart === undefined || who.procStart === "") return "alive"
  return start === who.procStart ? "alive" : "dead"
}

function pidSpace(): string {
  try {
    return `${hostname()}#${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return hostname()
  }
}

function exists(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** When a process began, in words of the system's; "ended" for one that only its parent still knows. */
export function processStart(pid: number): string | undefined {
  if (process.platform === "linux") return startFromProc(pid)
  if (process.platform === "win32") return undefined
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process")
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined
  } catch {
    return undefined
  }
}

/** Field 22 of /proc/<pid>/stat; the command in field 2 may hold spaces and brackets, so count from its end. */
function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (fields[0] === "Z" || fields[0] === "X") return "ended"
    return fields[19]
  } catch {
    return undefined
  }
}
