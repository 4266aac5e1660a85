import type { NewEvent } from "@chorus/contracts"
import { lock } from "@chorus/store"
import type { OperationContext } from "../operation.ts"
import { standingsOf, withAncestors } from "../operations/ideas/standings.ts"
import type { Reactor } from "./reactor.ts"
import { findSubjects } from "./subject.ts"

const BEGINNING = { derivedStatus: "todo", badgeHint: "open" }
const DECIDING_FIELDS = ["status", "elaborationStatus", "parentUuid", "isContainer"] as const

/** Tells readers when an idea stands elsewhere because of what happened to it, its proposals, its tasks or the ideas below it. */
export const announceStandings: Reactor = async (context, events) => {
  const { db, engine, emit } = context
  const deciding = events.filter(decides)
  const touched = await touchedIdeas(context, deciding)
  if (touched.length === 0) return
  // Two changes under one idea each see only half; the later one waits here and then sees both.
  const projectUuids = new Set(deciding.flatMap((event) => event.projectUuid ?? []))
  for (const uuid of [...projectUuids].sort()) await lock({ db, engine }, `standing:${uuid}`)
  const ideaUuids = await withAncestors(db, touched)
  const known = new Map(
    (await db.selectFrom("ideaStandings").selectAll().where("ideaUuid", "in", ideaUuids).execute()).map((row) => [
      row.ideaUuid,
      row,
    ]),
  )
  for (const [ideaUuid, standing] of await standingsOf(db, ideaUuids)) {
    const told = known.get(ideaUuid) ?? BEGINNING
    if (told.derivedStatus === standing.derivedStatus && told.badgeHint === standing.badgeHint) continue
    await db
      .insertInto("ideaStandings")
      .values({ ideaUuid, ...standing })
      .onConflict((conflict) => conflict.column("ideaUuid").doUpdateSet({ ...standing }))
      .execute()
    const { projectUuid } = await db
      .selectFrom("ideas")
      .select("projectUuid")
      .where("uuid", "=", ideaUuid)
      .executeTakeFirstOrThrow()
    emit({
      kind: "idea.progressed",
      entityType: "idea",
      entityUuid: ideaUuid,
      projectUuid,
      action: "updated",
      patch: { ...standing },
    })
  }
}

function decides({ entityType, action, patch }: NewEvent): boolean {
  if (entityType !== "idea" && entityType !== "proposal" && entityType !== "task") return false
  return action !== "updated" || DECIDING_FIELDS.some((field) => field in patch)
}

async function touchedIdeas(context: OperationContext, events: readonly NewEvent[]): Promise<string[]> {
  const ideas: string[] = []
  const proposals = new Set<string>()
  const tasks: NewEvent[] = []
  for (const event of events) {
    const { entityType, entityUuid, patch } = event
    if (entityType === "idea")
      ideas.push(entityUuid, ...("previousParentUuid" in patch ? named(patch.previousParentUuid) : []))
    if (entityType === "proposal") proposals.add(entityUuid)
    if (entityType !== "task") continue
    if (!("proposalUuid" in patch)) tasks.push(event)
    else for (const uuid of named(patch.proposalUuid)) proposals.add(uuid)
  }
  for (const { proposalUuid } of (await findSubjects(context, tasks)).values())
    for (const uuid of named(proposalUuid)) proposals.add(uuid)
  const fed =
    proposals.size === 0
      ? []
      : await context.db
          .selectFrom("proposalInputs")
          .select("ideaUuid")
          .where("proposalUuid", "in", [...proposals])
          .execute()
  return [...new Set([...ideas, ...fed.flatMap((input) => named(input.ideaUuid))])]
}

function named(uuid: string | null | undefined): string[] {
  return uuid ? [uuid] : []
}
