import type { OutputOf, projectVisits } from "@chorus/contracts"
import { useEffect } from "react"
import { amending, useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"

type Visit = OutputOf<typeof projectVisits.listVisits>["visits"][number]

const MOST_UNPINNED = 8

/** What belongs within reach: all that is pinned, then the rest in its own order, of many only those visited last and the one at hand. */
export function atHand<Project extends { readonly uuid: string }>(
  projects: readonly Project[],
  visits: readonly Visit[],
  here: string | undefined,
): Project[] {
  const visitOf = new Map(visits.map((visit) => [visit.projectUuid, visit]))
  const isPinned = ({ uuid }: Project) => (visitOf.get(uuid)?.pinnedAt ?? null) !== null
  const rest = projects.filter((project) => !isPinned(project))
  const lastVisit = ({ uuid }: Project) => visitOf.get(uuid)?.lastVisitedAt ?? ""
  const latest = new Set(
    rest.toSorted((one, other) => lastVisit(other).localeCompare(lastVisit(one))).slice(0, MOST_UNPINNED),
  )
  return [...projects.filter(isPinned), ...rest.filter((project) => latest.has(project) || project.uuid === here)]
}

export function useVisits(): readonly Visit[] {
  return useOperation("chorus_get_my_projects", {}).answer?.visits ?? []
}

/** Remembers where the person is. Failing costs nothing but the order of a list, so nobody is told. */
export function useVisit(projectUuid: string | undefined): void {
  const { run } = useAction("chorus_visit_project")
  useEffect(() => {
    if (projectUuid !== undefined) run({ projectUuid }, { tell: false }).catch(() => undefined)
  }, [projectUuid, run])
}

export function usePin(): (projectUuid: string, pinned: boolean) => void {
  const { run } = useAction("chorus_pin_project")
  return (projectUuid, pinned) => {
    const now = new Date().toISOString()
    const visit: Visit = { projectUuid, lastVisitedAt: now, pinnedAt: pinned ? now : null }
    void run(
      { projectUuid, pinned },
      {
        amend: [
          amending("chorus_get_my_projects", {}, ({ visits }) => ({
            visits: [visit, ...visits.filter((other) => other.projectUuid !== projectUuid)],
          })),
        ],
      },
    )
  }
}
