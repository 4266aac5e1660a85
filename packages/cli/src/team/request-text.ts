import type { TeamRequestFact } from "@chorus/contracts"
import { visible } from "../output.ts"

/** What would happen: a tool's input, never what the agent says about it. A plan is its own text. */
export function requestText({ request, text, input }: TeamRequestFact): string {
  if (request !== "permission") return text
  const { command, ...rest } = input ?? {}
  const words = typeof command === "string" && Object.keys(rest).every((key) => key === "description")
  return words
    ? command
    : Object.entries(input ?? {})
        .map(fieldLine)
        .join("\n")
}

/** Lines after its first stand further in, so that none passes for a field of its own. */
function fieldLine([name, value]: [string, unknown]): string {
  const isWords = Array.isArray(value) && value.every((one) => typeof one === "string")
  const words = typeof value === "string" ? value : isWords ? value.join(", ") : JSON.stringify(value)
  return `${name}: ${words}`.replaceAll("\n", "\n  ")
}

/** The same whole, line by line, with nothing hidden in it; what the agent says about it stands apart. */
export function wholeRequest(fact: TeamRequestFact): string {
  const said = fact.request === "permission" && fact.text !== "" ? `\n${fact.member} says: ${fact.text}` : ""
  const head =
    fact.request === "permission" ? `asks to use ${fact.toolName ?? "a tool"}` : "asks you to approve its plan"
  return `${fact.member} ${head}:\n${requestText(fact)}${said}`.split("\n").map(visible).join("\n")
}
