import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Comment {
  uuid: string
  content: string
  author: { name: string }
  parentUuid: string | null
  editedAt: string | null
  deletedAt: string | null
}

onEachEngineUnderStress("comments", (engine) => {
  let w: Workspace
  let idea: string
  beforeAll(async () => {
    w = await openWorkspace({ engine })
    idea = (
      await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", { projectUuid: w.project, title: "Login" })
    ).uuid
  })
  afterAll(() => w.close())

  const say = (actor: Workspace["owner"], content: string, more: object = {}) =>
    w.call<Comment>(actor, "chorus_add_comment", { targetType: "idea", targetUuid: idea, content, ...more })
  const read = async () =>
    (
      await w.call<{ comments: Comment[]; total: number }>(w.viewer, "chorus_get_comments", {
        targetType: "idea",
        targetUuid: idea,
      })
    ).comments

  it("are listed newest first, with their authors and what they answer", async () => {
    const first = await say(w.developer, "first")
    const answer = await say(w.owner, "answer", { parentUuid: first.uuid })
    expect(await read()).toMatchObject([
      { uuid: answer.uuid, content: "answer", parentUuid: first.uuid, author: { name: "Olive" } },
      { uuid: first.uuid, content: "first", parentUuid: null, author: { name: "Dev", type: "agent" } },
    ])
  })

  it("are rewritten by their author alone", async () => {
    const { uuid } = await say(w.developer, "befor")
    await expect(
      w.call(w.rival, "chorus_edit_comment", { commentUuid: uuid, content: "mine now" }),
    ).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      w.call(w.owner, "chorus_edit_comment", { commentUuid: uuid, content: "mine now" }),
    ).rejects.toMatchObject({ code: "forbidden" })
    expect(await w.call(w.developer, "chorus_edit_comment", { commentUuid: uuid, content: "before" })).toMatchObject({
      content: "before",
      editedAt: expect.any(String),
    })
  })

  it("are deleted by their author, the author's person, or who runs the workspace; answers keep their place", async () => {
    const root = await say(w.developer, "secret")
    const answer = await say(w.rival, "an answer", { parentUuid: root.uuid })
    const alone = await say(w.rival, "alone")
    await expect(w.call(w.member, "chorus_delete_comment", { commentUuid: root.uuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    await w.call(w.owner, "chorus_delete_comment", { commentUuid: root.uuid })
    await w.call(w.rival, "chorus_delete_comment", { commentUuid: alone.uuid })
    const shown = await read()
    expect(shown.find(({ uuid }) => uuid === root.uuid)).toMatchObject({ content: "", deletedAt: expect.any(String) })
    expect(shown.find(({ uuid }) => uuid === answer.uuid)).toMatchObject({ content: "an answer" })
    expect(shown.find(({ uuid }) => uuid === alone.uuid)).toBeUndefined()
    await expect(
      w.call(w.developer, "chorus_edit_comment", { commentUuid: root.uuid, content: "back" }),
    ).rejects.toMatchObject({ code: "not_found" })
    await expect(say(w.member, "too late", { parentUuid: root.uuid })).rejects.toMatchObject({
      code: "comment_deleted",
    })
  })

  it("answer only comments on the same thing", async () => {
    const other = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "Other",
    })
    const there = await w.call<Comment>(w.owner, "chorus_add_comment", {
      targetType: "idea",
      targetUuid: other.uuid,
      content: "there",
    })
    await expect(say(w.owner, "here", { parentUuid: there.uuid })).rejects.toMatchObject({ code: "not_found" })
  })

  it("need the right to read what they are about, and more than a viewer", async () => {
    const blind = await w.agent("Blind", { presets: [], permissions: ["task:read"] })
    await expect(say(blind, "hello")).rejects.toMatchObject({ code: "forbidden" })
    await expect(w.call(blind, "chorus_get_comments", { targetType: "idea", targetUuid: idea })).rejects.toMatchObject({
      code: "forbidden",
    })
    await expect(say(w.viewer, "hello")).rejects.toMatchObject({ code: "forbidden" })
    const elsewhere = await w.agent("Elsewhere", { presets: ["admin"], projectUuids: [w.otherProject] })
    await expect(say(elsewhere, "hello")).rejects.toMatchObject({ code: "not_found" })
    await expect(say(w.stranger, "hello")).rejects.toMatchObject({ code: "not_found" })
    await expect(
      w.call(w.owner, "chorus_add_comment", { targetType: "idea", targetUuid: randomUUID(), content: "x" }),
    ).rejects.toMatchObject({ code: "not_found" })
  })

  it("must say something", async () => {
    await expect(say(w.owner, "  \n ")).rejects.toMatchObject({ code: "invalid_input" })
  })
})
