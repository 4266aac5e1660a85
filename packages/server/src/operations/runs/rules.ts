import { runPolicy, type runs } from "@chorus/contracts"
import { answersAsk, askSubject } from "@chorus/core"
import type { Schema } from "@chorus/store"
import { namesOf, notFound, operation, type OperationContext, pageIn } from "../../operation.ts"
import { sendToRunner } from "./orders.ts"
import { findRun, type ShownRun } from "./run-select.ts"

type RuleRecord = Schema["runRules"]

export const listRunRules = operation(runPolicy.listRunRules, async (context, { projectUuid, runUuid, ...page }) => {
  const { db, actor } = context
  let query = db.selectFrom("runRules").selectAll().where("workspaceUuid", "=", actor.workspaceUuid)
  if (actor.projectUuids !== null) query = query.where("projectUuid", "in", [...actor.projectUuids])
  if (projectUuid !== undefined) query = query.where("projectUuid", "=", projectUuid)
  if (runUuid !== undefined) {
    const run = await findRun(context, runUuid)
    query = query
      .where("projectUuid", "=", run.projectUuid)
      .where(({ or, eb }) => or([eb("runUuid", "is", null), eb("runUuid", "=", runUuid)]))
  }
  const shown = pageIn(await query.orderBy("createdAt").orderBy("uuid").execute(), page)
  return { rules: await ruleRows(context, shown.rows), ...shown.page }
})

export const revokeRunRule = operation(runPolicy.revokeRunRule, async (context, { ruleUuid }) => {
  const record = await context.db.deleteFrom("runRules").where("uuid", "=", ruleUuid).returningAll().executeTakeFirst()
  if (record === undefined) throw notFound("rule", ruleUuid)
  const [rule] = await ruleRows(context, [record])
  if (rule === undefined) throw notFound("rule", ruleUuid)
  const { projectUuid } = rule
  context.emit({
    kind: "rule.revoked",
    entityType: "run_rule",
    entityUuid: ruleUuid,
    projectUuid,
    action: "deleted",
    patch: {},
  })
  return rule
})

/** Keeps a person's yes for the rest of the run, or for the project. */
export async function keepYes(
  context: OperationContext,
  runUuid: string,
  ask: { readonly title: string; readonly detail: Readonly<Record<string, unknown>> },
  reach: "run" | "project",
): Promise<void> {
  const { db, actor, now, newId, emit } = context
  const { projectUuid } = await findRun(context, runUuid)
  const record = await db
    .insertInto("runRules")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      projectUuid,
      runUuid: reach === "run" ? runUuid : null,
      kind: kindOf(ask.detail),
      title: askSubject(ask.title, ask.detail),
      byUuid: actor.uuid,
      createdAt: now,
      used: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const [rule] = await ruleRows(context, [record])
  if (rule === undefined) return
  emit({
    kind: "rule.kept",
    entityType: "run_rule",
    entityUuid: rule.uuid,
    projectUuid,
    action: "created",
    patch: rule,
  })
}

/** Whether somebody said yes to this before and meant it for this run too; then it is answered, and nobody is asked. */
export async function answeredBefore(context: OperationContext, run: ShownRun, ask: runs.RunAsk): Promise<boolean> {
  if (ask.kind !== "permission") return false
  const { db } = context
  const kept = await db.selectFrom("runRules").selectAll().where("projectUuid", "=", run.projectUuid).execute()
  if (kept.length === 0) return false
  const runner = await db
    .selectFrom("runners")
    .select("programs")
    .where("machineUuid", "=", run.machineUuid ?? "")
    .executeTakeFirst()
  const about = { kind: kindOf(ask.detail), title: askSubject(ask.title, ask.detail) }
  const programs = JSON.parse(runner?.programs ?? "[]") as runs.RunnerProgram[]
  const machineMode = programs.find(({ program }) => program === run.program)?.mode ?? null
  const standing = { uuid: run.uuid, mode: run.mode, machineMode }
  const yes = kept.find((rule) => answersAsk(rule, about, standing))
  if (yes === undefined) return false
  await db
    .updateTable("runRules")
    .set(({ eb }) => ({ used: eb("used", "+", 1) }))
    .where("uuid", "=", yes.uuid)
    .execute()
  const nameOf = await namesOf(db, [yes.byUuid])
  const by = `${nameOf("user", yes.byUuid)?.name ?? "somebody"}, once for all`
  const order = { order: "answer", runUuid: run.uuid, requestId: ask.requestId, by, decision: "approve" } as const
  await sendToRunner(context, order, { kind: "answer", title: ask.title, tag: `run:${run.uuid}` })
  return true
}

async function ruleRows({ db }: OperationContext, records: readonly RuleRecord[]): Promise<runPolicy.RunRule[]> {
  const nameOf = await namesOf(
    db,
    records.map(({ byUuid }) => byUuid),
  )
  return records.map(({ workspaceUuid: _workspace, byUuid, ...rule }) => ({ ...rule, by: nameOf("user", byUuid) }))
}

function kindOf(detail: Readonly<Record<string, unknown>>): string {
  return typeof detail["kind"] === "string" ? detail["kind"].slice(0, 100) : "other"
}
