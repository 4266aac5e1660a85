import { createInterface } from "node:readline/promises"
import { ChorusError } from "@chorus/contracts"

const ESCAPE_SEQUENCE = new RegExp(String.raw`\u001b(\[[\d;]*[A-Za-z~]|O[A-Za-z])`, "g")

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Asks a question; the answer is what was typed, nothing when the input ended instead. */
export async function askLine(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await new Promise((resolve, reject) => {
      reader.once("SIGINT", () => reject(interrupted()))
      reader.once("close", () => resolve(""))
      reader.question(question).then((text) => resolve(text.trim()), reject)
    })
  } finally {
    reader.close()
  }
}

export async function askYes(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(`${question} [y/N] `))
}

/** Asks without showing what is typed. Arrows and other keys that are no letters do not become part of it. */
export async function askSecret(question: string): Promise<string> {
  process.stdout.write(question)
  const { stdin } = process
  stdin.setRawMode(true)
  stdin.resume()
  stdin.setEncoding("utf8")
  let typed: string[] = []
  let onData: (chunk: string) => void = () => undefined
  let onEnd: () => void = () => undefined
  try {
    return await new Promise((resolve, reject) => {
      onEnd = () => resolve(typed.join(""))
      onData = (chunk) => {
        for (const key of chunk.replaceAll(ESCAPE_SEQUENCE, "")) {
          if (key === "\r" || key === "\n" || key === "\u0004") return onEnd()
          if (key === "\u0003") return reject(interrupted())
          if (key === "\u007F" || key === "\b") typed = typed.slice(0, -1)
          else if (!/\p{Cc}/u.test(key)) typed.push(key)
        }
      }
      stdin.on("data", onData)
      stdin.once("end", onEnd)
    })
  } finally {
    stdin.off("data", onData)
    stdin.off("end", onEnd)
    stdin.setRawMode(false)
    stdin.pause()
    process.stdout.write("\n")
  }
}

export async function readAll(stream: NodeJS.ReadStream = process.stdin): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

function interrupted(): ChorusError {
  return new ChorusError("interrupted", "Interrupted.", { next: "Run it again to answer." })
}
