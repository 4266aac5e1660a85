import { type Client, createClient } from "@chorus/client"
import type { LogEvent } from "@chorus/contracts"
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { render } from "vitest-browser-react"
import { dismissToast, toasts, Toasts } from "../src/design/index.ts"
import { setLanguage } from "../src/i18n/language.ts"
import { frameBatch } from "../src/live/frame-batch.ts"
import { StreamHost } from "../src/live/stream-host.ts"
import { LiveContext, startLive } from "../src/live/use-operation.ts"
import { ConnectionContext } from "../src/shell/connection.ts"
import { routerOptions } from "../src/shell/router.tsx"
import { SessionContext } from "../src/shell/session-context.ts"
import { getSession, type Person } from "../src/shell/session.ts"

/** The owner's own calls, for what a test needs on the board before it looks. */
export const owner: Client = createClient({ url: location.origin })

const hosts: StreamHost[] = []

/** Lets go of the log, of what was said in passing and of another language; the components go by themselves before the next test. */
export async function leaveStage(): Promise<void> {
  for (const host of hosts.splice(0)) host.stop()
  for (const { id } of toasts()) dismissToast(id)
  await setLanguage("en")
  localStorage.clear()
}

interface StageOptions {
  /** What the page takes the person for; the server still knows the owner. */
  readonly role?: Person["role"]
  /** Whether events are said to come in. */
  readonly connected?: boolean
}

/** Shows the page at an address inside the real frame, following the real log. */
export async function openPage(path: string, options: StageOptions = {}) {
  const router = createRouter({ ...routerOptions, history: createMemoryHistory({ initialEntries: [path] }) })
  return { router, screen: await show(<RouterProvider router={router as never} />, options) }
}

/** Shows one component that links to pages, and what it says in passing; `router` tells where a link led. */
export async function showRouted(content: ReactNode, options: StageOptions = {}) {
  const root = createRootRoute()
  const anywhere = createRoute({ getParentRoute: () => root, path: "$", component: () => content })
  const router = createRouter({
    routeTree: root.addChildren([anywhere]),
    history: createMemoryHistory({ initialEntries: ["/here"] }),
  })
  const all = (
    <>
      <RouterProvider router={router as never} />
      <Toasts />
    </>
  )
  return { router, screen: await show(all, options) }
}

/** Shows components as the signed-in owner, following the real log. */
export async function show(content: ReactNode, { role, connected = true }: StageOptions = {}) {
  const listeners = new Set<(event: LogEvent) => void>()
  const begun = Promise.withResolvers<void>()
  const live = startLive(begun.promise, listeners)
  const applyLater = frameBatch<LogEvent>((events) => {
    live.store.apply(...events)
    for (const event of events) for (const listener of listeners) listener(event)
  })
  const host = new StreamHost((message) => {
    if (message.type === "event") applyLater(message.event)
    if (message.type === "gap") live.store.reloadAll()
    if (message.type === "connection" && message.started) begun.resolve()
  })
  host.start()
  hosts.push(host)
  const { person, signInUuid } = await getSession()
  if (person === null) throw new Error("nobody is signed in")
  const nothing = () => undefined
  // As in the page itself: what fills the window fills it here too.
  const root = document.body.appendChild(Object.assign(document.createElement("div"), { id: "root" }))
  return render(
    <LiveContext value={live}>
      <SessionContext
        value={{
          person: { ...person, role: role ?? person.role },
          signInUuid,
          refresh: nothing,
          identityChanged: nothing,
        }}
      >
        <ConnectionContext value={connected}>{content}</ConnectionContext>
      </SessionContext>
    </LiveContext>,
    { container: root },
  )
}
