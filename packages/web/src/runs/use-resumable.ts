import type { TaskId } from "@chorus/contracts"
import { isEnded } from "@chorus/core"
import { useMemo } from "react"
import { useOperation } from "../live/use-operation.ts"
import { followRunners, followRunsOfTask, type Run } from "./run.ts"

/** The run that did a task's work last, where it has ended, has means left, and its machine is there to go on with it. */
export function useResumable(taskUuid: string): Run | undefined {
  const follow = useMemo(() => followRunsOfTask(taskUuid), [taskUuid])
  const runs = useOperation("chorus_list_runs", { taskUuid: taskUuid as TaskId, pageSize: 20 }, follow).answer?.runs
  const runners = useOperation("chorus_list_runners", {}, followRunners).answer?.runners
  const last = runs?.find(({ work }) => work === "build")
  if (last === undefined || !isEnded(last.state) || last.stoppedFor === "budget") return undefined
  return runners?.some(({ machine, present }) => present && machine === last.machine) === true ? last : undefined
}
