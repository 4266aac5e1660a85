// oxlint-disable unicorn/require-post-message-target-origin -- ports and channels have no target
import { StreamHost, type StreamMessage, type TabMessage } from "./stream-host.ts"

interface Letter {
  readonly to: "tabs" | "leader"
  readonly message: StreamMessage | TabMessage | "hello"
}

export interface TabPort {
  post(message: TabMessage): void
}

/** For browsers without shared workers: the tabs elect one among them, by a lock, to hold the stream for all. */
export function electLeader(hear: (message: StreamMessage) => void): TabPort {
  const channel = new BroadcastChannel("chorus-stream")
  let host: StreamHost | undefined
  const tell = (message: StreamMessage) => {
    channel.postMessage({ to: "tabs", message } satisfies Letter)
    hear(message)
  }
  channel.addEventListener("message", ({ data }: MessageEvent<Letter>) => {
    if (data.to === "tabs") hear(data.message as StreamMessage)
    else if (data.message === "hello" && host !== undefined)
      channel.postMessage({ to: "tabs", message: host.state } satisfies Letter)
    else if (data.message === "identity") changeIdentity()
  })
  const changeIdentity = () => {
    if (host === undefined) return
    host.restart()
    tell({ type: "identity" })
  }
  channel.postMessage({ to: "leader", message: "hello" } satisfies Letter)
  void navigator.locks.request("chorus-stream", async () => {
    let begun = false
    host = new StreamHost((message) => {
      tell(message)
      if (begun || message.type !== "connection" || !message.started) return
      begun = true
      // A new leader cannot know what the old one had read last; what is loaded anew before it reads itself would miss what happens until then.
      tell({ type: "gap" })
    })
    host.start()
    return new Promise<never>(() => undefined)
  })
  return {
    post(message) {
      if (message !== "identity") return
      if (host === undefined) channel.postMessage({ to: "leader", message } satisfies Letter)
      else host.restart()
    },
  }
}
