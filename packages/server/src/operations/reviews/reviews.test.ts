import type { activity, OutputOf, reviews, tasks } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()
let taskUuid: string
beforeEach(async () => {
  taskUuid = await w.taskAt("to_verify")
})

const review = (actor: Actor, verdict: string, more: object = {}) =>
  w.call<reviews.ReviewRow>(actor, "chorus_submit_review", {
    targetType: "task",
    targetUuid: taskUuid,
    verdict,
    summary: "read it",
    ...more,
  })
const settle = (actor: Actor, findingUuid: string, state: string, note?: string) =>
  w.call<reviews.FindingRow>(actor, "chorus_update_finding", { findingUuid, state, ...(note && { note }) })
const all = () =>
  w.call<{ reviews: reviews.ReviewRow[]; openBlockers: number }>(w.viewer, "chorus_get_reviews", {
    targetType: "task",
    targetUuid: taskUuid,
  })
const blocker = (text: string, key?: string) => ({ severity: "blocker", text, ...(key && { key }) })
const note = (text: string, key?: string) => ({ severity: "note", text, ...(key && { key }) })

/** A failed review of the rival's with one blocker, B1. */
async function failed(): Promise<reviews.FindingRow> {
  const { findings } = await review(w.rival, "fail", { findings: [blocker("it crashes")] })
  const [finding] = findings
  if (finding === undefined) throw new Error("no finding")
  return finding
}

describe("a review", () => {
  it("is told whole, in one event", async () => {
    const events = await w.told(() => review(w.rival, "pass_with_notes", { findings: [note("a typo")] }))
    expect(events).toMatchObject([
      {
        kind: "review.submitted",
        entityType: "review",
        action: "created",
        projectUuid: w.project,
        patch: {
          verdict: "pass_with_notes",
          round: 1,
          reviewer: { name: "Rival" },
          targetUuid: taskUuid,
          findings: [{ key: "N1", text: "a typo", state: "open", stateBy: null }],
        },
      },
    ])
  })

  it.each([
    ["a pass that leaves a blocker open", "pass", [blocker("no")]],
    ["a pass with notes that leaves a blocker open", "pass_with_notes", [blocker("no")]],
    ["a fail that names no blocker", "fail", [note("hm")]],
    ["a fail that names nothing", "fail", []],
  ])("that contradicts itself is refused: %s", async (_, verdict, findings) => {
    await expect(review(w.rival, verdict, { findings })).rejects.toMatchObject({
      code: "verdict_contradicts_findings",
      next: expect.stringContaining("Nothing was changed"),
    })
    expect(await all()).toMatchObject({ reviews: [], openBlockers: 0 })
  })

  it("may fail on a blocker that somebody else raised and nobody settled", async () => {
    await failed()
    expect(await review(w.admin, "fail")).toMatchObject({ verdict: "fail", findings: [] })
  })

  it("passes although another reviewer's blocker is open: each speaks for what they found", async () => {
    await failed()
    expect(await review(w.admin, "pass")).toMatchObject({ verdict: "pass" })
    expect((await all()).openBlockers).toBe(1)
  })

  it("counts rounds for each reviewer alone, newest first in the list", async () => {
    await review(w.rival, "pass")
    await review(w.admin, "pass")
    expect(await review(w.rival, "pass")).toMatchObject({ round: 2 })
    expect((await all()).reviews.map(({ reviewer, round }) => [reviewer?.name, round])).toEqual([
      ["Rival", 2],
      ["Ada", 1],
      ["Rival", 1],
    ])
  })

  it("is not of one's own work: neither the holder's nor that of who handed it in", async () => {
    await expect(review(w.developer, "pass")).rejects.toMatchObject({ code: "self_review", status: 403 })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid })
    await w.call(w.owner, "chorus_assign_task_to_person", { taskUuid, userUuid: w.member.uuid })
    await expect(review(w.developer, "pass")).rejects.toMatchObject({ code: "self_review" })
    await expect(review(w.member, "pass")).rejects.toMatchObject({ code: "self_review" })
  })

  it("of an idea is not its writer's", async () => {
    const ideaUuid = await w.newIdea()
    const of = (actor: Actor) =>
      w.call(actor, "chorus_submit_review", {
        targetType: "idea",
        targetUuid: ideaUuid,
        verdict: "pass",
        summary: "good",
      })
    await expect(of(w.pm)).rejects.toMatchObject({ code: "self_review" })
    expect(await of(w.admin)).toMatchObject({ targetType: "idea", targetUuid: ideaUuid })
  })
})

