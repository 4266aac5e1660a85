import { useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { Page, Problem, Segmented, SkeletonRows } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { BurnUp } from "./BurnUp.tsx"
import { CostBars } from "./CostBars.tsx"
import { CumulativeFlow, CycleTime, Throughput } from "./Flow.tsx"
import { Timeline } from "./Timeline.tsx"

type Days = "7" | "30" | "90"

const STEPS = new Set([
  "task.created",
  "task.verified",
  "task.submitted",
  "task.started",
  "task.closed",
  "task.reopened",
])

/** How work flows, how long it takes, what it costs and who did it when. */
export function InsightsPage() {
  const text = useText()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/insights" })
  const [days, setDays] = useState<Days>("30")
  const since = useMemo(() => sinceDays(Number(days)), [days])
  const { answer, status, error, reload } = useOperation(
    "chorus_get_flow",
    { projectUuid, days: Number(days), offsetMinutes: -new Date().getTimezoneOffset() },
    reloadWhen((event) => event.projectUuid === projectUuid && STEPS.has(event.kind)),
  )
  return (
    <Page
      width="wide"
      title={text("nav.insights")}
      actions={
        <Segmented<Days>
          label={text("insights.range")}
          value={days}
          onChange={setDays}
          options={[
            { value: "7", label: text("insights.days", { count: 7 }) },
            { value: "30", label: text("insights.days", { count: 30 }) },
            { value: "90", label: text("insights.days", { count: 90 }) },
          ]}
        />
      }
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer !== undefined && (
        <div className="grid grid-cols-1 gap-4">
          <CycleTime flow={answer} />
          <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
            <CumulativeFlow flow={answer} />
            <BurnUp burnUp={answer.burnUp} />
          </div>
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
            <Throughput flow={answer} />
            <CostBars projectUuid={projectUuid} by="idea" since={since} />
            <CostBars projectUuid={projectUuid} by="agent" since={since} />
          </div>
          <Timeline projectUuid={projectUuid} since={since} />
        </div>
      )}
    </Page>
  )
}

function sinceDays(days: number): string {
  const start = new Date()
  start.setHours(0, 0, 0, 0)
  start.setDate(start.getDate() - days + 1)
  return start.toISOString()
}
