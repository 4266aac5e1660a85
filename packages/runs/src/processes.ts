import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { processStart } from "@chorus/disk"

export const RUN_MARK = "CHORUS_RUN_ID"
export const RUNNER_MARK = "CHORUS_RUNNER"

/** The processes that carry this mark in the environment they were started with. Only Linux lets one look. */
export function markedProcesses(mark: string, value: string): number[] {
  const entry = `${mark}=${value}`
  return entriesOf("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readable(`/proc/${name}/environ`).split("\0").includes(entry))
    .map(Number)
    .filter((pid) => processStart(pid) !== "ended")
}

/** Whether a process has its place in this folder. */
export function isInUse(folder: string): boolean {
  return entriesOf("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((name) => {
      const place = placeOf(name)
      return place === folder || place.startsWith(`${folder}/`)
    })
}

/** Ends all that carries the mark, also what was born while it looked. */
export async function sweep(mark: string, value: string, tries = 20): Promise<number> {
  let ended = 0
  for (let again = 0; again < tries; again++) {
    const strays = markedProcesses(mark, value)
    if (strays.length === 0) return ended
    for (const pid of strays) ended += kill(pid, "SIGKILL") ? 1 : 0
    await new Promise((wake) => setTimeout(wake, 25))
  }
  return ended
}

/** How much memory all marked processes take, in megabytes. */
export function memoryOf(mark: string, value: string): number {
  const kilobytes = markedProcesses(mark, value).map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readable(`/proc/${pid}/status`))?.[1] ?? 0),
  )
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024)
}

/** Whether anything was there to be told. A program that never started has no number: that would signal ourselves. */
export function kill(pid: number | undefined, signal: NodeJS.Signals): boolean {
  if (pid === undefined || pid <= 1) return false
  return send(pid, signal)
}

/** The same for a process and all below it that stayed in its group. */
export function killGroup(leader: number | undefined, signal: NodeJS.Signals): boolean {
  if (leader === undefined || leader <= 1) return false
  return send(-leader, signal)
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Resolves when the process has ended, or after a while; tells which. */
export function endedWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true)
  return new Promise((resolve) => {
    const late = setTimeout(() => done(false), ms)
    const gone = () => done(true)
    const done = (ended: boolean) => {
      clearTimeout(late)
      child.off("exit", gone)
      resolve(ended)
    }
    child.once("exit", gone)
  })
}

const HEARD_MS = 1000

/** Resolves when a process has ended and all it said is heard; what it started may hold its pipe open, and is not waited for long. */
export async function endedAndHeard(child: ChildProcess): Promise<void> {
  const heard = new Promise<void>((end) => (child.stderr === null ? end() : child.stderr.once("end", () => end())))
  if (child.exitCode === null && child.signalCode === null) await new Promise((end) => child.once("exit", end))
  let late: NodeJS.Timeout | undefined
  await Promise.race([heard, new Promise<void>((end) => (late = setTimeout(end, HEARD_MS)))])
  clearTimeout(late)
}

const LAST_WILL = `cat >/dev/null
if [ -n "$2" ]; then
  echo 1 >"$2/cgroup.kill"; sleep 0.2; rmdir "$2"/*/ "$2"
fi 2>/dev/null
for turn in 1 2 3 4 5; do
  for file in $(grep -lsF "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}; kill -9 "\${pid%/environ}" 2>/dev/null
  done
  sleep 0.2
done`

/** A small watchman: when this process is gone, however it went, all that it started ends too. */
export function leaveLastWill(runner: string, cgroup: string | undefined): { revoke(): void } {
  if (process.platform !== "linux") return { revoke: () => undefined }
  const guard = spawn("/bin/sh", ["-c", LAST_WILL, "sh", `${RUNNER_MARK}=${runner}`, cgroup ?? ""], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  })
  guard.on("error", () => undefined)
  guard.stdin.on("error", () => undefined)
  guard.unref()
  return { revoke: () => void kill(guard.pid, "SIGKILL") }
}

function placeOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ""
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readable(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
