import { CircleHelp, GitPullRequestArrow, Hand, type LucideIcon, MailWarning, SquareCheckBig } from "lucide-react"
import type { attentions } from "@chorus/contracts"
import { Fragment, useEffect, useRef, useState } from "react"
import { useNow } from "../agents/use-now.ts"
import { Avatar, Button, Checkbox, classes, DraftNote, When } from "../design/index.ts"
import { type TextKey, useFormat, useText } from "../i18n/language.ts"
import { Reason } from "../markdown/Reason.tsx"
import { DueDay } from "../items/DueDay.tsx"
import { useDraft } from "../live/draft.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { type Reach, Remember } from "../runs/Remember.tsx"
import { StartRun } from "../runs/StartRun.tsx"
import { AgentQuestions } from "./AgentQuestions.tsx"
import { choicesFor, type Choices, askedFor, type Item, kindOf, optionsOf, senderOf, titleOf } from "./decide.ts"
import { NoticeSteps } from "./NoticeSteps.tsx"
import { OwnWords } from "./OwnWords.tsx"
import { useQueueKeys } from "./use-queue-keys.ts"

interface WaitingCardProps {
  readonly item: Item
  /** What a link on the same page leads to it by. */
  readonly id?: string
  readonly current?: boolean
  /** The person came here by the keys, and the focus with them. */
  readonly focused?: boolean
  readonly disabled: boolean
  /** Undefined where it cannot be decided together with others. */
  readonly selected?: boolean | undefined
  onSelect?(): void
  onChoose?(): void
  /** Leads to it; undefined where the reader is there already. */
  onOpen?(): void
  /** Shows what is needed to decide. */
  onShow?(): void
  /** With how long it counts, where a run's agent wants to be allowed something. */
  onAccept(reach?: Reach): void
  onRefuse(): void
  /** Says whether it arrived; what did not stays in the field. */
  onAnswer(words: string, data?: Readonly<Record<string, unknown>>): Promise<boolean>
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
  id,
  current = false,
  focused = false,
  disabled,
  selected,
  onSelect = () => undefined,
  onChoose,
  onOpen,
  onShow,
  onAccept,
  onRefuse,
  onAnswer,
}: WaitingCardProps) {
  const text = useText()
  const card = useRef<HTMLLIElement>(null)
  const Icon = ICONS[item.kind]
  const choices = choicesFor(item)
  const kind: TextKey = `needsYou.kind.${kindOf(item)}`
  const lapses = item.attention?.expiresAt ?? null
  /** What is being pressed must not move away from under the pointer. */
  const pressed = useRef(false)
  // A number chooses among the answers on offer; Enter then sends it.
  useQueueKeys((key) => {
    const option = /^[1-9]$/.test(key) ? card.current?.querySelector<HTMLElement>(`[data-option="${key}"]`) : null
    option?.focus()
    option?.click()
    return option !== null && option !== undefined
  }, current)
  useEffect(() => {
    if (current && !pressed.current) card.current?.scrollIntoView({ block: "nearest" })
    pressed.current = false
  }, [current])
  useEffect(() => {
    if (focused) card.current?.focus({ preventScroll: true })
  }, [focused])
  return (
    <li
      ref={card}
      id={id}
      tabIndex={-1}
      aria-current={current ? "true" : undefined}
      onPointerDown={() => {
        pressed.current = true
        onChoose?.()
      }}
      onFocus={onChoose}
      className={classes(
        "rounded-lg border bg-surface px-4 py-3 outline-none shadow-(--shadow-card) transition-colors duration-100",
        current ? "border-accent ring-1 ring-accent" : "border-line hover:border-line-strong",
      )}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <span className="grid size-8 shrink-0 place-items-center rounded-md bg-waiting-soft text-waiting">
          <Icon aria-hidden className="size-4" />
        </span>
        <div className="min-w-0 flex-1 basis-64">
          <p className="text-xs wrap-anywhere text-faint">
            <span className="font-medium text-waiting">{text(kind)}</span>
            {" · "}
            {item.projectName ?? text("needsYou.anywhere")}
            {item.shortId !== null && ` · ${item.shortId}`}
            {item.task !== null && (item.attention?.notice ?? null) === null && (
              <InlineCode text={` · ${item.task.shortId ?? ""} ${item.task.title}`} />
            )}
            {lapses !== null && <Countdown to={lapses} />}
          </p>
          {onShow === undefined ? (
            <p className="font-medium wrap-anywhere">
              <InlineCode text={titleOf(text, item)} />
            </p>
          ) : (
            <button
              type="button"
              onClick={onShow}
              className="cursor-pointer text-left font-medium wrap-anywhere hover:underline"
            >
              <InlineCode text={titleOf(text, item)} />
            </button>
          )}
          <p className="mt-1 flex min-w-0 items-center gap-1.5 text-xs text-muted">
            {item.from !== null && (
              <>
                <Avatar actor={item.from} size="sm" />
                <span className="truncate">{senderOf(text, item)}</span>
                {item.session !== null && (
                  <span className="truncate text-faint">
                    {[item.session.name, item.session.machine].filter(Boolean).join(" · ")}
                  </span>
                )}
                <span aria-hidden>·</span>
              </>
            )}
            <When at={item.since} className="shrink-0" />
            <DueDay task={item} />
          </p>
          <Asked attention={item.attention} />
          {item.attention !== null && (
            <AgentQuestions attention={item.attention} open={!disabled} onAnswer={onAnswer} />
          )}
          {choices.text && !disabled && <AnswerForm item={item} onAnswer={onAnswer} />}
        </div>
        <div className="ml-auto hidden flex-wrap items-center justify-end gap-2 has-[a,button]:flex">
          {selected !== undefined && !disabled && (
            <Checkbox
              checked={selected}
              onChange={onSelect}
              label={<span className="sr-only">{text("needsYou.select")}</span>}
            />
          )}
          {item.kind === "task" && !disabled && (
            <StartRun taskUuid={item.uuid} projectUuid={item.projectUuid} work="review" />
          )}
          {item.kind === "elaboration" && item.ideaUuid !== null && !disabled && (
            <StartRun ideaUuid={item.ideaUuid} projectUuid={item.projectUuid} work="answer" />
          )}
          <Decide item={item} disabled={disabled} onOpen={onOpen} onAccept={onAccept} onRefuse={onRefuse} />
        </div>
      </div>
    </li>
  )
}

