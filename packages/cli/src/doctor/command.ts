import { Command } from "commander"
import { paint, printJson, printTable, type Target, withData } from "../output.ts"
import { type Finding, findings } from "./findings.ts"

export function doctorCommand(): Command {
  const command = withData(new Command("doctor")).option(
    "--deep",
    "also read all data and count it again; takes a while",
  )
  return command.action(async (options: Target & { deep?: true }) => {
    const found: Finding[] = []
    for await (const finding of findings(options, options.deep)) found.push(finding)
    if (found.some(({ state }) => state === "bad")) process.exitCode = 1
    if (options.json) return printJson({ ok: process.exitCode !== 1, findings: found })
    printTable(
      ["", "what", "found"],
      found.map(({ state, what, found: text }) => [mark(state), what, text]),
    )
    for (const { what, next } of found)
      if (next !== undefined) process.stdout.write(`${paint("dim", `next (${what}):`)} ${next}\n`)
  })
}

function mark(state: Finding["state"]): string {
  return { good: paint("green", "ok"), odd: paint("yellow", "!!"), bad: paint("red", "no") }[state]
}
