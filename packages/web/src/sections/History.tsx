import type { activity, OutputOf } from "@chorus/contracts"
import { useMemo } from "react"
import { ActivityFeed } from "../activity/ActivityFeed.tsx"
import { aboutOf, isWorthTelling, joined, lineOf, withTitles } from "../activity/feed.ts"
import { Nothing, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof activity.getActivity>

interface HistoryProps {
  readonly projectUuid: string
  readonly entityUuid: string
}

/** What happened to one thing, live. */
export function History({ projectUuid, entityUuid }: HistoryProps) {
  const text = useText()
  const follow = useMemo(() => followOneThing(entityUuid), [entityUuid])
  const { answer, status } = useOperation("chorus_get_activity", { projectUuid, entityUuid, pageSize: 100 }, follow)
  if (status === "loading") return <SkeletonRows rows={3} />
  const lines = withTitles(answer?.activities ?? []).filter(isWorthTelling)
  return lines.length === 0 ? <Nothing>{text("activity.empty")}</Nothing> : <ActivityFeed lines={lines} />
}

function followOneThing(entityUuid: string): Follow<Answer> {
  return {
    apply(answer, event) {
      const line = lineOf(event, new Map())
      const about = line.targetUuid === entityUuid || aboutOf(line) === entityUuid
      return about && isWorthTelling(line) ? { ...answer, activities: joined([line], answer.activities) } : answer
    },
  }
}
