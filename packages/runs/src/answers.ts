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

/** What the first question of a form offers, and whether it takes words of one's own beside that. */
export function choicesOfForm(schema: Fields): { readonly options: string[]; readonly ownWords: boolean } {
  const { choices, isMany, own } = firstOf(schema)
  return { options: choices.map(({ label }) => label), ownWords: choices.length === 0 || isMany || own !== undefined }
}

/** A form as a person filled it in: field by field where the page knew it, or one text for the first field. */
export function formAnswer(schema: Fields, answer: Answer | undefined): Fields {
  if (answer === undefined) return { action: "cancel" }
  if (answer.decision === "deny") return { action: "decline" }
  const filled = fieldsOf(answer.data?.["content"])
  if (Object.keys(filled).length > 0) return { action: "accept", content: filled }
  const { name, choices, isMany, own } = firstOf(schema)
  const text = answer.text?.trim() ?? ""
  if (name === undefined || text === "") return { action: "decline" }
  const known = choices.find((one) => [one.value, one.label].some((word) => word.toLowerCase() === text.toLowerCase()))
  if (known !== undefined) return { action: "accept", content: { [name]: isMany ? [known.value] : known.value } }
  return { action: "accept", content: own === undefined ? { [name]: isMany ? [text] : text } : { [own]: text } }
}

/** The first field of a form, what it may hold, and the field for other words beside it. */
function firstOf(schema: Fields) {
  const properties = fieldsOf(schema["properties"])
  const [name] = Object.keys(properties)
  const field = fieldsOf(properties[name ?? ""])
  const items = fieldsOf(field["items"])
  const named = [field["oneOf"], items["anyOf"]].flatMap(listOf).map(fieldsOf)
  const plain = [field["enum"], items["enum"]].flatMap(listOf).map((value) => ({ const: value, title: undefined }))
  const choices = [...named, ...plain].flatMap((choice) => {
    const value = textOf(choice["const"])
    return value === undefined ? [] : [{ value, label: textOf(choice["title"]) ?? value }]
  })
  const custom = `${name}_custom`
  const own = choices.length > 0 && custom in properties ? custom : undefined
  return { name, choices, isMany: field["type"] === "array", own }
}
