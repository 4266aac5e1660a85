import { type Client, createClient } from "@chorus/client"
import type { LogEvent } from "@chorus/contracts"
import { createMemoryHistory, createRouter, RouterProvider } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { render } from "vitest-browser-react"
import { StreamHost } from "../src/live/stream-host.ts"
import { LiveContext, startLive } from "../src/live/use-operation.ts"
import { ConnectionContext } from "../src/shell/connection.ts"
import { routeTree } from "../src/shell/router.tsx"
import { SessionContext } from "../src/shell/session-context.ts"
import { getSession } from "../src/shell/session.ts"

/** The owner's own calls, for what a test needs on the board before it looks. */
export const owner: Client = createClient({ url: location.origin })

const hosts: StreamHost[] = []

/** Lets go of the log; the components go by themselves before the next test. */
export function leaveStage(): void {
  for (const host of hosts.splice(0)) host.stop()
}

/** Shows the page at an address inside the real frame, following the real log. */
export async function openPage(path: string) {
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: [path] }) })
  return { router, screen: await show(<RouterProvider router={router as never} />) }
}

/** Shows components as the signed-in owner, following the real log. */
export async function show(content: ReactNode) {
  const listeners = new Set<(event: LogEvent) => void>()
  const begun = Promise.withResolvers<void>()
  const live = startLive(begun.promise, listeners)
  const host = new StreamHost((message) => {
    if (message.type === "event") {
      live.store.apply(message.event)
      for (const listener of listeners) listener(message.event)
    }
    if (message.type === "gap") live.store.reloadAll()
    if (message.type === "connection" && message.started) begun.resolve()
  })
  host.start()
  hosts.push(host)
  const { person, signInUuid } = await getSession()
  if (person === null) throw new Error("nobody is signed in")
  const nothing = () => undefined
  return render(
    <LiveContext value={live}>
      <SessionContext value={{ person, signInUuid, refresh: nothing, identityChanged: nothing }}>
        <ConnectionContext value={true}>{content}</ConnectionContext>
      </SessionContext>
    </LiveContext>,
  )
}
