import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { waitFor } from "./wait.ts"

interface ProcessRow {
  pid: number
  parent: number
  group: number
  state: string
}

const PROC = existsSync("/proc/self/stat")

/**
 * Ends a process and everything it started, also what moved to a session of its own, and resolves when all of it is gone.
 * A child whose parent had already died belongs to nobody and is not found.
 */
export async function killTree(pid: number, signal: NodeJS.Signals = "SIGKILL", timeout = 10_000): Promise<void> {
  // 0 and below would mean whole process groups, this one among them.
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${pid} is not the id of a process that a test may end.`)
  const tree = signal === "SIGKILL" ? freeze(pid) : [pid, ...descendantsOf(pid, processes())]
  for (const member of tree) send(member, signal)
  await waitFor(
    () => !tree.some(isRunning),
    timeout,
    () => `processes ${tree.filter(isRunning).join(", ")} to end after ${signal}`,
  )
}

/** Whether the process runs; one that ended and was not yet collected by its parent does not. */
export function isRunning(pid: number): boolean {
  const [row] = PROC ? rowOf(pid) : listed().filter((one) => one.pid === pid)
  return row !== undefined && !row.state.startsWith("Z")
}

/** Whether anybody runs in a process group, its leader or not. */
export function isGroupRunning(group: number): boolean {
  return processes().some((row) => row.group === group && !row.state.startsWith("Z"))
}

// Stopped processes start no children, so after a round that finds nobody new the list is complete.
function freeze(root: number): number[] {
  const frozen = new Set<number>()
  let found = [root]
  while (found.length > 0) {
    for (const pid of found) {
      send(pid, "SIGSTOP")
      frozen.add(pid)
    }
    found = descendantsOf(root, processes()).filter((pid) => !frozen.has(pid))
  }
  return [...frozen]
}

function descendantsOf(root: number, rows: ProcessRow[]): number[] {
  return rows
    .filter((row) => row.parent === root && row.pid !== root)
    .flatMap((row) => [row.pid, ...descendantsOf(row.pid, rows)])
}

/** Asked of the kernel where that tells: tests look many times a second, and `ps` is a program to start each time. */
function processes(): ProcessRow[] {
  return PROC ? readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? rowOf(Number(name)) : [])) : listed()
}

/** None when it is gone. */
function rowOf(pid: number): ProcessRow[] {
  try {
    const said = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name before it stands in parentheses, and may have others in it.
    const [state = "", parent, group] = said.slice(said.lastIndexOf(")") + 2).split(" ")
    return [{ pid, parent: Number(parent), group: Number(group), state }]
  } catch {
    return []
  }
}

function listed(): ProcessRow[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,state="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length === 4)
    .map(([pid, parent, group, state]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      state: state ?? "",
    }))
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
