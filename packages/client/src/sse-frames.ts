export interface SseFrame {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** Server-sent events out of a byte stream, however it is cut into chunks. `heard` is called for every chunk, comments included. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncGenerator<SseFrame, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ""
  let lines: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      const parts = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = parts.pop() ?? ""
      for (const line of parts) {
        if (line !== "") {
          lines.push(line)
          continue
        }
        const frame = frameOf(lines)
        lines = []
        if (frame !== undefined) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function frameOf(lines: readonly string[]): SseFrame | undefined {
  const fields = lines.filter((line) => !line.startsWith(":")).map((line) => /^([^:]*)(?:: ?(.*))?$/.exec(line))
  const values = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? "")
  const id = values("id").at(-1)
  const data = values("data").join("\n")
  const event = values("event").at(-1) ?? "message"
  return id === undefined && data === "" ? undefined : { id, event, data }
}
