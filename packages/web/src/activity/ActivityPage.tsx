import { useParams } from "@tanstack/react-router"
import { Activity } from "lucide-react"
import { useMemo, useState } from "react"
import { Button, EmptyState, Page, Problem, Segmented, SkeletonRows, toastError } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Follow } from "../live/live-store.ts"
import { useLive, useOperation } from "../live/use-operation.ts"
import type { activity, OutputOf } from "@chorus/contracts"
import { ActivityFeed } from "./ActivityFeed.tsx"
import { isWorthTelling, joined, type Line, lineOf, withTitles } from "./feed.ts"

type Answer = OutputOf<typeof activity.getActivity>
type Whose = "all" | "user" | "agent"

const PAGE = 50

export function ActivityPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/activity" })
  const { client } = useLive()
  const follow = useMemo(() => followActivity(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_activity", { projectUuid, pageSize: PAGE }, follow)
  const [older, setOlder] = useState<readonly Line[]>([])
  const [page, setPage] = useState(1)
  const [whose, setWhose] = useState<Whose>("all")
  const lines = withTitles(joined(answer?.activities ?? [], older)).filter(
    (line) => isWorthTelling(line) && (whose === "all" || line.actor.type === whose),
  )
  const more = answer !== undefined && page * PAGE < answer.total
  const loadOlder = async () => {
    try {
      const next = await client.call("chorus_get_activity", { projectUuid, pageSize: PAGE, page: page + 1 })
      setPage(page + 1)
      setOlder((now) => [...now, ...next.activities])
    } catch (fault) {
      toastError(fault)
    }
  }
  return (
    <Page
      title={text("nav.activity")}
      actions={
        <Segmented
          label={text("activity.who")}
          value={whose}
          onChange={setWhose}
          options={[
            { value: "all", label: text("activity.all") },
            { value: "user", label: text("activity.people") },
            { value: "agent", label: text("activity.agents") },
          ]}
        />
      }
    >
      {status === "loading" && <SkeletonRows rows={8} />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && lines.length === 0 && (
        <EmptyState icon={Activity} title={text("activity.empty")}>
          {text("activity.emptyLead")}
        </EmptyState>
      )}
      <ActivityFeed lines={lines} />
      {more && (
        <div className="mt-4 flex justify-center">
          <Button onClick={() => void loadOlder()}>{text("activity.older")}</Button>
        </div>
      )}
    </Page>
  )
}

export function followActivity(projectUuid: string): Follow<Answer> {
  return {
    apply(answer, event) {
      if (event.projectUuid !== projectUuid) return answer
      if (answer.activities.some(({ id }) => id === event.id)) return answer
      const titles = new Map(
        answer.activities.flatMap(({ targetUuid, targetTitle }) =>
          targetTitle === null ? [] : [[targetUuid, targetTitle] as const],
        ),
      )
      return { ...answer, activities: joined([lineOf(event, titles)], answer.activities), total: answer.total + 1 }
    },
  }
}
