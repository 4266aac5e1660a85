import { randomUUID } from "node:crypto"
import type { elaboration, ideas } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const OPTIONS = [
  { id: "a", label: "A" },
  { id: "b", label: "B" },
]
const question = (id: string, more: object = {}) => ({
  id,
  text: `About ${id}?`,
  category: "scope",
  options: OPTIONS,
  ...more,
})
const ask = (ideaUuid: string, questions: object[] = [question("q")], by: Actor = w.pm) =>
  w.call<elaboration.Round>(by, "chorus_pm_start_elaboration", { ideaUuid, depth: "standard", questions })
const answer = (ideaUuid: string, answers: object[], more: object = {}, by: Actor = w.owner) =>
  w.call<elaboration.Round>(by, "chorus_answer_elaboration", { ideaUuid, answers, ...more })
const validate = (ideaUuid: string) =>
  w.call<elaboration.Elaboration>(w.admin, "chorus_pm_validate_elaboration", { ideaUuid })
const skip = (ideaUuid: string, by: Actor = w.pm) =>
  w.call(by, "chorus_pm_skip_elaboration", { ideaUuid, reason: "it is clear" })
const get = (ideaUuid: string) => w.call<elaboration.Elaboration>(w.viewer, "chorus_get_elaboration", { ideaUuid })

async function heldIdea(more: object = {}): Promise<string> {
  const ideaUuid = await w.newIdea(more)
  await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
  return ideaUuid
}

