import { ChorusError } from "@chorus/contracts"

export interface Person {
  readonly uuid: string
  readonly name: string
  readonly role: "owner" | "admin" | "member" | "viewer"
}

export interface SignInState {
  readonly person: Person | null
  readonly signInUuid: string | null
  readonly ways: { readonly password: boolean; readonly oidc: { readonly name: string } | null }
}

export async function getSignIn(): Promise<SignInState> {
  return (await call("GET", "sign-in")) as SignInState
}

export async function redeemLink(token: string): Promise<void> {
  await call("POST", "link", { token })
}

export async function signIn(email: string, password: string): Promise<void> {
  await call("POST", "sign-in", { email, password })
}

export async function signOut(): Promise<void> {
  await call("POST", "sign-out", {})
}

/** A first password needs no current one. */
export async function changePassword(password: string, current?: string): Promise<void> {
  await call("POST", "password", { password, ...(current === undefined ? {} : { current }) })
}

async function call(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`/api/auth/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { error?: { code: string; message: string; next?: string } }
  if (response.ok) return answer
  const { code, message, next } = answer.error ?? { code: "internal", message: response.statusText }
  throw new ChorusError(code, message, { status: response.status, next })
}
