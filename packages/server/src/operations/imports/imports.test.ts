import type { comments, imports, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const ITEM: imports.ForeignItem = {
  key: "1",
  url: "https://github.com/octo/shop/issues/1",
  title: "Pay by card",
  description: "With any card.",
  status: "open",
  priority: "high",
  storyPoints: 2,
  labels: ["backend"],
  dueOn: "2026-12-01",
  criteria: ["a card is charged"],
  dependsOn: [],
  comments: [],
}
const COMMENT: imports.ForeignComment = { key: "9", author: "ada", at: "2026-01-01", content: "Which cards?" }

let lists = 0
/** A list of its own for each test, as if from another repository. */
function source() {
  const origin = `github:octo/shop-${++lists}`
  const bring = async (items: readonly Partial<imports.ForeignItem>[], more: object = {}, by: Actor = w.owner) =>
    (
      await w.call<{ results: imports.ImportResult[] }>(by, "chorus_import_items", {
        projectUuid: w.project,
        origin,
        items: items.map((item, at) => ({ ...ITEM, key: String(at + 1), ...item })),
        ...more,
      })
    ).results
  return { origin, bring }
}

const taskOf = (taskUuid: string | null | undefined) =>
  w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
/** An agent does the work, and a person verifies it. */
async function finishHere(taskUuid: string | null | undefined): Promise<void> {
  await w.call(w.developer, "chorus_start_task", { taskUuid })
  await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, insist: true })
  const { acceptanceCriteriaItems } = await taskOf(taskUuid)
  await w.call(w.owner, "chorus_admin_verify_task", {
    taskUuid,
    passing: acceptanceCriteriaItems.map(({ uuid }) => uuid),
  })
}
const commentsOf = async (targetUuid: string | null | undefined) =>
  (
    await w.call<{ comments: comments.CommentRow[] }>(w.owner, "chorus_get_comments", {
      targetType: "task",
      targetUuid,
    })
  ).comments

