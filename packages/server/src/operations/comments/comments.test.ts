import type { comments } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()
let targetUuid: string
beforeEach(async () => {
  targetUuid = await w.newTask()
})

const add = (content: string, more: object = {}, by: Actor = w.owner) =>
  w.call<comments.CommentRow>(by, "chorus_add_comment", { targetType: "task", targetUuid, content, ...more })
const edit = (commentUuid: string, content: string, by: Actor = w.owner) =>
  w.call<comments.CommentRow>(by, "chorus_edit_comment", { commentUuid, content })
const remove = (commentUuid: string, by: Actor = w.owner) => w.call(by, "chorus_delete_comment", { commentUuid })
const list = (more: object = {}) =>
  w.call<{ comments: comments.CommentRow[]; total: number }>(w.viewer, "chorus_get_comments", {
    targetType: "task",
    targetUuid,
    ...more,
  })
const mention = (actor: Actor) => `@[${actor.name}](${actor.type}:${actor.uuid})`
const mentioned = async (sourceUuid: string) =>
  (await w.store.db.selectFrom("mentions").select("mentionedUuid").where("sourceUuid", "=", sourceUuid).execute()).map(
    (row) => row.mentionedUuid,
  )

describe("a comment", () => {
  it("is told whole, in the project of what it is about", async () => {
    const events = await w.told(() => add("hello"))
    expect(events).toMatchObject([
      {
        kind: "comment.added",
        entityType: "comment",
        projectUuid: w.project,
        patch: {
          targetType: "task",
          targetUuid,
          content: "hello",
          author: { name: "Olive" },
          parentUuid: null,
          editedAt: null,
        },
      },
    ])
  })

  it("needs the right to read what it is about, which must be what it is said to be", async () => {
    const reader = await w.agent("Task reader", { presets: [], permissions: ["task:read"] })
    const onIdea = (actor: Actor, about: string) =>
      w.call(actor, "chorus_add_comment", { targetType: "idea", targetUuid: about, content: "x" })
    await expect(onIdea(reader, await w.newIdea())).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("idea:read"),
    })
    await expect(onIdea(w.owner, targetUuid)).rejects.toMatchObject({ code: "not_found" })
    expect(await add("fine", {}, reader)).toMatchObject({ author: { name: "Task reader" } })
  })

  it("is not for viewers", async () => {
    await expect(add("x", {}, w.viewer)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("viewer"),
    })
  })

  it.each(["", "   \n", "bell\u0007"])("refuses %j", async (content) => {
    await expect(add(content)).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("lists newest first, page by page", async () => {
    for (const content of ["one", "two", "three"]) await add(content)
    expect((await list()).comments.map(({ content }) => content)).toEqual(["three", "two", "one"])
    expect(await list({ page: 2, pageSize: 2 })).toMatchObject({ total: 3, comments: [{ content: "one" }] })
  })
})

describe("an answer", () => {
  it("hangs on a comment of the same thing that is still there", async () => {
    const { uuid: parentUuid } = await add("question")
    expect(await add("answer", { parentUuid })).toMatchObject({ parentUuid })
    const elsewhere = await w.newTask()
    await expect(add("lost", { targetUuid: elsewhere, parentUuid })).rejects.toMatchObject({ code: "not_found" })
    await remove(parentUuid)
    await expect(add("late", { parentUuid })).rejects.toMatchObject({
      code: "comment_deleted",
      next: "Comment without parentUuid.",
    })
  })

  it("keeps what it answers in the list, without its words, until it goes itself", async () => {
    const { uuid: parentUuid } = await add("question")
    const { uuid } = await add("answer", { parentUuid })
    await remove(parentUuid)
    expect((await list()).comments).toMatchObject([
      { content: "answer" },
      { uuid: parentUuid, content: "", deletedAt: expect.any(String) },
    ])
    await remove(uuid)
    expect(await list()).toMatchObject({ comments: [], total: 0 })
  })
})

