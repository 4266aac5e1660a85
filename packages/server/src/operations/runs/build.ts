import { ChorusError, runBuild } from "@chorus/contracts"
import { waves } from "@chorus/core"
import { notFound, operation, type OperationContext } from "../../operation.ts"
import { assertMayStart, policyOf, usualChoice } from "./policy.ts"
import { inGraphOrder, queueRun } from "./queue.ts"
import { holdUp, LIVE } from "./waits.ts"
import { presentRunners } from "./runners.ts"
import { verdictOn } from "./spend.ts"

export const previewBuild = operation(runBuild.previewBuild, async (context, { proposalUuid, program, machine }) => {
  const { db } = context
  const { projectUuid, tasks, order, standing } = await planOf(context, proposalUuid)
  const policy = await policyOf(db, projectUuid)
  const chosen = program ?? (await usualChoice(context, policy, "build", machine)).program
  const runners = (await presentRunners(context)).filter(
    (runner) => machine === undefined || runner.machine === machine,
  )
  const able = runners.filter(({ programs }) => programs.some((one) => one.program === chosen && one.missing === null))
  const places = able.reduce((sum, { slots }) => sum + slots, 0)
  const toBe = { uuid: "", work: "plan", taskUuid: null, projectUuid, budget: "{}" } as const
  const { left } = await verdictOn(context, toBe)
  return {
    waves: order.map((wave) =>
      wave.flatMap((uuid) => {
        const task = tasks.find((one) => one.uuid === uuid)
        return task === undefined ? [] : [{ taskUuid: uuid, title: task.title, runState: standing.get(uuid) ?? null }]
      }),
    ),
    program: chosen,
    slots: Math.min(places, policy.parallel ?? Infinity),
    obstacle:
      (await holdUp(context, toBe)) ?? (places === 0 ? `No machine that is online has ${chosen} and allows it.` : null),
    left,
  }
})

/** Each task gets its run at once; the queue lets them begin in the order of the graph. */
export const buildProposal = operation(runBuild.buildProposal, async (context, { proposalUuid, ...choice }) => {
  const { projectUuid, order, standing } = await planOf(context, proposalUuid)
  await assertMayStart(context, projectUuid)
  const wanted = order.flat().filter((uuid) => !standing.has(uuid))
  if (wanted.length === 0)
    throw new ChorusError("nothing_to_build", "Every task of this proposal is finished, or has its run.", {
      status: 409,
      next: "Look at its runs; resume those that failed or were stopped.",
      details: { proposalUuid },
    })
  const queued = []
  for (const [rank, taskUuid] of wanted.entries())
    queued.push(await queueRun(context, projectUuid, { ...choice, work: "build", taskUuid, rank }))
  return { runs: queued }
})

/** The unfinished tasks of an approved proposal in the order of their graph, and those that have a run. */
async function planOf({ db }: Pick<OperationContext, "db">, proposalUuid: string) {
  const proposal = await db.selectFrom("proposals").selectAll().where("uuid", "=", proposalUuid).executeTakeFirst()
  if (proposal === undefined) throw notFound("proposal", proposalUuid)
  if (proposal.status !== "approved")
    throw new ChorusError(
      "not_approved",
      `"${proposal.title}" is ${proposal.status}; only what is approved is built.`,
      {
        status: 409,
        next: "Have a person approve it first.",
        details: { proposalUuid, status: proposal.status },
      },
    )
  const { projectUuid } = proposal
  const { tasks: all, edges } = await inGraphOrder(db, projectUuid)
  const tasks = all.filter((task) => task.proposalUuid === proposalUuid && task.status !== "to_verify")
  const order = waves(
    tasks.map(({ uuid }) => ({ uuid, weight: null, finished: false })),
    edges,
  )
  const live = await db
    .selectFrom("runs")
    .select(["taskUuid", "state"])
    .where("work", "=", "build")
    .where("state", "in", LIVE)
    .where(
      "taskUuid",
      "in",
      tasks.map(({ uuid }) => uuid),
    )
    .execute()
  const standing = live.flatMap(({ taskUuid, state }) => (taskUuid === null ? [] : [[taskUuid, state] as const]))
  return { projectUuid, tasks, order, standing: new Map(standing) }
}
