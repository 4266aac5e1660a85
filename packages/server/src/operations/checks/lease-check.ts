import { type changes, checks, ChorusError, type OutputOf } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { forbidden, notFound, operation, type OperationContext } from "../../operation.ts"
import { newestShown } from "../changes/change-record.ts"
import { machineOf } from "../machines/machine-lane.ts"
import { LIVE } from "../runs/waits.ts"
import { findTask } from "../tasks/task-record.ts"
import { AWAY_MS } from "./check-queue.ts"
import { type CheckRecord, keep, PENDING } from "./check-record.ts"
import { ended } from "./checks.ts"
import { conclude } from "./conclude.ts"
import { previewsOver } from "./preview.ts"

type Leased = OutputOf<typeof checks.leaseCheck>["check"]

const LEASE_MS = 60_000
const MOST_ATTEMPTS = 3

export const leaseCheck = operation(checks.leaseCheck, async (context, { machine, kinds, previews }) => {
  const { db, actor, now, newId } = context
  if (actor.type !== "agent") throw forbidden("Only a runner runs checks.", "Use `chorus check` in a checkout.")
  await assertNoRun(context)
  const machineUuid = await machineOf(context, actor.uuid, machine)
  await lock(context, `checks:${actor.workspaceUuid}`)
  const over = await previewsOver(context, machineUuid, previews)
  if (kinds.length === 0) return { check: null, over }
  for (let check = await next(); check !== undefined; check = await next()) {
    const why = await whyNot(check)
    if (why !== undefined) {
      await settle(context, check, { state: "not_run", reason: why })
      continue
    }
    const lease = newId()
    const held = { state: "running", lease, leaseUntil: leaseEnd(now), attempts: check.attempts + 1 } as const
    await keep(context, check, { ...held, byType: actor.type, byUuid: actor.uuid })
    const { uuid, runUuid, name, command } = check
    const byHand = runUuid === null ? await shownByHand(context, check.taskUuid) : null
    return { check: { uuid, lease, runUuid, byHand, name, command, preview: check.preview === 1 }, over }
  }
  return { check: null, over }

  /**
   * Of a worktree one check at a time, a preview beside it, and neither while its agent is still at work there; of all
   * checkouts of people one.
   */
  async function next(): Promise<CheckRecord | undefined> {
    return db
      .selectFrom("checks as c")
      .leftJoin("runs as r", "r.uuid", "c.runUuid")
      .selectAll("c")
      .where("c.machineUuid", "=", machineUuid)
      .where(({ or, and, eb }) =>
        or([eb("c.state", "=", "queued"), and([eb("c.state", "=", "running"), eb("c.leaseUntil", "<", now)])]),
      )
      .where(({ or, eb }) => or([eb("c.runUuid", "is", null), eb("r.state", "not in", LIVE)]))
      .where(
        "c.preview",
        "in",
        kinds.map((kind) => (kind === "preview" ? 1 : 0)),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("checks as o")
              .select("o.uuid")
              .whereRef("o.machineUuid", "=", "c.machineUuid")
              .where(({ or, and, eb }) =>
                or([
                  eb("o.runUuid", "=", eb.ref("c.runUuid")),
                  and([eb("o.runUuid", "is", null), eb("c.runUuid", "is", null)]),
                ]),
              )
              .whereRef("o.preview", "=", "c.preview")
              .where("o.state", "=", "running")
              .where("o.leaseUntil", ">=", now),
          ),
        ),
      )
      .orderBy("c.createdAt")
      .orderBy("c.uuid")
      .executeTakeFirst()
  }

  async function whyNot(check: CheckRecord): Promise<string | undefined> {
    if (check.attempts >= MOST_ATTEMPTS) return `Its machine went silent ${check.attempts} times while it ran.`
    const task = await db.selectFrom("tasks").select("status").where("uuid", "=", check.taskUuid).executeTakeFirst()
    return check.decides === 1 && task?.status !== "to_verify" ? "The work was no longer handed in." : undefined
  }
})

export const reportCheck = operation(checks.reportCheck, async (context, { checkUuid, lease, ...told }) => {
  const { tail, listens, end, refused } = told
  const check = await context.db.selectFrom("checks").selectAll().where("uuid", "=", checkUuid).executeTakeFirst()
  if (check === undefined) throw notFound("check", checkUuid)
  if (check.state !== "running" || check.lease !== lease) throw notHeld(check)
  const { now } = context
  const state =
    end !== undefined
      ? (await settle(context, check, ended(end, now))).state
      : refused !== undefined
        ? (await settle(context, check, { state: "not_run", reason: refused })).state
        : (
            await keep(context, check, {
              leaseUntil: leaseEnd(now),
              ...(tail === undefined ? {} : { output: tail }),
              ...(listens === undefined ? {} : { port: listens.port, near: listens.near ? 1 : 0 }),
            })
          ).state
  return { uuid: checkUuid, state }
})

/** Checks whose machine has gone away are not waited for. */
export async function loseChecks(context: OperationContext): Promise<number> {
  const { db, actor, now } = context
  const away = await db
    .selectFrom("checks as c")
    .innerJoin("runners as n", "n.machineUuid", "c.machineUuid")
    .innerJoin("machines as m", "m.uuid", "c.machineUuid")
    .innerJoin("agents as a", "a.uuid", "m.agentUuid")
    .selectAll("c")
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .where("c.state", "in", PENDING)
    .where(({ or, eb }) =>
      or([eb("n.checks", "=", 0), eb("n.seenAt", "<", new Date(Date.parse(now) - 2 * AWAY_MS).toISOString())]),
    )
    .execute()
  const reason = "Its machine went away, or allows no checks any more."
  for (const check of away) await settle(context, check, { state: "not_run", reason })
  return away.length
}

/** What lies in a person's checkout, as it was shown: a check of anything else would say nothing of it. */
async function shownByHand({ db }: OperationContext, taskUuid: string): Promise<NonNullable<Leased>["byHand"]> {
  const { projectUuid } = await findTask(db, taskUuid)
  const { name: projectName } = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  const version = await newestShown(db, taskUuid)
  if (version === undefined || version.tree === null) return null
  const { repository, tree, baseCommit } = version
  return { projectName, repository: JSON.parse(repository) as changes.RepositoryIdentity, tree, baseCommit }
}

/** The end of a check; the last of a hand-in decides how that goes on. */
async function settle(
  context: OperationContext,
  check: CheckRecord,
  changes: Partial<CheckRecord>,
): Promise<CheckRecord> {
  const settled = await keep(context, check, { lease: null, leaseUntil: null, endedAt: context.now, ...changes })
  await conclude(context, settled)
  return settled
}

/** The agent inside a run has a key of the same agent's; what it reports is not Chorus's word. */
async function assertNoRun({ db, actor }: OperationContext): Promise<void> {
  if (actor.keyUuid === undefined) return
  const run = await db.selectFrom("runs").select("uuid").where("keyUuid", "=", actor.keyUuid).executeTakeFirst()
  if (run !== undefined)
    throw forbidden("Who did the work does not run its checks.", "Hand it in: Chorus checks it then.")
}

function leaseEnd(now: string): string {
  return new Date(Date.parse(now) + LEASE_MS).toISOString()
}

function notHeld({ uuid, state }: CheckRecord): ChorusError {
  return new ChorusError("check_not_held", `This check is ${state}, and not this runner's.`, {
    status: 409,
    next: "End it here; another result stands, or another runner has it.",
    details: { checkUuid: uuid, state },
  })
}
