import type { documents } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const create = async (more: object = {}) =>
  (
    await w.call<documents.DocumentRow>(w.pm, "chorus_pm_create_document", {
      projectUuid: w.project,
      type: "adr",
      title: "Doc",
      content: "one",
      ...more,
    })
  ).uuid
const update = (documentUuid: string, changes: object, by: Actor = w.pm) =>
  w.call<documents.DocumentRow>(by, "chorus_pm_update_document", { documentUuid, ...changes })
const get = (documentUuid: string) =>
  w.call<{ content: string; version: number; contentLength: number }>(w.viewer, "chorus_get_document", { documentUuid })

describe("a document", () => {
  it("begins at version one, and its length is counted in characters, not in bytes", async () => {
    const events = await w.told(() => create({ content: "héé 🙂" }))
    expect(events).toMatchObject([
      {
        kind: "document.created",
        action: "created",
        patch: { version: 1, contentLength: 5, proposalUuid: null, createdBy: { name: "Petra" } },
      },
    ])
    const { documents: listed } = await w.call<{ documents: documents.DocumentRow[] }>(
      w.viewer,
      "chorus_get_documents",
      { projectUuid: w.project },
    )
    expect(listed[0]).toMatchObject({ contentLength: 5 })
    expect(listed[0]).not.toHaveProperty("content")
  })

  it("gets a version with each change and none where nothing changed", async () => {
    const documentUuid = await create()
    const [event] = await w.told(() => update(documentUuid, { content: "two" }))
    expect(event).toMatchObject({ kind: "document.updated", patch: { version: 2, contentLength: 3, title: "Doc" } })
    expect(await w.kinds(() => update(documentUuid, { content: "two", title: "Doc" }))).toEqual([])
    expect(await w.kinds(() => update(documentUuid, {}))).toEqual([])
    expect(await update(documentUuid, { title: "Renamed" })).toMatchObject({ version: 3, title: "Renamed" })
  })

  it("refuses a change that does not know the newest version", async () => {
    const documentUuid = await create({ title: "Shared" })
    await update(documentUuid, { content: "two", expectedVersion: 1 })
    await expect(update(documentUuid, { content: "lost", expectedVersion: 1 })).rejects.toMatchObject({
      code: "stale_version",
      message: '"Shared" is at version 2, not 1: Petra changed it meanwhile.',
      details: { expectedVersion: 1, currentVersion: 2 },
    })
    expect((await get(documentUuid)).content).toBe("two")
  })

  it("written by many at once loses nobody's version", async () => {
    const documentUuid = await create()
    await Promise.all(Array.from({ length: 8 }, (_, n) => update(documentUuid, { content: `change ${n}` })))
    const { versions, total } = await w.call<{ versions: { version: number }[]; total: number }>(
      w.viewer,
      "chorus_get_versions",
      { targetType: "document", targetUuid: documentUuid },
    )
    expect(total).toBe(9)
    expect(versions.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it("belongs to a proposal of its own project or to none", async () => {
    const plan = await submittedPlan(w, w.pm)
    expect(
      await w.call(w.viewer, "chorus_get_document", { documentUuid: await create({ proposalUuid: plan.uuid }) }),
    ).toMatchObject({ proposalUuid: plan.uuid })
    await expect(create({ projectUuid: w.otherProject, proposalUuid: plan.uuid })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("is deleted with what hung on it, once", async () => {
    const documentUuid = await create({ title: "Gone" })
    await w.call(w.owner, "chorus_add_comment", { targetType: "document", targetUuid: documentUuid, content: "hm" })
    const remove = () => w.call(w.owner, "chorus_admin_delete_document", { documentUuid })
    expect(await w.told(remove)).toMatchObject([
      { kind: "document.deleted", action: "deleted", patch: { title: "Gone" } },
    ])
    await expect(remove()).rejects.toMatchObject({ code: "not_found" })
    expect(
      await w.store.db.selectFrom("comments").select("uuid").where("targetUuid", "=", documentUuid).execute(),
    ).toEqual([])
  })

  it("is listed by type and by plan, newest first", async () => {
    const projectUuid = await w.newProject()
    for (const [title, type] of [
      ["a", "prd"],
      ["b", "spec"],
      ["c", "prd"],
    ])
      await create({ projectUuid, title, type })
    const titles = async (more: object = {}) =>
      (
        await w.call<{ documents: documents.DocumentRow[] }>(w.viewer, "chorus_get_documents", { projectUuid, ...more })
      ).documents.map(({ title }) => title)
    expect(await titles()).toEqual(["c", "b", "a"])
    expect(await titles({ type: "prd" })).toEqual(["c", "a"])
    expect(await titles({ pageSize: 2, page: 2 })).toEqual(["a"])
  })
})

describe("a document's versions", () => {
  const diff = (documentUuid: string, from: number, to?: number) =>
    w.call<{
      from: number
      to: number
      added: number
      removed: number
      title: object
      lines: { kind: string; text: string }[]
      patch: string
    }>(w.viewer, "chorus_diff_versions", { targetType: "document", targetUuid: documentUuid, from, ...(to && { to }) })

  it("are kept whole, with who made them", async () => {
    const documentUuid = await create()
    await update(documentUuid, { content: "two", title: "New" }, w.owner)
    const version = (number: number) =>
      w.call(w.viewer, "chorus_get_version", { targetType: "document", targetUuid: documentUuid, version: number })
    expect(await version(1)).toMatchObject({ title: "Doc", content: "one", changedBy: { name: "Petra" } })
    expect(await version(2)).toMatchObject({ title: "New", content: "two", changedBy: { name: "Olive" } })
    await expect(version(3)).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining("v3") })
  })

  it("are compared line by line, up to the newest unless told, and backwards too", async () => {
    const documentUuid = await create({ content: "same\nold\n" })
    await update(documentUuid, { content: "same\nnew\nmore\n" })
    const forward = await diff(documentUuid, 1)
    expect(forward).toMatchObject({ from: 1, to: 2, added: 2, removed: 1 })
    expect(forward.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same same",
      "removed old",
      "added new",
      "added more",
    ])
    expect(forward.patch).toContain("-old\n+new\n+more\n")
    expect(await diff(documentUuid, 2, 1)).toMatchObject({ added: 1, removed: 2 })
    expect(await diff(documentUuid, 2, 2)).toMatchObject({ added: 0, removed: 0 })
  })
})

describe("a document as a file", () => {
  const exported = async (title: string, content = "text", more: object = {}) =>
    w.call<{ fileName: string; content: string }>(w.viewer, "chorus_export_document", {
      documentUuid: await create({ title, content }),
      ...more,
    })

  it.each([
    ["Plan: v2 / final?", "Plan-v2-final.md"],
    ["  ...hidden", "hidden.md"],
    ["计划 第二版", "计划-第二版.md"],
    ["🙂🙂", "document.md"],
    ["x".repeat(200), `${"x".repeat(80)}.md`],
    ["a".repeat(79) + "- b", `${"a".repeat(79)}.md`],
    ["CON", "CON-document.md"],
    ["lpt1", "lpt1-document.md"],
    ["console", "console.md"],
  ])("%j is called %s", async (title, fileName) => {
    expect((await exported(title)).fileName).toBe(fileName)
  })

  it("has a name that fits every file system, in whatever script its title is", async () => {
    const { fileName } = await exported("𠀀".repeat(100))
    expect(Buffer.byteLength(fileName)).toBeLessThanOrEqual(255)
    expect(fileName).toMatch(/^𠀀+\.md$/u)
  })

  it.each([
    ["a heading of its own", "# Mine\n\ntext", "# Mine\n\ntext\n"],
    ["none", "text", "# Title\n\ntext\n"],
    ["only a smaller one", "## Part\n", "# Title\n\n## Part\n"],
    ["no content", "", "# Title\n\n"],
  ])("begins with its title unless it has %s", async (_, content, whole) => {
    expect((await exported("Title", content)).content).toBe(whole)
  })

  it("can be had as it was", async () => {
    const documentUuid = await create({ content: "old" })
    await update(documentUuid, { content: "new" })
    expect(await w.call(w.viewer, "chorus_export_document", { documentUuid, version: 1 })).toMatchObject({
      content: "# Doc\n\nold\n",
      mediaType: "text/markdown",
    })
  })
})

describe("a completion report", () => {
  const report = (proposalUuid: string, more: object = {}) =>
    w.call<{ documentUuid: string }>(w.pm, "chorus_create_report", {
      proposalUuid,
      title: "Report",
      content: "done",
      ...more,
    })

  it("follows an approved proposal, one unless another is forced", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await expect(report(uuid)).rejects.toMatchObject({ code: "wrong_status", details: { status: "pending" } })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: uuid })
    expect(await w.told(() => report(uuid))).toMatchObject([
      { kind: "report.created", entityType: "document", patch: { type: "report", proposalUuid: uuid } },
    ])
    await expect(report(uuid)).rejects.toMatchObject({
      code: "report_exists",
      details: { documentUuid: expect.any(String) },
    })
    expect(await report(uuid, { force: true })).toMatchObject({ version: 1 })
  })

  it("is written once by two who finish at the same moment", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: uuid })
    const answers = await Promise.allSettled([report(uuid), report(uuid)])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  })
})
