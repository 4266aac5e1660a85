import type { LogEvent } from "@chorus/contracts"
import { RouterProvider } from "@tanstack/react-router"
import { useCallback, useEffect, useState } from "react"
import { frameBatch } from "../live/frame-batch.ts"
import { joinStream, type Stream } from "../live/stream.ts"
import { LiveContext, startLive } from "../live/use-operation.ts"
import { SignInPage } from "../sign-in/SignInPage.tsx"
import { ConnectionContext } from "./connection.ts"
import { router } from "./router.tsx"
import { getSignIn, type SignInState } from "../sign-in/sign-in.ts"
import { SignedInContext } from "../sign-in/signed-in.ts"
import { Unreachable } from "./Unreachable.tsx"

const START_WAIT_MS = 1500
const RETRY_MS = 2000

const listeners = new Set<(event: LogEvent) => void>()
const begun = Promise.withResolvers<void>()
const live = startLive(begun.promise, listeners)

let stream: Stream | undefined
/** Whether something may have been loaded before the place in the log was known. */
let late = false
let tellConnection: (connected: boolean) => void = () => undefined
let tellIdentity: () => void = () => undefined

const applyLater = frameBatch<LogEvent>((events) => {
  live.store.apply(...events)
  for (const event of events) for (const listener of listeners) listener(event)
})

function join(): void {
  if (stream !== undefined) return
  const timer = setTimeout(() => {
    late = true
    begun.resolve()
  }, START_WAIT_MS)
  stream = joinStream((message) => {
    if (message.type === "event") applyLater(message.event)
    if (message.type === "gap") live.store.reloadAll()
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
  const [state, setState] = useState<SignInState | "unreachable">()
  const [connected, setConnected] = useState(true)
  const refresh = useCallback(
    () => void getSignIn().then(setState, () => setState((known) => known ?? "unreachable")),
    [],
  )
  useEffect(refresh, [refresh])
  useEffect(() => {
    tellConnection = setConnected
    tellIdentity = refresh
  }, [refresh])
  useEffect(() => {
    if (state !== "unreachable") return
    const timer = setInterval(refresh, RETRY_MS)
    return () => clearInterval(timer)
  }, [state, refresh])
  const person = typeof state === "object" ? state.person : undefined
  useEffect(() => {
    if (person !== null && person !== undefined) join()
    if (person === null) live.store.forgetAll()
  }, [person])

  const identityChanged = useCallback(() => {
    late = true
    stream?.identityChanged()
    refresh()
  }, [refresh])

  if (state === undefined) return null
  if (state === "unreachable") return <Unreachable />
  if (state.person === null) return <SignInPage state={state} onSignedIn={identityChanged} />
  return (
    <LiveContext value={live}>
      <SignedInContext value={{ person: state.person, signInUuid: state.signInUuid, refresh, identityChanged }}>
        <ConnectionContext value={connected}>
          <RouterProvider router={router} />
        </ConnectionContext>
      </SignedInContext>
    </LiveContext>
  )
}