describe("rewriting a comment", () => {
  it("is its author's alone, told with the new words", async () => {
    const { uuid } = await add("old", {}, w.developer)
    const [event] = await w.told(() => edit(uuid, "new", w.developer))
    expect(event).toMatchObject({
      kind: "comment.edited",
      patch: { targetType: "task", targetUuid, content: "new", editedAt: expect.any(String) },
    })
    for (const actor of [w.owner, w.rival])
      await expect(edit(uuid, "mine", actor)).rejects.toMatchObject({ code: "forbidden" })
  })

  it("changes whom it mentions", async () => {
    const { uuid } = await add(`${mention(w.member)} and ${mention(w.viewer)}`)
    expect((await mentioned(uuid)).sort()).toEqual([w.member.uuid, w.viewer.uuid].sort())
    await edit(uuid, `${mention(w.viewer)} and ${mention(w.pm)}`)
    expect((await mentioned(uuid)).sort()).toEqual([w.viewer.uuid, w.pm.uuid].sort())
    await edit(uuid, "nobody")
    expect(await mentioned(uuid)).toEqual([])
  })

  it("of one that was deleted is not possible", async () => {
    const { uuid } = await add("gone")
    await remove(uuid)
    await expect(edit(uuid, "back")).rejects.toMatchObject({ code: "not_found" })
    await expect(remove(uuid)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("deleting a comment", () => {
  it("is for its author, the author's person and who runs the workspace", async () => {
    const agent = await w.agent("Mia's", { owner: w.member })
    const by = async (author: Actor) => (await add("x", {}, author)).uuid
    await remove(await by(w.developer), w.developer)
    await remove(await by(agent), w.member)
    await remove(await by(w.member), w.owner)
    await expect(remove(await by(w.developer), w.member)).rejects.toMatchObject({ code: "forbidden" })
    await expect(remove(await by(w.owner), w.admin)).rejects.toMatchObject({ code: "forbidden" })
  })

  it("forgets the words and whom they mentioned, and says so", async () => {
    const { uuid } = await add(`secret for ${mention(w.member)}`)
    expect(await w.told(() => remove(uuid))).toMatchObject([
      { kind: "comment.deleted", action: "updated", patch: { content: "" } },
    ])
    expect(await mentioned(uuid)).toEqual([])
    expect(await w.store.db.selectFrom("comments").select("content").where("uuid", "=", uuid).execute()).toEqual([
      { content: "" },
    ])
  })
})

describe("a reply to an agent's question", () => {
  const ask = async (more: object = {}) => {
    const asked = await w.call<{ uuid: string }>(w.developer, "chorus_create_attention", {
      title: "Matt or gloss?",
      taskUuid: targetUuid,
      ...more,
    })
    return { attentionUuid: asked.uuid, parentUuid: (await list()).comments[0]?.uuid }
  }
  const stateOf = (attentionUuid: string) => w.call(w.owner, "chorus_get_attention", { attentionUuid })

  it("answers it, and is not said twice", async () => {
    const { attentionUuid, parentUuid } = await ask()
    await add("Matt.", { parentUuid })
    expect(await stateOf(attentionUuid)).toMatchObject({
      state: "answered",
      answer: { text: "Matt." },
      answeredBy: { name: "Olive" },
    })
    const { waits } = await w.call<{ waits: { kind: string; note?: string }[] }>(w.developer, "chorus_inbox", {})
    expect(waits[0]).toMatchObject({ kind: "answer", note: "Matt." })
    expect((await list()).total).toBe(2)
    await add("Or gloss?", { parentUuid })
    expect(await stateOf(attentionUuid)).toMatchObject({ answer: { text: "Matt." } })
  })

  it("is only a comment where it cannot be the answer", async () => {
    const { attentionUuid, parentUuid } = await ask()
    await add("I would say matt.", { parentUuid }, w.rival)
    await add("So would I.", { parentUuid }, w.member)
    await add("A word about something else.")
    expect(await stateOf(attentionUuid)).toMatchObject({ state: "open" })
    const permission = await ask({ kind: "permission", title: "May I?" })
    await add("Perhaps.", { parentUuid: permission.parentUuid })
    expect(await stateOf(permission.attentionUuid)).toMatchObject({ state: "open" })
    const terminal = await ask({ answerable: false })
    await add("Matt.", { parentUuid: terminal.parentUuid })
    expect(await stateOf(terminal.attentionUuid)).toMatchObject({ state: "open" })
  })
})
