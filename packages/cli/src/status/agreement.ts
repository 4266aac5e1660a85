import { createInterface } from "node:readline/promises"

/** Whoever cannot be asked has not agreed. */
export async function agrees(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await answerTo(`${question} [y/N] `))
}

/** The number that somebody chose; 0 where nobody did. */
export async function choice(question: string, count: number): Promise<number> {
  const number = Number(await answerTo(`${question} [${count === 1 ? "1" : `1-${count}`}, or Enter for none] `))
  return Number.isInteger(number) && number <= count ? number : 0
}

async function answerTo(question: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return ""
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}
