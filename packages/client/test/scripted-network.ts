/** A network that answers as told, one answer per request; an answer may first look at what was sent. */
export type Answer = Response | Error | ((request: SentRequest) => Response | Promise<Response>)

export interface SentRequest {
  readonly address: string
  readonly headers: Headers
  readonly body: string
  readonly signal: AbortSignal | undefined
}

export interface Network {
  readonly fetch: typeof globalThis.fetch
  readonly sent: SentRequest[]
}

export function scripted(answers: readonly Answer[]): Network {
  const sent: SentRequest[] = []
  const left = [...answers]
  const fetch = async (address: string | URL | Request, init: RequestInit = {}) => {
    const request: SentRequest = {
      address: String(address),
      headers: new Headers(init.headers),
      body: String(init.body ?? ""),
      signal: init.signal ?? undefined,
    }
    sent.push(request)
    const answer = left.shift() ?? new Error("nothing left to answer")
    if (answer instanceof Error) throw answer
    return typeof answer === "function" ? answer(request) : answer
  }
  return { fetch: fetch as typeof globalThis.fetch, sent }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers })
}

/** An answer that never comes, as long as nobody gives up on it. */
export function never({ signal }: SentRequest): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
  })
}

/** An event stream that says these pieces and then ends, or stays open. */
export function stream(pieces: readonly string[], { open = false } = {}): Answer {
  return ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        if (!open) return controller.close()
        signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true })
      },
    })
    return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } })
  }
}
