import { projectSettings } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import type { OperationContext } from "../../operation.ts"
import { unreviewed } from "../reviews/review-gate.ts"
import { LIVE } from "../runs/waits.ts"
import { openFindings } from "../tasks/hand-in.ts"

const MOST = 50

/**
 * Where a project asks for it, work that others handed in and an agent may review: what nobody has reviewed since, and what only its own
 * next review lets pass, because its blockers are open.
 */
export async function reviewsFor(
  { db, actor }: Pick<OperationContext, "db" | "actor">,
  projectUuids: readonly string[],
) {
  const strict = actor.type === "agent" ? await strictProjects(db, projectUuids) : []
  if (strict.length === 0) return []
  return db
    .selectFrom("tasks as t")
    .select(["t.uuid", "t.shortId", "t.title", "t.projectUuid"])
    .where("t.projectUuid", "in", strict)
    .where("t.status", "=", "to_verify")
    .where("t.assigneeUuid", "<>", actor.uuid)
    .where(({ or, eb }) => or([eb("t.submittedByUuid", "is", null), eb("t.submittedByUuid", "<>", actor.uuid)]))
    .where(({ or, and, not, exists, selectFrom }) => {
      const since = selectFrom("reviews as r")
        .select("r.uuid")
        .whereRef("r.targetUuid", "=", "t.uuid")
        .whereRef("r.createdAt", ">=", "t.submittedAt")
      const ownBlocker = selectFrom("findings as f")
        .innerJoin("reviews as b", "b.uuid", "f.reviewUuid")
        .select("f.uuid")
        .whereRef("f.targetUuid", "=", "t.uuid")
        .where("f.severity", "=", "blocker")
        .where("f.state", "=", "open")
        .where("b.reviewerUuid", "=", actor.uuid)
      return or([
        not(exists(since)),
        and([exists(ownBlocker), not(exists(since.where("r.reviewerUuid", "=", actor.uuid)))]),
      ])
    })
    .orderBy("t.submittedAt")
    .limit(MOST)
    .execute()
}

interface HandedIn {
  readonly uuid: string
  readonly projectUuid: string | null
  readonly submittedAt: string | null
}

/**
 * Whose review handed-in work still waits for, in words: whoever raised a blocker that is open, or reads it now, or anybody else. Nothing
 * for what its project asks no review of, or what has passed one.
 */
export async function reviewers(db: Db, handedIn: readonly HandedIn[]): Promise<Map<string, string>> {
  const strict = new Set(
    await strictProjects(
      db,
      handedIn.flatMap(({ projectUuid }) => projectUuid ?? []),
    ),
  )
  const whom = new Map<string, string>()
  for (const { uuid, projectUuid, submittedAt } of handedIn) {
    if (!strict.has(projectUuid ?? "")) continue
    if ((await unreviewed(db, { targetUuid: uuid, since: submittedAt ?? "" })) === undefined) continue
    const raised = (await openFindings(db, uuid)).filter(({ severity }) => severity === "blocker")
    const names = raised.length > 0 ? raised.flatMap(({ by }) => by ?? []) : await readingNow(db, uuid)
    whom.set(uuid, [...new Set(names)].join(" and ") || "another agent or a person")
  }
  return whom
}

async function readingNow(db: Db, taskUuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom("runs as r")
    .innerJoin("agents as a", "a.uuid", "r.agentUuid")
    .select("a.name")
    .where("r.taskUuid", "=", taskUuid)
    .where("r.work", "=", "review")
    .where("r.state", "in", LIVE)
    .execute()
  return rows.map(({ name }) => name)
}

/** Those of the projects that want work reviewed before it is verified. */
async function strictProjects(db: Db, projectUuids: readonly string[]): Promise<string[]> {
  if (projectUuids.length === 0) return []
  const rows = await db.selectFrom("projects").select(["uuid", "settings"]).where("uuid", "in", projectUuids).execute()
  return rows
    .filter(({ settings }) => projectSettings.ProjectSettings.parse(JSON.parse(settings)).requireTaskReview)
    .map(({ uuid }) => uuid)
}
