import { createInterface } from "node:readline/promises"

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Asks a question; the answer is what was typed. */
export async function askLine(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await reader.question(question)).trim()
  } finally {
    reader.close()
  }
}

export async function askYes(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askLine(`${question} [y/N] `))
}

/** Asks without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  process.stdout.write(question)
  const { stdin } = process
  stdin.setRawMode(true)
  stdin.resume()
  stdin.setEncoding("utf8")
  try {
    return await new Promise((resolve, reject) => {
      let typed = ""
      const onData = (chunk: string) => {
        for (const key of chunk) {
          if (key === "\r" || key === "\n") {
            stdin.off("data", onData)
            return resolve(typed)
          }
          if (key === "\u0003") {
            stdin.off("data", onData)
            return reject(new Error("Interrupted."))
          }
          typed = key === "\u007F" ? typed.slice(0, -1) : typed + key
        }
      }
      stdin.on("data", onData)
    })
  } finally {
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
