import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { LONG, submittedPlan, type Uuid } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

interface Anchor {
  readonly anchorAvailable: boolean
  readonly directIdeaUuid: string | null
  readonly rootIdeaUuid: string | null
  readonly lineageTitles: string[]
  readonly ideas: {
    title: string
    decisions: { question: string; answer: string; answeredBy: { name: string } }[]
    comments: { content: string }[]
  }[]
}

const anchor = (entityType: string, entityUuid: string) =>
  w.call<Anchor>(w.viewer, "chorus_get_alignment_anchor", { entityType, entityUuid })
const NONE = { anchorAvailable: false, directIdeaUuid: null, rootIdeaUuid: null, lineageTitles: [], ideas: [] }

/** A theme, an idea below it with an answered question, and an approved plan for it. */
async function grown() {
  const theme = await w.newIdea({ title: "Theme", isContainer: true })
  const ideaUuid = await w.newIdea({ title: "Wish", parentUuid: theme })
  await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
  const options = [
    { id: "s", label: "Small" },
    { id: "l", label: "Large" },
  ]
  await w.call(w.pm, "chorus_pm_start_elaboration", {
    ideaUuid,
    depth: "minimal",
    questions: [{ id: "size", text: "How big?", category: "scope", options }],
  })
  await w.call(w.owner, "chorus_answer_elaboration", {
    ideaUuid,
    answers: [{ questionId: "size", selectedOptionId: "s", customText: "tiny even" }],
  })
  await w.call(w.owner, "chorus_pm_validate_elaboration", { ideaUuid })
  const { uuid: proposalUuid } = await submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
  const made = await w.call<{
    materializedTasks: { taskUuid: string }[]
    materializedDocuments: { documentUuid: string }[]
  }>(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
  return {
    theme,
    ideaUuid,
    proposalUuid,
    taskUuid: made.materializedTasks[0]?.taskUuid ?? "",
    documentUuid: made.materializedDocuments[0]?.documentUuid ?? "",
  }
}

describe("what people asked for", () => {
  it("is found behind an idea, its proposal, its tasks and its documents alike", async () => {
    const { theme, ideaUuid, proposalUuid, taskUuid, documentUuid } = await grown()
    for (const [type, uuid] of [
      ["idea", ideaUuid],
      ["proposal", proposalUuid],
      ["task", taskUuid],
      ["document", documentUuid],
    ] as const) {
      expect(await anchor(type, uuid)).toMatchObject({
        anchorAvailable: true,
        directIdeaUuid: ideaUuid,
        rootIdeaUuid: theme,
        lineageTitles: ["Theme", "Wish"],
      })
    }
  })

  it("is told with what was decided and said, oldest first", async () => {
    const { ideaUuid } = await grown()
    for (const content of ["first", "second"])
      await w.call(w.owner, "chorus_add_comment", { targetType: "idea", targetUuid: ideaUuid, content })
    const gone = await w.call<Uuid>(w.owner, "chorus_add_comment", {
      targetType: "idea",
      targetUuid: ideaUuid,
      content: "gone",
    })
    await w.call(w.owner, "chorus_delete_comment", { commentUuid: gone.uuid })
    const wish = (await anchor("idea", ideaUuid)).ideas.at(-1)
    expect(wish?.decisions).toMatchObject([
      { question: "How big?", answer: "Small — tiny even", answeredBy: { name: "Olive" } },
    ])
    expect(wish?.comments.map(({ content }) => content)).toEqual(["first", "second"])
  })

  it("is found through a document that came from another proposal", async () => {
    const { ideaUuid, documentUuid } = await grown()
    const { uuid } = await w.call<Uuid>(w.pm, "chorus_pm_create_proposal", {
      projectUuid: w.project,
      title: "Follow-up",
      description: LONG,
      inputType: "document",
      inputUuids: [documentUuid],
    })
    expect(await anchor("proposal", uuid)).toMatchObject({ directIdeaUuid: ideaUuid })
  })

  it("is not there for work that came from nowhere", async () => {
    expect(await anchor("task", await w.newTask())).toEqual(NONE)
    const { uuid: documentUuid } = await w.call<Uuid>(w.pm, "chorus_pm_create_document", {
      projectUuid: w.project,
      type: "adr",
      title: "By hand",
      content: "x",
    })
    expect(await anchor("document", documentUuid)).toEqual(NONE)
    const { uuid } = await w.call<Uuid>(w.pm, "chorus_pm_create_proposal", {
      projectUuid: w.project,
      title: "From it",
      description: LONG,
      inputType: "document",
      inputUuids: [documentUuid],
    })
    expect(await anchor("proposal", uuid)).toEqual(NONE)
  })
})
