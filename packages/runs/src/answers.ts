import { fieldsOf, listOf, textOf } from "./acp-connection.ts"

type Fields = Readonly<Record<string, unknown>>

/** What a person said to a question of an agent's. */
export interface Answer {
  readonly decision?: "approve" | "deny" | undefined
  readonly text?: string | undefined
  readonly data?: Fields | undefined
}

/**
 * The choice among those the program offers. Only a yes to this one call is ever given: programs keep what is allowed
 * "always" for themselves, beyond the run. Undefined where nothing fits, and then nothing is allowed.
 */
export function choiceFor(choices: readonly Fields[], answer: Answer | undefined): Fields | undefined {
  if (answer?.decision === undefined) return undefined
  const kinds = answer.decision === "approve" ? ["allow_once"] : ["reject_once", "reject_always"]
  const fitting = choices.filter(({ kind }) => kinds.includes(String(kind)))
  // Some offer a second yes that changes the mode with it.
  const plain = fitting.find(({ optionId }) => !String(optionId).includes("switch")) ?? fitting[0]
  return plain === undefined ? undefined : { outcome: "selected", optionId: plain["optionId"] }
}

/** Our own tools ask nobody: the key that the agent has says what it may do with them. */
export function isOurTool(call: Fields): boolean {
  if (call["kind"] === "execute") return false
  const name = textOf(call["name"]) ?? textOf(call["title"]) ?? ""
  return /^(mcp__chorus__|mcp\.chorus\.)[a-z_]+$/.test(name)
}

/** The first question of a form. */
export function titleOfForm(schema: Fields): string | undefined {
  const [first] = Object.values(fieldsOf(schema["properties"])).map(fieldsOf)
  return textOf(first?.["description"]) ?? textOf(first?.["title"])
}

/** A form as a person filled it in: field by field where the page knew it, or one text for the first field. */
export function formAnswer(schema: Fields, answer: Answer | undefined): Fields {
  if (answer === undefined) return { action: "cancel" }
  if (answer.decision === "deny") return { action: "decline" }
  const filled = fieldsOf(answer.data?.["content"])
  if (Object.keys(filled).length > 0) return { action: "accept", content: filled }
  const properties = fieldsOf(schema["properties"])
  const [first] = Object.keys(properties)
  const text = answer.text?.trim() ?? ""
  if (first === undefined || text === "") return { action: "decline" }
  const choices = [
    ...listOf(fieldsOf(properties[first])["oneOf"]),
    ...listOf(fieldsOf(fieldsOf(properties[first])["items"])["anyOf"]),
  ]
  const isMany = fieldsOf(properties[first])["type"] === "array"
  const known = choices
    .map((choice) => textOf(fieldsOf(choice)["const"]))
    .find((one) => one?.toLowerCase() === text.toLowerCase())
  if (known !== undefined) return { action: "accept", content: { [first]: isMany ? [known] : known } }
  const own = `${first}_custom`
  return {
    action: "accept",
    content: choices.length > 0 && own in properties ? { [own]: text } : { [first]: isMany ? [text] : text },
  }
}