describe("asking", () => {
  it("tells the idea's readers and the round's, with all that was asked", async () => {
    const ideaUuid = await heldIdea()
    const events = await w.told(() => ask(ideaUuid, [question("one"), question("two", { required: false })]))
    expect(events.map(({ kind }) => kind)).toEqual(["elaboration.started", "round.asked", "idea.progressed"])
    expect(events[0]?.patch).toMatchObject({ elaborationStatus: "pending_answers", elaborationDepth: "standard" })
    expect(events[1]?.patch).toMatchObject({
      ideaUuid,
      roundNumber: 1,
      isAppended: false,
      questions: [
        { questionId: "one", required: true, answer: null },
        { questionId: "two", required: false },
      ],
    })
  })

  it("is for who holds the idea, which must be held", async () => {
    const open = await w.newIdea()
    await expect(ask(open)).rejects.toMatchObject({ code: "wrong_status", next: "Claim the idea first." })
    await expect(ask(await heldIdea(), [question("q")], w.member)).rejects.toMatchObject({ code: "not_holder" })
  })

  it("refuses two questions or two options of one id, naming them", async () => {
    const ideaUuid = await heldIdea()
    await expect(ask(ideaUuid, [question("same"), question("same")])).rejects.toMatchObject({
      code: "invalid_input",
      details: { faults: [expect.stringContaining("same")] },
    })
    await expect(ask(ideaUuid, [question("q", { options: [OPTIONS[0], OPTIONS[0]] })])).rejects.toMatchObject({
      code: "invalid_input",
    })
    expect((await get(ideaUuid)).rounds).toEqual([])
  })

  it.each([
    ["no question", []],
    ["sixteen questions", Array.from({ length: 16 }, (_, n) => question(`q${n}`))],
    ["one option", [question("q", { options: [OPTIONS[0]] })]],
    ["six options", [question("q", { options: Array.from({ length: 6 }, (_, n) => ({ id: `${n}`, label: "x" })) })]],
    ["a blank text", [question("q", { text: "  " })]],
  ])("refuses %s", async (_, questions) => {
    await expect(ask(await heldIdea(), questions)).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("waits until the round before is answered", async () => {
    const ideaUuid = await heldIdea({ title: "Asked twice" })
    const { uuid: roundUuid } = await ask(ideaUuid)
    await expect(ask(ideaUuid)).rejects.toMatchObject({
      code: "round_open",
      message: 'Round 1 of questions about "Asked twice" waits for answers.',
      next: expect.stringContaining("chorus_inbox with wait_seconds"),
      details: { roundUuid },
    })
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    expect(await ask(ideaUuid)).toMatchObject({ roundNumber: 2, isAppended: true })
    await expect(ask(ideaUuid)).rejects.toMatchObject({ code: "round_open" })
  })

  it("ends after ten rounds", async () => {
    const ideaUuid = await heldIdea({ title: "Asked much" })
    for (let round = 1; round <= 10; round++) {
      expect(await ask(ideaUuid)).toMatchObject({ roundNumber: round })
      await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    }
    await expect(ask(ideaUuid)).rejects.toMatchObject({
      code: "too_many_rounds",
      message: '"Asked much" has had 10 rounds of questions.',
    })
  })
})

/** A second round beside an open one, as a workspace may hold it from before that was refused. */
function besides({ uuid }: elaboration.Round): Promise<{ uuid: string }> {
  return w.store.write(async ({ db }) => {
    const copy = { uuid: randomUUID(), roundUuid: randomUUID() }
    const first = await db.selectFrom("elaborationRounds").selectAll().where("uuid", "=", uuid).execute()
    const rounds = first.map((round) => ({ ...round, uuid: copy.roundUuid, roundNumber: 2 }))
    await db.insertInto("elaborationRounds").values(rounds).execute()
    const asked = await db.selectFrom("elaborationQuestions").selectAll().where("roundUuid", "=", uuid).execute()
    const questions = asked.map((one) => ({ ...one, ...copy }))
    await db.insertInto("elaborationQuestions").values(questions).execute()
    return { uuid: copy.roundUuid }
  })
}

describe("answering", () => {
  it("takes an option, free text, or both, and keeps the earlier word", async () => {
    const ideaUuid = await heldIdea()
    const { uuid: roundUuid } = await ask(ideaUuid)
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    await answer(
      ideaUuid,
      [{ questionId: "q", selectedOptionId: "b", customText: "but small" }],
      { roundUuid },
      w.member,
    )
    const [round] = (await get(ideaUuid)).rounds
    expect(round?.questions).toMatchObject([
      {
        answer: { selectedOptionId: "b", customText: "but small", answeredBy: { name: "Mia" } },
        earlier: [{ selectedOptionId: "a", customText: null, answeredBy: { name: "Olive" } }],
      },
    ])
  })

  it("is done when every required question is answered; optional ones may wait", async () => {
    const ideaUuid = await heldIdea()
    await ask(ideaUuid, [question("must"), question("may", { required: false })])
    const events = await w.told(() => answer(ideaUuid, [{ questionId: "must", customText: "yes" }]))
    expect(events.map(({ kind }) => kind)).toEqual([
      "elaboration.answered",
      "elaboration.validated",
      "round.answered",
      "idea.progressed",
    ])
    expect(await get(ideaUuid)).toMatchObject({
      status: "resolved",
      summary: { totalQuestions: 2, answeredQuestions: 1, pendingRound: null, validatedRounds: 1 },
    })
  })

  it("accepts by sending, unless who answers wants to be asked again or may not accept", async () => {
    const settled = await heldIdea()
    await ask(settled)
    expect(await answer(settled, [{ questionId: "q", selectedOptionId: "a" }])).toMatchObject({
      validatedAt: expect.any(String),
      askAgain: false,
    })
    expect(await get(settled)).toMatchObject({ status: "resolved" })

    const again = await heldIdea()
    await ask(again)
    expect(await answer(again, [{ questionId: "q", selectedOptionId: "a" }], { askAgain: true })).toMatchObject({
      validatedAt: null,
      askAgain: true,
    })
    expect(await get(again)).toMatchObject({ status: "validating" })
    expect(await w.call(w.pm, "chorus_inbox")).toMatchObject({
      waits: expect.arrayContaining([
        expect.objectContaining({ kind: "plan", uuid: again, note: expect.stringContaining("another round") }),
        expect.objectContaining({ kind: "plan", uuid: settled }),
      ]),
    })
    await ask(again, [question("more")])
    await answer(again, [{ questionId: "more", selectedOptionId: "b" }])
    expect(await get(again)).toMatchObject({ status: "resolved", summary: { validatedRounds: 2 } })

    const byAgent = await heldIdea()
    const { uuid } = await ask(byAgent)
    await answer(byAgent, [{ questionId: "q", selectedOptionId: "a" }], {}, w.developer)
    expect(await get(byAgent)).toMatchObject({ status: "validating" })
    const { items } = await w.call<{ items: { uuid: string }[] }>(w.owner, "chorus_needs_you")
    expect(items.map((item) => item.uuid)).toContain(uuid)
  })

  it("may be changed by a person afterwards, which is told as a change", async () => {
    const ideaUuid = await heldIdea({ title: "Mind" })
    const { uuid: roundUuid } = await ask(ideaUuid)
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "b" }], { roundUuid })
    expect(await get(ideaUuid)).toMatchObject({ status: "resolved" })
    const { news } = await w.call<{ news: { message: string }[] }>(w.pm, "chorus_inbox")
    expect(news.at(-1)?.message).toMatch(/^Olive changed an answer about "Mind":\n.+ — .+ \(before: .+\)$/)
  })

  it.each([
    ["a question nobody asked", [{ questionId: "other", selectedOptionId: "a" }]],
    ["an option that was not offered", [{ questionId: "q", selectedOptionId: "z" }]],
    ["neither option nor text", [{ questionId: "q" }]],
    [
      "one question twice",
      [
        { questionId: "q", selectedOptionId: "a" },
        { questionId: "q", selectedOptionId: "b" },
      ],
    ],
  ])("refuses %s, and keeps none of the answers", async (_, answers) => {
    const ideaUuid = await heldIdea()
    await ask(ideaUuid, [question("q"), question("fine")])
    await expect(answer(ideaUuid, [{ questionId: "fine", selectedOptionId: "a" }, ...answers])).rejects.toMatchObject({
      code: "invalid_answers",
      details: { faults: [expect.any(String)] },
    })
    expect((await get(ideaUuid)).summary.answeredQuestions).toBe(0)
  })

  it("asks which round is meant when several wait or none does", async () => {
    const ideaUuid = await heldIdea()
    const say = (more: object = {}) => answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }], more)
    await expect(say()).rejects.toMatchObject({ code: "no_pending_round" })
    const one = await ask(ideaUuid)
    const two = await besides(one)
    await expect(say()).rejects.toMatchObject({
      code: "several_pending_rounds",
      details: { roundUuids: [one.uuid, two.uuid] },
    })
    await say({ roundUuid: two.uuid })
    expect(await say()).toMatchObject({ uuid: one.uuid, status: "answered" })
    const other = await ask(await heldIdea())
    await expect(say({ roundUuid: other.uuid })).rejects.toMatchObject({ code: "not_found" })
  })

  it("is over for agents once the round was validated", async () => {
    const ideaUuid = await heldIdea()
    const { uuid: roundUuid } = await ask(ideaUuid)
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    await expect(
      answer(ideaUuid, [{ questionId: "q", selectedOptionId: "b" }], { roundUuid }, w.developer),
    ).rejects.toMatchObject({
      code: "round_closed",
      message: expect.stringContaining("Round 1"),
    })
  })

  it("is not for viewers", async () => {
    const ideaUuid = await heldIdea()
    await ask(ideaUuid)
    await expect(answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }], {}, w.viewer)).rejects.toMatchObject({
      code: "forbidden",
    })
  })
})

