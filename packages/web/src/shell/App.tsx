import { RouterProvider } from "@tanstack/react-router"
import { useCallback, useEffect, useState } from "react"
import { joinStream, type Stream } from "../live/stream.ts"
import { LiveContext, startLive } from "../live/use-operation.ts"
import { SignInPage } from "../sign-in/SignInPage.tsx"
import { ConnectionContext } from "./connection.ts"
import { router } from "./router.tsx"
import { getSession, type Session } from "./session.ts"
import { SessionContext } from "./session-context.ts"
import { Unreachable } from "./Unreachable.tsx"

const START_WAIT_MS = 1500
const RETRY_MS = 2000

const begun = Promise.withResolvers<void>()
const live = startLive(begun.promise)

let stream: Stream | undefined
/** Whether something may have been loaded before the place in the log was known. */
let late = false
let tellConnection: (connected: boolean) => void = () => undefined
let tellIdentity: () => void = () => undefined

function join(): void {
  if (stream !== undefined) return
  const timer = setTimeout(() => {
    late = true
    begun.resolve()
  }, START_WAIT_MS)
  stream = joinStream((message) => {
    live.hear(message)
    if (message.type === "identity") tellIdentity()
    if (message.type !== "connection") return
    tellConnection(message.connected || !message.started)
    if (!message.started) return
    clearTimeout(timer)
    begun.resolve()
    if (late) live.store.reloadAll()
    late = false
  })
}

/** Signed out: the sign-in page. Signed in: the workplace, following the log. */
export function App() {
  const [session, setSession] = useState<Session | "unreachable">()
  const [connected, setConnected] = useState(true)
  const refresh = useCallback(
    () => void getSession().then(setSession, () => setSession((known) => known ?? "unreachable")),
    [],
  )
  useEffect(refresh, [refresh])
  useEffect(() => {
    tellConnection = setConnected
    tellIdentity = refresh
  }, [refresh])
  useEffect(() => {
    if (session !== "unreachable") return
    const timer = setInterval(refresh, RETRY_MS)
    return () => clearInterval(timer)
  }, [session, refresh])
  const person = typeof session === "object" ? session.person : undefined
  useEffect(() => {
    if (person !== null && person !== undefined) join()
    if (person === null) live.store.forgetAll()
  }, [person])

  const identityChanged = useCallback(() => {
    late = true
    stream?.identityChanged()
    refresh()
  }, [refresh])

  if (session === undefined) return null
  if (session === "unreachable") return <Unreachable />
  if (session.person === null) return <SignInPage session={session} onSignedIn={identityChanged} />
  return (
    <LiveContext value={live}>
      <SessionContext value={{ person: session.person, signInUuid: session.signInUuid, refresh, identityChanged }}>
        <ConnectionContext value={connected}>
          <RouterProvider router={router} />
        </ConnectionContext>
      </SessionContext>
    </LiveContext>
  )
}
