import type { OutputOf, ProjectId, runs } from "@chorus/contracts"
import { useMemo } from "react"
import { Badge } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { RUN_LABEL, RUN_TONE } from "./run.ts"

/** What nobody sees by who is at work on it. */
const SAID: ReadonlySet<runs.RunState> = new Set(["queued", "waiting", "failed", "stopped", "lost"])

/** On a card: that the newest run on it waits, or ended before it was done. */
export function RunMark({ projectUuid, taskUuid }: { readonly projectUuid: string; readonly taskUuid: string }) {
  const text = useText()
  const follow = useMemo(
    () =>
      followRows<OutputOf<typeof runs.listRuns>>({
        entity: "run",
        rows: "runs",
        belongs: (run) => run.projectUuid === projectUuid,
      }),
    [projectUuid],
  )
  const { answer } = useOperation("chorus_list_runs", { projectUuid: projectUuid as ProjectId, pageSize: 100 }, follow)
  const [newest] = (answer?.runs ?? [])
    .filter((run) => run.taskUuid === taskUuid && run.work === "build")
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  if (newest === undefined || !SAID.has(newest.state)) return null
  return <Badge tone={RUN_TONE[newest.state]}>{text(RUN_LABEL[newest.state])}</Badge>
}
