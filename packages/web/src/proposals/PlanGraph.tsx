import type { drafts } from "@chorus/contracts"
import { lazy, Suspense } from "react"
import { Section, Skeleton } from "../design/index.ts"
import { useText } from "../i18n/language.ts"

const GraphPreview = lazy(async () => ({ default: (await import("../graph-preview/GraphPreview.tsx")).GraphPreview }))

/** How the tasks of a plan hang together; nothing where none waits for another. */
export function PlanGraph({
  tasks,
  onChoose,
}: {
  readonly tasks: readonly drafts.TaskDraft[]
  onChoose(draftUuid: string): void
}) {
  const text = useText()
  const known = new Set(tasks.map(({ uuid }) => uuid))
  const edges = tasks.flatMap(({ uuid, dependsOnDraftUuids }) =>
    dependsOnDraftUuids.filter((other) => known.has(other)).map((dependsOnUuid) => ({ taskUuid: uuid, dependsOnUuid })),
  )
  if (edges.length === 0) return null
  return (
    <Section title={text("proposals.graph")}>
      <Suspense fallback={<Skeleton className="h-48 w-full rounded-lg" />}>
        <GraphPreview
          label={text("proposals.graph")}
          nodes={tasks.map(({ uuid, title, storyPoints }) => ({
            uuid,
            title,
            tone: "todo" as const,
            note: storyPoints === null ? undefined : text("board.pointsLong", { count: storyPoints }),
          }))}
          edges={edges}
          onChoose={onChoose}
        />
      </Suspense>
    </Section>
  )
}
