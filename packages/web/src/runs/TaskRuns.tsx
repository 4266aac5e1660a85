import type { TaskId } from "@chorus/contracts"
import { useMemo } from "react"
import { Rows, Section } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunsOf } from "./run.ts"
import { RunItem } from "./RunItem.tsx"

/** The runs on a task, newest first. */
export function TaskRuns({ taskUuid }: { readonly taskUuid: string }) {
  const text = useText()
  const follow = useMemo(() => followRunsOf(taskUuid), [taskUuid])
  const asked = { taskUuid: taskUuid as TaskId, pageSize: 20 }
  const { runs, total } = useOperation("chorus_list_runs", asked, follow).answer ?? { runs: [], total: 0 }
  if (runs.length === 0) return null
  return (
    <Section title={text("runs.title")} count={total}>
      <Rows label={text("runs.title")}>
        {runs.map((run) => (
          <RunItem key={run.uuid} run={run} />
        ))}
      </Rows>
    </Section>
  )
}
