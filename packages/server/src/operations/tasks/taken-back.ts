import type { Db } from "@chorus/store"

/** What others took from somebody and nobody has had since, each in words: by whom, and why. */
export async function takenBack(
  db: Db,
  fromUuid: string,
  taskUuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (taskUuids.length === 0) return new Map()
  const steps = await db
    .selectFrom("events")
    .select(["entityUuid", "kind", "actorName", "patch"])
    .where("entityUuid", "in", taskUuids)
    .where("kind", "in", ["task.assigned", "task.claimed", "task.reclaimed"])
    .orderBy("id")
    .execute()
  const last = new Map(steps.map((step) => [step.entityUuid, step]))
  return new Map(
    [...last.values()].flatMap(({ entityUuid, kind, actorName, patch }) => {
      const { from, reason, silentSince } = JSON.parse(patch) as Taking
      if (kind !== "task.reclaimed" || from?.uuid !== fromUuid || silentSince !== undefined) return []
      const why = reason === undefined ? "" : `: ${reason.replace(/[.\s]+$/, "")}`
      return [[entityUuid, `taken back from you by ${actorName}${why}`] as const]
    }),
  )
}

interface Taking {
  readonly from?: { readonly uuid: string } | null
  readonly reason?: string
  readonly silentSince?: string
}
