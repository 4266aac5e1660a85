import { createClient } from "@chorus/client"
import type { LogEvent } from "@chorus/contracts"

/** What the one holder of the stream tells every tab. */
export type StreamMessage =
  | { readonly type: "event"; readonly event: LogEvent }
  | { readonly type: "gap" }
  /** `started`: the place in the log is known; what happens from now on will be told. */
  | { readonly type: "connection"; readonly connected: boolean; readonly started: boolean }
  /** Somebody signed in or out, or the sign-in no longer holds: ask again who is here. */
  | { readonly type: "identity" }

/** What a tab tells the holder. */
export type TabMessage = "leave" | "identity"

/** Reads the event stream and tells what comes, until it is stopped. */
export class StreamHost {
  readonly #tell: (message: StreamMessage) => void
  #running: AbortController | undefined
  #connected = false
  #started = false

  constructor(tell: (message: StreamMessage) => void) {
    this.#tell = tell
  }

  get state(): StreamMessage {
    return { type: "connection", connected: this.#connected, started: this.#started }
  }

  /** Begins to read unless it does already. */
  start(): void {
    if (this.#running !== undefined) return
    const mine = new AbortController()
    this.#running = mine
    void this.#read(mine.signal).catch(() => {
      if (this.#running !== mine) return
      this.#end()
      this.#tell({ type: "identity" })
    })
  }

  /** Begins anew as whoever is signed in now. */
  restart(): void {
    this.stop()
    this.start()
  }

  stop(): void {
    this.#running?.abort()
    this.#end()
  }

  #end(): void {
    this.#running = undefined
    this.#started = false
    this.#connected = false
  }

  async #read(signal: AbortSignal): Promise<void> {
    const onConnection = (connected: boolean) => {
      if (signal.aborted) return
      this.#connected = connected
      this.#started = true
      this.#tell(this.state)
    }
    for await (const item of createClient({ url: location.origin }).events({ signal, onConnection })) {
      this.#tell(item.type === "event" ? { type: "event", event: item.event } : { type: "gap" })
    }
  }
}
