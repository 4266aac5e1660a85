import type { OutputOf, search as contract, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const search = (query: string, more: object = {}, by: Actor = w.viewer) =>
  w.call<OutputOf<typeof contract.search>>(by, "chorus_search", { query, ...more })
const titles = async (query: string, more: object = {}, by: Actor = w.viewer) =>
  (await search(query, more, by)).results.map(({ title }) => title)

describe("searching", () => {
  it("takes what was typed literally, whatever it would mean to an index", async () => {
    await w.newIdea({ title: 'Say "hello" AND (100%) or a_b* NEAR x' })
    for (const query of ['"hello"', "AND", "(100%)", "a_b*", "NEAR", "'", "%", "_", "\\", '"', "a OR b", "title:x"])
      await search(query)
    expect(await titles("100%")).toHaveLength(1)
    expect(await titles("a_b*")).toHaveLength(1)
    expect(await titles("axb*")).toEqual([])
  })

  it("finds a word by any part of it, also a short one, in any case", async () => {
    await w.newIdea({ title: "Zebrafish", content: "ox" })
    for (const query of ["zebra", "BRAFI", "fish", "ox", "ZE"]) expect(await titles(query)).toContain("Zebrafish")
    expect(await titles("zebra cow")).toEqual([])
    expect(await titles("fish zebra")).toContain("Zebrafish")
  })

  it("follows what is changed, moved and deleted", async () => {
    const ideaUuid = await w.newIdea({ title: "Quokka" })
    await w.call(w.pm, "chorus_edit_idea", { ideaUuid, title: "Wombat" })
    expect([await titles("quokka"), await titles("wombat")]).toEqual([[], ["Wombat"]])
    await w.call(w.pm, "chorus_move_idea", { ideaUuid, targetProjectUuid: w.otherProject })
    expect((await search("wombat")).results).toMatchObject([{ projectUuid: w.otherProject, projectName: "Second" }])
    await w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid })
    expect(await titles("wombat")).toEqual([])
  })

  it("keeps to the kinds and the place asked for, and to what the caller may read", async () => {
    await w.newIdea({ title: "Heron idea" })
    await w.newTask({ title: "Heron task", projectUuid: w.otherProject })
    expect((await titles("heron")).sort()).toEqual(["Heron idea", "Heron task"])
    expect(await titles("heron", { entityTypes: ["task"] })).toEqual(["Heron task"])
    expect(await titles("heron", { scope: "project", scopeUuid: w.project })).toEqual(["Heron idea"])
    const reader = await w.agent("Task reader", { presets: [], permissions: ["task:read"] })
    expect(await titles("heron", {}, reader)).toEqual(["Heron task"])
    expect(await titles("heron", {}, w.stranger)).toEqual([])
    expect((await search("heron")).counts).toMatchObject({ ideas: 1, tasks: 1, documents: 0 })
  })

  it("finds a task by its criteria, comments and reports, once, as long as they stand and wherever it goes", async () => {
    const taskUuid = await w.newTask({
      title: "Gate",
      acceptanceCriteriaItems: [{ description: "The hinge is axolotl-proof" }],
    })
    const { uuid: commentUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_add_comment", {
      targetType: "task",
      targetUuid: taskUuid,
      content: "An axolotl was seen at the pangolin",
    })
    expect((await search("axolotl")).results).toMatchObject([
      {
        entityType: "task",
        uuid: taskUuid,
        title: "Gate",
        status: "open",
        snippet: expect.stringContaining("axolotl"),
      },
    ])
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    await w.call(w.developer, "chorus_report_work", { taskUuid, report: "Greased with capybara oil" })
    expect(await titles("capybara")).toEqual(["Gate"])
    expect(await titles("pangolin", { entityTypes: ["idea"] })).toEqual([])
    expect(await titles("pangolin", {}, w.stranger)).toEqual([])
    await w.call(w.owner, "chorus_edit_comment", { commentUuid, content: "A numbat was seen" })
    expect([await titles("pangolin"), await titles("numbat")]).toEqual([[], ["Gate"]])
    await w.call(w.owner, "chorus_delete_comment", { commentUuid })
    expect(await titles("numbat")).toEqual([])
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid })
    expect([await titles("axolotl"), await titles("capybara")]).toEqual([[], []])
  })

  it("finds a task by the evidence of its verdicts and by why it was sent back, and a proposal by why it was rejected", async () => {
    const taskUuid = await w.newTask({ title: "Fence", acceptanceCriteriaItems: [{ description: "It stands" }] })
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    const [criterion] = (await w.call<OutputOf<typeof tasks.getTask>>(w.developer, "chorus_get_task", { taskUuid }))
      .acceptanceCriteriaItems
    const uuid = criterion?.uuid
    await w.call(w.developer, "chorus_report_criteria_self_check", {
      taskUuid,
      criteria: [{ uuid, devStatus: "passed", devEvidence: "Leant on by a tapir" }],
    })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await w.call(w.owner, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: [{ uuid, status: "passed", evidence: "Leant on by an okapi" }],
    })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "A jerboa went through" })
    expect([await titles("tapir"), await titles("okapi"), await titles("jerboa")]).toEqual([
      ["Fence"],
      ["Fence"],
      ["Fence"],
    ])
    expect((await search("jerboa")).results).toMatchObject([{ uuid: taskUuid, snippet: "A jerboa went through" }])
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid })
    expect([await titles("tapir"), await titles("jerboa")]).toEqual([[], []])
    const plan = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid: plan.uuid, reviewNote: "Too small for a gaur" })
    expect(await titles("gaur")).toEqual(["A plan"])
  })

  it("takes what is said of an idea along when that moves", async () => {
    const ideaUuid = await w.newIdea({ title: "Burrow" })
    await w.call(w.owner, "chorus_add_comment", { targetType: "idea", targetUuid: ideaUuid, content: "for a bilby" })
    await w.call(w.pm, "chorus_move_idea", { ideaUuid, targetProjectUuid: w.otherProject })
    expect((await search("bilby", { scope: "project", scopeUuid: w.otherProject })).results).toMatchObject([
      { uuid: ideaUuid, projectUuid: w.otherProject },
    ])
  })

  it("finds a thing by its id, and nobody's that is out of reach", async () => {
    const taskUuid = await w.newTask({ title: "By id" })
    expect((await search(taskUuid.toUpperCase())).results).toMatchObject([
      { uuid: taskUuid, title: "By id", status: "open", shortId: expect.stringMatching(/^[A-Z]+-\d+$/) },
    ])
    expect((await search(taskUuid, {}, w.stranger)).results).toEqual([])
  })
})

