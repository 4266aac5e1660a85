import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Puts itself into the group first: whatever it starts is born there. */
const JOIN = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'

/** A part of the kernel's tree of processes, which none can leave that could not enter it. */
export interface Cgroup {
  readonly path: string
  /** Starts the words inside. */
  wrap(command: string, args: readonly string[]): { command: string; args: string[] }
  /** Ends everything inside, whatever it did to its environment, its group and its parents. */
  end(): Promise<void>
}

/** The folder for a runner's own groups; undefined where the kernel has none or lets this user make none. */
export function runnerCgroup(runner: string): string | undefined {
  const above = ownCgroup()
  if (above === undefined) return undefined
  const path = join(above, `chorus-${runner}`)
  return make(path) && existsSync(join(path, "cgroup.kill")) ? path : undefined
}

/** A group of its own for a run, below the runner's. */
export function openCgroup(runnerPath: string | undefined, runUuid: string): Cgroup | undefined {
  if (runnerPath === undefined) return undefined
  const path = join(runnerPath, runUuid)
  if (!make(path)) return undefined
  return {
    path,
    wrap: (command, args) => ({ command: "/bin/sh", args: ["-c", JOIN, "sh", path, command, ...args] }),
    end: () => endCgroup(path),
  }
}

/** Ends everything in a group and below, and takes it away. */
export async function endCgroup(path: string): Promise<void> {
  for (let again = 0; again < 40 && existsSync(path); again++) {
    attempt(() => writeFileSync(join(path, "cgroup.kill"), "1"))
    for (const name of below(path)) attempt(() => rmdirSync(join(path, name)))
    attempt(() => rmdirSync(path))
    if (existsSync(path)) await new Promise((wake) => setTimeout(wake, 25))
  }
}

function ownCgroup(): string | undefined {
  const mount = /^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /m.exec(readable("/proc/self/mountinfo"))?.[1]
  const own = /^0::(.*)$/m.exec(readable("/proc/self/cgroup"))?.[1]
  return mount === undefined || own === undefined ? undefined : join(mount, own)
}

function make(path: string): boolean {
  return attempt(() => mkdirSync(path, { recursive: true }))
}

function below(path: string): string[] {
  let names: string[] = []
  attempt(
    () => (names = readdirSync(path, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []))),
  )
  return names
}

function readable(path: string): string {
  let text = ""
  attempt(() => (text = readFileSync(path, "utf8")))
  return text
}

/** Others may have been faster, or not allow it. */
function attempt(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
