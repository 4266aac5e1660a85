import { CircleHelp, GitPullRequestArrow, Hand, type LucideIcon, MailWarning, SquareCheckBig } from "lucide-react"
import { useEffect, useRef } from "react"
import { Avatar, Button, classes, onModEnter, TextArea } from "../design/index.ts"
import { type TextKey, useFormat, useText } from "../i18n/language.ts"
import { choicesFor, type Choices, detailLines, type Item } from "./decide.ts"

interface WaitingCardProps {
  readonly item: Item
  readonly current: boolean
  readonly disabled: boolean
  /** What has been typed for an answer. */
  readonly words: string
  onWords(words: string): void
  onChoose(): void
  onOpen(): void
  onAccept(): void
  onRefuse(): void
  onAnswer(): void
}

const ICONS: Record<Item["kind"], LucideIcon> = {
  elaboration: CircleHelp,
  proposal: GitPullRequestArrow,
  task: SquareCheckBig,
  attention: Hand,
  delivery: MailWarning,
}
const YES: Record<NonNullable<Choices["yes"]>, TextKey> = {
  approve: "needsYou.approve",
  verify: "needsYou.verify",
  allow: "needsYou.allow",
}
const NO: Record<NonNullable<Choices["no"]>, TextKey> = {
  reject: "needsYou.reject",
  sendBack: "needsYou.sendBack",
  deny: "needsYou.deny",
}

export function WaitingCard({
  item,
  current,
  disabled,
  words,
  onWords,
  onChoose,
  onOpen,
  onAccept,
  onRefuse,
  onAnswer,
}: WaitingCardProps) {
  const text = useText()
  const format = useFormat()
  const card = useRef<HTMLLIElement>(null)
  const Icon = ICONS[item.kind]
  const choices = choicesFor(item)
  const kind: TextKey = item.attention === null ? `needsYou.kind.${item.kind}` : `needsYou.kind.${item.attention.kind}`
  useEffect(() => {
    if (current) card.current?.scrollIntoView({ block: "nearest" })
  }, [current])
  return (
    <li
      ref={card}
      aria-current={current ? "true" : undefined}
      onPointerDown={onChoose}
      onFocus={onChoose}
      className={classes(
        "rounded-lg border bg-surface px-4 py-3 shadow-(--shadow-card) transition-colors duration-100",
        current ? "border-accent ring-1 ring-accent" : "border-line hover:border-line-strong",
      )}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <span className="grid size-8 shrink-0 place-items-center rounded-md bg-waiting-soft text-waiting">
          <Icon aria-hidden className="size-4" />
        </span>
        <div className="min-w-0 flex-1 basis-64">
          <p className="text-xs text-faint">
            <span className="font-medium text-waiting">{text(kind)}</span>
            {" · "}
            {item.projectName ?? text("needsYou.anywhere")}
          </p>
          <button
            type="button"
            onClick={onOpen}
            className="cursor-pointer text-left font-medium break-words hover:underline"
          >
            {item.title}
          </button>
          <p className="mt-1 flex items-center gap-1.5 text-xs text-muted">
            {item.from !== null && (
              <>
                <Avatar actor={item.from} size="sm" />
                <span>{item.from.name}</span>
                <span aria-hidden>·</span>
              </>
            )}
            <time dateTime={item.since} title={format.dateTime(item.since)}>
              {format.ago(item.since)}
            </time>
          </p>
          {item.attention !== null && <Asked item={item} />}
          {choices.text && !disabled && <AnswerForm words={words} onWords={onWords} onAnswer={onAnswer} />}
        </div>
        <div className="ml-auto flex shrink-0 gap-2">
          {item.kind === "elaboration" && (
            <Button tone="primary" onClick={onOpen}>
              {text("needsYou.answer")}
            </Button>
          )}
          {item.kind === "delivery" && <Button onClick={onOpen}>{text("needsYou.look")}</Button>}
          {choices.no !== undefined && (
            <Button disabled={disabled} onClick={onRefuse}>
              {text(NO[choices.no])}
            </Button>
          )}
          {choices.yes !== undefined && (
            <Button tone="primary" disabled={disabled} onClick={onAccept}>
              {text(YES[choices.yes])}
            </Button>
          )}
        </div>
      </div>
    </li>
  )
}

/** What the agent's program says it wants; text from an agent, shown as it is. */
function Asked({ item }: { readonly item: Item }) {
  const text = useText()
  const lines = detailLines(item.attention?.detail ?? {})
  return (
    <>
      {lines.length > 0 && (
        <dl
          aria-label={text("needsYou.details")}
          className="mt-2 grid max-h-48 grid-cols-1 gap-1 overflow-auto rounded-md bg-sunken px-3 py-2 text-xs"
          tabIndex={0}
        >
          {lines.map(({ name, value }) => (
            <div key={name} className="flex gap-2">
              <dt className="shrink-0 text-faint">{name}</dt>
              <dd className="min-w-0 font-mono break-words whitespace-pre-wrap">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {item.attention?.answerable === false && <p className="mt-2 text-xs text-muted">{text("needsYou.terminal")}</p>}
    </>
  )
}

function AnswerForm({ words, onWords, onAnswer }: Pick<WaitingCardProps, "words" | "onWords" | "onAnswer">) {
  const text = useText()
  const send = () => {
    if (words.trim() !== "") onAnswer()
  }
  return (
    <div className="mt-2 grid gap-2">
      <TextArea
        rows={2}
        value={words}
        aria-label={text("needsYou.answer")}
        placeholder={text("needsYou.answerPlaceholder")}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={onModEnter(send)}
      />
      <div>
        <Button tone="primary" size="sm" disabled={words.trim() === ""} onClick={send}>
          {text("needsYou.send")}
        </Button>
      </div>
    </div>
  )
}
