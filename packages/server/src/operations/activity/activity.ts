import { activity } from "@chorus/contracts"
import { askedOften, type Db, inStretches, lastPosition, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { whatMayBeRead } from "../../may-see.ts"
import { type Actor, costly, offsetOf, pageOf } from "../../operation.ts"
import { KeptAnswers } from "../task-work/kept-answers.ts"
import { titlesOf } from "./titles.ts"

export const getActivity = costly(activity.getActivity, async ({ db, actor }, input) => {
  const { projectUuid, entityUuid, actorUuid, before: end, ...page } = input
  let lines = linesFor(db, actor).where("projectUuid", "=", projectUuid)
  if (entityUuid !== undefined) lines = lines.where("entityUuid", "in", await withWhatHangsOn(db, entityUuid))
  if (actorUuid !== undefined) lines = lines.where("actorUuid", "=", actorUuid)
  const position = await lastPosition(db, actor.workspaceUuid)
  const oldest = await oldestOf(db, projectUuid)
  // What was pruned is counted no more; else only what came since is.
  const key = JSON.stringify([
    projectUuid,
    entityUuid,
    actorUuid,
    actor.type === "agent" && [actor.uuid, ...actor.permissions],
    oldest?.id,
  ])
  const [rows, total] = await Promise.all([
    (end === undefined ? lines : lines.where("id", "<", end))
      .selectAll()
      .orderBy("id", "desc")
      .offset(offsetOf(page))
      .limit(page.pageSize)
      .execute(),
    totals.get(db, key, position, async (before) => {
      let total = before?.answer ?? 0
      await inStretches({ from: position, to: (before?.position ?? 0) + 1 }, async (low, high) => {
        const here = lines.where("id", ">=", low).where("id", "<=", high)
        const { count } = await here.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow()
        total += count
        return false
      })
      return total
    }),
  ])
  return { activities: await activityRows(db, rows), ...pageOf(page, rows.length, total) }
})

/** A thing, what was said about it and attached to it, and who stayed at it: its history is theirs too. */
async function withWhatHangsOn(db: Db, uuid: string): Promise<string[]> {
  const hanging = await Promise.all(
    (["reviews", "findings", "attachmentFiles"] as const).map((table) =>
      db.selectFrom(table).select("uuid").where("targetUuid", "=", uuid).execute(),
    ),
  )
  const stays = await db.selectFrom("checkins").select("uuid").where("taskUuid", "=", uuid).execute()
  return [uuid, ...[...hanging.flat(), ...stays].map((row) => row.uuid)]
}

const totals = new KeptAnswers<number>(1000)

const oldestOf = askedOften((db, projectUuid) =>
  db.selectFrom("events").select("id").where("projectUuid", "=", projectUuid).orderBy("id").limit(1),
)

/** The lines of the log that are for this reader, as `maySee` has it; which projects it reaches is up to the caller. */
export function linesFor(db: Db, actor: Actor) {
  const lines = db
    .selectFrom("events")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("entityType", "<>", "notification")
    .where((line) => line.and(whatMayBeRead(actor).map((readable) => readable(line))))
  if (actor.type !== "agent") return lines
  const asked = db.selectFrom("attentions").select("uuid").where("agentUuid", "=", actor.uuid)
  return lines
    .where("entityType", "<>", "member")
    .where(({ or, eb }) => or([eb("entityType", "<>", "attention"), eb("entityUuid", "in", asked)]))
}

/** Lines of the log with the titles of what they are about. */
export async function activityRows(db: Db, events: readonly Schema["events"][]): Promise<activity.ActivityRow[]> {
  const values = events.map(({ patch }) => JSON.parse(patch) as Record<string, unknown>)
  const about = values.flatMap(({ targetType: entityType, targetUuid: entityUuid, taskUuid }) => [
    ...(typeof entityType === "string" && typeof entityUuid === "string" ? [{ entityType, entityUuid }] : []),
    ...(typeof taskUuid === "string" ? [{ entityType: "task", entityUuid: taskUuid }] : []),
  ])
  const titles = await titlesOf(db, [...events, ...about])
  return events.map((event, at) => {
    const value = values[at] ?? {}
    return {
      id: event.id,
      uuid: String(event.id),
      projectUuid: event.projectUuid,
      targetType: event.entityType,
      targetUuid: event.entityUuid,
      targetTitle:
        titles.get(event.entityUuid) ??
        titles.get(text(value["targetUuid"]) ?? text(value["taskUuid"]) ?? "") ??
        text(value["title"]) ??
        text(value["name"]) ??
        text(value["taskTitle"]),
      kind: event.kind,
      action: event.kind.slice(event.kind.indexOf(".") + 1),
      value,
      actor: { type: event.actorType, uuid: event.actorUuid, name: event.actorName },
      actorType: event.actorType,
      actorUuid: event.actorUuid,
      actorName: event.actorName,
      sessionUuid: text(value["sessionUuid"]),
      sessionName: text(value["sessionName"]),
      createdAt: event.at,
    }
  })
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null
}
