import { afterAll, beforeAll, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { CRITERIA, settledIdea, submittedPlan, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const stress = process.env["CHORUS_STRESS"] === "1"
const MANY = stress ? 50 : 12
const IDEAS = stress ? 200 : 10

onEachEngine("planning under concurrency", (engine) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
  })
  afterAll(() => workspace.close())

  const together = <T>(count: number, run: (index: number) => Promise<T>) =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => run(index)))
  const won = <T>(outcomes: PromiseSettledResult<T>[]) =>
    outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  const lost = (outcomes: PromiseSettledResult<unknown>[]) =>
    outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [(outcome.reason as { code: string }).code] : []))

  it(`${MANY} approvals at once make the work once, and all are told the same ids`, async () => {
    const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm, {
      tasks: { a: [], b: ["a"], c: ["a", "b"] },
    })
    const people: Actor[] = [workspace.owner, workspace.member, workspace.admin]
    const outcomes = await together(MANY, (index) =>
      workspace.call(people[index % people.length], "chorus_admin_approve_proposal", { proposalUuid }),
    )
    expect(lost(outcomes)).toEqual([])
    expect(new Set(won(outcomes).map((answer) => JSON.stringify(answer))).size).toBe(1)
    const { db } = workspace.store
    const tasks = await db.selectFrom("tasks").select("uuid").where("proposalUuid", "=", proposalUuid).execute()
    expect(tasks).toHaveLength(3)
    expect(
      await db.selectFrom("documents").select("uuid").where("proposalUuid", "=", proposalUuid).execute(),
    ).toHaveLength(1)
    const uuids = tasks.map((task) => task.uuid)
    expect(await db.selectFrom("taskEdges").select("taskUuid").where("taskUuid", "in", uuids).execute()).toHaveLength(3)
    expect(await db.selectFrom("criteria").select("uuid").where("taskUuid", "in", uuids).execute()).toHaveLength(
      3 * CRITERIA.length,
    )
    const approvals = await db
      .selectFrom("events")
      .select("id")
      .where("kind", "=", "proposal.approved")
      .where("entityUuid", "=", proposalUuid)
      .execute()
    expect(approvals).toHaveLength(1)
  })

  it(`${MANY} deciders who disagree leave one decision`, async () => {
    const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
    const steps = ["chorus_admin_approve_proposal", "chorus_pm_reject_proposal", "chorus_admin_close_proposal"]
    await together(MANY, (index) =>
      workspace.call(workspace.owner, steps[index % 3] ?? "", { proposalUuid, reviewNote: "decided" }),
    )
    const { revisions } = await workspace.call<{ revisions: { outcome: string }[] }>(
      workspace.owner,
      "chorus_get_proposal_revisions",
      { proposalUuid },
    )
    const decided = await workspace.store.db
      .selectFrom("events")
      .select("kind")
      .where("entityUuid", "=", proposalUuid)
      .where("kind", "in", ["proposal.approved", "proposal.rejected"])
      .execute()
    expect(decided.length).toBeLessThanOrEqual(1)
    expect(revisions).toHaveLength(1)
    expect(revisions[0]?.outcome).not.toBe("pending")
  })

  it(`${MANY} writers on one draft who know the version: one wins each round, the rest are told`, async () => {
    const draft = await newDraft()
    const outcomes = await together(MANY, (index) => update(draft, `writer ${index}`, 1))
    expect(won(outcomes)).toHaveLength(1)
    expect(lost(outcomes)).toEqual(Array.from({ length: MANY - 1 }, () => "stale_version"))
  })

  it(`${MANY} writers on one draft who do not: the last one stands and every version is kept`, async () => {
    const draft = await newDraft()
    expect(lost(await together(MANY, (index) => update(draft, `writer ${index}`)))).toEqual([])
    const { versions } = await workspace.call<{ versions: { version: number; body: { title: string } }[] }>(
      workspace.pm,
      "chorus_get_draft_versions",
      draft,
    )
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: MANY + 1 }, (_, index) => index + 1))
    expect(new Set(versions.slice(1).map(({ body }) => body.title)).size).toBe(MANY)
  })

  it("edits beside a submission are either in the submitted revision or refused", async () => {
    const { draft, submit } = await submittable()
    const outcomes = await together(MANY, (index) =>
      index === Math.floor(MANY / 2) ? submit() : update(draft, `writer ${index}`),
    )
    for (const code of lost(outcomes)) expect(code).toBe("proposal_not_draft")
    const row = await workspace.store.db
      .selectFrom("proposalRevisions")
      .select("snapshot")
      .where("proposalUuid", "=", draft.proposalUuid)
      .executeTakeFirstOrThrow()
    const { taskDrafts } = await workspace.call<{ taskDrafts: unknown[] }>(workspace.pm, "chorus_get_proposal", {
      proposalUuid: draft.proposalUuid,
      section: "tasks",
    })
    expect((JSON.parse(row.snapshot) as { tasks: unknown[] }).tasks).toEqual(taskDrafts)
  })

  it(`${IDEAS} ideas with ${MANY} claimers each have one holder, and the losers know who`, async () => {
    const claimers = await Promise.all(
      Array.from({ length: MANY }, (_, index) => workspace.agent(`Claimer ${index}`, { presets: ["pm"] })),
    )
    for (let round = 0; round < IDEAS; round++) {
      const { uuid: ideaUuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
        projectUuid: workspace.project,
        title: `Idea ${round}`,
      })
      const outcomes = await together(MANY, (index) =>
        workspace.call<{ assignee: Uuid }>(claimers[index], "chorus_claim_idea", { ideaUuid }),
      )
      const [winner, ...others] = won(outcomes)
      expect(others).toEqual([])
      for (const outcome of outcomes) {
        if (outcome.status === "rejected")
          expect(outcome.reason).toMatchObject({
            code: "already_claimed",
            details: { holder: { uuid: winner?.assignee.uuid } },
          })
      }
    }
  })

  it(`${MANY} re-parentings at once never close a circle`, async () => {
    const ideas = await Promise.all(
      Array.from({ length: MANY }, (_, index) =>
        workspace.call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
          projectUuid: workspace.project,
          title: `Ring ${index}`,
        }),
      ),
    )
    const outcomes = await together(MANY, (index) =>
      workspace.call(workspace.pm, "chorus_edit_idea", {
        ideaUuid: ideas[index]?.uuid,
        parentUuid: ideas[(index + 1) % MANY]?.uuid,
      }),
    )
    expect(lost(outcomes)).toEqual(["lineage_circle"])
  })

  it("answers to one round at once all count", async () => {
    const { uuid: ideaUuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
      projectUuid: workspace.project,
      title: "Asked",
    })
    await workspace.call(workspace.pm, "chorus_claim_idea", { ideaUuid })
    const options = [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ]
    const questions = Array.from({ length: MANY }, (_, index) => ({
      id: `q${index}`,
      text: "?",
      category: "scope",
      options,
    })).slice(0, 15)
    await workspace.call(workspace.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "standard", questions })
    const [round] = (await workspace.call<{ rounds: Uuid[] }>(workspace.pm, "chorus_get_elaboration", { ideaUuid }))
      .rounds
    const answers = await together(questions.length, (index) =>
      workspace.call(workspace.owner, "chorus_answer_elaboration", {
        ideaUuid,
        roundUuid: round?.uuid,
        answers: [{ questionId: `q${index}`, selectedOptionId: "a" }],
      }),
    )
    expect(lost(answers)).toEqual([])
    expect(await workspace.call(workspace.pm, "chorus_get_elaboration", { ideaUuid })).toMatchObject({
      status: "resolved",
      summary: { answeredQuestions: questions.length },
    })
  })

  it("tasks of one idea that finish at once still lead readers to done", async () => {
    const ideaUuid = await settledIdea(workspace, workspace.pm, "Finishing")
    const tasks = Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`t${index}`, []]))
    const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm, { ideaUuid, tasks })
    const { materializedTasks } = await workspace.call<{ materializedTasks: { taskUuid: string }[] }>(
      workspace.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid },
    )
    expect(
      lost(
        await together(MANY, (index) =>
          workspace.call(workspace.owner, "chorus_admin_close_task", { taskUuid: materializedTasks[index]?.taskUuid }),
        ),
      ),
    ).toEqual([])
    const told = await workspace.store.db
      .selectFrom("events")
      .select("patch")
      .where("kind", "=", "idea.progressed")
      .where("entityUuid", "=", ideaUuid)
      .orderBy("id")
      .execute()
    expect(JSON.parse(told.at(-1)?.patch ?? "{}")).toEqual({ derivedStatus: "done", badgeHint: "done" })
  })

  interface Draft {
    proposalUuid: string
    draftUuid: string
  }

  async function newDraft(): Promise<Draft> {
    const inputUuids = [await settledIdea(workspace, workspace.pm)]
    const { uuid: proposalUuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_proposal", {
      projectUuid: workspace.project,
      title: "P",
      inputType: "idea",
      inputUuids,
    })
    const { draftUuid } = await workspace.call<{ draftUuid: string }>(workspace.pm, "chorus_pm_add_task_draft", {
      proposalUuid,
      title: "first",
      acceptanceCriteriaItems: CRITERIA,
    })
    return { proposalUuid, draftUuid }
  }

  async function submittable() {
    const draft = await newDraft()
    const { proposalUuid } = draft
    await workspace.call(workspace.pm, "chorus_pm_add_document_draft", {
      proposalUuid,
      type: "prd",
      title: "D",
      content: "x".repeat(200),
    })
    return { draft, submit: () => workspace.call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid }) }
  }

  function update(draft: Draft, title: string, expectedVersion?: number) {
    return workspace.call(workspace.pm, "chorus_pm_update_task_draft", {
      ...draft,
      title,
      ...(expectedVersion && { expectedVersion }),
    })
  }
})