describe("whom one can mention", () => {
  const find = (query: string, by: Actor = w.owner, more: object = {}) =>
    w.call<OutputOf<typeof contract.searchMentionables>>(by, "chorus_search_mentionables", { query, ...more })

  it("are people and agents by part of their name or address, agents at work first", async () => {
    const [idle, busy] = [await w.agent("Finch idle"), await w.agent("Finch busy")]
    await w.newSession(busy)
    const { results } = await find("finch")
    expect(results.map(({ name, online, activeCount }) => [name, online, activeCount])).toEqual([
      ["Finch busy", true, 1],
      ["Finch idle", false, 0],
    ])
    expect(results[1]?.mention).toBe(`@[Finch idle](agent:${idle.uuid})`)
    expect((await find("MIA@exam")).results).toMatchObject([{ type: "user", name: "Mia" }])
  })

  it("are found by an agent by their names alone: no part of an address tells it whose that is", async () => {
    expect((await find("Mia", w.admin)).results).toMatchObject([{ type: "user", name: "Mia" }])
    for (const part of ["mia@", "@exam", "example.", "@", "a@e"])
      expect((await find(part, w.admin)).results.filter(({ type }) => type === "user")).toEqual([])
  })

  it("are, for an agent, only the agents of its own person", async () => {
    await w.agent("Raven mine")
    await w.agent("Raven theirs", { owner: w.member })
    expect((await find("raven", w.developer)).results.map(({ name }) => name)).toEqual(["Raven mine"])
    expect((await find("raven")).results).toHaveLength(2)
  })

  it("are neither archived nor disabled, and % stands for itself", async () => {
    const agent = await w.agent("Stork")
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, archived: true })
    expect((await find("stork")).results).toEqual([])
    expect((await find("%")).results).toEqual([])
  })

  it("keep a name with brackets from breaking the mention", async () => {
    await w.agent("Wren [bot](x)")
    expect((await find("wren")).results[0]?.mention).toMatch(/^@\[Wren  bot \(x\)\]\(agent:[\w-]{36}\)$/)
  })

  it("are as many as were asked for", async () => {
    expect((await find("e", w.owner, { limit: 2 })).results).toHaveLength(2)
  })
})
