import { ChorusError, type ErrorBody } from "@chorus/contracts"

/** What is needed of `fetch`: the platform's own does it, and so can something smaller. */
export type Fetch = (
  address: string,
  request: {
    readonly method?: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly signal: AbortSignal
  },
) => Promise<FetchAnswer>

export type FetchAnswer = Pick<Response, "ok" | "status" | "body" | "text" | "json"> & {
  readonly headers: Pick<Headers, "get">
}

/** An answer and where in the log it stands; see `Client.callWithPosition`. */
export interface Positioned<Answer> {
  readonly answer: Answer
  readonly position: number | undefined
}

export interface JsonRequest {
  readonly address: string
  /** Sent with POST; without one it is a GET. */
  readonly body?: unknown
  readonly headers: Record<string, string>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Sends one request; whatever goes wrong comes back as a ChorusError, except that an abort stays the caller's own reason. */
export async function sendJson(
  fetch: Fetch,
  { address, body, headers, timeoutMs, signal }: JsonRequest,
): Promise<Positioned<unknown>> {
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(address, {
      ...(body === undefined
        ? { headers }
        : {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify(body),
          }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    if (!response.ok) throw await refusal(response, address)
    return { answer: await jsonOf(response, address), position: positionOf(response) }
  } catch (error) {
    if (error instanceof ChorusError) throw error
    if (signal?.aborted === true) throw signal.reason
    throw unreachable(address, error)
  }
}

/** The error a server answered with, or the plain fact that something else answered. */
export async function refusal(response: FetchAnswer, address: string): Promise<ChorusError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
  const known = errorIn(await response.json().catch(() => undefined))
  if (known === undefined) return notChorus(address, response.status)
  const waiting = Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}
  const details = { ...known.details, ...waiting }
  return new ChorusError(known.code, known.message, {
    status: response.status,
    next: known.next,
    details: Object.keys(details).length === 0 ? undefined : details,
  })
}

export function unreachable(address: string, cause: unknown): ChorusError {
  return new ChorusError("server_unreachable", `Nothing answers at ${hostOf(address)}.`, {
    status: 503,
    next: "Check the address, or start the server with `chorus start`.",
    cause,
  })
}

async function jsonOf(response: FetchAnswer, address: string): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    throw notChorus(address, response.status)
  }
}

function positionOf({ headers }: FetchAnswer): number | undefined {
  const position = headers.get("chorus-position")
  return position === null ? undefined : Number(position)
}

function errorIn(body: unknown): ErrorBody | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined
  const { error } = body
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error)) return undefined
  return typeof error.code === "string" && typeof error.message === "string" ? (error as ErrorBody) : undefined
}

export function notChorus(address: string, status: number): ChorusError {
  return new ChorusError("not_chorus", `What answers at ${hostOf(address)} is not Chorus (HTTP ${status}).`, {
    status: status >= 500 ? status : 502,
    next: "Check the address; a proxy in between may also answer in its place.",
  })
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "this page's server"
}
