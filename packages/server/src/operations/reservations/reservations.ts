import { ChorusError, type KindAbout, reservations } from "@chorus/contracts"
import { globsOverlap, normalGlob } from "@chorus/core"
import { lock, type Schema } from "@chorus/store"
import { type NameOf, namesOf, operation, type OperationContext, pageIn } from "../../operation.ts"
import { tellReserved } from "../changes/overlaps.ts"
import { touchOwnSession } from "../sessions/session-record.ts"
import { assertMayWork, findTask, notHolder, type TaskRecord, wrongStatus } from "../tasks/task-record.ts"

const DEFAULT_TTL_MINUTES = 60

export const reservePaths = operation(reservations.reservePaths, async (context, input) => {
  const { db, engine, actor } = context
  const task = await findTask(db, input.taskUuid)
  if (actor.type !== "agent") throw await notHolder(db, task)
  await assertMayWork(context, task)
  if (task.status !== "assigned" && task.status !== "in_progress") throw wrongStatus(task, "start")
  if (input.sessionUuid !== undefined) await touchOwnSession(context, input.sessionUuid)
  const globs = [...new Set(input.globs.map(asGlob))]
  await lock({ db, engine }, `paths-of:${task.projectUuid}`)
  await expireReservations(context, task.projectUuid)
  const held = await db
    .selectFrom("reservations")
    .selectAll()
    .where("projectUuid", "=", task.projectUuid)
    .where("releasedAt", "is", null)
    .execute()
  for (const glob of globs) {
    const conflict = held.find((other) => other.taskUuid !== task.uuid && globsOverlap(glob, other.glob))
    if (conflict !== undefined) throw await reserved(context, glob, conflict)
  }
  const kept = await keep(context, task, globs, held, input)
  const known = new Set(held.flatMap(({ taskUuid, glob }) => (taskUuid === task.uuid ? [glob] : [])))
  await tellReserved(
    context,
    task,
    globs.filter((glob) => !known.has(glob)),
  )
  return { reservations: kept }
})

export const releasePaths = operation(reservations.releasePaths, async (context, { taskUuid, globs }) => {
  const task = await findTask(context.db, taskUuid)
  await assertMayWork(context, task)
  await expireReservations(context, task.projectUuid)
  return { released: await endReservations(context, { taskUuid, globs: globs?.map(asGlob) }, "released") }
})

export const listReservations = operation(reservations.listReservations, async ({ db, now }, input) => {
  const { projectUuid, path } = input
  const held = await db
    .selectFrom("reservations")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .where("releasedAt", "is", null)
    .where("expiresAt", ">", now)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const wanted = path === undefined ? undefined : asGlob(path)
  const shown = pageIn(wanted === undefined ? held : held.filter((each) => globsOverlap(wanted, each.glob)), input)
  return { reservations: await reservationRows({ db }, shown.rows), ...shown.page }
})

export const sweepReservations = operation(reservations.sweepReservations, async (context) => ({
  expired: await expireReservations(context),
}))

