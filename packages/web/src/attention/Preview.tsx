import { MousePointerClick } from "lucide-react"
import { type ReactNode, useMemo } from "react"
import { EmptyState, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { followElaboration } from "../ideas/follow-idea.ts"
import { Questions } from "../ideas/Questions.tsx"
import { ShortId } from "../projects/ShortId.tsx"
import { AgentQuestions } from "./AgentQuestions.tsx"
import { choicesFor, type Item, titleOf } from "./decide.ts"
import { type Subject, Summary } from "./Summary.tsx"
import { PANE, VerifyWork } from "./VerifyWork.tsx"
import { AnswerForm, Asked } from "./WaitingCard.tsx"

interface PreviewProps {
  readonly item: Item | undefined
  readonly may: boolean
  readonly actions: ReactNode
  onAnswer(item: Item, words: string, data?: Readonly<Record<string, unknown>>): Promise<boolean>
  onVerify(subject: Subject, passing: readonly string[]): void
  onSendBack(item: Item): void
}

/** What is needed to decide about an item. */
export function Preview({ item, may, actions, onAnswer, onVerify, onSendBack }: PreviewProps) {
  const text = useText()
  if (item === undefined)
    return (
      <EmptyState icon={MousePointerClick} title={text("needsYou.preview")}>
        {text("needsYou.choose")}
      </EmptyState>
    )
  const head = (
    <>
      <h2 className="text-lg font-semibold wrap-anywhere">
        {item.shortId !== null && <ShortId shortId={item.shortId} />}
        <InlineCode text={titleOf(text, item)} />
      </h2>
      <div className="mt-2 mb-3 flex flex-wrap gap-2">{actions}</div>
    </>
  )
  if (isSubject(item) && item.kind === "task")
    return (
      <VerifyWork
        key={item.uuid}
        taskUuid={item.uuid}
        may={may}
        head={head}
        onVerify={(passing) => onVerify(item, passing)}
        onSendBack={() => onSendBack(item)}
      />
    )
  return (
    <div key={item.uuid} className={PANE}>
      {head}
      <Content item={item} may={may} onAnswer={onAnswer} />
    </div>
  )
}

function Content({ item, may, onAnswer }: { readonly item: Item } & Pick<PreviewProps, "may" | "onAnswer">) {
  if (isSubject(item))
    return (
      <>
        <Asked attention={item.attention} />
        <Summary subject={item} />
      </>
    )
  const { kind, ideaUuid, attention } = item
  if (kind === "elaboration" && ideaUuid !== null) return <Round ideaUuid={ideaUuid} roundUuid={item.uuid} may={may} />
  const answer = (words: string, data?: Readonly<Record<string, unknown>>) => onAnswer(item, words, data)
  return (
    <>
      <Asked attention={attention} />
      {attention !== null && <AgentQuestions attention={attention} open={may} onAnswer={answer} />}
      {choicesFor(item).text && may && <AnswerForm item={item} onAnswer={answer} />}
    </>
  )
}

function Round({
  ideaUuid,
  roundUuid,
  may,
}: {
  readonly ideaUuid: string
  readonly roundUuid: string
  readonly may: boolean
}) {
  const follow = useMemo(() => followElaboration(ideaUuid), [ideaUuid])
  const { answer } = useOperation("chorus_get_elaboration", { ideaUuid }, follow)
  const round = answer?.rounds.find(({ uuid }) => uuid === roundUuid)
  return round === undefined ? <SkeletonRows rows={2} /> : <Questions round={round} open={may} />
}

/** Whether it is decided by a yes that has to be seen first. */
export function isSubject(item: Item): item is Item & Subject {
  return item.kind === "proposal" || item.kind === "task" || item.attention?.kind === "change"
}

/** Work and questions are decided within their preview: a second button below would send nothing. */
export function hasOwnButtons({ kind }: Item): boolean {
  return kind === "task" || kind === "elaboration"
}
