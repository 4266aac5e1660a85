import type { checks, OutputOf, TaskId } from "@chorus/contracts"
import { useMemo } from "react"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

export type Checks = OutputOf<typeof checks.getChecks>

/** What was checked on a task; while a check runs, the end of its output comes with the log. */
export function useChecks(taskUuid: string): Checks | undefined {
  const follow = useMemo(() => followChecks(taskUuid), [taskUuid])
  return useOperation("chorus_get_checks", { taskUuid: taskUuid as TaskId }, follow).answer
}

function followChecks(taskUuid: string): Follow<Checks> {
  return {
    apply(answer, event) {
      if (event.entityType === "task") return event.entityUuid === taskUuid ? undefined : answer
      if (event.entityType === "runner") return answer.obstacle === null ? answer : undefined
      if (event.entityType !== "check" || event.patch.taskUuid !== taskUuid) return answer
      const { patch } = event
      const known = answer.checks.some(({ uuid }) => uuid === patch.uuid)
      if (!known) return undefined
      return { ...answer, checks: answer.checks.map((row) => (row.uuid === patch.uuid ? { ...row, ...patch } : row)) }
    },
  }
}

/** The newest check of a criterion, or of one of the project's commands. */
export function newestOf(
  answer: Checks | undefined,
  { criterionUuid, command }: Pick<checks.Checkable, "criterionUuid" | "command">,
): checks.CheckRow | undefined {
  return answer?.checks.find((row) => row.criterionUuid === criterionUuid && row.command === command)
}

/** Those of the newest checks that say no, or prove nothing because the work changed what they run. */
export function redOf(answer: Checks | undefined): checks.CheckRow[] {
  const newest = answer?.checkable.flatMap((item) => newestOf(answer, item) ?? []) ?? []
  return newest.filter((row) => row.state === "failed" || (row.state === "passed" && row.touched.length > 0))
}

export function isTrusted({ source, touched }: Pick<checks.CheckRow, "source" | "touched">): boolean {
  return source !== "agent" && touched.length === 0
}
