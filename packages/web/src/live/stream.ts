import type { StreamMessage } from "./stream-worker.ts"

export interface Stream {
  /** After signing in or out. */
  restart(): void
}

/**
 * Joins the browser's one event stream. Browsers without shared workers (some phones) get a worker per tab, which is
 * right too, only less thrifty.
 */
export function joinStream(hear: (message: StreamMessage) => void): Stream {
  const port = openPort()
  port.onmessage = ({ data }: MessageEvent<StreamMessage>) => hear(data)
  addEventListener("pagehide", () => port.postMessage("leave"))
  return { restart: () => port.postMessage("restart") }
}

function openPort(): MessagePort {
  const worker = new SharedWorker(new URL("./stream-worker.ts", import.meta.url), { type: "module", name: "chorus-stream" })
  worker.port.start()
  return worker.port
}
