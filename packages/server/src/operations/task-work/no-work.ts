import type { Db } from "@chorus/store"
import { sql } from "kysely"

const MOST_NAMED = 3

/** Why there is nothing to begin: planning goes on, everything is done, or which tasks wait for what. */
export async function noWork(db: Db, projectUuid: string, { toReview, taken }: Besides) {
  const tasks = await db
    .selectFrom("tasks")
    .select([
      sql<number>`count(*)`.as("total"),
      sql<number>`count(case when "status" in ('open', 'assigned') then 1 end)`.as("waiting"),
      sql<number>`count(case when "status" = 'in_progress' then 1 end)`.as("inProgress"),
      sql<number>`count(case when "status" = 'to_verify' then 1 end)`.as("toVerify"),
      sql<number>`count(case when "status" = 'closed' then 1 end)`.as("closed"),
    ])
    .where("projectUuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  const { waiting, inProgress } = tasks
  const reason = await reasonFor(db, projectUuid, tasks, taken)
  const named = toReview.slice(0, MOST_NAMED).map(({ title }) => `"${title}"`)
  const review =
    named.length === 0
      ? ""
      : ` To be reviewed: ${named.join(", ")}${andMore(toReview, named)}: chorus_get_task, then chorus_submit_review.`
  return { task: null, reason: `${reason}${review}`, waiting, inProgress }
}

interface Besides {
  readonly toReview: readonly { readonly title: string }[]
  /** What was taken back from the caller, and is not given to it again by itself. */
  readonly taken: ReadonlyMap<string, string>
}

interface Counts {
  readonly total: number
  readonly waiting: number
  readonly inProgress: number
  readonly toVerify: number
  readonly closed: number
}

async function reasonFor(db: Db, projectUuid: string, tasks: Counts, taken: Besides["taken"]): Promise<string> {
  const project = await db
    .selectFrom("projects")
    .select(["name", "status"])
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  if (project.status === "archived") return `"${project.name}" is archived: nothing new begins there.`
  if (tasks.waiting > 0) return waitsFor(db, projectUuid, taken)
  const planning = await planningOf(db, projectUuid)
  if (tasks.total === 0) return planning ?? "There is no plan yet: no idea, no proposal and no task."
  const under = [
    ...(tasks.inProgress > 0 ? [`${counted(tasks.inProgress)} in progress`] : []),
    ...(tasks.toVerify > 0 ? [`${counted(tasks.toVerify)} handed in, to be verified by a person`] : []),
  ]
  const ended = [
    ...(tasks.total > tasks.closed ? [`Everything is done: ${counted(tasks.total - tasks.closed)}`] : []),
    ...(tasks.closed > 0 ? [`${counted(tasks.closed)} closed without being done`] : []),
  ]
  const work = under.length > 0 ? `No task is left to begin: ${under.join(", ")}.` : `${ended.join(", ")}.`
  return planning === undefined ? work : `${work} ${planning}`
}

/** Which tasks wait, and for what. */
async function waitsFor(db: Db, projectUuid: string, taken: Besides["taken"]): Promise<string> {
  const rows = await db
    .selectFrom("tasks as t")
    .leftJoin("taskEdges as e", "e.taskUuid", "t.uuid")
    .leftJoin("tasks as d", (join) =>
      join.onRef("d.uuid", "=", "e.dependsOnUuid").on("d.status", "not in", ["done", "closed"]),
    )
    .select(["t.uuid", "t.title", "t.openDependencies", "d.title as before", "d.status as beforeStatus"])
    .where("t.projectUuid", "=", projectUuid)
    .where("t.status", "in", ["open", "assigned"])
    .orderBy("t.createdAt")
    .orderBy("t.uuid")
    .limit(200)
    .execute()
  const tasks = [...Map.groupBy(rows, ({ uuid }) => uuid).values()]
  const lines = tasks.slice(0, MOST_NAMED).map((same) => {
    const title = same[0]?.title ?? ""
    const before = same.flatMap(({ before: name, beforeStatus }) =>
      name === null ? [] : [`"${name}" (${STANDING[beforeStatus ?? "open"]})`],
    )
    const words = taken.get(same[0]?.uuid ?? "")
    if (words !== undefined) return `"${title}" was ${words} (chorus_start_task takes it again)`
    return before.length === 0 ? `"${title}" is assigned to somebody else` : `"${title}" waits for ${before.join(", ")}`
  })
  return `Nothing is ready: ${lines.join("; ")}${andMore(tasks, lines)}.`
}

function andMore(all: readonly unknown[], named: readonly unknown[]): string {
  return all.length > named.length ? `; ${all.length - named.length} more` : ""
}

const STANDING = {
  open: "not begun",
  assigned: "not begun",
  in_progress: "in progress",
  to_verify: "handed in, to be verified",
  done: "done",
  closed: "closed",
} as const

/** How far planning is, where it goes on. */
async function planningOf(db: Db, projectUuid: string): Promise<string | undefined> {
  const proposal = await db
    .selectFrom("proposals")
    .select(["title", "status"])
    .where("projectUuid", "=", projectUuid)
    .where("status", "in", ["pending", "draft"])
    .orderBy("status", "desc")
    .orderBy("createdAt")
    .executeTakeFirst()
  if (proposal !== undefined)
    return `Planning has not finished: the proposal "${proposal.title}" ${proposal.status === "pending" ? "waits for a person's approval" : "is being written"}.`
  const idea = await db
    .selectFrom("ideas as i")
    .leftJoin("ideaStandings as s", "s.ideaUuid", "i.uuid")
    .select(["i.title", "i.status", "i.elaborationStatus"])
    .where("i.projectUuid", "=", projectUuid)
    .where(({ or, eb }) =>
      or([
        eb("s.badgeHint", "is", null),
        eb("s.badgeHint", "in", ["open", "researching", "answer_questions", "planning"]),
      ]),
    )
    .orderBy("i.createdAt")
    .executeTakeFirst()
  if (idea === undefined) return undefined
  if (idea.status === "open") return `Planning has not begun: nobody has claimed the idea "${idea.title}".`
  return idea.elaborationStatus === "pending_answers"
    ? `Planning has not finished: questions about "${idea.title}" wait for a person's answers.`
    : `Planning has not finished: the idea "${idea.title}" has no proposal yet.`
}

function counted(tasks: number): string {
  return tasks === 1 ? "1 task" : `${tasks} tasks`
}
