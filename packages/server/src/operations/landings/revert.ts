import { ChorusError, landings, tasks as shapes } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { operation } from "../../operation.ts"
import { addTasks } from "../tasks/create-tasks.ts"
import { changeOf } from "../tasks/task-life.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { assertMayLand, findLanding, type LandingRecord, selectLandings } from "./landing-record.ts"

/** The way back is work like any other: somebody does it, somebody verifies it, and it lands. */
export const revertLanding = operation(landings.revertLanding, async (context, { landingUuid }) => {
  assertMayLand(context)
  const landing = await findLanding(context.db, landingUuid)
  const { commit, onto, branch } = landing
  if (landing.state !== "landed" || commit === null || onto === null || branch === null)
    throw new ChorusError("not_landed", "Only what has landed can be reverted.", {
      status: 409,
      next: "See what became of the landing.",
      details: { landingUuid, state: landing.state },
    })
  // The branch stood there already: that commit is somebody else's work.
  if (commit === onto)
    throw new ChorusError(
      "nothing_to_revert",
      `It brought nothing into ${branch}: everything in it was there already.`,
      {
        status: 409,
        next: `Revert the task whose landing brought it there; \`${commit.slice(0, 12)}\` is not this one's.`,
        details: { landingUuid, commit },
      },
    )
  const reverted = await revertOf(context.db, landing)
  if (reverted !== undefined)
    throw new ChorusError(
      "already_reverted",
      `${reverted.shortId ?? reverted.title} took it out of ${branch} already.`,
      {
        status: 409,
        next: "See that task; to have the work back, revert it.",
        details: { landingUuid, taskUuid: reverted.uuid },
      },
    )
  const task = await findTask(context.db, landing.taskUuid)
  const name = `${task.shortId ?? ""} ${task.title}`.trim()
  const words = landing.how === "merge" ? `git revert -m 1 ${commit}` : `git revert ${onto}..${commit}`
  const wanted = shapes.createTasks.input.parse({
    projectUuid: task.projectUuid,
    tasks: [
      {
        title: `Revert ${name}`.slice(0, 200),
        description: `Take out of \`${branch}\` what ${task.shortId ?? task.title} brought there as \`${commit}\`: \`${words}\`. What was built on it since has to work without it.`,
        priority: "high",
        acceptanceCriteriaItems: [
          { description: `\`${branch}\` no longer holds what \`${commit.slice(0, 12)}\` changed`, required: true },
        ],
      },
    ],
  })
  const { tasks } = await addTasks(context, wanted)
  const [made] = tasks
  if (made === undefined) throw new Error("a task that was just made is gone")
  return changeOf(await findTask(context.db, made.uuid))
})

/** The task that took out again what landed, once it has landed itself and nothing took that out. */
export async function revertOf(
  db: Db,
  landing: LandingRecord,
): Promise<Pick<TaskRecord, "uuid" | "shortId" | "title"> | undefined> {
  const { commit, state, act, projectUuid, taskUuid } = landing
  if (commit === null || state !== "landed" || act !== "land") return undefined
  const candidates = await selectLandings(db)
    .select(["t.shortId", "t.title"])
    .where("t.projectUuid", "=", projectUuid)
    .where("t.uuid", "<>", taskUuid)
    // As its task was written, by `revertLanding`.
    .where("t.title", "like", "Revert %")
    .where("t.description", "like", `%brought there as \`${commit}\`%`)
    .where("l.act", "=", "land")
    .where("l.state", "=", "landed")
    .execute()
  for (const landed of candidates) {
    const { taskUuid: uuid, shortId, title } = landed
    if ((await revertOf(db, landed)) === undefined) return { uuid, shortId, title }
  }
  return undefined
}
