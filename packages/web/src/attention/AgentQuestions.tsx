import type { attentions } from "@chorus/contracts"
import { Button, classes, DraftNote } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { OwnWords } from "./OwnWords.tsx"
import {
  type AgentQuestion,
  answersTo,
  choose,
  type Given,
  NOTHING_GIVEN,
  questionsOf,
  setsAside,
} from "./agent-questions.ts"

interface AgentQuestionsProps {
  readonly attention: attentions.AttentionRow
  /** Answers may be given here. */
  readonly open: boolean
  onAnswer?(words: string, data: Readonly<Record<string, unknown>>): Promise<boolean>
}

/** What an agent's program asks in its own dialog: the plan as it will be read, the questions with their options. */
export function AgentQuestions({ attention, open, onAnswer }: AgentQuestionsProps) {
  const { plan } = attention.detail
  const questions = questionsOf(attention.detail)
  return (
    <>
      {typeof plan === "string" && plan !== "" && (
        <div className="mt-2 max-h-96 overflow-auto rounded-md bg-sunken px-3 py-2 text-sm" tabIndex={0}>
          <Markdown source={plan} />
        </div>
      )}
      {questions.length > 0 &&
        (open && attention.answerable && onAnswer !== undefined ? (
          <AnswerForm uuid={attention.uuid} questions={questions} onAnswer={onAnswer} />
        ) : (
          <ul className="mt-2 grid gap-3 text-sm">
            {questions.map((question) => (
              <li key={question.id}>
                <Words question={question} />
                <ul className="mt-1 list-disc pl-5 text-muted">
                  {question.options.map(({ label, description }) => (
                    <li key={label} className="wrap-anywhere">
                      {description === undefined ? label : `${label}: ${description}`}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        ))}
    </>
  )
}

interface AnswerFormProps extends Required<Pick<AgentQuestionsProps, "onAnswer">> {
  readonly uuid: string
  readonly questions: readonly AgentQuestion[]
}

function AnswerForm({ uuid, questions, onAnswer }: AnswerFormProps) {
  const text = useText()
  const draft = useDraft<Readonly<Record<string, Given>>>(`questions.${uuid}`, {})
  const answers = answersTo(questions, draft.value)
  const send = async () => {
    if (answers === undefined) return
    const said = questions.flatMap(({ id, question }) => {
      const words = answers[id]
      return words === undefined ? [] : [questions.length === 1 ? words : `${question} ${words}`]
    })
    if (await onAnswer(said.join("\n"), { answers })) draft.drop()
  }
  return (
    <form
      className="mt-2 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {questions.map((question) => (
        <Ask
          key={question.id}
          question={question}
          byKeys={questions.length === 1}
          given={draft.value[question.id] ?? NOTHING_GIVEN}
          onChange={(given) => draft.set({ ...draft.value, [question.id]: given })}
          onSend={() => void send()}
        />
      ))}
      <div className="flex items-center gap-2">
        <Button type="submit" tone="primary" size="sm" disabled={answers === undefined}>
          {text("needsYou.send")}
        </Button>
        <DraftNote draft={draft} />
      </div>
    </form>
  )
}

interface AskProps {
  readonly question: AgentQuestion
  /** A number chooses among its options. */
  readonly byKeys: boolean
  readonly given: Given
  onChange(given: Given): void
  onSend(): void
}

function Ask({ question, byKeys, given, onChange, onSend }: AskProps) {
  const text = useText()
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend>
        <Words question={question} />
      </legend>
      <div className="flex flex-wrap gap-2">
        {question.options.map(({ label, description }, at) => {
          const chosen = given.chosen.includes(label)
          return (
            <button
              key={label}
              type="button"
              aria-pressed={chosen}
              data-option={byKeys ? at + 1 : undefined}
              onClick={() => onChange(choose(question, given, label))}
              onKeyDown={(event) => {
                if (!byKeys || event.key !== "Enter" || !chosen) return
                event.preventDefault()
                onSend()
              }}
              className={classes(
                "max-w-full cursor-pointer rounded-md border px-3 py-1.5 text-left text-sm wrap-anywhere",
                chosen ? "border-accent ring-1 ring-accent" : "border-line hover:border-line-strong",
              )}
            >
              <span className="font-medium">{label}</span>
              {description !== undefined && <span className="block text-xs text-muted">{description}</span>}
            </button>
          )
        })}
      </div>
      {question.ownWords && (
        <OwnWords
          rows={1}
          value={given.own}
          aside={setsAside(question, given)}
          label={text(question.options.length > 0 ? "needsYou.ownWords" : "needsYou.answer")}
          placeholder={text(question.options.length > 0 ? "needsYou.ownWords" : "needsYou.answerPlaceholder")}
          onChange={(own) => onChange({ chosen: question.several ? given.chosen : [], own })}
          onSend={onSend}
        />
      )}
    </fieldset>
  )
}

function Words({ question: { header, question, several } }: { readonly question: AgentQuestion }) {
  const text = useText()
  return (
    <span className="text-sm wrap-anywhere">
      {header !== undefined && <span className="mr-2 text-xs text-faint">{header}</span>}
      {question}
      {several && <span className="ml-2 text-xs text-muted">{text("needsYou.several")}</span>}
    </span>
  )
}