/** Reserving again what the task already has only prolongs it. */
async function keep(
  context: OperationContext,
  task: TaskRecord,
  globs: readonly string[],
  held: readonly Schema["reservations"][],
  input: { ttlMinutes?: number | undefined; sessionUuid?: string | undefined; reason?: string | undefined },
): Promise<reservations.ReservationRow[]> {
  const { db, actor, now, newId, emit } = context
  const expiresAt = new Date(Date.parse(now) + (input.ttlMinutes ?? DEFAULT_TTL_MINUTES) * 60_000).toISOString()
  const kept: Schema["reservations"][] = []
  for (const glob of globs) {
    const own = held.find((each) => each.taskUuid === task.uuid && each.glob === glob)
    const record =
      own === undefined
        ? await db
            .insertInto("reservations")
            .values({
              uuid: newId(),
              projectUuid: task.projectUuid,
              taskUuid: task.uuid,
              agentUuid: actor.uuid,
              sessionUuid: input.sessionUuid ?? null,
              glob,
              reason: input.reason ?? null,
              createdAt: now,
              expiresAt,
              releasedAt: null,
              releaseReason: null,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
        : await db
            .updateTable("reservations")
            .set({ expiresAt })
            .where("uuid", "=", own.uuid)
            .returningAll()
            .executeTakeFirstOrThrow()
    kept.push(record)
  }
  const rows = await reservationRows(context, kept)
  for (const row of rows) {
    const fresh = row.createdAt === now
    const event = fresh
      ? ({ kind: "reservation.created", action: "created", patch: row } as const)
      : ({ kind: "reservation.prolonged", action: "updated", patch: { expiresAt } } as const)
    emit({ ...event, entityType: "reservation", entityUuid: row.uuid, projectUuid: task.projectUuid })
  }
  return rows
}

function asGlob(text: string): string {
  const normal = normalGlob(text)
  if ("glob" in normal) return normal.glob
  throw new ChorusError("invalid_glob", `${JSON.stringify(text)} cannot be reserved: ${normal.fault}.`, {
    next: "Give paths relative to the repository, such as src/server/**.",
  })
}

async function reserved(
  { db }: OperationContext,
  glob: string,
  conflict: Schema["reservations"],
): Promise<ChorusError> {
  const nameOf = await namesOf(db, [conflict.agentUuid])
  const holder = nameOf("agent", conflict.agentUuid)
  const task = await findTask(db, conflict.taskUuid)
  return new ChorusError(
    "paths_reserved",
    `${glob} meets ${conflict.glob}, which ${holder?.name ?? "another agent"} has reserved for "${task.title}" until ${conflict.expiresAt}.`,
    {
      status: 409,
      next: "Work on other paths first, reserve fewer, or wait until it is released.",
      details: { glob, reserved: conflict.glob, holder, taskUuid: conflict.taskUuid, expiresAt: conflict.expiresAt },
    },
  )
}

export function reservationRow(record: Schema["reservations"], nameOf: NameOf): reservations.ReservationRow {
  const { agentUuid, ...rest } = record
  return { ...rest, agent: nameOf("agent", agentUuid) ?? { type: "agent", uuid: agentUuid, name: "unknown" } }
}

export async function reservationRows(
  { db }: Pick<OperationContext, "db">,
  records: readonly Schema["reservations"][],
): Promise<reservations.ReservationRow[]> {
  const nameOf = await namesOf(
    db,
    records.map((record) => record.agentUuid),
  )
  return records.map((record) => reservationRow(record, nameOf))
}

/** Releases a task's reservations, all or those of the named globs; returns how many were still held. */
export async function endReservations(
  context: OperationContext,
  which: { taskUuid: string; globs?: readonly string[] | undefined },
  reason: "released" | "task_ended",
): Promise<number> {
  const { db, now } = context
  let query = db
    .updateTable("reservations")
    .set({ releasedAt: now, releaseReason: reason })
    .where("taskUuid", "=", which.taskUuid)
    .where("releasedAt", "is", null)
  if (which.globs !== undefined) query = query.where("glob", "in", which.globs)
  const ended = await query.returningAll().execute()
  announceEnd(context, ended, "reservation.released")
  return ended.length
}

/** Marks what ran out in a project, or in the whole workspace, at the time it did. */
export async function expireReservations(context: OperationContext, projectUuid?: string): Promise<number> {
  const { db, actor, now } = context
  let query = db
    .updateTable("reservations")
    .set(({ ref }) => ({ releasedAt: ref("expiresAt"), releaseReason: "expired" as const }))
    .where("releasedAt", "is", null)
    .where("expiresAt", "<=", now)
  query =
    projectUuid === undefined
      ? query.where(
          "projectUuid",
          "in",
          db.selectFrom("projects").select("uuid").where("workspaceUuid", "=", actor.workspaceUuid),
        )
      : query.where("projectUuid", "=", projectUuid)
  const ended = await query.returningAll().execute()
  announceEnd(context, ended, "reservation.expired")
  return ended.length
}

function announceEnd(
  { emit }: OperationContext,
  ended: readonly Schema["reservations"][],
  kind: KindAbout<"reservation", "updated">,
): void {
  for (const { uuid, projectUuid, taskUuid, glob, releasedAt, releaseReason } of ended) {
    emit({
      kind,
      entityType: "reservation",
      entityUuid: uuid,
      projectUuid,
      action: "updated",
      patch: { taskUuid, glob, releasedAt, releaseReason },
    })
  }
}
