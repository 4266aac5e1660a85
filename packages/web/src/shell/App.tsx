import { RouterProvider } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { LiveContext, startLive } from "../live/use-operation.ts"
import { joinStream, type Stream } from "../live/stream.ts"
import { SignInPage } from "../sign-in/SignInPage.tsx"
import { ConnectionContext } from "./connection.ts"
import { router } from "./router.tsx"
import { getSession, type Session } from "./session.ts"
import { SessionContext } from "./session-context.ts"

const live = startLive()

/** Signed out: the sign-in page. Signed in: the workplace, following the log. */
export function App() {
  const [session, setSession] = useState<Session>()
  const [connected, setConnected] = useState(true)
  const refresh = () => void getSession().then(setSession, () => setConnected(false))
  useEffect(refresh, [])
  const signedIn = session?.person != null
  useEffect(() => {
    if (!signedIn) return
    let stream: Stream | undefined = joinStream((message) => {
      if (message.type === "event") live.store.apply(message.event)
      if (message.type === "gap") live.store.reloadAll()
      if (message.type === "connection") setConnected(message.connected)
    })
    stream.restart()
    return () => {
      stream = undefined
    }
  }, [signedIn])
  if (session === undefined) return null
  if (session.person === null) return <SignInPage session={session} onSignedIn={refresh} />
  return (
    <LiveContext value={live}>
      <SessionContext value={{ person: session.person, refresh }}>
        <ConnectionContext value={connected}>
          <RouterProvider router={router} />
        </ConnectionContext>
      </SessionContext>
    </LiveContext>
  )
}
