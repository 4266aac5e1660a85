import { RouterProvider } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { joinStream, type Stream } from "../live/stream.ts"
import { LiveContext, startLive } from "../live/use-operation.ts"
import { SignedInContext } from "../sign-in/signed-in.ts"
import { useSignIn } from "../sign-in/use-sign-in.ts"
import { ConnectionContext } from "./connection.ts"
import { Outline } from "./Outline.tsx"
import { router } from "./router.tsx"
import { Unreachable } from "./Unreachable.tsx"

/** Most who come are signed in already. */
const SignInPage = lazy(async () => ({ default: (await import("../sign-in/SignInPage.tsx")).SignInPage }))
const OtherPersonPage = lazy(async () => ({
  default: (await import("../sign-in/OtherPersonPage.tsx")).OtherPersonPage,
}))

const START_WAIT_MS = 1500

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

/** Signed out: the sign-in page. Signed in: the workplace, following the log. `link` is the token of the link the page was opened by. */
export function App({ link }: { readonly link?: string | undefined }) {
  const { state, question, problem, refresh, attempt, answer } = useSignIn(link, leave)
  const [connected, setConnected] = useState(true)
  useEffect(() => {
    tellConnection = setConnected
    tellIdentity = () => void refresh()
  }, [refresh])
  const isSignedIn = typeof state === "object" && state.person !== null
  useEffect(() => {
    if (isSignedIn) join()
  }, [isSignedIn])

  if (state === undefined) return <Outline />
  if (state === "unreachable") return <Unreachable />
  if (question !== undefined || state.person === null)
    return (
      <Suspense fallback={<Outline />}>
        {question !== undefined ? (
          <OtherPersonPage question={question} problem={problem} onAnswer={answer} />
        ) : (
          <SignInPage ways={state.ways} problem={problem} attempt={attempt} />
        )}
      </Suspense>
    )
  return (
    <LiveContext value={live}>
      <SignedInContext value={{ person: state.person, signInUuid: state.signInUuid, refresh: () => void refresh() }}>
        <ConnectionContext value={connected}>
          <RouterProvider router={router} />
        </ConnectionContext>
      </SignedInContext>
    </LiveContext>
  )
}

/** The stream belongs to whoever is signed in. */
function leave(): void {
  stream?.identityChanged()
}
