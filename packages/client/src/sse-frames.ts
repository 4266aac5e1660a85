import { createParser, type EventSourceMessage } from "eventsource-parser"

/** Server-sent events out of a byte stream. `heard` is called for every chunk, comments included. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const found: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (frame) => found.push(frame) })
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      parser.feed(value)
      yield* found.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
