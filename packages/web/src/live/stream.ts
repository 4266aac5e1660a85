// oxlint-disable unicorn/require-post-message-target-origin -- ports and channels have no target
import { electLeader, type TabPort } from "./leader-tab.ts"
import type { StreamMessage, TabMessage } from "./stream-host.ts"

export interface Stream {
  /** After signing in or out: the stream belongs to whoever is signed in. */
  identityChanged(): void
}

/** Joins the one event stream of this browser, which all its tabs share. */
export function joinStream(hear: (message: StreamMessage) => void): Stream {
  const port = typeof SharedWorker === "undefined" ? electLeader(hear) : joinWorker(hear)
  return { identityChanged: () => port.post("identity") }
}

function joinWorker(hear: (message: StreamMessage) => void): TabPort {
  let port = connect()
  addEventListener("pagehide", () => port.postMessage("leave" satisfies TabMessage))
  // A page that comes back from the browser's memory has missed what happened meanwhile.
  window.addEventListener("pageshow", (event: PageTransitionEvent) => {
    if (!event.persisted) return
    port = connect()
    hear({ type: "gap" })
  })
  return { post: (message) => port.postMessage(message) }

  function connect(): MessagePort {
    const worker = new SharedWorker(new URL("./stream-worker.ts", import.meta.url), { type: "module", name: "chorus-stream" })
    worker.port.addEventListener("message", ({ data }: MessageEvent<StreamMessage>) => hear(data))
    worker.port.start()
    return worker.port
  }
}
