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
      if (event.kind === "project.settings_changed") return undefined
      if (event.entityType === "runner") return answer.obstacle === null ? answer : undefined
      if (event.entityType === "change") return event.patch.taskUuid === taskUuid ? undefined : answer
      if (event.entityType !== "check" || event.patch.taskUuid !== taskUuid) return answer
      const { patch } = event
      if (patch.preview !== null && patch.preview !== undefined) {
        const { preview } = answer
        const latest = preview?.latest ?? null
        if (preview === null || latest === null || latest.uuid !== patch.uuid) return undefined
        return { ...answer, preview: { ...preview, latest: { ...latest, ...patch } } }
      }
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

export const STANDINGS = ["passed", "failed", "void", "outdated", "claimed", "underWay", "notRun"] as const
export type Standing = (typeof STANDINGS)[number]

/**
 * The commands of a task by how each stands: one whose work changed what it runs, or is another by now, proves nothing,
 * whatever it ended with.
 */
export function byStanding(answer: Checks | undefined): Readonly<Partial<Record<Standing, readonly string[]>>> {
  const standing = Map.groupBy(answer?.checkable ?? [], (item) => standingOf(newestOf(answer, item)))
  return Object.fromEntries([...standing].map(([each, items]) => [each, items.map(({ command }) => command)]))
}

function standingOf(check: checks.CheckRow | undefined): Standing {
  if (check === undefined || check.state === "not_run") return "notRun"
  if (check.state === "queued" || check.state === "running") return "underWay"
  if (check.outdated) return "outdated"
  if (check.state === "failed") return "failed"
  if (check.touched.length > 0) return "void"
  return check.source === "agent" ? "claimed" : "passed"
}

export function isTrusted({
  source,
  touched,
  outdated,
}: Pick<checks.CheckRow, "source" | "touched" | "outdated">): boolean {
  return source !== "agent" && touched.length === 0 && !outdated
}
