import { ChorusError, runPolicy, runs } from "@chorus/contracts"
import { type BudgetVerdict, judgeSpend } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { operation, type OperationContext } from "../../operation.ts"
import { policyOf } from "./policy.ts"
import { OF_PROJECT, type ShownRun } from "./run-select.ts"

const MINUTE_MS = 60_000
const MICRO = 1_000_000

export const getRunSpend = operation(runPolicy.getRunSpend, async ({ db, actor, now }, asked) => {
  const reach = { workspaceUuid: actor.workspaceUuid, projectUuids: actor.projectUuids }
  const turns =
    asked.runUuid === undefined
      ? []
      : await spendRows(db)
          .where("s.runUuid", "=", asked.runUuid)
          .where("s.turn", ">", 0)
          .select(["s.turn", ...SUMS])
          .groupBy("s.turn")
          .orderBy("s.turn")
          .execute()
  return {
    total: await spent(db, { ...reach, ...asked }),
    today: await spent(db, { ...reach, ...asked, day: dayOf(now) }),
    turns: turns.map(({ turn, ...sums }) => ({ turn, ...measured(sums) })),
  }
})

/** Notes what a run used since it last told, in the turn it is in. */
export async function account(
  { db, now }: OperationContext,
  run: ShownRun,
  told: { readonly turns?: number | undefined; readonly usage?: runs.RunUsage | undefined },
  ms: number,
): Promise<void> {
  const before = runs.RunUsage.parse(JSON.parse(run.usage))
  const after = told.usage ?? before
  const grown = {
    tokens: Math.max(0, tokensOf(after) - tokensOf(before)),
    microUsd: Math.max(0, Math.round(((after.costUsd ?? 0) - (before.costUsd ?? 0)) * MICRO)),
    ms: Math.max(0, Math.round(ms)),
  }
  const turn = told.turns ?? run.turns
  if (grown.tokens + grown.microUsd + grown.ms === 0 && turn === run.turns) return
  await db
    .insertInto("runSpend")
    .values({ runUuid: run.uuid, turn, day: dayOf(now), ...grown })
    .onConflict((conflict) =>
      conflict.columns(["runUuid", "turn", "day"]).doUpdateSet(({ ref }) => ({
        tokens: sql`${ref("runSpend.tokens")} + ${grown.tokens}`,
        microUsd: sql`${ref("runSpend.microUsd")} + ${grown.microUsd}`,
        ms: sql`${ref("runSpend.ms")} + ${grown.ms}`,
      })),
    )
    .execute()
}

/** What is used of every budget that a run falls under. */
export async function verdictOn(
  { db, now }: Pick<OperationContext, "db" | "now">,
  run: Pick<ShownRun, "uuid" | "taskUuid" | "projectUuid" | "budget">,
): Promise<BudgetVerdict> {
  const { uuid: runUuid, taskUuid, projectUuid } = run
  const { budgets } = await policyOf(db, projectUuid)
  const own = { ...budgets.run, ...(JSON.parse(run.budget) as runPolicy.RunBudget) }
  const scopes = [
    { scope: "run", budget: own, of: { runUuid } },
    ...(taskUuid === null ? [] : [{ scope: "task", budget: budgets.task, of: { taskUuid } } as const]),
    { scope: "project", budget: budgets.project, of: { projectUuid } },
    { scope: "day", budget: budgets.day, of: { projectUuid, day: dayOf(now) } },
  ] as const
  const accounts = []
  for (const { scope, budget = {}, of } of scopes)
    if (Object.keys(budget).length > 0) accounts.push({ scope, budget, spent: await spent(db, of) })
  return judgeSpend(accounts)
}

export function overBudget(spentUp: string, runUuid: string): ChorusError {
  return new ChorusError("over_budget", spentUp, {
    status: 409,
    next: "Give it a larger budget of its own (`chorus runs resume RUN --usd …`), or have a person raise the project's.",
    details: { runUuid },
  })
}

interface Scope {
  readonly workspaceUuid?: string
  readonly projectUuids?: ReadonlySet<string> | null
  readonly runUuid?: string | undefined
  readonly taskUuid?: string | undefined
  readonly projectUuid?: string | undefined
  readonly day?: string
}

async function spent(db: Db, scope: Scope): Promise<runPolicy.RunSpend> {
  let query = spendRows(db)
  if (scope.workspaceUuid !== undefined) query = query.where("r.workspaceUuid", "=", scope.workspaceUuid)
  if (scope.projectUuids) query = query.where(OF_PROJECT, "in", [...scope.projectUuids, ""])
  if (scope.runUuid !== undefined) query = query.where("s.runUuid", "=", scope.runUuid)
  if (scope.taskUuid !== undefined) query = query.where("r.taskUuid", "=", scope.taskUuid)
  if (scope.projectUuid !== undefined) query = query.where(OF_PROJECT, "=", scope.projectUuid)
  if (scope.day !== undefined) query = query.where("s.day", "=", scope.day)
  const { turns, ...sums } = await query.select([TURNS, ...SUMS]).executeTakeFirstOrThrow()
  return { turns, ...measured(sums) }
}

function spendRows(db: Db) {
  return db
    .selectFrom("runSpend as s")
    .innerJoin("runs as r", "r.uuid", "s.runUuid")
    .leftJoin("tasks as t", "t.uuid", "r.taskUuid")
    .leftJoin("ideas as i", "i.uuid", "r.ideaUuid")
}

/** What passed before its first turn is in none; one that lasted beyond midnight is still one. */
const TURNS =
  sql<number>`count(distinct case when s."turn" > 0 then s."runUuid" || ':' || cast(s."turn" as text) end)`.as("turns")
const sumOf = <Name extends string>(name: Name) =>
  sql<number>`cast(coalesce(sum(s.${sql.ref(name)}), 0) as bigint)`.as(name)
const SUMS = [sumOf("tokens"), sumOf("microUsd"), sumOf("ms")] as const

function measured({ tokens, microUsd, ms }: { tokens: number; microUsd: number; ms: number }) {
  return { tokens, usd: microUsd / MICRO, minutes: ms / MINUTE_MS }
}

function tokensOf({ inputTokens, outputTokens }: runs.RunUsage): number {
  return inputTokens + outputTokens
}

function dayOf(now: string): string {
  return now.slice(0, 10)
}
