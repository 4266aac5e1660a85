import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** Files are synced at every write; in memory that costs nothing. */
const SCRATCH_PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** A folder of one test, gone when the test is over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(SCRATCH_PLACE, "chorus-disk-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Worker {
  readonly child: ChildProcess
  /** Lines on stdout once the process has ended; rejects when it failed, unless it was killed. */
  readonly done: Promise<string[]>
}

export function workerPath(program: string): string {
  return fileURLToPath(new URL(`workers/${program}.ts`, import.meta.url))
}

/** Starts a program as a process of its own, and hears each line it says. */
export function startWorker(
  program: string,
  args: readonly string[],
  heard: (line: string) => void = () => {},
): Worker {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  const lines: string[] = []
  let rest = ""
  let faults = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const all = `${rest}${text}`.split("\n")
    rest = all.pop() ?? ""
    lines.push(...all)
    all.forEach(heard)
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (faults += text))
  const done = new Promise<string[]>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => {
      if (code === 0 || signal !== null) resolve(lines)
      else reject(new Error(`${program} ended with ${code}: ${faults}`))
    })
  })
  return { child, done }
}
