import { createContext, useContext } from "react"
import type { Person } from "./sign-in.ts"

export interface SignedIn {
  readonly person: Person
  /** The sign-in of this browser among those of the person. */
  readonly signInUuid: string | null
  /** Asks the server again who is signed in. */
  refresh(): void
  /** Tells every tab that somebody signed in or out here. */
  identityChanged(): void
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined)

export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext)
  if (signedIn === undefined) throw new Error("nobody is signed in above this component")
  return signedIn
}