interface DecideProps extends Pick<WaitingCardProps, "item" | "disabled" | "onAccept" | "onRefuse"> {
  readonly onOpen: (() => void) | undefined
  readonly className?: string
}

/** What can be done about it, the main thing last. */
export function Decide({ item, disabled, className, onOpen, onAccept, onRefuse }: DecideProps) {
  const text = useText()
  const choices = choicesFor(item)
  const [reach, setReach] = useState<Reach>("")
  const ofRun = choices.yes === "allow" && typeof item.attention?.detail["runUuid"] === "string"
  return (
    <div className={classes("flex flex-wrap items-center justify-end gap-2", className)}>
      {item.attention !== null && item.attention.notice !== null && (
        <NoticeSteps attention={item.attention} disabled={disabled} onOpen={onOpen} />
      )}
      {item.kind === "elaboration" &&
        (disabled ? (
          <Button onClick={onOpen}>{text("needsYou.look")}</Button>
        ) : (
          <Button tone="primary" onClick={onOpen}>
            {text("needsYou.answer")}
          </Button>
        ))}
      {item.kind === "delivery" && <Button onClick={onOpen}>{text("needsYou.look")}</Button>}
      {ofRun && !disabled && <Remember value={reach} onChange={setReach} />}
      {choices.no !== undefined && !disabled && <Button onClick={onRefuse}>{text(NO[choices.no])}</Button>}
      {choices.yes !== undefined && !disabled && (
        <Button tone="primary" onClick={() => onAccept(reach)}>
          {text(YES[choices.yes])}
        </Button>
      )}
    </div>
  )
}

