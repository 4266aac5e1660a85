import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import type { Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface RoundAnswer {
  uuid: string
  roundNumber: number
  status: string
  isAppended: boolean
  questions: {
    questionId: string
    answer: { selectedOptionId: string | null; customText: string | null; answeredBy: { name: string } } | null
    earlier: unknown[]
  }[]
}

const OPTIONS = [
  { id: "yes", label: "Yes" },
  { id: "no", label: "No", description: "not at all" },
]
const question = (id: string, extra: object = {}) => ({
  id,
  text: `Question ${id}?`,
  category: "scope",
  options: OPTIONS,
  ...extra,
})

onEachEngineUnderStress("elaboration", (engine) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
  })
  afterAll(() => workspace.close())

  const claimed = async (title = "Unclear") => {
    const { uuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
      projectUuid: workspace.project,
      title,
      content: "make it better",
    })
    await workspace.call(workspace.pm, "chorus_claim_idea", { ideaUuid: uuid })
    return uuid
  }
  const ask = (ideaUuid: string, ...questions: object[]) =>
    workspace.call<RoundAnswer>(workspace.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "standard", questions })
  const answer = (actor: Workspace["owner"], ideaUuid: string, answers: object[], roundUuid?: string) =>
    workspace.call<RoundAnswer>(actor, "chorus_answer_elaboration", {
      ideaUuid,
      answers,
      ...(roundUuid && { roundUuid }),
    })
  const idea = (ideaUuid: string) =>
    workspace.call<{ status: string; elaborationStatus: string; badgeHint: string }>(workspace.pm, "chorus_get_idea", {
      ideaUuid,
    })

  it("goes from questions over answers to an elaborated idea, and keeps all of it", async () => {
    const ideaUuid = await claimed()
    const first = await ask(ideaUuid, question("q1"), question("q2", { required: false }))
    expect(first).toMatchObject({ roundNumber: 1, status: "pending_answers", isAppended: false })
    expect(await idea(ideaUuid)).toMatchObject({ elaborationStatus: "pending_answers", badgeHint: "answer_questions" })
    expect(
      await answer(workspace.developer, ideaUuid, [{ questionId: "q2", selectedOptionId: "no", customText: null }]),
    ).toMatchObject({ status: "pending_answers" })
    const done = await answer(workspace.owner, ideaUuid, [
      { questionId: "q1", selectedOptionId: null, customText: "Something else" },
    ])
    expect(done).toMatchObject({
      status: "answered",
      questions: [
        { answer: { customText: "Something else", answeredBy: { name: "Olive" } } },
        { answer: { selectedOptionId: "no" } },
      ],
    })
    expect(await idea(ideaUuid)).toMatchObject({ status: "elaborated", elaborationStatus: "resolved" })

    const changed = await answer(
      workspace.owner,
      ideaUuid,
      [{ questionId: "q1", selectedOptionId: "yes", customText: "after all" }],
      first.uuid,
    )
    expect(changed.questions[0]).toMatchObject({
      answer: { selectedOptionId: "yes" },
      earlier: [{ customText: "Something else" }],
    })

    await ask(ideaUuid, question("follow-up"))
    await expect(workspace.call(workspace.owner, "chorus_pm_validate_elaboration", { ideaUuid })).rejects.toMatchObject(
      { code: "answers_pending" },
    )
    await answer(workspace.developer, ideaUuid, [{ questionId: "follow-up", selectedOptionId: "yes" }])
    await expect(workspace.call(workspace.pm, "chorus_pm_validate_elaboration", { ideaUuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    const validated = await workspace.call(workspace.owner, "chorus_pm_validate_elaboration", { ideaUuid })
    expect(validated).toMatchObject({
      status: "resolved",
      summary: { totalQuestions: 3, answeredQuestions: 3, validatedRounds: 2, pendingRound: null },
    })
    expect(await idea(ideaUuid)).toMatchObject({ status: "elaborated", elaborationStatus: "resolved" })
    await expect(
      answer(workspace.developer, ideaUuid, [{ questionId: "q1", selectedOptionId: "no" }], first.uuid),
    ).rejects.toMatchObject({ code: "round_closed" })
  })

  it("may go on after the idea is elaborated without setting it back", async () => {
    const ideaUuid = await claimed()
    await workspace.call(workspace.pm, "chorus_pm_skip_elaboration", { ideaUuid, reason: "clear" })
    expect(await ask(ideaUuid, question("late"))).toMatchObject({ isAppended: true })
    expect(await idea(ideaUuid)).toMatchObject({
      status: "elaborated",
      elaborationStatus: "resolved",
      badgeHint: "planning",
    })
    await answer(workspace.owner, ideaUuid, [{ questionId: "late", selectedOptionId: "yes" }])
    expect(await workspace.call(workspace.owner, "chorus_pm_validate_elaboration", { ideaUuid })).toMatchObject({
      summary: { validatedRounds: 1 },
    })
  })

  it("is skipped only with a reason, by its holder or an idea:admin, while it lasts", async () => {
    const ideaUuid = await claimed()
    const skip = (actor: Workspace["owner"], reason: string) =>
      workspace.call(actor, "chorus_pm_skip_elaboration", { ideaUuid, reason })
    await expect(skip(workspace.pm, "  ")).rejects.toMatchObject({ code: "invalid_input" })
    const other = await workspace.agent("Other", { presets: ["pm"] })
    await expect(skip(other, "mine now")).rejects.toMatchObject({ code: "not_holder" })
    expect(await skip(workspace.admin, "obvious")).toEqual({
      ideaUuid,
      action: "elaboration_skipped",
      reason: "obvious",
    })
    await expect(skip(workspace.pm, "again")).rejects.toMatchObject({ code: "wrong_status" })
    expect(await workspace.call(workspace.pm, "chorus_get_elaboration", { ideaUuid })).toMatchObject({
      status: "resolved",
      depth: "minimal",
      reason: "obvious",
      rounds: [],
    })
  })

  it("refuses questions that do not fit", async () => {
    const ideaUuid = await claimed()
    await expect(ask(ideaUuid)).rejects.toMatchObject({ code: "invalid_input" })
    await expect(ask(ideaUuid, question("q1", { options: [OPTIONS[0]] }))).rejects.toMatchObject({
      code: "invalid_input",
    })
    await expect(ask(ideaUuid, question("q1"), question("q1"))).rejects.toMatchObject({
      code: "invalid_input",
      details: { faults: ["the question id q1 is used twice"] },
    })
    await expect(
      ask(ideaUuid, ...Array.from({ length: 16 }, (_, index) => question(`q${index}`))),
    ).rejects.toMatchObject({ code: "invalid_input" })
    const { uuid: open } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
      projectUuid: workspace.project,
      title: "Nobody's",
    })
    await expect(ask(open, question("q1"))).rejects.toMatchObject({ code: "wrong_status" })
    await expect(
      workspace.call(workspace.admin, "chorus_pm_start_elaboration", {
        ideaUuid,
        depth: "minimal",
        questions: [question("q1")],
      }),
    ).rejects.toMatchObject({ code: "not_holder" })
    await ask(ideaUuid, question("q1"))
    await expect(ask(ideaUuid, question("q1"))).rejects.toMatchObject({ code: "round_open" })
  })

  it("refuses answers that do not fit, all of them together", async () => {
    const ideaUuid = await claimed()
    await expect(
      answer(workspace.owner, ideaUuid, [{ questionId: "q1", selectedOptionId: "yes" }]),
    ).rejects.toMatchObject({ code: "no_pending_round" })
    await ask(ideaUuid, question("q1"), question("q2"))
    await expect(
      answer(workspace.owner, ideaUuid, [
        { questionId: "q1", selectedOptionId: "yes" },
        { questionId: "q2", selectedOptionId: "maybe" },
      ]),
    ).rejects.toMatchObject({ code: "invalid_answers" })
    await expect(
      answer(workspace.viewer, ideaUuid, [{ questionId: "q1", selectedOptionId: "yes" }]),
    ).rejects.toMatchObject({ code: "forbidden" })
    const elsewhere = await ask(await claimed("Elsewhere"), question("q1"))
    await expect(
      answer(workspace.owner, ideaUuid, [{ questionId: "q1", selectedOptionId: "yes" }], elsewhere.uuid),
    ).rejects.toMatchObject({ code: "not_found" })
    expect(await workspace.call(workspace.pm, "chorus_get_elaboration", { ideaUuid })).toMatchObject({
      summary: { answeredQuestions: 0, pendingRound: 1 },
    })
  })

  it("anchors a task to what people asked for, from the root idea down", async () => {
    const { uuid: root } = await workspace.call<Uuid>(workspace.owner, "chorus_pm_create_idea", {
      projectUuid: workspace.project,
      title: "Root",
      content: "the big wish",
      isContainer: true,
    })
    const ideaUuid = await claimed("Leaf")
    await workspace.call(workspace.pm, "chorus_edit_idea", { ideaUuid, parentUuid: root })
    await ask(ideaUuid, question("q1"))
    await answer(workspace.owner, ideaUuid, [{ questionId: "q1", selectedOptionId: "no", customText: "never" }])
    const anchor = (entityType: string, entityUuid: string) =>
      workspace.call(workspace.developer, "chorus_get_alignment_anchor", { entityType, entityUuid })
    const { uuid: proposalUuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_proposal", {
      projectUuid: workspace.project,
      title: "P",
      inputType: "idea",
      inputUuids: [ideaUuid],
    })
    const { uuid: documentUuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_document", {
      projectUuid: workspace.project,
      type: "prd",
      title: "D",
      proposalUuid,
    })
    for (const [type, uuid] of [
      ["idea", ideaUuid],
      ["proposal", proposalUuid],
      ["document", documentUuid],
    ] as const) {
      expect(await anchor(type, uuid)).toMatchObject({
        anchorAvailable: true,
        directIdeaUuid: ideaUuid,
        rootIdeaUuid: root,
        lineageTitles: ["Root", "Leaf"],
        ideas: [
          { content: "the big wish", decisions: [] },
          { decisions: [{ question: "Question q1?", answer: "No — never", answeredBy: { name: "Olive" } }] },
        ],
      })
    }
    const { uuid: lone } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_document", {
      projectUuid: workspace.project,
      type: "guide",
      title: "Lone",
    })
    expect(await anchor("document", lone)).toEqual({
      anchorAvailable: false,
      directIdeaUuid: null,
      rootIdeaUuid: null,
      lineageTitles: [],
      ideas: [],
    })
  })
})
