import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Postgres } from "../packages/testing/src/index.ts"

const MS_PER_TICK = 10

/**
 * Begins to count the milliseconds that this process, and the database where there is one, are on a processor; what it gives tells
 * how many they were. Other work on the machine adds little to them.
 */
export function processorTime(postgres?: Postgres): () => number {
  const theirs = ofPostgres(postgres)
  const ours = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(ours)
    return (user + system) / 1000 + ofPostgres(postgres) - theirs
  }
}

/** Of the postmaster, its processes and those of them that have ended. */
function ofPostgres(postgres: Postgres | undefined): number {
  if (postgres === undefined) return 0
  const [master = ""] = textOf(join(postgres.socketDirectory, "data", "postmaster.pid")).split("\n")
  const processes = [master, ...textOf(`/proc/${master}/task/${master}/children`).trim().split(" ")]
  // Behind the program's name, which may hold anything: times of the children that have ended are the 14th and 15th.
  const behind = textOf(`/proc/${master}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ")
  const ended = behind.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0)
  return processes.reduce((sum, pid) => sum + onProcessor(pid), ended)
}

/** The kernel counts this in nanoseconds, where a tick is as long as many calls. */
function onProcessor(pid: string): number {
  return Number(textOf(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6
}

/** A process may end while it is looked at. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
