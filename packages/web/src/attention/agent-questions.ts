/** One question of an agent's program, as its hook or its run told it. */
export interface AgentQuestion {
  /** What its answer goes by. */
  readonly id: string
  readonly question: string
  readonly header: string | undefined
  readonly options: readonly { readonly label: string; readonly description: string | undefined }[]
  readonly several: boolean
  readonly ownWords: boolean
  readonly optional: boolean
}

/** What was chosen and what was written, for one question. */
export interface Given {
  readonly chosen: readonly string[]
  readonly own: string
}

export const NOTHING_GIVEN: Given = { chosen: [], own: "" }

/** Text from an agent: whatever does not look like a question is left out. */
export function questionsOf(detail: Readonly<Record<string, unknown>>): AgentQuestion[] {
  return listOf(detail["questions"]).flatMap((each) => {
    const { id, question, header, options, multiSelect, ownWords, optional } = each
    if (typeof question !== "string") return []
    return [
      {
        id: textOf(id) ?? question,
        question,
        header: textOf(header),
        options: listOf(options).flatMap(({ label, description }) =>
          typeof label === "string" ? [{ label, description: textOf(description) }] : [],
        ),
        several: multiSelect === true,
        ownWords: ownWords !== false,
        optional: optional === true,
      },
    ]
  })
}

/** With an option chosen, beside the others where several may be, or let go; words of one's own are kept. */
export function choose({ several }: AgentQuestion, given: Given, label: string): Given {
  const others = given.chosen.filter((other) => other !== label)
  const on = others.length === given.chosen.length
  const kept = several ? others : []
  return { ...given, chosen: on ? [...kept, label] : kept }
}

/** Where one answer is wanted, words of one's own wait while an option is chosen instead of them. */
export function setsAside({ several }: AgentQuestion, { chosen, own }: Given): boolean {
  return !several && chosen.length > 0 && own.trim() !== ""
}

/** The answers by the ids of their questions, in the words the program itself would have used; undefined while one is missing. */
export function answersTo(
  questions: readonly AgentQuestion[],
  givens: Readonly<Record<string, Given>>,
): Readonly<Record<string, string>> | undefined {
  const answers = questions.map((each) => ({ ...each, words: wordsOf(each, givens[each.id]) }))
  if (answers.some(({ optional, words }) => !optional && words === "")) return undefined
  const given = answers.filter(({ words }) => words !== "").map(({ id, words }) => [id, words] as const)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

function wordsOf(question: AgentQuestion, given: Given = NOTHING_GIVEN): string {
  const own = setsAside(question, given) ? "" : given.own.trim()
  return [...given.chosen, ...(own === "" ? [] : [own])].join(", ")
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}
