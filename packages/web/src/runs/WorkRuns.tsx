import type { IdeaId, TaskId } from "@chorus/contracts"
import { useMemo } from "react"
import { Rows, Section } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followRunsOfIdea, followRunsOfTask } from "./run.ts"
import { RunItem } from "./RunItem.tsx"

type Of =
  | { readonly taskUuid: string; readonly ideaUuid?: undefined }
  | { readonly ideaUuid: string; readonly taskUuid?: undefined }

/** The newest runs on a task, or on an idea and the tasks of its plans. */
export function useWorkRuns({ taskUuid, ideaUuid }: Of) {
  const follow = useMemo(
    () => (taskUuid === undefined ? followRunsOfIdea(ideaUuid) : followRunsOfTask(taskUuid)),
    [taskUuid, ideaUuid],
  )
  const of = taskUuid === undefined ? { ideaUuid: ideaUuid as IdeaId } : { taskUuid: taskUuid as TaskId }
  return useOperation("chorus_list_runs", { ...of, pageSize: 20 }, follow).answer ?? { runs: [], total: 0 }
}

export function WorkRuns(of: Of) {
  const text = useText()
  const { runs, total } = useWorkRuns(of)
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
