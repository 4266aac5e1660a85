import type { elaboration } from "@chorus/contracts"
import { Check, MessageCircleQuestion, Pencil } from "lucide-react"
import { useId, useState } from "react"
import { Badge, Button, classes, DraftNote, MOD, onModEnter, TextArea, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import {
  answersOf,
  type Given,
  givenBefore,
  NOTHING_GIVEN,
  type Round,
  type RoundQuestion,
  stillAsked,
} from "./answers.ts"

interface QuestionsProps {
  readonly round: Round
  /** Answers may be given, and changed later; whoever plans is told of a change. */
  readonly open: boolean
}

/** One round: to be answered by choosing or writing, or as it was answered. */
export function Questions({ round, open }: QuestionsProps) {
  const text = useText()
  const answer = useAction("chorus_answer_elaboration")
  const [again, setAgain] = useState(false)
  const draft = useDraft(`answers.${round.uuid}`, givenBefore(round))
  const givens = draft.value
  const answering = open && (round.status === "pending_answers" || again)
  const missing = stillAsked(round, givens)
  const answers = answersOf(round, givens)
  const ready = missing.length === 0 && answers.length > 0
  const send = async (askAgain = false) => {
    if (!ready || answer.busy) return
    const done = await answer.run({ ideaUuid: round.ideaUuid, roundUuid: round.uuid, answers, askAgain })
    if (done === undefined) return
    draft.drop()
    setAgain(false)
  }
  return (
    <article
      className={classes("rounded-lg border bg-surface", answering ? "border-waiting" : "border-line")}
      aria-label={text("ideas.round", { number: round.roundNumber })}
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 text-sm">
        <span className="font-medium">{text("ideas.round", { number: round.roundNumber })}</span>
        <Badge tone={round.status === "answered" ? "done" : "waiting"}>
          {text(round.status === "answered" ? "ideas.answered" : "ideas.waitsForAnswers")}
        </Badge>
        <span className="text-muted">{text("ideas.askedBy")}</span>
        <Who actor={round.createdBy} />
        <When at={round.createdAt} className="ml-auto text-xs text-faint" />
      </header>
      <ol className="grid grid-cols-1 gap-6 px-4 py-4">
        {round.questions.map((question) => (
          <li key={question.uuid}>
            {answering ? (
              <Ask
                question={question}
                given={givens[question.questionId] ?? NOTHING_GIVEN}
                onChange={(given) => draft.set({ ...givens, [question.questionId]: given })}
                onSend={() => void send()}
              />
            ) : (
              <Told question={question} />
            )}
          </li>
        ))}
      </ol>
      {open && (
        <footer className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3">
          {answering ? (
            <>
              <Button tone="primary" icon={Check} disabled={!ready || answer.busy} onClick={() => void send()}>
                {text("ideas.sendAnswers")}
              </Button>
              {round.validatedAt === null && (
                <Button icon={MessageCircleQuestion} disabled={!ready || answer.busy} onClick={() => void send(true)}>
                  {text("ideas.sendAskAgain")}
                </Button>
              )}
              <span className="text-xs text-faint">
                {missing.length > 0
                  ? text("ideas.missing", { count: missing.length })
                  : text("ideas.sendHint", { key: MOD })}
              </span>
              <DraftNote draft={draft} />
              {again && (
                <Button tone="ghost" onClick={() => setAgain(false)}>
                  {text("action.cancel")}
                </Button>
              )}
            </>
          ) : (
            <Button
              size="sm"
              icon={Pencil}
              onClick={() => {
                if (!draft.resumed) draft.set(givenBefore(round))
                setAgain(true)
              }}
            >
              {text("ideas.changeAnswers")}
            </Button>
          )}
        </footer>
      )}
    </article>
  )
}

interface AskProps {
  readonly question: RoundQuestion
  readonly given: Given
  onChange(given: Given): void
  onSend(): void
}

function Ask({ question, given, onChange, onSend }: AskProps) {
  const text = useText()
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-2 font-medium">
        {question.text}
        {!question.required && <span className="ml-2 text-xs font-normal text-faint">{text("tasks.optional")}</span>}
      </legend>
      <p className="mb-2 text-xs text-faint">{text(`ideas.category.${question.category}`)}</p>
      <div className="grid grid-cols-1 gap-2 sm:grid-cols-2">
        {question.options.map((option) => (
          <Option
            key={option.id}
            name={name}
            option={option}
            chosen={given.option === option.id}
            onChoose={(on) => onChange({ ...given, option: on ? option.id : null })}
          />
        ))}
      </div>
      <TextArea
        rows={given.text === "" ? 1 : 3}
        className="mt-2"
        value={given.text}
        aria-label={text("ideas.ownWords")}
        placeholder={text("ideas.ownWords")}
        onChange={(event) => onChange({ ...given, text: event.target.value })}
        onKeyDown={onModEnter(onSend)}
      />
    </fieldset>
  )
}

interface OptionProps {
  readonly name: string
  readonly option: elaboration.QuestionOption
  readonly chosen: boolean
  onChoose(on: boolean): void
}

function Option({ name, option, chosen, onChoose }: OptionProps) {
  return (
    <label
      className={classes(
        "flex cursor-pointer items-start gap-2 rounded-md border px-3 py-2 transition-colors duration-100 has-focus-visible:outline-2 has-focus-visible:outline-accent",
        chosen ? "border-accent bg-accent-soft" : "border-line-strong hover:bg-hover",
      )}
    >
      <input
        type="radio"
        name={name}
        checked={chosen}
        onChange={() => onChoose(true)}
        onClick={() => chosen && onChoose(false)}
        className="mt-1 accent-(--accent)"
      />
      <span className="min-w-0">
        <span className="block font-medium break-words">{option.label}</span>
        {option.description !== undefined && (
          <span className="block text-sm break-words text-muted">{option.description}</span>
        )}
      </span>
    </label>
  )
}

function Told({ question }: { readonly question: RoundQuestion }) {
  const text = useText()
  const { answer } = question
  const label = question.options.find(({ id }) => id === answer?.selectedOptionId)?.label
  return (
    <>
      <p className="text-sm text-muted">{question.text}</p>
      {answer === null ? (
        <p className="text-sm text-faint">{text("ideas.unanswered")}</p>
      ) : (
        <>
          <p className="mt-0.5 font-medium break-words">{[label, answer.customText].filter(Boolean).join(" — ")}</p>
          <p className="mt-0.5 flex items-center gap-1.5 text-xs text-faint">
            <Who actor={answer.answeredBy} />
            <When at={answer.answeredAt} />
          </p>
        </>
      )}
      {question.earlier.map((before) => (
        <p key={before.answeredAt} className="mt-0.5 text-xs text-faint line-through">
          {[question.options.find(({ id }) => id === before.selectedOptionId)?.label, before.customText]
            .filter(Boolean)
            .join(" — ")}
        </p>
      ))}
    </>
  )
}
