import { projectSettings, work } from "@chorus/contracts"
import { patienceWith, WATCHED_MINUTES } from "@chorus/core"
import { askedOften, type Db, lock } from "@chorus/store"
import { sql } from "kysely"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { projectReached } from "../../reach.ts"

export const getWorkSettings = operation(work.getWorkSettings, async ({ db, actor }) => ({
  ...(await workSettings(db, actor.workspaceUuid)),
  watchedMinutes: WATCHED_MINUTES,
}))

export const updateWorkSettings = operation(work.updateWorkSettings, async ({ db, engine, actor, emit }, input) => {
  await lock({ db, engine }, `workspace-settings:${actor.workspaceUuid}`)
  const row = await db
    .selectFrom("workspaces")
    .select("settings")
    .where("uuid", "=", actor.workspaceUuid)
    .executeTakeFirstOrThrow()
  const settings = JSON.parse(row.settings) as Record<string, unknown>
  const changed = work.WorkSettings.parse({ ...(settings["work"] as object | undefined), ...input })
  await db
    .updateTable("workspaces")
    .set({ settings: JSON.stringify({ ...settings, work: changed }) })
    .where("uuid", "=", actor.workspaceUuid)
    .execute()
  emit({
    kind: "workspace.updated",
    entityType: "workspace",
    entityUuid: actor.workspaceUuid,
    projectUuid: null,
    action: "updated",
    patch: { work: changed },
  })
  return { ...changed, watchedMinutes: WATCHED_MINUTES }
})

export async function workSettings(db: Db, workspaceUuid: string): Promise<work.WorkSettings> {
  const row = await db.selectFrom("workspaces").select("settings").where("uuid", "=", workspaceUuid).executeTakeFirst()
  const settings = JSON.parse(row?.settings ?? "{}") as Record<string, unknown>
  return work.WorkSettings.parse(settings["work"] ?? {})
}

/** Whether a session, called `s` there, was heard of recently enough to count as active. */
export async function heardLately({ db, actor, now }: Pick<OperationContext, "db" | "actor" | "now">) {
  const { sessionInactiveMinutes: minutes } = await workSettings(db, actor.workspaceUuid)
  const since = (process: string | null) => minutesBefore(now, patienceWith({ process }, minutes))
  return sql<boolean>`s."lastActiveAt" > case when s."process" is null then cast(${since(null)} as text) else cast(${since("some")} as text) end`
}

export async function settingsOfProject(db: Db, projectUuid: string): Promise<projectSettings.ProjectSettings> {
  const row = await settingsIn(db, projectUuid)
  if (row === undefined) throw notFound("project", projectUuid)
  return projectSettings.ProjectSettings.parse(JSON.parse(row.settings))
}

const settingsIn = askedOften((db, projectUuid) =>
  db.selectFrom("projects").select("settings").where("uuid", "=", projectUuid),
)

/** The settings of the project that a task is in which the input names. */
export async function settingsAround(
  context: OperationContext,
  taskUuid: string,
): Promise<projectSettings.ProjectSettings> {
  const place = await projectReached(context, taskUuid)
  if (place === undefined) throw notFound("task", taskUuid)
  return projectSettings.ProjectSettings.parse(JSON.parse(place.settings))
}

export function minutesBefore(now: string, minutes: number): string {
  return new Date(Date.parse(now) - minutes * 60_000).toISOString()
}
