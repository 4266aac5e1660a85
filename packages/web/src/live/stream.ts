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
  let missed = false
  let port = connect()
  addEventListener("pagehide", () => port.postMessage("leave" satisfies TabMessage))
  // A page that comes back from the browser's memory has missed what happened meanwhile.
  window.addEventListener("pageshow", (event: PageTransitionEvent) => {
    if (!event.persisted) return
    missed = true
    port = connect()
  })
  return { post: (message) => port.postMessage(message) }

  function connect(): MessagePort {
    const worker = new SharedWorker(new URL("./stream-worker.ts", import.meta.url), {
      type: "module",
      name: "chorus-stream",
    })
    worker.port.addEventListener("message", ({ data }: MessageEvent<StreamMessage>) => {
      hear(data)
      // Not before the place in the log is known: what is loaded anew earlier would miss what happens until then.
      if (!missed || data.type !== "connection" || !data.started) return
      missed = false
      hear({ type: "gap" })
    })
    worker.port.start()
    return worker.port
  }
}
