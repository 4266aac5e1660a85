import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "./installed-package.ts"

export interface Step {
  readonly word: string
  readonly rest: string
}

/** The lines of the container file, in order. */
export const containerSteps = stepsOf("Containerfile")

export function stepsOf(file: string): Step[] {
  return readSteps(readFileSync(join(ROOT, file), "utf8"))
}

/** The only step with that word. */
export function onlyStep(word: string): Step {
  const found = containerSteps.filter((step) => step.word === word)
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} steps ${word}`)
  return found[0]
}

function readSteps(text: string): Step[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return lines.map((line) => ({ word: line.slice(0, line.indexOf(" ")), rest: line.slice(line.indexOf(" ") + 1) }))
}
