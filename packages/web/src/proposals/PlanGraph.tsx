import type { drafts, proposals } from "@chorus/contracts"
import { lazy, Suspense, useMemo } from "react"
import { Section, Skeleton } from "../design/index.ts"
import { followGraph, relations } from "../graph/graph.ts"
import type { GraphItem } from "../graph/item.ts"
import { itemOfTask } from "../graph/items-of.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"

const GraphPreview = lazy(async () => ({ default: (await import("../graph-preview/GraphPreview.tsx")).GraphPreview }))

interface PlanGraphProps {
  readonly proposal: proposals.ProposalDetail
  readonly tasks: readonly drafts.TaskDraft[]
  onChoose(draftUuid: string): void
}

/** How the tasks of a plan hang together; once approved, where each of them stands. Nothing where none waits for another. */
export function PlanGraph({ proposal, tasks, onChoose }: PlanGraphProps) {
  return proposal.status === "approved" ? (
    <TaskGraph proposal={proposal} onChoose={onChoose} />
  ) : (
    <DraftGraph tasks={tasks} onChoose={onChoose} />
  )
}

function DraftGraph({ tasks, onChoose }: Omit<PlanGraphProps, "proposal">) {
  const text = useText()
  const known = new Set(tasks.map(({ uuid }) => uuid))
  const edges = tasks.flatMap(({ uuid, dependsOnDraftUuids }) =>
    dependsOnDraftUuids.filter((other) => known.has(other)).map((dependsOnUuid) => ({ taskUuid: uuid, dependsOnUuid })),
  )
  const items = tasks.map(({ uuid, title, storyPoints }) => ({
    uuid,
    title,
    tone: "todo" as const,
    note: storyPoints === null ? undefined : text("board.pointsLong", { count: storyPoints }),
  }))
  return <Drawn items={items} edges={edges} onChoose={onChoose} />
}

function TaskGraph({ proposal, onChoose }: Pick<PlanGraphProps, "proposal" | "onChoose">) {
  const text = useText()
  const follow = useMemo(() => followGraph(proposal.projectUuid), [proposal.projectUuid])
  const input = { projectUuid: proposal.projectUuid, proposalUuids: [proposal.uuid] }
  const { answer } = useOperation("chorus_get_task_graph", input, follow)
  const items = useMemo(() => {
    if (answer === undefined) return []
    const facts = relations(answer.nodes, answer.edges)
    return answer.nodes.map((task) => itemOfTask(task, facts, text))
  }, [answer, text])
  const draftOf = new Map(proposal.materializedTasks?.map(({ draftUuid, taskUuid }) => [taskUuid, draftUuid]))
  const choose = (taskUuid: string) => {
    const draft = draftOf.get(taskUuid)
    if (draft !== undefined) onChoose(draft)
  }
  return <Drawn items={items} edges={answer?.edges ?? []} onChoose={choose} />
}

interface DrawnProps {
  readonly items: readonly GraphItem[]
  readonly edges: readonly { readonly taskUuid: string; readonly dependsOnUuid: string }[]
  onChoose(uuid: string): void
}

function Drawn({ items, edges, onChoose }: DrawnProps) {
  const text = useText()
  if (edges.length === 0) return null
  return (
    <Section title={text("proposals.graph")}>
      <Suspense fallback={<Skeleton className="h-48 w-full rounded-lg" />}>
        <GraphPreview label={text("proposals.graph")} nodes={items} edges={edges} onChoose={onChoose} />
      </Suspense>
    </Section>
  )
}
