import { createHash } from "node:crypto"
import type { attachments } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"

const w = embeddedWorkspace()

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64")
const attach = (targetUuid: string, more: object = {}) =>
  w.call<attachments.AttachmentRow>(w.pm, "chorus_add_attachment", {
    targetType: "idea",
    targetUuid,
    name: "a.txt",
    mediaType: "text/plain",
    contentBase64: base64("hello"),
    ...more,
  })
const list = async (targetUuid: string) =>
  (
    await w.call<{ attachments: attachments.AttachmentRow[] }>(w.viewer, "chorus_get_attachments", {
      targetType: "idea",
      targetUuid,
    })
  ).attachments

describe("an attached file", () => {
  it("comes back byte for byte, with its size and its fingerprint", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const made = await attach(await w.newIdea(), {
      contentBase64: base64(bytes),
      mediaType: "application/octet-stream",
    })
    expect(made).toMatchObject({
      size: 256,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      createdBy: { name: "Petra" },
    })
    const { contentBase64 } = await w.call<{ contentBase64: string }>(w.viewer, "chorus_get_attachment", {
      attachmentUuid: made.uuid,
    })
    expect(Buffer.from(contentBase64, "base64").equals(bytes)).toBe(true)
  })

  it("has the uuid that a text already names it by, once", async () => {
    const uuid = crypto.randomUUID()
    const targetUuid = await w.newIdea({ content: `![plan](attachment:${uuid})` })
    expect(await attach(targetUuid, { as: uuid })).toMatchObject({ uuid })
    await expect(attach(await w.newIdea(), { as: uuid })).rejects.toMatchObject({ code: "attachment_refused" })
    expect(await list(targetUuid)).toHaveLength(1)
  })

  it("is told without its content, when it comes and when it goes", async () => {
    const targetUuid = await w.newIdea()
    const events = await w.told(() => attach(targetUuid))
    expect(events).toMatchObject([
      { kind: "attachment.added", projectUuid: w.project, patch: { name: "a.txt", size: 5, targetUuid } },
    ])
    expect(JSON.stringify(events)).not.toContain(base64("hello"))
    const remove = () => w.call(w.pm, "chorus_remove_attachment", { attachmentUuid: events[0]?.entityUuid })
    expect(await w.told(remove)).toMatchObject([
      { kind: "attachment.removed", action: "deleted", patch: { name: "a.txt", targetType: "idea", targetUuid } },
    ])
    await expect(remove()).rejects.toMatchObject({ code: "not_found" })
    expect(await list(targetUuid)).toEqual([])
  })

  it("may be empty, and as long as three million bytes, not one more", async () => {
    const targetUuid = await w.newIdea()
    expect(await attach(targetUuid, { contentBase64: "" })).toMatchObject({ size: 0 })
    expect(await attach(targetUuid, { contentBase64: base64(Buffer.alloc(3_000_000)) })).toMatchObject({
      size: 3_000_000,
    })
    await expect(attach(targetUuid, { contentBase64: base64(Buffer.alloc(3_000_001)) })).rejects.toMatchObject({
      code: expect.stringMatching(/attachment_refused|invalid_input/),
    })
  })

  it.each(["../../etc/passwd", "a/b", "a\\b", "..", ".", "", "two\nlines"])("may not be called %j", async (name) => {
    await expect(attach(await w.newIdea(), { name })).rejects.toMatchObject({ code: "invalid_input" })
  })

  it.each(["text", "text/html; charset=x", "<script>/x", ""])("may not be of the type %j", async (mediaType) => {
    await expect(attach(await w.newIdea(), { mediaType })).rejects.toMatchObject({ code: "invalid_input" })
  })

  it("is one of fifty at most", async () => {
    const targetUuid = await w.newIdea()
    for (let n = 0; n < 50; n++) await attach(targetUuid, { name: `${n}` })
    await expect(attach(targetUuid)).rejects.toMatchObject({
      code: "attachment_refused",
      status: 413,
      message: "There are 50 attachments already.",
    })
    expect((await list(targetUuid)).map(({ name }) => name)).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`))
  })

  it("is shown with what it is attached to, and goes with it", async () => {
    const ideaUuid = await w.newIdea()
    const { uuid } = await attach(ideaUuid)
    expect(await w.call(w.viewer, "chorus_get_idea", { ideaUuid })).toMatchObject({ attachments: [{ uuid }] })
    await w.call(w.owner, "chorus_admin_delete_idea", { ideaUuid })
    await expect(w.call(w.viewer, "chorus_get_attachment", { attachmentUuid: uuid })).rejects.toMatchObject({
      code: "not_found",
    })
  })
})
