import type { attachments } from "@chorus/contracts"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { type Actor, asChorusError } from "../operation.ts"
import type { DoorEnv } from "./door-env.ts"
import { fileDoor } from "./files.ts"

const w = embeddedWorkspace()

const PNG = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1")

async function attach(content: Buffer | string, more: { readonly name?: string; readonly mediaType?: string } = {}) {
  const { uuid } = await w.call<attachments.AttachmentRow>(w.pm, "chorus_add_attachment", {
    targetType: "idea",
    targetUuid: await w.newIdea(),
    name: "hall.png",
    mediaType: "image/png",
    contentBase64: Buffer.from(content).toString("base64"),
    ...more,
  })
  return uuid
}

function get(actor: Actor | undefined, uuid: string, headers: Record<string, string> = {}) {
  const app = new Hono<DoorEnv>()
  app.use(async (c, next) => {
    c.set("actor", actor)
    c.set("requestId", "r1")
    await next()
  })
  app.route("/", fileDoor(w.registry))
  app.onError((error, c) => c.json({}, asChorusError(error, "r1").status as 400))
  return app.request(`/${uuid}`, { headers })
}

describe("an attached file at its address", () => {
  it("is shown where its bytes are a picture's, byte for byte, and nothing in it can run", async () => {
    const uuid = await attach(PNG, { name: "flur 'ä'.png", mediaType: "text/html" })
    const answer = await get(w.viewer, uuid)
    expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline; filename*=UTF-8''flur%20%27%C3%A4%27.png",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, no-cache",
    })
    const again = await get(w.viewer, uuid, { "if-none-match": answer.headers.get("etag") ?? "" })
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
  })

  it.each([
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml"],
    ["HTML", "<!doctype html><script>alert(1)</script>", "text/html"],
    ["HTML that is said to be a picture", "<!doctype html><script>alert(1)</script>", "image/png"],
    ["a PDF", "%PDF-1.7", "application/pdf"],
    ["nothing", "", "image/gif"],
  ])("is only saved where it is %s", async (_, content, mediaType) => {
    const { headers } = await get(w.viewer, await attach(content, { mediaType }))
    expect(headers.get("content-type")).toBe("application/octet-stream")
    expect(headers.get("content-disposition")).toMatch(/^attachment;/)
  })

  it.each([
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 "],
    ["image/avif", "\x00\x00\x00\x20ftypavif"],
  ])("is a picture of the type %s by how it begins", async (type, head) => {
    const { headers } = await get(w.viewer, await attach(Buffer.from(head, "latin1")))
    expect(headers.get("content-type")).toBe(type)
  })

  it("does not exist for who cannot reach its project, and nobody sees it without signing in", async () => {
    const uuid = await attach(PNG)
    expect((await get({ ...w.viewer, projectUuids: new Set() }, uuid)).status).toBe(404)
    expect((await get(undefined, uuid)).status).toBe(401)
    expect((await get(w.viewer, crypto.randomUUID())).status).toBe(404)
    expect((await get(w.viewer, "x")).status).toBe(400)
  })
})
