import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { furnish } from "../test/furnished-project.ts"
import type { Actor } from "./operation.ts"
import { assertReach, withinReach } from "./reach.ts"

const w = embeddedWorkspace()

const reach = (actor: Actor, input: unknown) => assertReach(w.store.db, actor, input)
const refused = (noun: string, uuid: string) => ({
  code: "not_found",
  status: 404,
  message: `There is no ${noun} ${uuid} that you can see.`,
})

describe("everything an input can name", () => {
  it("is reached in one's own workspace, and does not exist for another's or for an agent of another project", async () => {
    const everything = await w.agent("Everything", { presets: ["admin"] })
    const projectUuid = await w.newProject()
    const thing = await furnish(w, w.owner, everything, projectUuid, "reach")
    const scoped = await w.agent("Scoped", { presets: ["admin"], projectUuids: [w.otherProject] })
    const inProject: [field: string, noun: string, uuid: string][] = [
      ["projectUuid", "project", projectUuid],
      ["targetProjectUuid", "project", projectUuid],
      ["ideaUuid", "idea", thing.idea],
      ["proposalUuid", "proposal", thing.proposal],
      ["documentUuid", "document", thing.document],
      ["taskUuid", "task", thing.task],
      ["dependsOnTaskUuid", "task", thing.task],
      ["findingUuid", "finding", thing.finding],
      ["attachmentUuid", "attachment", thing.attachment],
      ["commentUuid", "comment", thing.comment],
      ["attentionUuid", "attention", thing.attention],
      ["attention_uuid", "attention", thing.attention],
      ["webhookUuid", "webhook", thing.webhook],
      ["groupUuid", "project group", thing.group],
    ]
    const inWorkspace: typeof inProject = [
      ["sessionUuid", "session", thing.session],
      ["parentSessionUuid", "session", thing.session],
      ["agentUuid", "agent", everything.uuid],
      ["userUuid", "person", w.member.uuid],
      ["ownerUuid", "person", w.member.uuid],
    ]
    for (const [field, noun, uuid] of [...inProject, ...inWorkspace]) {
      expect(await reach(w.owner, { [field]: uuid }), field).toMatchObject([{ noun, uuid }])
      await expect(reach(w.stranger, { [field]: uuid }), field).rejects.toMatchObject(refused(noun, uuid))
    }
    for (const [field, noun, uuid] of inProject)
      await expect(reach(scoped, { [field]: uuid }), field).rejects.toMatchObject(refused(noun, uuid))
    for (const [field, , uuid] of inWorkspace) expect(await reach(scoped, { [field]: uuid }), field).toHaveLength(1)
  })

  it("is refused alike whether it is somebody else's or nobody's", async () => {
    const nobodys = randomUUID()
    await expect(reach(w.owner, { taskUuid: nobodys })).rejects.toMatchObject(refused("task", nobodys))
    await expect(reach(w.owner, { projectUuid: w.strangersProject })).rejects.toMatchObject(
      refused("project", w.strangersProject),
    )
  })
})

describe("a list of things", () => {
  it.each(["ideaUuids", "proposalUuids", "dependsOnTaskUuids", "addDependsOn", "removeDependsOn"])(
    "in %s is refused when one of them is out of reach",
    async (field) => {
      await expect(reach(w.owner, { [field]: [randomUUID()] })).rejects.toMatchObject({ code: "not_found" })
      expect(await reach(w.owner, { [field]: [] })).toEqual([])
    },
  )

  it("is told one by one", async () => {
    const [one, two] = [await w.newTask(), await w.newTask()]
    expect((await reach(w.owner, { addDependsOn: [one, two] })).map(({ uuid }) => uuid)).toEqual([one, two])
  })
})

describe("a thing whose kind another field says", () => {
  it.each([
    ["targetType", "targetUuid"],
    ["entityType", "entityUuid"],
  ])("%s tells what %s is", async (type, field) => {
    const ideaUuid = await w.newIdea()
    expect(await reach(w.owner, { [type]: "idea", [field]: ideaUuid })).toMatchObject([{ noun: "idea" }])
    await expect(reach(w.owner, { [type]: "task", [field]: ideaUuid })).rejects.toMatchObject(refused("task", ideaUuid))
    await expect(reach(w.stranger, { [type]: "idea", [field]: ideaUuid })).rejects.toMatchObject(
      refused("idea", ideaUuid),
    )
  })

  it("a scope is a project or a group", async () => {
    expect(await reach(w.owner, { scope: "project", scopeUuid: w.project })).toMatchObject([{ noun: "project" }])
    await expect(reach(w.owner, { scope: "group", scopeUuid: w.project })).rejects.toMatchObject(
      refused("project group", w.project),
    )
    expect(await reach(w.owner, { scope: "global" })).toEqual([])
  })
})

describe("what names nothing", () => {
  it.each([
    [null],
    ["text"],
    [7],
    [{}],
    [{ title: "x" }],
    [{ taskUuid: undefined }],
    [{ taskUuid: 7 }],
    [{ taskUuid: null }],
  ])("%j reaches nothing and refuses nothing", async (input) => {
    expect(await reach(w.owner, input)).toEqual([])
  })
})

describe("withinReach", () => {
  const place = (workspaceUuid: string, projectUuid: string | null) => ({ workspaceUuid, projectUuid })

  it("asks for the workspace first, then for the project unless the caller has all of them", () => {
    const scoped = { ...w.owner, projectUuids: new Set([w.project]) }
    expect(withinReach(w.owner, place(w.workspaceUuid, "any"))).toBe(true)
    expect(withinReach(w.owner, place("other", null))).toBe(false)
    expect(withinReach(scoped, place(w.workspaceUuid, w.project))).toBe(true)
    expect(withinReach(scoped, place(w.workspaceUuid, w.otherProject))).toBe(false)
    expect(withinReach(scoped, place(w.workspaceUuid, null))).toBe(true)
  })
})
