import { MousePointerClick } from "lucide-react"
import { type ReactNode, useMemo } from "react"
import { EmptyState, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followElaboration } from "../ideas/follow-idea.ts"
import { Questions } from "../ideas/Questions.tsx"
import { AgentQuestions } from "./AgentQuestions.tsx"
import type { Item } from "./decide.ts"
import { type Subject, Summary } from "./Summary.tsx"
import { Asked } from "./WaitingCard.tsx"

/** What is needed to decide about an item, beside the queue. */
export function Preview({
  item,
  may,
  actions,
}: {
  readonly item: Item | undefined
  readonly may: boolean
  readonly actions: ReactNode
}) {
  const text = useText()
  return (
    <section
      aria-label={text("needsYou.preview")}
      className="hidden min-h-0 w-[42%] max-w-2xl shrink-0 overflow-y-auto border-l border-line p-6 lg:block"
    >
      {item === undefined ? (
        <EmptyState icon={MousePointerClick} title={text("needsYou.preview")}>
          {text("needsYou.choose")}
        </EmptyState>
      ) : (
        <>
          <div className="mb-3 flex items-start gap-3">
            <h2 className="min-w-0 flex-1 text-lg font-semibold wrap-anywhere">{item.title}</h2>
            {actions}
          </div>
          <Content key={item.uuid} item={item} may={may} />
        </>
      )}
    </section>
  )
}

function Content({ item, may }: { readonly item: Item; readonly may: boolean }) {
  if (isSubject(item)) return <Summary subject={item} />
  const { kind, ideaUuid } = item
  return kind === "elaboration" && ideaUuid !== null ? (
    <Round ideaUuid={ideaUuid} roundUuid={item.uuid} may={may} />
  ) : (
    <>
      <Asked item={item} />
      {item.attention !== null && <AgentQuestions attention={item.attention} open={false} />}
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
  return item.kind === "proposal" || item.kind === "task"
}
