import type { elaboration } from "@chorus/contracts"
import { Check, MessageCircleQuestion, Pencil } from "lucide-react"
import { useLocation } from "@tanstack/react-router"
import { useEffect, useId, useRef, useState } from "react"
import { Badge, Button, classes, DraftNote, MOD, onModEnter, TextArea, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useDraft } from "../live/draft.ts"
import { useAction } from "../live/use-action.ts"
import {
  answersOf,
  begin,
  forget,
  type Given,
  givensOf,
  isOvertaken,
  NOTHING_GIVEN,
  type Round,
  roundMark,
  type RoundQuestion,
  stillAsked,
  type Unsent,
  unsentOf,
} from "./answers.ts"

const NOTHING_BEGUN: Unsent = {}

interface QuestionsProps {
  readonly round: Round
  /** Answers may be given, and changed later; whoever plans is told of a change. */
  readonly open: boolean
}

/** One round: to be answered by choosing or writing, or as it was answered. */
export function Questions({ round, open }: QuestionsProps) {
  const text = useText()
  const place = useRef<HTMLElement>(null)
  const called = useLocation().hash === roundMark(round.uuid)
  useEffect(() => {
    if (called) place.current?.scrollIntoView({ block: "start" })
  }, [called])
  const answer = useAction("chorus_answer_elaboration")
  const [again, setAgain] = useState(false)
  const draft = useDraft(`answers.${round.uuid}`, NOTHING_BEGUN)
  const givens = givensOf(round, draft.value)
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
      ref={place}
      className={classes("scroll-mt-4 rounded-lg border bg-surface", answering ? "border-waiting" : "border-line")}
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
        {round.questions.map((question) => {
          const unsent = unsentOf(question, draft.value)
          const give = (given: Given) => draft.set(begin(draft.value, question, given))
          return (
            <li key={question.uuid}>
              {answering ? (
                <Ask
                  question={question}
                  given={givens[question.questionId] ?? NOTHING_GIVEN}
                  onChange={give}
                  onSend={() => void send()}
                />
              ) : (
                <Told question={question} />
              )}
              {open && unsent !== undefined && (!answering || isOvertaken(question, draft.value)) && (
                <NotSent
                  words={wordsOf(question, unsent.option, unsent.text)}
                  onUse={() => {
                    give(unsent)
                    setAgain(true)
                  }}
                  onDiscard={() => draft.set(forget(draft.value, question))}
                />
              )}
            </li>
          )
        })}
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
            <Button size="sm" icon={Pencil} onClick={() => setAgain(true)}>
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
            onChoose={() => onChange({ ...given, option: option.id })}
          />
        ))}
      </div>
      {given.option !== null && (
        <Button size="sm" tone="ghost" className="mt-1" onClick={() => onChange({ ...given, option: null })}>
          {text("ideas.noneOfThese")}
        </Button>
      )}
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
  onChoose(): void
}

function Option({ name, option, chosen, onChoose }: OptionProps) {
  return (
    <label
      className={classes(
        "flex cursor-pointer items-start gap-2 rounded-md border px-3 py-2 transition-colors duration-100 has-focus-visible:outline-2 has-focus-visible:outline-accent",
        chosen ? "border-accent bg-accent-soft" : "border-line-strong hover:bg-hover",
      )}
    >
      <input type="radio" name={name} checked={chosen} onChange={onChoose} className="mt-1 accent-(--accent)" />
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
  return (
    <>
      <p className="text-sm text-muted">{question.text}</p>
      {answer === null ? (
        <p className="text-sm text-faint">{text("ideas.unanswered")}</p>
      ) : (
        <>
          <p className="mt-0.5 font-medium break-words">
            {wordsOf(question, answer.selectedOptionId, answer.customText)}
          </p>
          <p className="mt-0.5 flex items-center gap-1.5 text-xs text-faint">
            <Who actor={answer.answeredBy} />
            <When at={answer.answeredAt} />
          </p>
        </>
      )}
      {question.earlier.map((before) => (
        <p key={before.answeredAt} className="mt-0.5 text-xs text-faint line-through">
          {wordsOf(question, before.selectedOptionId, before.customText)}
        </p>
      ))}
    </>
  )
}

interface NotSentProps {
  readonly words: string
  onUse(): void
  onDiscard(): void
}

/** What was begun on this device before the answer that stands above it came. */
function NotSent({ words, onUse, onDiscard }: NotSentProps) {
  const text = useText()
  return (
    <div role="status" className="mt-2 rounded-md bg-waiting-soft px-3 py-2 text-sm">
      <p className="text-xs text-waiting">{text("ideas.notSent")}</p>
      <p className="mt-0.5 break-words whitespace-pre-wrap">{words}</p>
      <div className="mt-1.5 flex flex-wrap gap-2">
        <Button size="sm" onClick={onUse}>
          {text("ideas.useNotSent")}
        </Button>
        <Button size="sm" tone="ghost" onClick={onDiscard}>
          {text("draft.lose")}
        </Button>
      </div>
    </div>
  )
}

function wordsOf({ options }: RoundQuestion, option: string | null, words: string | null): string {
  return [options.find(({ id }) => id === option)?.label, words?.trim()].filter(Boolean).join(" — ")
}
