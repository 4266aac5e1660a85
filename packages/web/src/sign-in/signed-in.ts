import type { SignedInPerson } from "@chorus/contracts"
import { createContext, useContext } from "react"

export interface SignedIn {
  readonly person: SignedInPerson
  /** The sign-in of this browser among those of the person. */
  readonly signInUuid: string | null
  /** Asks the server again who is signed in; every tab follows. */
  refresh(): void
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined)

export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext)
  if (signedIn === undefined) throw new Error("nobody is signed in above this component")
  return signedIn
}
