import { ChorusError, reservations } from "@chorus/contracts"
import { globsOverlap, normalGlob } from "@chorus/core"
import { lock, type Schema } from "@chorus/store"
import { namesOf, operation, type OperationContext } from "../../operation.ts"
import { touchOwnSession } from "../sessions/session-record.ts"
import { assertMayWork, findTask, notHolder, type TaskRecord, wrongStatus } from "../tasks/task-record.ts"
import { endReservations, expireReservations, reservationRows } from "./reservation-end.ts"

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
  return { reservations: await keep(context, task, globs, held, input) }
})

export const releasePaths = operation(reservations.releasePaths, async (context, { taskUuid, globs }) => {
  const task = await findTask(context.db, taskUuid)
  await assertMayWork(context, task)
  await expireReservations(context, task.projectUuid)
  return { released: await endReservations(context, { taskUuid, globs: globs?.map(asGlob) }, "released") }
})

export const listReservations = operation(reservations.listReservations, async ({ db, now }, { projectUuid, path }) => {
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
  return {
    reservations: await reservationRows(
      { db },
      wanted === undefined ? held : held.filter((each) => globsOverlap(wanted, each.glob)),
    ),
  }
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
