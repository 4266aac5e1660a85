import { spawn } from "node:child_process"
import { isAbsolute } from "node:path"
import { statSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"
import type { JsonObject } from "../read/index.ts"

/** Runs the accepted command and returns the one folder it prints. No shell reads it: what needs one is refused. */
export async function runProducer(source: JsonObject, cwd: string): Promise<string> {
  const command = String(source["command"])
  const [program, ...args] = words(command)
  if (program === undefined)
    throw new ChorusError("command_failed", "The command is empty.", { next: "Tell the marketplace's owner." })
  const seconds = typeof source["timeout"] === "number" ? source["timeout"] : 60
  const out = await output(program, args, cwd, seconds * 1000)
  const lines = out
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
  const folder = lines[0]
  if (
    lines.length !== 1 ||
    folder === undefined ||
    !isAbsolute(folder) ||
    statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true
  ) {
    throw new ChorusError(
      "command_failed",
      `\`${command}\` must print one absolute folder; it printed ${JSON.stringify(out.slice(0, 200))}.`,
      { next: "Tell the marketplace's owner." },
    )
  }
  return folder
}

/** Words as a shell would split them, without anything else a shell does. */
export function words(command: string): string[] {
  const plain = command.replaceAll(/'[^']*'/g, "")
  const open = plain.replaceAll(/"[^"]*"/g, "").search(/["']/) !== -1
  if (open || /[|&;<>()$`\\*?!#~\n]/.test(plain))
    throw new ChorusError(
      "command_needs_shell",
      `\`${command}\` needs a shell, and no text from a marketplace is given to one.`,
      { next: "Ask the marketplace's owner for a plain command." },
    )
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_quoted, double: string | undefined, single: string | undefined) => double ?? single ?? "",
    ),
  )
}

function output(program: string, args: readonly string[], cwd: string, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, timeout, stdio: ["ignore", "pipe", "pipe"], killSignal: "SIGKILL" })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out = (out + chunk.toString("utf8")).slice(0, 100_000)))
    child.stderr.on("data", (chunk: Buffer) => (err = (err + chunk.toString("utf8")).slice(-2_000)))
    child.on("error", (error) => reject(failed(program, error.message)))
    child.on("close", (code, signal) =>
      code === 0
        ? resolve(out)
        : reject(failed(program, signal === null ? `exit code ${String(code)}: ${err.trim()}` : "it took too long")),
    )
  })
}

function failed(program: string, why: string): ChorusError {
  return new ChorusError("command_failed", `\`${program}\` failed: ${why}.`, {
    status: 502,
    next: "Run it yourself to see more.",
  })
}
