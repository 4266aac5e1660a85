import { type attentions, ChorusError, type ProjectId, type runs } from "@chorus/contracts"
import { formQuestions } from "@chorus/core"
import { oneLine } from "../output.ts"
import { everyPage } from "../pages.ts"
import type { Workplace } from "../workplace.ts"

export function inOneLine({ question, options, multiSelect, ownWords }: attentions.FormQuestion): string {
  const labels = options.map(({ label, description }) =>
    description === undefined || description === label ? label : `${label} (${description})`,
  )
  const choices = [...labels, ...(labels.length > 0 && ownWords !== false ? ["your own words"] : [])].join(" | ")
  return [question, choices, multiSelect === true ? "several may be chosen" : ""].filter(Boolean).join("  ")
}

/** What an agent says beside the line it asks. */
export function textOf({ text, message }: attentions.AttentionRow["detail"]): string | null {
  return [text, message].find((words) => typeof words === "string") ?? null
}

/** What a run's agent asks now. */
export async function askedBy(call: Workplace["call"], { uuid, projectUuid }: runs.RunRow) {
  const { attentions: open } = await call("chorus_list_attentions", {
    projectUuid: projectUuid as ProjectId,
    pageSize: 100,
  })
  return open.filter(({ detail }) => detail["runUuid"] === uuid)
}

/** What is asked anywhere now. */
export function everyAsk(call: Workplace["call"]): Promise<attentions.AttentionRow[]> {
  return everyPage(async (page) => {
    const { attentions: rows, total } = await call("chorus_list_attentions", page)
    return { rows, total }
  })
}

export function answerTo(
  { kind, detail }: attentions.AttentionRow,
  words: readonly string[],
  remember?: string,
): attentions.AttentionAnswer {
  const text = words.join(" ")
  if (kind === "input") return answerToForm(formQuestions(detail), words)
  if (kind !== "permission") return { text }
  const [, said = "", why = ""] = /^\s*(yes|no)\b[\s,.:]*(.*)$/is.exec(text) ?? []
  if (said === "")
    throw new ChorusError("invalid_input", "A permission is given with yes or refused with no.", {
      next: "Say `yes`, `no`, or `no` and what to do instead.",
    })
  if (said.toLowerCase() === "yes")
    return { decision: "approve", ...(remember === undefined ? {} : { data: { remember } }) }
  return { decision: "deny", ...(why === "" ? {} : { text: why }) }
}

function answerToForm(
  questions: readonly attentions.FormQuestion[],
  words: readonly string[],
): attentions.AttentionAnswer {
  if (questions.length < 2) return { text: words.join(" ") }
  if (words.length !== questions.length)
    throw new ChorusError(
      "invalid_input",
      `It asks ${questions.length} questions; these are ${words.length} answers.`,
      {
        next: `Answer in the order it asks in, each in its own quotes: ${questions.map(({ question }) => `"${oneLine(question)}"`).join(" ")}.`,
      },
    )
  const said = questions.map(({ id, question }, at) => ({ id, question, words: words[at] ?? "" }))
  return {
    text: said.map((one) => `${one.question} ${one.words}`).join("\n"),
    data: { answers: Object.fromEntries(said.map((one) => [one.id, one.words])) },
  }
}

export function whichAsk(asked: readonly attentions.AttentionRow[]): ChorusError {
  if (asked.length === 0)
    return new ChorusError("nothing_asked", "This run asks nothing now.", {
      status: 409,
      next: "To say something to it, use `chorus runs send`.",
    })
  const shown = asked.map(({ uuid, title }) => `${uuid.slice(0, 8)} (${oneLine(title)})`).join(", ")
  return new ChorusError("ambiguous", "This run asks several things.", {
    status: 409,
    next: `Name one with --ask: ${shown}.`,
  })
}
