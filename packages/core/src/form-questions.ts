import { attentions } from "@chorus/contracts"

type FormQuestion = attentions.FormQuestion

/** What a question's detail asks; what does not look like a question is left out. */
export function formQuestions({ questions }: Readonly<Record<string, unknown>>): FormQuestion[] {
  if (!Array.isArray(questions)) return []
  return questions.flatMap((each) => attentions.FormQuestion.safeParse(each).data ?? [])
}

/** What a person said to one question: which of the labels, and words of their own beside them. */
export interface SaidTo {
  readonly chosen: readonly string[]
  readonly own: string
}

/** Labels may hold commas themselves: the longest that fits is meant. */
export function saidTo({ options, multiSelect }: FormQuestion, words: string): SaidTo {
  const said = words.trim()
  const labels = options.map(({ label }) => label).toSorted((a, b) => b.length - a.length)
  const whole = labels.find((label) => isSame(label, said))
  if (whole !== undefined) return { chosen: [whole], own: "" }
  if (multiSelect !== true) return { chosen: [], own: said }
  const chosen = new Set<string>()
  const own: string[] = []
  for (let rest = said; rest !== "";) {
    const label = labels.find(
      (each) => isSame(each, rest.slice(0, each.length)) && /^\s*(,|$)/.test(rest.slice(each.length)),
    )
    const part = label === undefined ? (rest.split(",")[0] ?? "") : rest.slice(0, label.length)
    if (label !== undefined) chosen.add(label)
    else if (part.trim() !== "") own.push(part.trim())
    rest = rest.slice(part.length).replace(/^\s*,?\s*/, "")
  }
  return { chosen: [...chosen], own: own.join(", ") }
}

/** What the program would refuse where nobody hears of it; undefined where it takes the answers. */
export function faultOf(
  questions: readonly FormQuestion[],
  answers: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const question of questions) {
    const words = answers[question.id]
    const said = typeof words === "string" ? words.trim() : ""
    if (said === "") {
      if (question.optional === true) continue
      return `Nothing answers “${question.question}”.`
    }
    if (question.isNumber === true && !Number.isFinite(Number(said))) return `“${question.question}” wants a number.`
    if (question.ownWords === false && saidTo(question, said).own !== "")
      return `To “${question.question}” the agent takes one of these: ${question.options.map(({ label }) => label).join(", ")}.`
  }
  return undefined
}

function isSame(label: string, said: string): boolean {
  return label.toLowerCase() === said.toLowerCase()
}
