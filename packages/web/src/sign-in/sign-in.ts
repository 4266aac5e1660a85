import { type Client, createClient } from "@chorus/client"
import type { LinkQuestion, SignInState } from "@chorus/contracts"

export function getSignIn(): Promise<SignInState> {
  return ask("GET /api/auth/sign-in", {})
}

/** Signs in by a link; answers a question instead where somebody else is signed in and has not agreed to leave. */
export async function redeemLink(token: string, insteadOf?: string): Promise<LinkQuestion | undefined> {
  const answer = await ask("POST /api/auth/link", { token, insteadOf })
  return answer.signedIn ? undefined : answer
}

export async function signIn(email: string, password: string): Promise<void> {
  await ask("POST /api/auth/sign-in", { email, password })
}

export async function signOut(): Promise<void> {
  await ask("POST /api/auth/sign-out", {})
}

/** A first password needs no current one. */
export async function changePassword(password: string, current?: string): Promise<void> {
  await ask("POST /api/auth/password", { password, current })
}

const ask: Client["ask"] = (name, input) => createClient({ url: location.origin }).ask(name, input)
