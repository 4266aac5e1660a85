import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { LONG, settledIdea, submittedPlan, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

onEachEngineUnderStress("documents", (engine) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
  })
  afterAll(() => workspace.close())

  const call = <T = Record<string, unknown>>(actor: Workspace["owner"], name: string, input: object) =>
    workspace.call<T>(actor, name, input)
  const create = (title: string, content: string) =>
    call<Uuid>(workspace.pm, "chorus_pm_create_document", {
      projectUuid: workspace.project,
      type: "prd",
      title,
      content,
    })

  it("keep every version and show the difference between any two", async () => {
    const { uuid: documentUuid } = await create("Spec", "one\ntwo\n")
    const update = (actor: Workspace["owner"], changes: object) =>
      call<{ version: number }>(actor, "chorus_pm_update_document", { documentUuid, ...changes })
    expect(await update(workspace.owner, { content: "one\n2\n" })).toMatchObject({ uuid: documentUuid, version: 2 })
    expect(
      await update(workspace.member, { title: "Specification", content: "one\n2\nthree\n", expectedVersion: 2 }),
    ).toMatchObject({ version: 3 })
    expect(await update(workspace.pm, { content: "one\n2\nthree\n" })).toMatchObject({ version: 3 })
    await expect(update(workspace.pm, { content: "lost", expectedVersion: 2 })).rejects.toMatchObject({
      code: "stale_version",
      details: { currentVersion: 3 },
    })
    expect(
      await call(workspace.viewer, "chorus_get_versions", { targetType: "document", targetUuid: documentUuid }),
    ).toMatchObject({
      total: 3,
      versions: [
        { version: 3, changedBy: { name: "Mia" } },
        { version: 2, changedBy: { name: "Olive" } },
        { version: 1, title: "Spec" },
      ],
    })
    expect(
      await call(workspace.viewer, "chorus_get_version", {
        targetType: "document",
        targetUuid: documentUuid,
        version: 1,
      }),
    ).toMatchObject({
      content: "one\ntwo\n",
    })
    expect(
      await call(workspace.viewer, "chorus_diff_versions", {
        targetType: "document",
        targetUuid: documentUuid,
        from: 1,
      }),
    ).toMatchObject({
      from: 1,
      to: 3,
      title: { before: "Spec", after: "Specification" },
      added: 2,
      removed: 1,
      patch: expect.stringContaining("-two\n+2\n+three"),
    })
    expect(
      await call(workspace.viewer, "chorus_diff_versions", {
        targetType: "document",
        targetUuid: documentUuid,
        from: 3,
        to: 2,
      }),
    ).toMatchObject({
      added: 0,
      removed: 1,
    })
    await expect(
      call(workspace.viewer, "chorus_diff_versions", { targetType: "document", targetUuid: documentUuid, from: 9 }),
    ).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("export to Markdown under a name any file system takes", async () => {
    const { uuid: plain } = await create("登录 / sign-in: v2?", "text without an end")
    expect(await call(workspace.viewer, "chorus_export_document", { documentUuid: plain })).toEqual({
      fileName: "登录-sign-in-v2.md",
      mediaType: "text/markdown",
      content: "# 登录 / sign-in: v2?\n\ntext without an end\n",
    })
    const { uuid: headed } = await create("???", "# Own heading\n")
    expect(await call(workspace.viewer, "chorus_export_document", { documentUuid: headed })).toMatchObject({
      fileName: "document.md",
      content: "# Own heading\n",
    })
  })

  it("are listed by type, without their content", async () => {
    await create("Listed", "日本")
    const { documents } = await call<{ documents: Record<string, unknown>[] }>(
      workspace.viewer,
      "chorus_get_documents",
      { projectUuid: workspace.project, type: "prd", pageSize: 200 },
    )
    expect(documents[0]).toMatchObject({
      title: "Listed",
      type: "prd",
      contentLength: 2,
      version: 1,
      proposalUuid: null,
    })
    expect(documents[0]).not.toHaveProperty("content")
    expect(
      await call(workspace.viewer, "chorus_get_documents", { projectUuid: workspace.project, type: "adr" }),
    ).toMatchObject({ documents: [], total: 0 })
  })

  it("are deleted by those who may", async () => {
    const { uuid: documentUuid } = await create("Gone", "x")
    await expect(call(workspace.pm, "chorus_admin_delete_document", { documentUuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    expect(await call(workspace.admin, "chorus_admin_delete_document", { documentUuid })).toEqual({
      uuid: documentUuid,
      deleted: true,
    })
    await expect(call(workspace.admin, "chorus_get_document", { documentUuid })).rejects.toMatchObject({
      code: "not_found",
    })
  })

  it("include one completion report for each approved proposal, more only when forced", async () => {
    const ideaUuid = await settledIdea(workspace, workspace.pm)
    const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm, { ideaUuid })
    const report = (extra: object = {}) =>
      call(workspace.pm, "chorus_create_report", { proposalUuid, title: "Done", content: LONG, ...extra })
    await expect(report()).rejects.toMatchObject({ code: "wrong_status" })
    await call(workspace.owner, "chorus_admin_approve_proposal", { proposalUuid })
    await expect(report({ content: " " })).rejects.toMatchObject({ code: "invalid_input" })
    expect(await report()).toMatchObject({ projectUuid: workspace.project, version: 1 })
    await expect(report()).rejects.toMatchObject({ code: "report_exists" })
    await report({ force: true })
    expect(await call(workspace.pm, "chorus_get_idea", { ideaUuid })).toMatchObject({
      reportCount: 2,
      reports: [{ title: "Done" }, {}],
    })
    await expect(
      call(workspace.pm, "chorus_pm_create_document", { projectUuid: workspace.project, type: "report", title: "R" }),
    ).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("carry links to what is outside", async () => {
    const { uuid: documentUuid } = await create("Linked", "x")
    const add = (actor: Workspace["owner"], url: string) =>
      call<Uuid>(actor, "chorus_add_reference", {
        targetType: "document",
        targetUuid: documentUuid,
        type: "repo",
        url,
        title: "Repo",
      })
    for (const url of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "nonsense",
      "https://",
      "https://example.test/\u0000",
    ])
      await expect(add(workspace.pm, url)).rejects.toMatchObject({ code: "invalid_input" })
    await expect(add(workspace.developer, "https://example.test")).rejects.toMatchObject({ code: "forbidden" })
    const { uuid } = await add(workspace.pm, "https://example.test/repo")
    expect(
      await call(workspace.pm, "chorus_update_reference", { uuid, notes: "read this", title: "The repo" }),
    ).toMatchObject({ title: "The repo", notes: "read this", url: "https://example.test/repo" })
    for (const actor of [
      workspace.stranger,
      await workspace.agent("Away", { presets: ["admin"], projectUuids: [workspace.otherProject] }),
    ]) {
      await expect(call(actor, "chorus_update_reference", { uuid, title: "Hijacked" })).rejects.toMatchObject({
        code: "not_found",
      })
      await expect(call(actor, "chorus_remove_reference", { uuid })).rejects.toMatchObject({ code: "not_found" })
    }
    expect(await call(workspace.pm, "chorus_remove_reference", { uuid })).toEqual({ uuid, action: "reference_removed" })
    expect(await call(workspace.pm, "chorus_get_document", { documentUuid })).toMatchObject({ references: [] })
  })

  it("carry files, byte for byte, of three megabytes at most", async () => {
    const { uuid: targetUuid } = await create("With files", "x")
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    const attach = (input: object) =>
      call<Uuid>(workspace.pm, "chorus_add_attachment", {
        targetType: "document",
        targetUuid,
        name: "shot.png",
        mediaType: "image/png",
        contentBase64: bytes.toString("base64"),
        ...input,
      })
    const { uuid: attachmentUuid } = await attach({})
    const read = await call<{ contentBase64: string; size: number }>(workspace.viewer, "chorus_get_attachment", {
      attachmentUuid,
    })
    expect(Buffer.from(read.contentBase64, "base64").equals(bytes)).toBe(true)
    expect(
      await call(workspace.viewer, "chorus_get_attachments", { targetType: "document", targetUuid }),
    ).toMatchObject({ attachments: [{ name: "shot.png", size: 70_000, createdBy: { name: "Petra" } }] })
    for (const name of ["../../etc/passwd", "a\\b", ".."])
      await expect(attach({ name })).rejects.toMatchObject({ code: "invalid_input" })
    await expect(attach({ contentBase64: "no base64!" })).rejects.toMatchObject({ code: "invalid_input" })
    await expect(attach({ mediaType: "text/html\r\nX: y" })).rejects.toMatchObject({ code: "invalid_input" })
    await attach({ contentBase64: Buffer.alloc(3_000_000).toString("base64") })
    await expect(attach({ contentBase64: Buffer.alloc(3_000_003).toString("base64") })).rejects.toMatchObject({
      code: "invalid_input",
    })
    await expect(call(workspace.stranger, "chorus_get_attachment", { attachmentUuid })).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await call(workspace.pm, "chorus_remove_attachment", { attachmentUuid })).toEqual({
      uuid: attachmentUuid,
      deleted: true,
    })
    await expect(call(workspace.viewer, "chorus_get_attachment", { attachmentUuid })).rejects.toMatchObject({
      code: "not_found",
    })
  })
})
