import type { attentions, HookEvent, HookOutput } from "@chorus/contracts"
import { cleanLine, fieldsOf } from "./event-field.ts"

type Answer = attentions.AttentionAnswer | null
type Decision = NonNullable<NonNullable<HookOutput["hookSpecificOutput"]>["decision"]>

/** What one of the program's own tools asks of the person, as the page shows it. */
export type Asked = Pick<attentions.AttentionRow, "kind" | "title" | "detail">

const MOST_PLAN = 100_000

/** A question with answers to choose from, or a plan to approve; undefined where a tool merely wants to be allowed. */
export function askedByTool(event: HookEvent): Asked | undefined {
  const input = fieldsOf(event.tool_input) ?? {}
  if (event.tool_name === "AskUserQuestion") {
    const questions = questionsIn(input)
    const [first, ...more] = questions
    if (first === undefined) return undefined
    const title = `${first.question}${more.length === 0 ? "" : ` (+${more.length})`}`
    return { kind: "input", title: cleanLine(title, 300), detail: { questions } }
  }
  if (event.tool_name !== "ExitPlanMode") return undefined
  const plan = typeof input["plan"] === "string" ? input["plan"].slice(0, MOST_PLAN) : ""
  const heading = plan.split("\n").find((line) => line.trim() !== "") ?? ""
  return { kind: "plan", title: cleanLine(heading.replace(/^#+\s*/, "") || "A plan", 300), detail: { plan } }
}

/** What a server that is connected to the program asks; its hook holds the dialog back, so nobody here can answer in time. */
export function askedByServer(event: HookEvent): Asked {
  const properties = fieldsOf(fieldsOf(event.requested_schema)?.["properties"]) ?? {}
  const questions = Object.entries(properties).map(([name, schema]) => {
    const { title, description, enum: values } = fieldsOf(schema) ?? {}
    const question = [title, description, name].find((words) => typeof words === "string")
    return {
      question: cleanLine(String(question), 300),
      options: Array.isArray(values) ? values.map((label) => ({ label: cleanLine(String(label), 200) })) : [],
    }
  })
  const title = cleanLine(`${event.mcp_server_name ?? "A server"}: ${event.message ?? "asks"}`, 300)
  return { kind: "input", title, detail: { questions } }
}

/**
 * The answer as the program takes it. Tools that talk to the person themselves are only settled by an input, which for questions has
 * the answers in it; "allow" alone leaves their dialog open or tells the model that nobody answered.
 */
export function decisionFor(event: HookEvent, answer: Answer, by: string): Decision {
  const input = fieldsOf(event.tool_input)
  const questions = event.tool_name === "AskUserQuestion" ? questionsIn(input ?? {}) : []
  if (input !== undefined && questions.length > 0 && answer?.decision !== "deny") {
    const chosen = fieldsOf(answer?.data?.["answers"]) ?? {}
    const answers = questions.map(({ question }) => [question, String(chosen[question] ?? answer?.text ?? "")])
    return { behavior: "allow", updatedInput: { ...input, answers: Object.fromEntries(answers) } }
  }
  if (answer?.decision !== "approve")
    return { behavior: "deny", message: answer?.text ?? `${by} said no on the Chorus page.` }
  return event.tool_name === "ExitPlanMode" && input !== undefined
    ? { behavior: "allow", updatedInput: { ...input } }
    : { behavior: "allow" }
}

interface Question {
  readonly question: string
  readonly header?: string
  readonly options: readonly { readonly label: string; readonly description?: string }[]
  readonly multiSelect?: true
}

function questionsIn(input: Readonly<Record<string, unknown>>): Question[] {
  const questions = Array.isArray(input["questions"]) ? input["questions"] : []
  return questions.flatMap((each): Question[] => {
    const { question, header, options, multiSelect } = fieldsOf(each) ?? {}
    if (typeof question !== "string") return []
    const choices = Array.isArray(options) ? options.map((option) => fieldsOf(option) ?? {}) : []
    return [
      {
        question,
        ...(typeof header === "string" ? { header } : {}),
        options: choices.flatMap(({ label, description }) =>
          typeof label === "string" ? [{ label, ...(typeof description === "string" ? { description } : {}) }] : [],
        ),
        ...(multiSelect === true ? { multiSelect } : {}),
      },
    ]
  })
}
