// oxlint-disable unicorn/require-post-message-target-origin -- ports and channels have no target
// Holds the one event stream of this browser and passes it on to every tab.
import { StreamHost, type StreamMessage, type TabMessage } from "./stream-host.ts"

const tabs = new Set<MessagePort>()
const host = new StreamHost((message) => {
  for (const tab of tabs) tab.postMessage(message)
})

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports
  if (port === undefined) return
  tabs.add(port)
  port.addEventListener("message", ({ data }: MessageEvent<TabMessage>) =>
    data === "leave" ? leave(port) : identityChanged(port),
  )
  port.start()
  port.postMessage(host.state)
  host.start()
})

function leave(port: MessagePort): void {
  tabs.delete(port)
  if (tabs.size === 0) host.stop()
}

function identityChanged(from: MessagePort): void {
  host.restart()
  for (const tab of tabs) if (tab !== from) tab.postMessage({ type: "identity" } satisfies StreamMessage)
}
