import type { ideas } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea, submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const get = (ideaUuid: string) => w.call<ideas.IdeaDetail>(w.viewer, "chorus_get_idea", { ideaUuid })
const edit = (ideaUuid: string, changes: object, by: Actor = w.pm) =>
  w.call<ideas.IdeaRow>(by, "chorus_edit_idea", { ideaUuid, ...changes })
const claim = (ideaUuid: string, by: Actor = w.pm) => w.call(by, "chorus_claim_idea", { ideaUuid })
const release = (ideaUuid: string, by: Actor = w.pm) => w.call(by, "chorus_release_idea", { ideaUuid })
const assign = (ideaUuid: string, to: Actor, by: Actor = w.owner) =>
  w.call(by, "chorus_pm_assign_idea", { ideaUuid, assigneeType: to.type, assigneeUuid: to.uuid })

describe("writing an idea down", () => {
  it("is told with its content, and each reference for itself", async () => {
    const reference = { type: "repo", url: "https://example.test/r", title: "R" }
    const events = await w.told(() => w.newIdea({ title: "Fly", content: "higher", references: [reference] }))
    expect(events.map(({ kind }) => kind)).toEqual(["idea.created", "reference.added"])
    expect(events[0]).toMatchObject({
      projectUuid: w.project,
      patch: {
        title: "Fly",
        content: "higher",
        status: "open",
        derivedStatus: "todo",
        badgeHint: "open",
        isContainer: false,
      },
    })
    expect(events[1]?.patch).toMatchObject({ ...reference, targetUuid: events[0]?.entityUuid })
  })

  it("below another, which must be of the same project", async () => {
    const parentUuid = await w.newIdea()
    expect(await get(await w.newIdea({ parentUuid }))).toMatchObject({ parent: { uuid: parentUuid } })
    const elsewhere = await w.newIdea({ projectUuid: w.otherProject })
    await expect(w.newIdea({ parentUuid: elsewhere })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("parent idea"),
    })
  })
})

describe("editing an idea", () => {
  it("changes and tells only what was given", async () => {
    const ideaUuid = await w.newIdea({ content: "old" })
    const events = await w.told(() => edit(ideaUuid, { title: "New" }))
    expect(events).toMatchObject([{ kind: "idea.updated", patch: { title: "New" } }])
    expect(events[0]?.patch).not.toHaveProperty("content")
    expect(await get(ideaUuid)).toMatchObject({ title: "New", content: "old" })
    await edit(ideaUuid, { content: null })
    expect(await get(ideaUuid)).toMatchObject({ content: null })
  })

  it("with nothing to change is refused, saying what could be", async () => {
    await expect(edit(await w.newIdea(), {})).rejects.toMatchObject({
      code: "invalid_input",
      next: expect.stringContaining("parentUuid"),
    })
  })

  it("says from where an idea was moved, so that a reader can take it from there", async () => {
    const [from, to] = [await w.newIdea(), await w.newIdea()]
    const child = await w.newIdea({ parentUuid: from })
    const [event] = await w.told(() => edit(child, { parentUuid: to }))
    expect(event?.patch).toMatchObject({ parentUuid: to, previousParentUuid: from })
  })

  it("never makes a circle, not even when two move ideas below each other at once", async () => {
    const [a, b] = [await w.newIdea(), await w.newIdea()]
    const answers = await Promise.allSettled([edit(a, { parentUuid: b }), edit(b, { parentUuid: a })])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(answers.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "lineage_circle" } })
  })

  it("makes a theme only of what feeds no proposal, and an idea again at any time", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    const plan = await submittedPlan(w, w.pm, { ideaUuid })
    await expect(edit(ideaUuid, { isContainer: true })).rejects.toMatchObject({
      code: "idea_in_use",
      details: { proposalUuid: plan.uuid },
    })
    await w.call(w.owner, "chorus_admin_close_proposal", { proposalUuid: plan.uuid, reviewNote: "no" })
    expect(await edit(ideaUuid, { isContainer: true })).toMatchObject({ isContainer: true })
    expect(await edit(ideaUuid, { isContainer: false })).toMatchObject({ isContainer: false })
  })
})