describe("the outcome of a review", () => {
  it("reaches the people concerned with its summary, and stands in the task's history beside hand-ins and verdicts", async () => {
    await review(w.rival, "fail", { summary: "The lid does not hold.", findings: [blocker("loose")] })
    const { notifications: told } = await w.call<{ notifications: { message: string }[] }>(
      w.owner,
      "chorus_get_notifications",
      { autoMarkRead: false },
    )
    expect(told[0]?.message).toBe('Rival reviewed "A task to_verify": fail: The lid does not hold.')
    const { acceptanceCriteriaItems } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    const [first] = acceptanceCriteriaItems
    const failed = [{ uuid: first?.uuid, evidence: "It fell off." }]
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "Loose.", failed })
    const { activities } = await w.call<OutputOf<typeof activity.getActivity>>(w.owner, "chorus_get_activity", {
      projectUuid: w.project,
      entityUuid: taskUuid,
    })
    const line = (kind: string) => activities.find((each) => each.kind === kind)
    expect(line("review.submitted")).toMatchObject({
      targetTitle: "A task to_verify",
      value: { verdict: "fail", summary: "The lid does not hold." },
    })
    expect(line("task.submitted")?.value).toMatchObject({ handIn: 1 })
    expect(line("task.criteria_marked")?.value).toMatchObject({
      verdicts: [{ criterion: first?.description, verdict: "failed", evidence: "It fell off." }],
    })
    // What came of it is settled with it.
    const { notifications: left } = await w.call<{ notifications: { entityUuid: string }[] }>(
      w.owner,
      "chorus_get_notifications",
      {},
    )
    expect(left.filter(({ entityUuid }) => entityUuid === taskUuid)).toEqual([])
  })
})

describe("a finding", () => {
  it("gets the next free key of its severity, also beside keys that were given", async () => {
    const { findings } = await review(w.rival, "fail", {
      findings: [blocker("one", "B7"), blocker("two"), note("three"), note("four")],
    })
    expect(findings.map(({ key, text }) => [key, text])).toEqual([
      ["B7", "one"],
      ["B8", "two"],
      ["N1", "three"],
      ["N2", "four"],
    ])
  })

  it("raised again keeps its key and its place, and readers hear of it", async () => {
    const first = await failed()
    await settle(w.rival, first.uuid, "resolved", "fixed")
    const events = await w.told(() => review(w.rival, "fail", { findings: [blocker("crashes again", "B1")] }))
    expect(events.map(({ kind }) => kind)).toEqual(["finding.reopened", "review.submitted"])
    expect(events[0]).toMatchObject({
      entityUuid: first.uuid,
      patch: { key: "B1", state: "open", text: "crashes again", stateNote: null },
    })
    expect((await all()).reviews.at(-1)?.findings).toMatchObject([{ uuid: first.uuid, text: "crashes again" }])
  })

  it("settled by the next review of who raised it is told, so that a reader who has the earlier review sees it", async () => {
    const first = await failed()
    const events = await w.told(() => review(w.rival, "pass", { resolvedKeys: ["B1", "B1"] }))
    expect(events.map(({ kind, entityUuid }) => [kind, entityUuid])).toEqual([
      ["finding.resolved", first.uuid],
      ["review.submitted", expect.any(String)],
    ])
    expect((await all()).openBlockers).toBe(0)
  })

  it("is not settled, softened or taken over by another agent's review", async () => {
    await failed()
    for (const more of [{ resolvedKeys: ["B1"] }, { findings: [note("not so bad", "B1")] }]) {
      await expect(review(w.admin, "pass", more)).rejects.toMatchObject({ code: "forbidden" })
    }
    expect(await all()).toMatchObject({
      openBlockers: 1,
      reviews: [
        { reviewer: { name: "Rival" }, findings: [{ severity: "blocker", text: "it crashes", state: "open" }] },
      ],
    })
  })

  it("may be settled by a person who did not write the work, in a review as by itself", async () => {
    await failed()
    await review(w.owner, "pass", { resolvedKeys: ["B1"] })
    expect((await all()).reviews.at(-1)?.findings).toMatchObject([{ state: "resolved", stateBy: { name: "Olive" } }])
  })

  it("that nobody knows cannot be resolved", async () => {
    await expect(review(w.rival, "pass", { resolvedKeys: ["N3"] })).rejects.toMatchObject({ code: "not_found" })
  })

  it.each([
    ["resolved", "finding.resolved"],
    ["dismissed", "finding.dismissed"],
    ["open", "finding.reopened"],
  ])("set to %s is told as %s, with who and why", async (state, kind) => {
    const { uuid } = await failed()
    const events = await w.told(() => settle(w.owner, uuid, state, "because"))
    expect(events).toMatchObject([
      { kind, entityUuid: uuid, patch: { state, stateNote: "because", stateBy: { name: "Olive" } } },
    ])
  })
})

describe("a project that asks for reviews of tasks", () => {
  it("verifies only what was reviewed after it was handed in", async () => {
    const projectUuid = await w.newProject({ requireTaskReview: true })
    taskUuid = await w.taskAt("to_verify", { projectUuid })
    await w.passCriteria(taskUuid)
    const verify = () => w.call(w.admin, "chorus_admin_verify_task", { taskUuid })
    await expect(verify()).rejects.toMatchObject({
      code: "review_missing",
      message: expect.stringContaining("nobody has reviewed"),
    })
    await review(w.rival, "pass")
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await w.passCriteria(taskUuid)
    await expect(verify()).rejects.toMatchObject({ code: "review_missing" })
    await review(w.rival, "pass")
    expect(await verify()).toMatchObject({ status: "done" })
  })
})