describe("work of another tracker", () => {
  it("comes as tasks with all that was known of it", async () => {
    const { origin, bring } = source()
    const [one, two, three] = await bring([
      { comments: [COMMENT] },
      { status: "done", title: "Cart" },
      { status: "closed", title: "Fax", url: null, dependsOn: ["1"] },
    ])
    expect(one).toMatchObject({ outcome: "created", newComments: 1, warnings: [] })
    expect(await taskOf(one?.taskUuid)).toMatchObject({
      title: "Pay by card",
      description: "With any card.",
      status: "open",
      priority: "high",
      storyPoints: 2,
      labels: ["backend"],
      dueOn: "2026-12-01",
      acceptanceCriteriaItems: [{ description: "a card is charged", status: "pending" }],
      references: [{ type: "issue_pr", url: ITEM.url, title: `${origin} 1` }],
    })
    expect(await commentsOf(one?.taskUuid)).toMatchObject([
      { content: `**ada**, 2026-01-01 (${origin}):\n\nWhich cards?` },
    ])
    expect(await taskOf(two?.taskUuid)).toMatchObject({ status: "done" })
    expect(await taskOf(three?.taskUuid)).toMatchObject({ status: "closed", references: [] })
  })

  it("is still found by what it is called there, and says so", async () => {
    const origin = `jira:AB-${++lists}`
    const items = [{ ...ITEM, key: "AB-1", url: null }]
    const call = { projectUuid: w.project, origin, items }
    const { results } = await w.call<{ results: imports.ImportResult[] }>(w.owner, "chorus_import_items", call)
    expect(await taskOf(results[0]?.taskUuid)).toMatchObject({ references: [], calledThere: [{ origin, key: "AB-1" }] })
    for (const query of ["AB-1", "ab-1", "#ab-1"])
      expect(await w.call(w.viewer, "chorus_search", { query })).toMatchObject({
        results: [{ uuid: results[0]?.taskUuid }],
      })
    expect(await w.call(w.stranger, "chorus_search", { query: "AB-1" })).toMatchObject({ results: [] })
  })

  it("is shown before, and nothing changes by that", async () => {
    const { bring } = source()
    expect(await w.kinds(() => bring([{}, {}], { preview: true }))).toEqual([])
    expect(await bring([{}, {}], { preview: true })).toMatchObject([
      { outcome: "created", taskUuid: null },
      { outcome: "created", taskUuid: null },
    ])
  })

  it("waits for what it waited for there; what is missing, and a circle, are said", async () => {
    const { bring } = source()
    const [one, two, three] = await bring([{ dependsOn: ["3"] }, { dependsOn: ["1", "77"] }, { dependsOn: ["2"] }])
    expect((await taskOf(one?.taskUuid)).dependsOn).toMatchObject([{ uuid: three?.taskUuid }])
    expect((await taskOf(two?.taskUuid)).dependsOn).toMatchObject([{ uuid: one?.taskUuid }])
    expect((await taskOf(three?.taskUuid)).dependsOn).toEqual([])
    expect(two?.warnings).toEqual(["waits for 77 there, which was not brought"])
    expect(three?.warnings).toEqual(["waits for 2 there, and 2 for it: left out"])
  })

  it("brought again makes nothing twice", async () => {
    const { bring } = source()
    const items = [{ comments: [COMMENT] }, { dependsOn: ["1"] }]
    const first = await bring(items)
    expect(await w.kinds(() => bring(items))).toEqual([])
    const again = await bring(items)
    expect(again.map(({ taskUuid }) => taskUuid)).toEqual(first.map(({ taskUuid }) => taskUuid))
    expect(again.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"])
    const answered = { ...COMMENT, key: "10", content: "All." }
    expect(await bring([{ comments: [COMMENT, answered] }])).toMatchObject([{ outcome: "unchanged", newComments: 1 }])
    expect(await commentsOf(first[0]?.taskUuid)).toHaveLength(2)
  })

  it("follows what changes there, until somebody here has changed it or works on it", async () => {
    const { bring } = source()
    const [one, two, three] = await bring([{}, {}, {}])
    await w.call(w.owner, "chorus_update_task", { taskUuid: two?.taskUuid, title: "Mine" })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: three?.taskUuid })
    const changed = await bring([{ title: "New words" }, { title: "New words" }, { title: "New words" }])
    expect(changed).toMatchObject([
      { outcome: "updated" },
      { outcome: "kept", warnings: ["was changed there and here; it stays as here"] },
      { outcome: "kept", warnings: ["changed there, but is assigned here"] },
    ])
    expect((await taskOf(one?.taskUuid)).title).toBe("New words")
    expect((await taskOf(two?.taskUuid)).title).toBe("Mine")
    await bring([{ title: "Newer words", status: "done" }])
    expect(await taskOf(one?.taskUuid)).toMatchObject({ title: "Newer words", status: "done" })
  })

  it("ends as it ended there, and is open again once it is there", async () => {
    const { origin, bring } = source()
    const [done, closed, verified] = await bring([{}, {}, {}])
    const tasksNow = () => Promise.all([done, closed, verified].map((each) => taskOf(each?.taskUuid)))
    await finishHere(verified?.taskUuid)
    const both = [{ status: "done" as const }, { status: "closed" as const }, { status: "done" as const }]
    expect(await bring(both)).toMatchObject([{ outcome: "updated" }, { outcome: "updated" }, { outcome: "updated" }])
    expect((await tasksNow()).map(({ status }) => status)).toEqual(["done", "closed", "done"])
    expect((await taskOf(done?.taskUuid)).doneAt).not.toBeNull()
    expect((await bring([{}, {}, {}])).map(({ outcome }) => outcome)).toEqual(["updated", "updated", "updated"])
    expect((await tasksNow()).map(({ status }) => status)).toEqual(["open", "open", "in_progress"])
    // Whoever did it has it back, and reads why.
    expect((await taskOf(verified?.taskUuid)).returned).toMatchObject({ reason: `It was reopened in ${origin}.` })
  })

  it("that was finished here is not opened by other words there", async () => {
    const { bring } = source()
    const [one] = await bring([{}])
    await finishHere(one?.taskUuid)
    expect(await bring([{ title: "New words", criteria: ["another"] }])).toMatchObject([{ outcome: "updated" }])
    expect(await taskOf(one?.taskUuid)).toMatchObject({
      title: "New words",
      status: "done",
      acceptanceCriteriaItems: [{ description: "a card is charged" }],
    })
  })

  it.each([
    ["done", "is done there, but is in progress here"],
    ["closed", "is closed there, but is in progress here"],
  ] as const)("that is worked on here says that it is %s there", async (status, warning) => {
    const { bring } = source()
    const [one] = await bring([{}])
    await w.call(w.developer, "chorus_start_task", { taskUuid: one?.taskUuid })
    expect(await bring([{ status }])).toMatchObject([{ outcome: "kept", warnings: [warning] }])
    expect(await taskOf(one?.taskUuid)).toMatchObject({ status: "in_progress" })
  })

  it("that was rewritten alike on both sides is in step again", async () => {
    const { bring } = source()
    const [one] = await bring([{ criteria: [] }])
    await w.call(w.owner, "chorus_update_task", { taskUuid: one?.taskUuid, title: "Alike" })
    expect(await bring([{ title: "Alike", criteria: [] }])).toMatchObject([{ outcome: "updated", warnings: [] }])
    expect(await bring([{ title: "Then other", criteria: [] }])).toMatchObject([{ outcome: "updated" }])
    expect((await taskOf(one?.taskUuid)).title).toBe("Then other")
  })

  it("that was deleted here stays away", async () => {
    const { bring } = source()
    const [one] = await bring([{}])
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid: one?.taskUuid })
    expect(await bring([{ title: "Other", comments: [COMMENT] }])).toMatchObject([
      { outcome: "gone", taskUuid: null, newComments: 0 },
    ])
  })

  it("of two lists is told apart by where it comes from", async () => {
    const [one] = await source().bring([{}])
    const [other] = await source().bring([{}])
    expect(one?.taskUuid).not.toBe(other?.taskUuid)
  })

  it("is brought by people, each item once in a call", async () => {
    const { bring } = source()
    await expect(bring([{}], {}, w.pm)).rejects.toMatchObject({ status: 403 })
    await expect(bring([{ key: "a" }, { key: "a" }])).rejects.toMatchObject({ code: "invalid_input" })
  })
})
