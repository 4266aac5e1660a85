import { isPassing } from "@chorus/client"
import type { LinkQuestion, SignInState } from "@chorus/contracts"
import { useCallback, useEffect, useRef, useState } from "react"
import { toastError } from "../design/toasts.ts"
import { forgetCalls } from "../settings/push-browser.ts"
import { refusalHere, takeLink } from "./opened-link.ts"
import { comeBack, keepPlace } from "./left-place.ts"
import { getSignIn, redeemLink } from "./sign-in.ts"

/** Who this browser's tabs know to be signed in, so that each hears when another one finds somebody else. */
const STORED = "chorus.signIn"
const RETRY_MS = 2000

export interface SignInHere {
  /** Undefined until the server has said who is here. */
  readonly state: SignInState | "unreachable" | undefined
  /** A link of somebody else was opened: whether to leave for them. */
  readonly question: LinkQuestion | undefined
  /** Why the last way in was refused. */
  readonly problem: unknown
  /** Asks the server again who is here. */
  refresh(): Promise<void>
  /** Tries a way in; what goes wrong becomes the problem. */
  attempt(way: () => Promise<unknown>): Promise<void>
  answer(accepted: boolean): Promise<void>
}

/**
 * Who is signed in in this browser. A link that was opened is redeemed first. When the person changes, in whichever tab, the document is
 * loaded anew: nothing that it held of one person is there for the next.
 */
export function useSignIn(opened: string | undefined, onLeave: () => void): SignInHere {
  const [state, setState] = useState<SignInHere["state"]>()
  const [asked, setAsked] = useState<LinkQuestion & { readonly token: string }>()
  const [problem, setProblem] = useState<unknown>(refusalHere)
  /** A link that was not tried yet, or that nobody answered. */
  const untried = useRef(opened)
  const shown = useRef<string>(undefined)
  const questions = useRef(0)

  /** Fails only where nobody answered; a refusal becomes the problem. */
  const redeem = useCallback(async (token: string, insteadOf?: string) => {
    try {
      const question = await redeemLink(token, insteadOf)
      setAsked(question && { ...question, token })
    } catch (error) {
      if (isPassing(error) && error.status !== 429) throw error
      setAsked(undefined)
      setProblem(error)
    }
  }, [])

  const refresh = useCallback(async () => {
    const token = untried.current
    untried.current = undefined
    try {
      if (token !== undefined) await redeem(token)
    } catch {
      untried.current = token
      return setState((known) => known ?? "unreachable")
    }
    // Of several questions under way only the last one's answer is the truth.
    const mine = ++questions.current
    const next = await getSignIn().catch(() => undefined)
    if (mine !== questions.current) return
    if (next === undefined) return setState((known) => known ?? "unreachable")
    const person = next.person?.uuid
    const changed = shown.current !== undefined && shown.current !== person
    const before = personKnownTo(localStorage)
    if (person === undefined && before !== undefined) keepPlace(before)
    if (person !== undefined && shown.current === undefined) comeBack(person)
    shown.current = person
    setState(changed ? undefined : next)
    if (changed) onLeave()
    await tellBrowser(next).catch(toastError)
    if (changed) location.reload()
  }, [redeem, onLeave])

  useEffect(() => {
    void refresh()
    const ears = new AbortController()
    const hear = (type: string, listener: (event: Event) => void) => addEventListener(type, listener, ears)
    hear("storage", (event) => (event as StorageEvent).key === STORED && void refresh())
    hear("pageshow", (event) => {
      if (!(event as PageTransitionEvent).persisted) return
      // Out of the browser's memory, where somebody else may have come since: then not even for a moment.
      if (personKnownTo(localStorage) !== shown.current) setState(undefined)
      void refresh()
    })
    // A link opened in a tab that shows the sign-in page changes nothing but what stands behind the #.
    hear("hashchange", () => {
      untried.current = takeLink() ?? untried.current
      if (untried.current !== undefined) void refresh()
    })
    return () => ears.abort()
  }, [refresh])

  useEffect(() => {
    if (state !== "unreachable") return
    const timer = setInterval(() => void refresh(), RETRY_MS)
    return () => clearInterval(timer)
  }, [state, refresh])

  const signedIn = typeof state === "object" && state.person !== null
  useEffect(() => {
    if (!signedIn || asked !== undefined || problem === undefined) return
    toastError(problem)
    setProblem(undefined)
  }, [signedIn, asked, problem])

  const attempt = async (way: () => Promise<unknown>) => {
    setProblem(undefined)
    try {
      await way()
      await refresh()
    } catch (error) {
      setProblem(error)
    }
  }
  const answer = async (accepted: boolean) => {
    if (!accepted || asked === undefined) return setAsked(undefined)
    await attempt(() => redeem(asked.token, asked.here.uuid))
  }
  return { state, question: asked, problem, refresh, attempt, answer }
}

/** Tells every tab who is here, and lets nobody be called for who was here before. */
async function tellBrowser({ person, signInUuid }: SignInState): Promise<void> {
  const before = personKnownTo(localStorage)
  localStorage.setItem(STORED, `${person?.uuid ?? ""} ${signInUuid ?? ""}`)
  if (before !== undefined && before !== person?.uuid) await forgetCalls()
}

/** Somebody leaves by their own wish, which no tab takes for the end of a sign-in. */
export function leaveByWish(): void {
  localStorage.setItem(STORED, " ")
}

function personKnownTo(storage: Storage): string | undefined {
  return storage.getItem(STORED)?.split(" ")[0] || undefined
}
