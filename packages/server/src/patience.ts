import type { ServerResponse } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import type { LogEvent, OutputOf, ParsedInputOf, Signature } from "@chorus/contracts"
import type { EventHub } from "./event-hub.ts"
import type { Actor } from "./operation.ts"

/** How an operation that may find nothing yet waits for something, where its caller gave `wait_seconds`. */
export interface Patience<S extends Signature = Signature> {
  /** Whether this answer is worth sending before the time is up. */
  enough(answer: OutputOf<S>, input: ParsedInputOf<S>): boolean
  /** Whether an event may have changed that; asked of everything that happens, so it must be cheap. */
  wakes(event: LogEvent, actor: Actor, input: ParsedInputOf<S>): boolean
}

/** What waiting needs of the server around it. */
export interface WaitingRoom {
  readonly hub: EventHub
  /** Ends every wait: the server closes. */
  readonly closing: AbortSignal
}

interface Wait {
  readonly workspaceUuid: string
  readonly seconds: number
  /** The caller has gone away; nobody reads the answer. */
  readonly gone: AbortSignal | undefined
  wakes(event: LogEvent): boolean
  /** Ends it without another try. */
  ends(event: LogEvent): boolean
  attempt(): Promise<{ readonly answer: unknown; readonly enough: boolean }>
}

/** What a person does in one go, such as a finding and the rejection after it, is told in one answer. */
const BREATH_MS = 300

/**
 * Tries until there is enough, the time is up, the caller has gone or the server closes. Between two tries it costs a subscription and a
 * timer; it listens before it looks, so nothing happens unheard in between.
 */
export async function patiently({ hub, closing }: WaitingRoom, wait: Wait): Promise<unknown> {
  let heard = Promise.withResolvers<void>()
  let over = closing.aborted || wait.gone?.aborted === true
  const end = () => {
    over = true
    heard.resolve()
  }
  const timer = setTimeout(end, wait.seconds * 1000)
  for (const signal of [closing, wait.gone]) signal?.addEventListener("abort", end)
  const subscription = await hub.subscribe({
    workspaceUuid: wait.workspaceUuid,
    after: undefined,
    wants: (event) => wait.wakes(event) || wait.ends(event),
    deliver: (events) => (events.some((event) => wait.ends(event)) ? end() : heard.resolve()),
  })
  try {
    for (;;) {
      const { answer, enough } = await wait.attempt()
      if (enough || over) return answer
      await heard.promise
      if (!over) await pause(BREATH_MS)
      if (over) return answer
      heard = Promise.withResolvers<void>()
    }
  } finally {
    clearTimeout(timer)
    for (const signal of [closing, wait.gone]) signal?.removeEventListener("abort", end)
    subscription.close()
  }
}

/** Fires when whoever asked has closed the connection before the answer. */
export function goneSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  outgoing.once("close", () => gone.abort())
  return gone.signal
}
