import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import { MAX_BODY_BYTES, readJson } from "./json-body.ts"

describe("readJson", () => {
  it("reads what came in pieces, and nothing as an empty object", async () => {
    expect(await readJson(request(['{"a":', "1}"]))).toEqual({ a: 1 })
    expect(await readJson(request([]))).toEqual({})
  })

  it.each([
    ["not JSON", request(["{"]), "invalid_json"],
    ["not UTF-8", request([Buffer.from([0x22, 0xff, 0x22])]), "invalid_json"],
    ["of another type", request(["a=b"], "text/plain"), "unsupported_media_type"],
    ["too deep", request(["[".repeat(5000), "]".repeat(5000)]), "invalid_json"],
    ["too deep, with brackets in texts", request([`{"a":"]\\"]",${'"b":{'.repeat(300)}`]), "invalid_json"],
    ["too long", request([Buffer.alloc(MAX_BODY_BYTES), "x"]), "body_too_large"],
  ])("refuses what is %s", async (_, incoming, code) => {
    await expect(readJson(incoming)).rejects.toMatchObject({ code })
  })

  it("counts levels, not brackets", async () => {
    const wide = { texts: Array.from({ length: 300 }, () => ["[[[[{{{{", '\\"[']) }
    expect(await readJson(request([JSON.stringify(wide)]))).toEqual(wide)
  })

  it("takes a caller that leaves in the middle for what it is, and not for a fault of ours", async () => {
    const leaving = Object.assign(new Readable({ read: () => undefined }), {
      headers: { "content-length": "100" },
    }) as unknown as IncomingMessage
    const reading = readJson(leaving)
    leaving.destroy(new Error("aborted"))
    await expect(reading).rejects.toMatchObject({ code: "invalid_json", status: 400 })
  })
})

function request(chunks: (string | Buffer)[], contentType = "application/json"): IncomingMessage {
  return Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    headers: { "content-type": contentType },
  }) as unknown as IncomingMessage
}
