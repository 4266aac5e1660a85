import { promisify } from "node:util"
import { processStart } from "@chorus/disk"

/** Tells one process from a later one that was given the same number. */
export type ProcessMark = string

export interface ProcessTable {
  /** The mark of each of these that is alive. A zombie is dead: nobody works in it. */
  read(pids: readonly number[]): Promise<Map<number, ProcessMark>>
}

export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return { read: platform === "linux" ? readFromProc : readFromPs }
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
  // ps ends with 1 when none of them is there; what it printed counts either way.
  const { stdout } = await promisify(process.getBuiltinModule("node:child_process").execFile)("ps", [
    "-o",
    "pid=,stat=,lstart=",
    "-p",
    pids.join(","),
  ]).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }))
  for (const line of stdout.split("\n")) {
    const [pid, stat, ...started] = line.trim().split(/\s+/)
    if (pid !== undefined && stat !== undefined && !stat.startsWith("Z")) alive.set(Number(pid), started.join(" "))
  }
  return alive
}
