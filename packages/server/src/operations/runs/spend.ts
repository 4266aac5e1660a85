import { ChorusError, runPolicy, runs } from "@chorus/contracts"
import { type BudgetVerdict, judgeSpend } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { operation, type OperationContext } from "../../operation.ts"
import { IDEA_OF } from "../usage/usage.ts"
import { policyOf } from "./policy.ts"
import type { ShownRun } from "./run-select.ts"

type TokenKind = Exclude<keyof runs.RunUsage, "costUsd">

const MINUTE_MS = 60_000
const MICRO = 1_000_000

export const getRunSpend = operation(runPolicy.getRunSpend, async ({ db, actor, now }, asked) => {
  const reach = { workspaceUuid: actor.workspaceUuid, projectUuids: actor.projectUuids }
  const turns =
    asked.runUuid === undefined
      ? []
      : await usedByRuns(db, asked)
          .where("u.turn", ">", 0)
          .select(["u.turn", ...SUMS])
          .groupBy("u.turn")
          .orderBy("u.turn")
          .execute()
  return {
    total: await spent(db, { ...reach, ...asked }),
    today: await spent(db, { ...reach, ...asked, day: dayOf(now) }),
    turns: turns.map(({ turn, ...sums }) => ({ turn: turn ?? 0, ...measured(sums) })),
  }
})

/** Notes what a run used since it last told, in the turn it is in: beside what agents that nobody started here report. */
export async function account(
  { db, now, newId }: OperationContext,
  run: ShownRun,
  told: { readonly turns?: number | undefined; readonly usage?: runs.RunUsage | undefined },
  ms: number,
): Promise<void> {
  const before = runs.RunUsage.parse(JSON.parse(run.usage))
  const after = told.usage ?? before
  const grown = {
    ...counts((kind) => Math.max(0, after[kind] - before[kind])),
    ms: Math.max(0, Math.round(ms)),
  }
  const costUsd = after.costUsd === null ? null : Math.max(0, after.costUsd - (before.costUsd ?? 0))
  const turn = told.turns ?? run.turns
  const isNothing = Object.values(grown).every((amount) => amount === 0) && (costUsd ?? 0) === 0
  if (run.agentUuid === null || (isNothing && turn === run.turns)) return
  const { uuid: runUuid, workspaceUuid, projectUuid, agentUuid, sessionUuid, taskUuid, ideaUuid, model } = run
  const of = { runUuid, workspaceUuid, projectUuid, agentUuid, sessionUuid, taskUuid, ideaUuid, model }
  const dedupeKey = `run:${runUuid}:${turn}:${dayOf(now)}`
  await db
    .insertInto("usages")
    .values({ uuid: newId(), ...of, turn, dedupeKey, ...grown, costUsd, source: "run", at: now })
    .onConflict((conflict) =>
      conflict.columns(["agentUuid", "dedupeKey"]).doUpdateSet({
        ...counts((kind) => plus(kind, grown[kind])),
        ms: plus("ms", grown.ms),
        ...(costUsd === null ? {} : { costUsd: plus("costUsd", costUsd) }),
        at: now,
      }),
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
  readonly ideaUuid?: string | undefined
  readonly projectUuid?: string | undefined
  readonly day?: string
}

async function spent(db: Db, scope: Scope): Promise<runPolicy.RunSpend> {
  const { turns, ...sums } = await usedByRuns(db, scope)
    .select([TURNS, ...SUMS])
    .executeTakeFirstOrThrow()
  return { turns, ...measured(sums) }
}

/** What runs used: that alone has turns. */
function usedByRuns(db: Db, scope: Scope) {
  let query = db.selectFrom("usages as u").where("u.turn", "is not", null)
  if (scope.workspaceUuid !== undefined) query = query.where("u.workspaceUuid", "=", scope.workspaceUuid)
  if (scope.projectUuids) query = query.where("u.projectUuid", "in", [...scope.projectUuids])
  if (scope.runUuid !== undefined) query = query.where("u.runUuid", "=", scope.runUuid)
  if (scope.taskUuid !== undefined) query = query.where("u.taskUuid", "=", scope.taskUuid)
  if (scope.ideaUuid !== undefined) query = query.where(IDEA_OF, "=", scope.ideaUuid)
  if (scope.projectUuid !== undefined) query = query.where("u.projectUuid", "=", scope.projectUuid)
  // Every time of a day begins with it.
  if (scope.day !== undefined) query = query.where("u.at", ">=", scope.day).where("u.at", "<", `${scope.day}~`)
  return query
}

/** What passed before its first turn is in none; one that lasted beyond midnight is still one. */
const TURNS =
  sql<number>`count(distinct case when u."turn" > 0 then u."runUuid" || ':' || cast(u."turn" as text) end)`.as("turns")
const SUMS = [
  sql<number>`cast(coalesce(sum(u."inputTokens" + u."outputTokens"), 0) as bigint)`.as("tokens"),
  sql<number>`coalesce(sum(u."costUsd"), 0)`.as("usd"),
  sql<number>`cast(coalesce(sum(u."ms"), 0) as bigint)`.as("ms"),
] as const

/** Money in whole millionths: a sum of fractions is no reason to stop anything. */
function measured({ tokens, usd, ms }: { tokens: number; usd: number; ms: number }) {
  return { tokens, usd: Math.round(usd * MICRO) / MICRO, minutes: ms / MINUTE_MS }
}

function counts<T>(of: (kind: TokenKind) => T): Record<TokenKind, T> {
  return {
    inputTokens: of("inputTokens"),
    outputTokens: of("outputTokens"),
    cacheReadTokens: of("cacheReadTokens"),
    cacheCreationTokens: of("cacheCreationTokens"),
  }
}

function plus(column: TokenKind | "ms" | "costUsd", more: number) {
  return sql<number>`coalesce(${sql.ref(`usages.${column}`)}, 0) + ${more}`
}

function dayOf(now: string): string {
  return now.slice(0, 10)
}
