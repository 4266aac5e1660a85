import { ChorusError, SIGN_IN_REFUSALS } from "@chorus/contracts"
import { say } from "../i18n/language.ts"
import { placeAfter } from "./place-after.ts"

/** The token of the sign-in link by which the page was opened. It works once, and nobody should find it in the address or the history. */
export function takeLink(): string | undefined {
  const token = location.pathname === "/sign-in" ? location.hash.slice(1) : ""
  if (token === "") return undefined
  history.replaceState(null, "", placeAfter(location.search))
  return token
}

/** Why a provider's sign-in, from which the browser came back here, was refused. */
export function refusalHere(): ChorusError | undefined {
  const code = location.pathname === "/sign-in" ? new URLSearchParams(location.search).get("error") : null
  if (code === null) return undefined
  const known = SIGN_IN_REFUSALS.find((each) => each === code)
  return new ChorusError(
    known ?? "oidc_failed",
    say(known === undefined ? "error.unknown" : `signIn.refused.${known}`),
    {
      next: say("signIn.refused.next"),
    },
  )
}
