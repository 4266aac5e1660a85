import type { LogEvent } from "@chorus/contracts"
import type { EventSourceMessage } from "eventsource-parser"
import { type Fetch, notChorus, refusal, unreachable } from "./request.ts"
import { isPassing, pause } from "./retry.ts"
import { frames } from "./sse-frames.ts"

/** An event, or the news that some can no longer be had: then load afresh what you keep; the stream goes on after `position`. */
export type StreamItem =
  | { readonly type: "event"; readonly event: LogEvent }
  | { readonly type: "gap"; readonly position: number }

export interface EventOptions {
  /** Go on after this event; left out, from now on. */
  readonly lastEventId?: number | undefined
  readonly projectUuid?: string | undefined
  readonly kinds?: readonly string[] | undefined
  /** The machine whose companion listens: when it stops, nobody knows any more what goes on there. */
  readonly machine?: string | undefined
  /** Aborting ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined
  /** Hears whether events are coming in right now. */
  readonly onConnection?: ((connected: boolean) => void) | undefined
  /** A connection silent for this long is taken for dead; the server speaks every 15 seconds. */
  readonly silenceMs?: number | undefined
}

export interface EventSource extends EventOptions {
  readonly address: string
  readonly headers: Record<string, string>
  readonly fetch: Fetch
  endOfLog(signal: AbortSignal): Promise<number>
}

const SILENCE_MS = 45_000
const LONGEST_PAUSE_MS = 5000

export async function* eventStream(source: EventSource): AsyncGenerator<StreamItem, void, undefined> {
  const ended = new AbortController()
  const signal = source.signal === undefined ? ended.signal : AbortSignal.any([source.signal, ended.signal])
  let position = source.lastEventId
  let failures = 0
  try {
    while (!signal.aborted) {
      const began = Date.now()
      try {
        // Asked first: a connection lost before its first event could otherwise not say where it was.
        position ??= await source.endOfLog(signal)
        for await (const item of connection(source, position, signal)) {
          failures = 0
          position = item.type === "gap" ? item.position : item.event.id
          yield item
        }
      } catch (error) {
        if (!signal.aborted && !isPassing(error)) throw error
      }
      if (signal.aborted) return
      // One that held for a while did not fail, also where nothing happened: proxies end quiet connections.
      if (Date.now() - began > LONGEST_PAUSE_MS) failures = 0
      await pause(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures++) * (0.5 + Math.random()), signal).catch(
        () => undefined,
      )
    }
  } finally {
    ended.abort()
  }
}

/** One connection's worth; ends when the connection does, and skips what was already delivered. */
async function* connection(
  source: EventSource,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamItem, void, undefined> {
  const silent = new AbortController()
  const hush = () => silent.abort()
  let timer = setTimeout(hush, source.silenceMs ?? SILENCE_MS)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(hush, source.silenceMs ?? SILENCE_MS)
  }
  let connected = false
  let position = after
  try {
    const response = await source.fetch(`${source.address}?${query(source)}`, {
      headers: { ...source.headers, accept: "text/event-stream", "last-event-id": String(after) },
      signal: AbortSignal.any([signal, silent.signal]),
    })
    if (!response.ok) throw await refusal(response, source.address)
    if (response.body === null || !/^text\/event-stream\b/.test(response.headers.get("content-type") ?? ""))
      throw notChorus(source.address, response.status)
    connected = true
    source.onConnection?.(true)
    for await (const frame of frames(response.body, heard)) {
      const item = itemOf(frame)
      if (item === "unreadable") throw notChorus(source.address, response.status)
      if (item === undefined || (item.type === "event" && item.event.id <= position)) continue
      position = item.type === "gap" ? item.position : item.event.id
      yield item
    }
  } catch (error) {
    if (error instanceof TypeError || silent.signal.aborted) throw unreachable(source.address, error)
    throw error
  } finally {
    clearTimeout(timer)
    if (connected) source.onConnection?.(false)
  }
}

/** What a frame says; undefined for what is no event of the log. */
function itemOf({ id, event: kind, data }: EventSourceMessage): StreamItem | "unreadable" | undefined {
  if (kind === "gap") return /^\d+$/.test(id ?? "") ? { type: "gap", position: Number(id) } : "unreadable"
  if (kind === "presence" || data === "") return undefined
  try {
    return { type: "event", event: JSON.parse(data) as LogEvent }
  } catch {
    return "unreadable"
  }
}

function query({ projectUuid, kinds, machine }: EventOptions): URLSearchParams {
  const parameters = new URLSearchParams()
  if (machine !== undefined) parameters.set("machine", machine)
  if (projectUuid !== undefined) parameters.set("projectUuid", projectUuid)
  for (const kind of kinds ?? []) parameters.append("kind", kind)
  return parameters
}
