import { type changes, type ParsedInputOf, pullRequests } from "@chorus/contracts"
import { forbidden, operation, type OperationContext, pageIn } from "../../operation.ts"
import { assertReach } from "../../reach.ts"
import { newestShown } from "../changes/change-record.ts"
import { machineOf } from "../machines/machine-lane.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { runnersAt } from "./place.ts"

type Seen = ParsedInputOf<typeof pullRequests.reportPullRequests>["seen"][number]
/** Whoever proposed it need not know how its branch stands. */
type Told = Pick<Seen, "pullRequest"> & Partial<Pick<Seen, "ahead" | "behind">> & { readonly taskUuid: string }

const MOST_WANTED = 20
const UNDER_WAY: readonly TaskRecord["status"][] = ["in_progress", "to_verify", "done"]
/** What is open moves on; whether there is one at all is asked less often. */
const OPEN_MS = 60_000
const UNKNOWN_MS = 300_000
/** Work that nobody has touched for so long is not looked after. */
const FORGOTTEN_MS = 14 * 86_400_000

export const listPullRequests = operation(pullRequests.listPullRequests, async ({ db }, input) => {
  const { projectUuid, taskUuid, ...page } = input
  const rows = await db
    .selectFrom("pullRequests as p")
    .innerJoin("tasks as t", "t.uuid", "p.taskUuid")
    .selectAll("p")
    .select("t.projectUuid")
    .where("t.projectUuid", "=", projectUuid)
    .$if(taskUuid !== undefined, (query) => query.where("t.uuid", "=", taskUuid ?? ""))
    .orderBy("p.changedAt", "desc")
    .orderBy("p.taskUuid")
    .execute()
  const shown = pageIn(rows.flatMap(rowOf), page)
  return { pullRequests: shown.rows, ...shown.page }
})

export const reportPullRequests = operation(pullRequests.reportPullRequests, async (context, { machine, seen }) => {
  const { db, actor } = context
  await assertReach(db, actor, { taskUuids: seen.map(({ taskUuid }) => taskUuid) })
  const mine = actor.type === "agent" ? await workOn(context, await machineOf(context, actor.uuid, machine)) : []
  for (const one of seen) {
    if (actor.type === "agent" ? !mine.some(({ taskUuid }) => taskUuid === one.taskUuid) : !mayJudge(context))
      throw forbidden(
        "The work of this task is not this machine's.",
        "Leave it to the machine that ran the agent, or to a person who may verify it.",
      )
    await keepPullRequest(context, one)
  }
  return { wanted: await wantedOf(context, mine) }
})

function mayJudge({ actor }: OperationContext): boolean {
  return actor.permissions.has("task:admin")
}

/** What one look did not find is not gone for that: the forge may have been away. */
export async function keepPullRequest({ db, now, emit }: OperationContext, { taskUuid, pullRequest, ...stands }: Told) {
  const { projectUuid } = await findTask(db, taskUuid)
  const before = await db.selectFrom("pullRequests").selectAll().where("taskUuid", "=", taskUuid).executeTakeFirst()
  const { ahead, behind } = { ahead: null, behind: null, ...before, ...stands }
  const { url, state, checks } = pullRequest ?? before ?? { url: null, state: null, checks: null }
  const facts = { url, state, checks, ahead, behind }
  const isSame = before !== undefined && JSON.stringify({ ...before, ...facts }) === JSON.stringify(before)
  const after = { taskUuid, ...facts, lookedAt: now, changedAt: isSame ? before.changedAt : now }
  await db
    .insertInto("pullRequests")
    .values(after)
    .onConflict((conflict) => conflict.column("taskUuid").doUpdateSet(after))
    .execute()
  const [row] = rowOf({ ...after, projectUuid })
  if (isSame || row === undefined) return
  const isNew = (before?.url ?? null) === null
  emit({
    ...(isNew
      ? ({ kind: "change.pull_request_found", action: "created" } as const)
      : ({ kind: "change.pull_request_changed", action: "updated" } as const)),
    entityType: "pull_request",
    entityUuid: taskUuid,
    projectUuid,
    patch: row,
  })
}

/** Where a task's work was merged at its forge, as it was shown last: what was done since is in no branch by that. */
export async function mergedAtForge(
  { db }: Pick<OperationContext, "db">,
  taskUuid: string,
): Promise<string | undefined> {
  const merged = await db
    .selectFrom("pullRequests")
    .select(["url", "changedAt"])
    .where("taskUuid", "=", taskUuid)
    .where("state", "=", "merged")
    .executeTakeFirst()
  if (merged === undefined || merged.url === null) return undefined
  const shown = await newestShown(db, taskUuid)
  return (shown?.createdAt ?? "") > merged.changedAt ? undefined : merged.url
}

