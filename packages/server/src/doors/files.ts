import type { attachments, OutputOf } from "@chorus/contracts"
import { Hono } from "hono"
import type { Registry } from "../registry.ts"
import type { DoorEnv } from "./door-env.ts"

/** Nothing in a file runs, loads or is framed, whatever it holds and however it is opened. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"

/**
 * `GET /api/files/<uuid>`: an attached file as bytes. Pictures are shown, and are known by their bytes rather than by what somebody
 * said they are; everything else, SVG and HTML above all, is only ever saved.
 */
export function fileDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.get("/:attachmentUuid", async (c) => {
    const call = { actor: c.get("actor"), requestId: c.get("requestId") }
    const file = (await registry.execute(
      "chorus_get_attachment",
      { attachmentUuid: c.req.param("attachmentUuid") },
      call,
    )) as OutputOf<typeof attachments.getAttachment>
    const bytes = Buffer.from(file.contentBase64, "base64")
    const picture = pictureType(bytes)
    const etag = `"${file.sha256}"`
    const headers = {
      etag,
      // Who may see it can change; that it is the same file is quickly said.
      "cache-control": "private, no-cache",
      "content-security-policy": POLICY,
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    }
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers)
    return c.body(bytes, 200, {
      ...headers,
      "content-type": picture ?? "application/octet-stream",
      "content-disposition": `${picture === undefined ? "attachment" : "inline"}; filename*=UTF-8''${encoded(file.name)}`,
    })
  })
  return door
}

/** What kind of picture the bytes begin like; undefined for everything that is not shown in the page. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp"
  return /^....ftypavi[fs]/s.test(head) ? "image/avif" : undefined
}

/** As RFC 8187 has it. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
