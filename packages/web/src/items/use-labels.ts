import type { labels, OutputOf } from "@chorus/contracts"
import { useMemo } from "react"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof labels.listLabels>

export function followLabels(projectUuid: string | undefined): Follow<Answer> {
  return followRows<Answer>({
    entity: "label",
    rows: "labels",
    append: true,
    belongs: (row, event) => event.projectUuid === projectUuid && row.projectUuid === projectUuid,
  })
}

/** The labels a project has, and their colours. */
export function useLabels(projectUuid: string | undefined): {
  readonly labels: readonly labels.LabelRow[]
  readonly hues: ReadonlyMap<string, number>
} {
  const follow = useMemo(() => followLabels(projectUuid), [projectUuid])
  const input = projectUuid === undefined ? null : { projectUuid, pageSize: 200 }
  const { answer } = useOperation("chorus_list_labels", input, follow)
  return useMemo(() => {
    const known = (answer?.labels ?? []).toSorted((a, b) => a.name.localeCompare(b.name))
    return { labels: known, hues: new Map(known.map(({ name, hue }) => [name, hue])) }
  }, [answer])
}
