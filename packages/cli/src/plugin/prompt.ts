import type { Key } from "node:readline"
import { autocomplete, isCancel, password, text } from "@clack/prompts"
import { ChorusError } from "@chorus/contracts"
import { fit, harmless, visible } from "../output.ts"

export interface Choice {
  readonly label: string
  readonly hint?: string | undefined
}

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Asks a question; the answer is what was typed, nothing when the input ended instead. */
export async function askLine(message: string): Promise<string> {
  return ((await answerTo((terminal) => text({ ...terminal, message: harmless(message) }))) ?? "").trim()
}

export async function askYes(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(`${question} [y/N]`))
}

/** Asks without showing what is typed, nor how much. */
export async function askSecret(message: string): Promise<string> {
  return (await answerTo((terminal) => password({ ...terminal, message: harmless(message), mask: "" }))) ?? ""
}

/** Shows a list, narrowed by typing, until something is picked; undefined when the person goes back. */
export async function pick<T extends Choice>(title: string, items: readonly T[]): Promise<T | undefined> {
  const width = Math.max(20, process.stdout.columns - 6)
  const line = ({ label, hint }: Choice) => fit(visible(hint === undefined ? label : `${label}  ${hint}`), width)
  const options = items.map((item, at) => ({ value: at, label: line(item) }))
  const validate = (at: unknown) => (at === undefined ? "Nothing matches." : undefined)
  const message = fit(visible(items.length === 0 ? `${title}: nothing here` : title), width)
  const picked = await answerTo((terminal) => autocomplete({ ...terminal, message, options, validate })).catch(
    (error: unknown) => {
      if (error instanceof ChorusError) return undefined
      throw error
    },
  )
  return picked === undefined ? undefined : items[picked]
}

export async function readAll(stream: NodeJS.ReadStream = process.stdin): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly signal: AbortSignal
}

/** The library waits for ever when the input ends (Ctrl-D); here that is no answer. Ctrl-C and Escape end the command's question. */
async function answerTo<T>(ask: (terminal: Terminal) => Promise<T>): Promise<Exclude<T, symbol> | undefined> {
  const { stdin: input, stdout: output } = process
  const ended = new AbortController()
  const end = () => ended.abort()
  const onKey = (_: string | undefined, key: Key) => {
    if (key.ctrl === true && key.name === "d") end()
  }
  input.on("keypress", onKey).once("end", end)
  try {
    const answer = await ask({ input, output, signal: ended.signal })
    if (!isCancel(answer)) return answer as Exclude<T, symbol>
    if (ended.signal.aborted) return undefined
    throw new ChorusError("interrupted", "Interrupted.", { next: "Run it again to answer." })
  } finally {
    input.off("keypress", onKey).off("end", end)
  }
}
