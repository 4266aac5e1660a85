import { type Client, createClient, type Positioned } from "@chorus/client"
import type { InputOf, LogEvent, OperationName, OutputOf, SignatureNamed } from "@chorus/contracts"
import { createContext, useCallback, useContext, useEffect, useRef, useSyncExternalStore } from "react"
import { frameBatch } from "./frame-batch.ts"
import { type Follow, keyOf, LiveStore } from "./live-store.ts"
import type { StreamMessage } from "./stream-host.ts"

export interface Live {
  readonly client: Client
  readonly store: LiveStore
  /** Resolves when the place in the log is known: what is loaded after it misses nothing. */
  readonly started: Promise<void>
  /** Hears every event, for what is not an answer: sounds, live regions, the office. */
  onEvent(listener: (event: LogEvent) => void): () => void
  /** Takes what the stream says: events with the next frame, a gap in its place among them. */
  hear(message: StreamMessage): void
}

export function startLive(started: Promise<void>): Live {
  const store = new LiveStore()
  /** What is sent while the page is being left arrives all the same. */
  let leaving = false
  addEventListener("pagehide", () => (leaving = true))
  addEventListener("pageshow", () => (leaving = false))
  const listeners = new Set<(event: LogEvent) => void>()
  const hear = frameBatch<StreamMessage>((messages) => {
    const afresh = messages.findLastIndex(({ type }) => type === "gap") + 1
    if (afresh > 0) store.reloadAll()
    store.apply(...eventsIn(messages.slice(afresh)))
    for (const event of eventsIn(messages)) for (const listener of listeners) listener(event)
  })
  return {
    client: createClient({
      url: location.origin,
      fetch: (input, init) => fetch(input, leaving || isPutAway(init) ? { ...init, keepalive: true } : init),
    }),
    store,
    started,
    hear,
    onEvent(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The page is out of sight and may be ended any time; browsers keep only what is small alive. */
function isPutAway(init: RequestInit | undefined): boolean {
  return document.visibilityState === "hidden" && String(init?.body ?? "").length < 20_000
}

function eventsIn(messages: readonly StreamMessage[]): LogEvent[] {
  return messages.flatMap((message) => (message.type === "event" ? [message.event] : []))
}

export const LiveContext = createContext<Live | undefined>(undefined)

export function useLive(): Live {
  const live = useContext(LiveContext)
  if (live === undefined) throw new Error("no live store above this component")
  return live
}

/** What a read operation gives: once it was ready it stays so, also while it is loaded again. */
export interface Loaded<Answer> {
  readonly status: "loading" | "ready" | "failed"
  readonly answer: Answer | undefined
  readonly error: unknown
  reload(): void
}

type Answer<Name extends OperationName> = OutputOf<SignatureNamed<Name>>

/** The answer of a read operation, kept up to date by the log while it is on show; null asks for nothing. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>> | null,
  follow?: Follow<Answer<Name>>,
): Loaded<Answer<Name>> {
  return useKept(keyOf(name, input), input && ((client) => client.callWithPosition(name, input)), follow)
}

/** The same for what takes several calls to read: the key stands for all of them, the position for the first. */
export function useKept<Whole>(
  key: string,
  read: ((client: Client) => Promise<Positioned<Whole>>) | null,
  follow?: Follow<Whole>,
): Loaded<Whole> {
  const { client, store, started } = useLive()
  const subscribe = useCallback(
    (listener: () => void) => {
      if (read === null) return () => undefined
      const load = async () => {
        await started
        return read(client)
      }
      return store.keep(key, load, follow as Follow<unknown> | undefined, listener)
    },
    // The key stands for what is read; `follow` is a constant of its caller.
    [store, client, key],
  )
  const { status, answer, error } = useSyncExternalStore(subscribe, () => store.snapshot(key))
  const reload = useCallback(() => store.reload(key), [store, key])
  return { status, answer: answer as Whole | undefined, error, reload }
}

/** Calls back on every event while the component is on show. */
export function useEvents(listener: (event: LogEvent) => void): void {
  const { onEvent } = useLive()
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => onEvent((event) => latest.current(event)), [onEvent])
}