describe("holding an idea", () => {
  it("is won by one of many who claim at once", async () => {
    const ideaUuid = await w.newIdea({ title: "Wanted" })
    const answers = await Promise.allSettled([w.pm, w.admin, w.owner, w.member].map((actor) => claim(ideaUuid, actor)))
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const { assignee } = await get(ideaUuid)
    for (const answer of answers) {
      if (answer.status === "rejected")
        expect(answer.reason).toMatchObject({
          code: "already_claimed",
          details: { status: "elaborating", holder: { uuid: assignee?.uuid } },
        })
    }
  })

  it("is nothing its holder has to claim, or to ask anybody for", async () => {
    const ideaUuid = await w.newIdea({ title: "Given" })
    await assign(ideaUuid, w.pm)
    await expect(claim(ideaUuid, w.pm)).rejects.toMatchObject({
      message: 'You hold "Given" already; it is elaborating.',
      next: expect.stringMatching(/^Go on with it/) as string,
    })
  })

  it("shows who gave it to whom and when", async () => {
    const ideaUuid = await w.newIdea()
    await assign(ideaUuid, w.pm)
    expect(await get(ideaUuid)).toMatchObject({
      status: "elaborating",
      assignee: { name: "Petra", assignedBy: { name: "Olive" }, assignedAt: expect.any(String) },
    })
  })

  it("is given up by the holder, by its person, and by an agent of the person who holds it", async () => {
    const ideaUuid = await w.newIdea()
    await claim(ideaUuid)
    const [event] = await w.told(() => release(ideaUuid, w.owner))
    expect(event).toMatchObject({ kind: "idea.released", patch: { status: "open", assignee: null } })
    await claim(ideaUuid, w.owner)
    await release(ideaUuid, w.admin)
    expect(await get(ideaUuid)).toMatchObject({ status: "open", assignee: null })
  })

  it("is not given up by strangers, nor where nobody holds it, nor once the idea is elaborated", async () => {
    const ideaUuid = await w.newIdea({ title: "Mine" })
    await expect(release(ideaUuid)).rejects.toMatchObject({
      code: "not_holder",
      message: 'Nobody holds "Mine" yet.',
      next: "Claim the idea first.",
    })
    await claim(ideaUuid)
    await expect(release(ideaUuid, w.member)).rejects.toMatchObject({
      code: "not_holder",
      message: '"Mine" is held by Petra, not by you.',
    })
    await w.call(w.pm, "chorus_pm_skip_elaboration", { ideaUuid, reason: "clear" })
    await expect(release(ideaUuid)).rejects.toMatchObject({ code: "wrong_status", details: { status: "elaborated" } })
  })

  it("goes to whoever may work on it, and an elaborated idea stays elaborated", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    expect(await assign(ideaUuid, w.admin)).toMatchObject({ status: "elaborated", assignee: { name: "Ada" } })
    await expect(assign(ideaUuid, w.developer)).rejects.toMatchObject({
      code: "assignee_lacks_permission",
      details: { needs: "idea:write" },
    })
  })

  it("never goes to who is archived, disabled or of another workspace", async () => {
    const ideaUuid = await w.newIdea()
    const agent = await w.agent("Gone", { presets: ["pm"] })
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, archived: true })
    const { member } = await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", {
      name: "Off",
      role: "member",
    })
    await w.call(w.owner, "chorus_update_member", { userUuid: member.uuid, disabled: true })
    for (const who of [agent, w.stranger, { ...w.member, uuid: member.uuid }])
      await expect(assign(ideaUuid, who)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("deleting an idea", () => {
  const remove = (ideaUuid: string) => w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid })

  it("lifts its children to its parent, tells each, and takes along what hung on it", async () => {
    const top = await w.newIdea()
    const middle = await w.newIdea({ parentUuid: top, title: "Middle" })
    const child = await w.newIdea({ parentUuid: middle })
    await w.call(w.owner, "chorus_add_comment", { targetType: "idea", targetUuid: middle, content: "hm" })
    const events = await w.told(() => remove(middle))
    expect(events.map(({ kind, entityUuid }) => [kind, entityUuid])).toEqual([
      ["idea.updated", child],
      ["idea.deleted", middle],
    ])
    expect(events[0]?.patch).toMatchObject({ parentUuid: top })
    expect(events[1]?.patch).toEqual({ title: "Middle", previousParentUuid: top })
    expect(await get(child)).toMatchObject({ parentUuid: top })
    expect(await w.store.db.selectFrom("comments").select("uuid").where("targetUuid", "=", middle).execute()).toEqual(
      [],
    )
  })

  it("waits until no pending or approved proposal feeds on it; a draft may", async () => {
    const ideaUuid = await settledIdea(w, w.pm, "Used")
    const plan = await submittedPlan(w, w.pm, { ideaUuid })
    await expect(remove(ideaUuid)).rejects.toMatchObject({
      code: "idea_in_use",
      message: '"Used" feeds 1 pending or approved proposal.',
      details: { proposals: [{ uuid: plan.uuid, status: "pending" }] },
    })
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid: plan.uuid, reviewNote: "later" })
    expect(await remove(ideaUuid)).toEqual({ uuid: ideaUuid, deleted: true })
  })
})

describe("names of early clients", () => {
  const setStatus = (ideaUuid: string, status: string) =>
    w.call<{ note: string }>(w.pm, "chorus_update_idea_status", { ideaUuid, status })

  it.each(["assigned", "in_progress", "elaborating"])("%s claims an open idea", async (status) => {
    const ideaUuid = await w.newIdea()
    expect(await setStatus(ideaUuid, status)).toMatchObject({
      status: "elaborating",
      assignee: { name: "Petra" },
      note: "The idea was claimed.",
    })
  })

  it("open gives one back that is being elaborated", async () => {
    const ideaUuid = await w.newIdea()
    await claim(ideaUuid)
    expect(await setStatus(ideaUuid, "open")).toMatchObject({
      status: "open",
      assignee: null,
      note: "The idea was released.",
    })
  })

  it("anything else answers how it stands and changes nothing", async () => {
    const ideaUuid = await w.newIdea()
    for (const status of ["open", "completed", "nonsense"]) {
      expect(await w.kinds(() => setStatus(ideaUuid, status))).toEqual([])
      expect((await setStatus(ideaUuid, status)).note).toContain("Nothing was changed")
    }
  })
})
