import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

export const STRESS = process.env["CHORUS_STRESS"] === "1"

export interface Worker {
  readonly child: ChildProcess
  /** Lines on stdout once the process has ended; rejects when it failed, unless it was killed. */
  readonly done: Promise<string[]>
}

/** Starts one of the programs in `workers/` as a process of its own. */
export function startWorker(program: string, ...args: string[]): Worker {
  const path = fileURLToPath(new URL(`workers/${program}.ts`, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const done = new Promise<string[]>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => {
      if (code === 0 || signal !== null) resolve(out.split("\n").filter((line) => line !== ""))
      else reject(new Error(`${program} ended with ${code}: ${err}`))
    })
  })
  return { child, done }
}

export function scratchRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "chorus-teams-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

export function figure(text: string): void {
  process.stdout.write(`  figure: ${text}\n`)
}

export function percentile(values: readonly number[], share: number): number {
  return (
    values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  )
}
