import type { attentions } from "@chorus/contracts"
import { saidTo } from "@chorus/core"
import { fieldsOf, listOf, textOf } from "./acp-connection.ts"

type Fields = Readonly<Record<string, unknown>>
type FormQuestion = attentions.FormQuestion

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

/** A field of a form: the question it is, and how its answer is sent. */
interface Field {
  readonly question: FormQuestion
  readonly values: ReadonlyMap<string, unknown>
  /** The field for words beside the choices. */
  readonly own: string | undefined
}

const YES_NO: readonly Choice[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
]

/** What a form asks, as people are shown it. */
export function questionsOfForm(schema: Fields, message: string): FormQuestion[] {
  return fieldsOfForm(schema, message).map(({ question }) => question)
}

/** Whether a form asks for what nobody may read. */
export function wantsSecret(schema: Fields): boolean {
  return Object.values(fieldsOf(schema["properties"])).some(
    (field) => fieldsOf(fieldsOf(fieldsOf(field)["_meta"])["codex"])["isSecret"] === true,
  )
}

/** A form as a person filled it in: an answer to each question by its id, or one text where there is one question. */
export function formAnswer(schema: Fields, answer: Answer | undefined): Fields {
  if (answer === undefined) return { action: "cancel" }
  if (answer.decision === "deny") return { action: "decline" }
  const fields = fieldsOfForm(schema, "")
  const [first] = fields
  // One that only wants to be agreed to.
  if (first === undefined) return { action: "accept", content: {} }
  const given = fieldsOf(answer.data?.["answers"])
  const answers = first.question.id in given ? given : { [first.question.id]: answer.text, ...given }
  const content = Object.assign(
    {},
    ...fields.map((field) => contentOf(field, textOf(answers[field.question.id])?.trim() ?? "")),
  )
  return Object.keys(content).length === 0 ? { action: "decline" } : { action: "accept", content }
}

function contentOf({ question, values, own }: Field, words: string): Fields {
  if (words === "") return {}
  const { id } = question
  if (question.isNumber === true) return { [id]: Number(words) }
  const said = saidTo(question, words)
  const chosen = said.chosen.map((label) => values.get(label))
  const beside = own !== undefined && said.own !== "" ? { [own]: said.own } : {}
  if (question.multiSelect !== true)
    return chosen.length > 0 ? { [id]: chosen[0] } : own === undefined ? { [id]: words } : beside
  const all = own === undefined && said.own !== "" ? [...chosen, said.own] : chosen
  return { ...(all.length > 0 ? { [id]: all } : {}), ...beside }
}

/** Programs put the field for other words beside the one it belongs to. */
const BESIDE = ["_custom", "_note"]

function fieldsOfForm(schema: Fields, message: string): Field[] {
  const properties = fieldsOf(schema["properties"])
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : undefined
  const isBeside = (name: string) =>
    BESIDE.some((end) => name.endsWith(end) && name.slice(0, -end.length) in properties)
  const names = Object.keys(properties).filter((name) => !isBeside(name))
  return names.map((id) => {
    const field = fieldsOf(properties[id])
    const items = fieldsOf(field["items"])
    const title = textOf(field["title"])
    const described = textOf(field["description"])
    const choices = field["type"] === "boolean" ? YES_NO : choicesIn(field, items)
    const own = BESIDE.map((end) => id + end).find((name) => name in properties)
    const isMany = field["type"] === "array"
    const question: FormQuestion = {
      id,
      question: described ?? title ?? (names.length === 1 && message !== "" ? message : id),
      ...(described === undefined || title === undefined ? {} : { header: title }),
      options: choices.map(({ label, description }) => ({
        label,
        ...(description === undefined ? {} : { description }),
      })),
      ...(isMany ? { multiSelect: true } : {}),
      ...(choices.length > 0 && own === undefined ? { ownWords: false } : {}),
      ...(required !== undefined && !required.includes(id) ? { optional: true } : {}),
      ...(field["type"] === "number" || field["type"] === "integer" ? { isNumber: true } : {}),
    }
    return { question, values: new Map(choices.map(({ label, value }) => [label, value])), own }
  })
}

interface Choice {
  readonly value: unknown
  readonly label: string
  readonly description?: string | undefined
}

function choicesIn(field: Fields, items: Fields): Choice[] {
  const named = [field["oneOf"], items["anyOf"]].flatMap(listOf).map(fieldsOf)
  const plain = [field["enum"], items["enum"]].flatMap(listOf).map((value): Fields => ({ const: value }))
  return [...named, ...plain].flatMap((choice) => {
    const value = textOf(choice["const"])
    if (value === undefined) return []
    return [{ value, label: textOf(choice["title"]) ?? value, description: textOf(choice["description"]) }]
  })
}
