import type { Fault, FaultFinder } from "./faults.ts"
import { GENERATED, table, words } from "./tables.ts"

/** Every code with which the server refuses, and what it says. */
export function errorsPage(finder: FaultFinder): string {
  const byCode = Map.groupBy(finder.all(), ({ code }) => code)
  const sections = [...byCode].sort(([a], [b]) => a.localeCompare(b)).map(([code, faults]) => section(code, faults))
  return `${GENERATED}# Errors

An error has the same shape at every door: a stable \`code\` to act on, a \`message\` that says what happened, and mostly a \`next\` that says what to do. In the
messages below, … stands for what is filled in. A status of 500 or more means the fault is ours.

${sections.join("\n\n")}
`
}

function section(code: string, faults: readonly Fault[]): string {
  const distinct = [...new Map(faults.map((fault) => [`${fault.status} ${fault.says} ${fault.next}`, fault])).values()]
  return `## ${code}\n\n${table(
    ["status", "message", "what to do"],
    distinct.map(({ status, says, next }) => [String(status), words(says), words(next)]),
  )}`
}