/** What lies on a machine: the work of its runs, and what people had done there by hand and proposed. */
async function workOn(context: OperationContext, machineUuid: string) {
  const byRun = await runsOf(context, machineUuid)
  return [...byRun.map((run) => ({ ...run, byHand: null })), ...(await proposedByHand(context, machineUuid))]
}

async function proposedByHand(context: OperationContext, machineUuid: string) {
  const { db, actor } = context
  const proposed = await db
    .selectFrom("pullRequests as p")
    .innerJoin("tasks as t", "t.uuid", "p.taskUuid")
    .innerJoin("projects as j", "j.uuid", "t.projectUuid")
    .select(["t.uuid as taskUuid", "t.projectUuid", "t.doneAt", "t.updatedAt"])
    .where("j.workspaceUuid", "=", actor.workspaceUuid)
    .where("p.url", "is not", null)
    .where("t.status", "in", UNDER_WAY)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs as r")
            .select("r.uuid")
            .whereRef("r.taskUuid", "=", "t.uuid")
            .where("r.work", "=", "build")
            .where("r.branch", "is not", null),
        ),
      ),
    )
    .execute()
  const found = []
  for (const { projectUuid, ...task } of proposed) {
    const version = await newestShown(db, task.taskUuid)
    if (version === undefined || version.branch === null) continue
    const runners = await runnersAt(context, { projectUuid }, version)
    const repository = JSON.parse(version.repository) as changes.RepositoryIdentity
    const byHand = { repository, branch: version.branch }
    if (runners[0]?.machineUuid === machineUuid) found.push({ ...task, runUuid: null, byHand })
  }
  return found
}

/** The runs of a machine whose work is under way or verified, newest first. */
function runsOf({ db, actor }: OperationContext, machineUuid: string) {
  return db
    .selectFrom("runs as r")
    .innerJoin("tasks as t", "t.uuid", "r.taskUuid")
    .select(["r.uuid as runUuid", "t.uuid as taskUuid", "t.doneAt", "t.updatedAt"])
    .where("r.workspaceUuid", "=", actor.workspaceUuid)
    .where("r.machineUuid", "=", machineUuid)
    .where("r.work", "=", "build")
    .where("r.branch", "is not", null)
    .where("t.status", "in", UNDER_WAY)
    .orderBy("r.startedAt", "desc")
    .execute()
}

async function wantedOf({ db, now }: OperationContext, work: Awaited<ReturnType<typeof workOn>>) {
  const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  const newest = new Map(work.toReversed().map((one) => [one.taskUuid, one]))
  const recent = [...newest.values()].filter(({ updatedAt }) => updatedAt > ago(FORGOTTEN_MS))
  if (recent.length === 0) return []
  const uuids = recent.map(({ taskUuid }) => taskUuid)
  const [known, landed] = await Promise.all([
    db.selectFrom("pullRequests").selectAll().where("taskUuid", "in", uuids).execute(),
    db
      .selectFrom("landings")
      .select(["taskUuid", "endedAt"])
      .where("taskUuid", "in", uuids)
      .where("state", "=", "landed")
      .execute(),
  ])
  return recent
    .filter(({ taskUuid, doneAt }) => {
      if (doneAt !== null && landed.some((one) => one.taskUuid === taskUuid && (one.endedAt ?? "") >= doneAt))
        return false
      const row = known.find((one) => one.taskUuid === taskUuid)
      return (
        row === undefined ||
        (row.state !== "merged" && row.lookedAt <= ago(row.state === "open" ? OPEN_MS : UNKNOWN_MS))
      )
    })
    .slice(0, MOST_WANTED)
    .map(({ taskUuid, runUuid, byHand }) => ({ taskUuid, runUuid, byHand }))
}

type Kept = Omit<pullRequests.PullRequestRow, "uuid" | "url" | "state"> & {
  readonly url: string | null
  readonly state: pullRequests.PullRequestRow["state"] | null
}

/** One that was only looked for has no row. */
function rowOf({ taskUuid, projectUuid, url, state, checks, ahead, behind, changedAt }: Kept) {
  if (url === null || state === null) return []
  return [{ uuid: taskUuid, projectUuid, taskUuid, url, state, checks, ahead, behind, changedAt }]
}
