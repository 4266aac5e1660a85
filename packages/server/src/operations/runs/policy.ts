import { ChorusError, runPolicy } from "@chorus/contracts"
import { usualProgram } from "@chorus/core"
import { type Db, lock } from "@chorus/store"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { presentRunners } from "./runners.ts"

export const getRunPolicy = operation(runPolicy.getRunPolicy, ({ db }, { projectUuid }) => policyOf(db, projectUuid))

export const updateRunPolicy = operation(
  runPolicy.updateRunPolicy,
  async ({ db, engine, now, emit }, { projectUuid, ...changes }) => {
    await lock({ db, engine }, `project:${projectUuid}`)
    const changed = runPolicy.RunPolicy.parse({ ...(await policyOf(db, projectUuid)), ...changes })
    const settings = { ...(await settingsOf(db, projectUuid)), runs: changed }
    await db
      .updateTable("projects")
      .set({ settings: JSON.stringify(settings), updatedAt: now })
      .where("uuid", "=", projectUuid)
      .execute()
    emit({
      kind: "project.run_policy_changed",
      entityType: "project",
      entityUuid: projectUuid,
      projectUuid,
      action: "updated",
      patch: { updatedAt: now, runPolicy: changed },
    })
    return changed
  },
)

/** What a project allows its runs. */
export async function policyOf(db: Db, projectUuid: string): Promise<runPolicy.RunPolicy> {
  return runPolicy.RunPolicy.parse((await settingsOf(db, projectUuid))["runs"] ?? {})
}

/** The program for a kind of work, where nobody chose one. */
export async function usualChoice(
  context: Pick<OperationContext, "db" | "actor" | "now">,
  { work }: runPolicy.RunPolicy,
  kind: runPolicy.RunWork,
  machine?: string,
) {
  const runners = await presentRunners(context)
  const asked = runners.filter((runner) => machine === undefined || runner.machine === machine)
  return usualProgram(
    work,
    kind,
    asked.flatMap(({ programs }) => programs),
  )
}

export async function assertMayStart({ db, actor }: OperationContext, projectUuid: string): Promise<void> {
  const { starters } = await policyOf(db, projectUuid)
  if (starters === "agents" || actor.type === "system") return
  if (actor.type === "user" && (starters === "people" || actor.role === "owner" || actor.role === "admin")) return
  const who = starters === "people" ? "people" : "the workspace's owner and admins"
  throw new ChorusError("may_not_start", `In this project only ${who} put agents to work.`, {
    status: 403,
    next: "Ask one of them, or have the project's policy for runs changed.",
    details: { projectUuid, starters },
  })
}

/** A run may be given less than its project allows by anybody, more only by people. */
export async function assertWithin(
  { db, actor }: OperationContext,
  projectUuid: string,
  budget: runPolicy.RunBudget = {},
): Promise<void> {
  if (actor.type !== "agent") return
  const { budgets } = await policyOf(db, projectUuid)
  const most: runPolicy.RunBudget = budgets.run ?? {}
  const wide = (["usd", "tokens", "turns", "minutes"] as const).find(
    (measure) => (budget[measure] ?? 0) > (most[measure] ?? Infinity),
  )
  if (wide !== undefined)
    throw forbidden(`Only people give a run more ${wide} than its project allows.`, "Ask a person to raise it.")
}

async function settingsOf(db: Db, projectUuid: string): Promise<Record<string, unknown>> {
  const { settings } = await db
    .selectFrom("projects")
    .select("settings")
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  return JSON.parse(settings) as Record<string, unknown>
}
