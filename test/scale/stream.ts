import type { Client } from "@chorus/client"

export interface Listener {
  /** The events it has seen, in the order it saw them. */
  readonly ids: number[]
  stop(): Promise<void>
}

/** Reads the log after a position, coming back by itself whatever is killed. */
export function listen(client: Client, lastEventId: number): Listener {
  const stop = new AbortController()
  const ids: number[] = []
  const reading = (async () => {
    for await (const item of client.events({ lastEventId, signal: stop.signal })) {
      if (item.type === "gap") throw new Error(`a gap at ${item.position}`)
      ids.push(item.event.id)
    }
  })()
  reading.catch(() => undefined)
  return {
    ids,
    stop: async () => {
      stop.abort()
      await reading
    },
  }
}
