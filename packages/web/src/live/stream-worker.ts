// Holds the one event stream of this browser and passes it on to every tab.
import { createClient } from "@chorus/client"
import type { LogEvent } from "@chorus/contracts"

export type StreamMessage =
  | { readonly type: "event"; readonly event: LogEvent }
  | { readonly type: "gap" }
  | { readonly type: "connection"; readonly connected: boolean }

interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null
}

const scope = globalThis as unknown as SharedWorkerScope
const tabs = new Set<MessagePort>()
let connected = false
let running: AbortController | undefined

scope.onconnect = ({ ports }) => {
  const [port] = ports
  if (port === undefined) return
  tabs.add(port)
  port.onmessage = ({ data }) => {
    if (data === "leave") leave(port)
    // Somebody signed in or out: the stream belongs to a session, so it starts anew.
    if (data === "restart") restart()
  }
  port.start()
  port.postMessage({ type: "connection", connected } satisfies StreamMessage)
  if (running === undefined) restart()
}

function leave(port: MessagePort): void {
  tabs.delete(port)
  if (tabs.size > 0) return
  running?.abort()
  running = undefined
}

function restart(): void {
  running?.abort()
  const mine = new AbortController()
  running = mine
  void read(mine.signal).catch(() => {
    if (running === mine) running = undefined
    tell({ type: "connection", connected: false })
  })
}

async function read(signal: AbortSignal): Promise<void> {
  const client = createClient({ url: location.origin })
  const onConnection = (now: boolean) => {
    connected = now
    tell({ type: "connection", connected })
  }
  for await (const item of client.events({ signal, onConnection })) {
    tell(item.type === "event" ? { type: "event", event: item.event } : { type: "gap" })
  }
}

function tell(message: StreamMessage): void {
  for (const tab of tabs) tab.postMessage(message)
}
