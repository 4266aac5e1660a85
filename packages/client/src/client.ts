import {
  ChorusError,
  type InputOf,
  type OperationName,
  type OutputOf,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  type SignatureNamed,
} from "@chorus/contracts"
import { type EventOptions, eventStream, type StreamItem } from "./event-stream.ts"
import { type Fetch, type Positioned, sendJson } from "./request.ts"
import { repeatWhileSafe } from "./retry.ts"

export interface ClientOptions {
  /** Where the server is; empty for the page's own server. */
  readonly url: string
  /** An API key; left out where a cookie says who calls. */
  readonly key?: string | undefined
  readonly fetch?: Fetch | undefined
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined
}

export interface CallOptions {
  /** Given by a caller that may repeat the call itself, also after a restart. */
  readonly idempotencyKey?: string | undefined
  /** False sends the call at most once and leaves no receipt on the server. */
  readonly retry?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  options?: CallOptions,
) => Promise<OutputOf<SignatureNamed<Name>>>

type CallWithPosition = <Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
) => Promise<Positioned<OutputOf<SignatureNamed<Name>>>>

export interface Client {
  /** Calls an operation. Repeats after a failure that may pass; a change is made once however often it is sent. */
  readonly call: CallOperation
  /**
   * The same, and where in the log the answer stands: what was read holds at least everything up to there, and a change has
   * happened for whoever has seen the log up to there. Undefined where the log says nothing of the change.
   */
  readonly callWithPosition: CallWithPosition
  /** The same for a name and input that are only known when the program runs. */
  send(name: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** Asks at one of the addresses beside the operations, once: a link or a password is not tried again by itself. */
  ask<Name extends RouteName>(name: Name, input: RouteInput<Name>): Promise<RouteOutput<Name>>
  /** The event log as it grows, from a position or from now; connects again by itself and goes on where it was. */
  events(options?: EventOptions): AsyncGenerator<StreamItem, void, undefined>
}

const TIMEOUT_MS = 30_000

export function createClient(options: ClientOptions): Client {
  const url = options.url.replace(/\/+$/, "")
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const authorization =
    options.key === undefined
      ? {}
      : {
          authorization: `Bearer ${inHeader(options.key, "key_malformed", "This is no key: it has characters that no key has.", "Copy the key as it was shown, whole and without quotes.")}`,
        }

  const positioned = async (
    name: string,
    input: unknown,
    { idempotencyKey, retry = true, signal }: CallOptions = {},
  ): Promise<Positioned<unknown>> => {
    const given =
      idempotencyKey === undefined
        ? undefined
        : inHeader(
            idempotencyKey,
            "invalid_input",
            "An idempotency key has letters, digits and signs of ASCII only.",
            "Use a UUID.",
          )
    const key = given ?? (retry ? randomKey() : undefined)
    const headers = { ...authorization, ...(key === undefined ? {} : { "idempotency-key": key }) }
    const attempt = () =>
      sendJson(fetch, {
        address: `${url}/api/v1/${encodeURIComponent(name)}`,
        body: input ?? {},
        headers,
        timeoutMs,
        signal,
      })
    return retry ? repeatWhileSafe(attempt, signal) : attempt()
  }
  const send: Client["send"] = async (name, input, callOptions) => (await positioned(name, input, callOptions)).answer
  const call: CallOperation = async (name, input, callOptions) =>
    (await send(name, input, callOptions)) as OutputOf<SignatureNamed<typeof name>>

  const ask: Client["ask"] = async (name, input) => {
    const [method, path] = name.split(" ")
    const { answer } = await sendJson(fetch, {
      address: `${url}${path}`,
      body: method === "GET" ? undefined : input,
      headers: authorization,
      timeoutMs,
    })
    return answer as RouteOutput<typeof name>
  }

  return {
    call,
    callWithPosition: async (name, input) =>
      (await positioned(name, input)) as Positioned<OutputOf<SignatureNamed<typeof name>>>,
    send,
    ask,
    events: (eventOptions = {}) =>
      eventStream({
        ...eventOptions,
        address: `${url}/api/events`,
        headers: authorization,
        fetch,
        endOfLog: async (signal) => (await call("chorus_list_events", { limit: 1 }, { signal })).last,
      }),
  }
}

/** What no header can carry would otherwise look as if nobody answered. */
function inHeader(text: string, code: string, message: string, next: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  throw new ChorusError(code, message, { status: 400, next })
}

/** Not `randomUUID`: browsers withhold it from pages that were not served over https. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