export function Countdown({ to }: { readonly to: string }) {
  const text = useText()
  const format = useFormat()
  const left = Math.max(0, Date.parse(to) - useNow(1000))
  return (
    <span role="timer" className={classes("ml-2 font-medium", left < 600_000 ? "text-failed" : "text-muted")}>
      {text("needsYou.lapses", { time: format.duration(left) })}
    </span>
  )
}

/** Written for people; the rest is shown letter by letter. */
const WORDS: ReadonlySet<string> = new Set(["text", "reason"])

/** What the agent's program says it wants; text from an agent, shown as it is. */
export function Asked({ attention }: { readonly attention: attentions.AttentionRow | null }) {
  const text = useText()
  if (attention === null) return null
  // What is to be changed is shown as before and after, where it is decided.
  const { reason } = attention.detail
  const { lines, rest } = askedFor(attention.kind === "change" ? { reason } : attention.detail)
  const unanswerable =
    attention.notice === null ? "needsYou.terminal" : (`needsYou.notice.${attention.notice}` as const)
  return (
    <>
      {lines.length > 0 && (
        <dl
          aria-label={text(attention.notice === null ? "needsYou.details" : "needsYou.inTheWay")}
          className="mt-2 grid max-h-48 grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 overflow-auto rounded-md bg-sunken px-3 py-2 text-xs"
          tabIndex={0}
        >
          {lines.map(({ name, value }) => (
            <Fragment key={name}>
              <dt className="text-faint">{text(`asked.${name}`)}</dt>
              <dd className={classes("min-w-0 wrap-anywhere whitespace-pre-wrap", !WORDS.has(name) && "font-mono")}>
                {WORDS.has(name) ? <Reason text={value} /> : value}
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {rest !== undefined && (
        <details className="mt-1 text-xs">
          <summary className="cursor-pointer text-muted">{text("asked.everything")}</summary>
          <pre
            tabIndex={0}
            className="mt-1 max-h-48 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono wrap-anywhere whitespace-pre-wrap"
          >
            {rest}
          </pre>
        </details>
      )}
      {!attention.answerable && <p className="mt-2 text-xs text-muted">{text(unanswerable)}</p>}
    </>
  )
}

interface AnswerFormProps extends Pick<WaitingCardProps, "onAnswer"> {
  readonly item: Item
}

export function AnswerForm({ item, onAnswer }: AnswerFormProps) {
  const text = useText()
  const options = optionsOf(item)
  const draft = useDraft(`answer.${item.uuid}`, "")
  const choice = useDraft(`choice.${item.uuid}`, "")
  const own = draft.value.trim()
  const words = choice.value === "" ? own : choice.value
  const send = async () => {
    if (words === "" || !(await onAnswer(words))) return
    draft.drop()
    choice.drop()
  }
  return (
    <div className="mt-2 grid gap-2">
      {options.length > 0 && (
        <div role="group" aria-label={text("needsYou.answer")} className="flex flex-wrap gap-2">
          {options.map((option, at) => (
            <Button
              key={option}
              size="sm"
              data-option={at + 1}
              aria-pressed={choice.value === option}
              className="h-auto! min-h-7 max-w-full py-1 text-left wrap-anywhere whitespace-normal! aria-pressed:border-accent aria-pressed:ring-1 aria-pressed:ring-accent"
              onClick={() => choice.set(choice.value === option ? "" : option)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || choice.value !== option) return
                event.preventDefault()
                void send()
              }}
            >
              <span aria-hidden className="text-xs text-faint">
                {at + 1}
              </span>
              {option}
            </Button>
          ))}
        </div>
      )}
      <OwnWords
        rows={2}
        value={draft.value}
        aside={choice.value !== "" && own !== ""}
        label={text("needsYou.answer")}
        placeholder={text("needsYou.answerPlaceholder")}
        onChange={(typed) => {
          draft.set(typed)
          choice.drop()
        }}
        onSend={() => void send()}
      />
      <div className="flex items-center gap-2">
        <Button tone="primary" size="sm" disabled={words === ""} onClick={() => void send()}>
          {text("needsYou.send")}
        </Button>
        <DraftNote draft={draft} />
      </div>
    </div>
  )
}
