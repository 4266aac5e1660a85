import { array, assert, asyncProperty, integer } from "fast-check"
import { expect, test } from "vitest"
import type { EventSourceMessage } from "eventsource-parser"
import { frames } from "./sse-frames.ts"

const STREAM =
  ': connected\nretry: 1000\n\nid: 1\nevent: a.b\ndata: {"text":"größer"}\n\nid: 2\r\ndata: x\r\ndata: y\r\n\r\n: alive\n\nevent: gap\nid: 9\ndata: {}\n\n'
const FRAMES: EventSourceMessage[] = [
  { id: "1", event: "a.b", data: '{"text":"größer"}' },
  { id: "2", event: undefined, data: "x\ny" },
  { id: "9", event: "gap", data: "{}" },
]

test("reads the same frames however the bytes are cut", async () => {
  const bytes = new TextEncoder().encode(STREAM)
  await assert(
    asyncProperty(array(integer({ min: 0, max: bytes.length })), async (cuts) => {
      expect(await all(chunked(bytes, cuts))).toEqual(FRAMES)
    }),
    { numRuns: 50 },
  )
})

test("gives nothing for a frame that was cut off by the end", async () => {
  expect(await all(chunked(new TextEncoder().encode("id: 1\ndata: a\n\nid: 2\ndata: b\n"), []))).toEqual([
    { id: "1", event: undefined, data: "a" },
  ])
})

test("hears every chunk, also those that hold only a comment", async () => {
  let heard = 0
  for await (const _ of frames(chunked(new TextEncoder().encode(": alive\n\n: alive\n\n"), [9]), () => heard++))
    throw new Error("no frame expected")
  expect(heard).toBe(2)
})

async function all(body: ReadableStream<Uint8Array>): Promise<EventSourceMessage[]> {
  const found: EventSourceMessage[] = []
  for await (const frame of frames(body)) found.push(frame)
  return found
}

function chunked(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of edges.slice(1).entries()) controller.enqueue(bytes.slice(edges[index], end))
      controller.close()
    },
  })
}