describe("validating", () => {
  it("elaborates the idea and closes every round", async () => {
    const ideaUuid = await heldIdea()
    await ask(ideaUuid)
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }], {}, w.developer)
    const events = await w.told(() => validate(ideaUuid))
    expect(events[0]).toMatchObject({
      kind: "elaboration.validated",
      patch: { status: "elaborated", elaborationStatus: "resolved" },
    })
    expect(await get(ideaUuid)).toMatchObject({
      status: "resolved",
      summary: { validatedRounds: 1 },
      rounds: [{ validatedAt: expect.any(String) }],
    })
  })

  it("waits for answers and needs a question", async () => {
    const ideaUuid = await heldIdea({ title: "Quiet" })
    await expect(validate(ideaUuid)).rejects.toMatchObject({
      code: "nothing_to_validate",
      message: 'No questions were asked about "Quiet".',
    })
    const { uuid } = await ask(ideaUuid)
    await expect(validate(ideaUuid)).rejects.toMatchObject({
      code: "answers_pending",
      message: expect.stringContaining("1 round waiting"),
      details: { roundUuids: [uuid] },
    })
  })

  it("accepts later rounds without setting the idea back", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    expect(await ask(ideaUuid)).toMatchObject({ isAppended: true })
    expect(await w.call<ideas.IdeaDetail>(w.viewer, "chorus_get_idea", { ideaUuid })).toMatchObject({
      status: "elaborated",
      elaborationStatus: "resolved",
    })
    await answer(ideaUuid, [{ questionId: "q", selectedOptionId: "a" }])
    expect(await validate(ideaUuid)).toMatchObject({ status: "resolved" })
  })
})

describe("skipping", () => {
  it("settles the idea with the reason", async () => {
    const ideaUuid = await heldIdea()
    const [event] = await w.told(() => skip(ideaUuid))
    expect(event).toMatchObject({
      kind: "elaboration.skipped",
      patch: { status: "elaborated", elaborationReason: "it is clear" },
    })
    expect(await get(ideaUuid)).toMatchObject({ status: "resolved", depth: "minimal", reason: "it is clear" })
  })

  it("is for the holder, or who may do everything with ideas, while it is being elaborated", async () => {
    const open = await w.newIdea()
    await expect(skip(open)).rejects.toMatchObject({ code: "wrong_status", next: "Claim the idea first." })
    const ideaUuid = await heldIdea()
    const planner = await w.agent("Other planner", { presets: ["pm"] })
    await expect(skip(ideaUuid, planner)).rejects.toMatchObject({ code: "not_holder" })
    await skip(ideaUuid, w.admin)
    await expect(skip(ideaUuid)).rejects.toMatchObject({
      code: "wrong_status",
      next: expect.stringContaining("elaborated already"),
    })
  })
})
