import { type Client, createClient } from "@chorus/client"
import type { Role } from "@chorus/contracts"
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { cleanup, render } from "vitest-browser-react"
import { dismissToast, toasts, Toasts } from "../src/design/index.ts"
import { setLanguage } from "../src/i18n/language.ts"
import { StreamHost, type StreamMessage } from "../src/live/stream-host.ts"
import { LiveContext, startLive } from "../src/live/use-operation.ts"
import { ConnectionContext } from "../src/shell/connection.ts"
import { routerOptions } from "../src/shell/router.tsx"
import { SignedInContext } from "../src/sign-in/signed-in.ts"
import { getSignIn } from "../src/sign-in/sign-in.ts"
import { isDirect, network } from "./network.ts"

/** The owner's own calls, for what a test needs on the board before it looks. */
export const owner: Client = createClient({ url: location.origin, fetch: network })

type Heard = (message: StreamMessage) => void

/** What one test alone listens to, and what all of a file do: to open a stream for each was a tenth of their work. */
const own: StreamHost[] = []
let common: { readonly house: string; readonly host: StreamHost; readonly ears: Set<Heard> } | undefined

/** Leaves nothing to the next test, which may be of another file in the same window. */
export async function clearStage(): Promise<void> {
  await cleanup()
  await leaveStage()
  // It holds no more than 250.
  performance.clearResourceTimings()
}

/** Lets go of the log, of what was said in passing and of another language; the components stay. */
export async function leaveStage(): Promise<void> {
  for (const host of own.splice(0)) host.stop()
  common?.ears.clear()
  for (const { id } of toasts()) dismissToast(id)
  await setLanguage("en")
  localStorage.clear()
}

interface StageOptions {
  /** What the page takes the person for; the server still knows the owner. */
  readonly role?: Role
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
  await router.load()
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
  const begun = Promise.withResolvers<void>()
  const live = startLive(begun.promise)
  listen((message) => {
    live.hear(message)
    if (message.type === "connection" && message.started) begun.resolve()
  })
  const { person, signInUuid } = await getSignIn()
  if (person === null) throw new Error("nobody is signed in")
  // As in the page itself: what fills the window fills it here too.
  const root = document.body.appendChild(Object.assign(document.createElement("div"), { id: "root" }))
  return render(
    <LiveContext value={live}>
      <SignedInContext
        value={{
          person: { ...person, role: role ?? person.role },
          signInUuid,
          refresh: () => undefined,
        }}
      >
        <ConnectionContext value={connected}>{content}</ConnectionContext>
      </SignedInContext>
    </LiveContext>,
    { container: root },
  )
}

function listen(hear: Heard): void {
  if (!isDirect()) {
    const host = new StreamHost(hear)
    host.start()
    own.push(host)
    return
  }
  if (common?.house === document.cookie) {
    common.ears.add(hear)
    return hear(common.host.state)
  }
  common?.host.stop()
  const ears = new Set([hear])
  common = { house: document.cookie, ears, host: new StreamHost((message) => ears.forEach((each) => each(message))) }
  common.host.start()
}
