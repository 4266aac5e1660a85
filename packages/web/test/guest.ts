import type { Role } from "@chorus/contracts"
import { onTestFinished } from "vitest"
import { owner } from "./stage.tsx"

export interface Guest {
  readonly uuid: string
  readonly name: string
  readonly email: string
}

type Network = typeof globalThis.fetch

/** From here to the end of the test the page is that of somebody else, signed in for real. */
export async function becomeGuest(role: Role): Promise<Guest> {
  const mark = crypto.randomUUID().slice(0, 8)
  const guest = { name: `Guest ${mark}`, email: `guest-${mark}@chorus.example` }
  const { signInPath, member } = await owner.call("chorus_invite_member", { ...guest, role })
  const token = tokenIn(signInPath)
  // Their link is used up at once: a newer one would end it.
  await network("/api/auth/sign-in", { headers: { "x-person": token } })
  overNetwork(
    (network) => (input, init) =>
      network(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), "x-person": token } }),
  )
  return { uuid: member.uuid, ...guest }
}

/** The same person comes in with so many other browsers. */
export async function comeInAgain(userUuid: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { signInPath } = await owner.call("chorus_create_sign_in_link", { userUuid })
    await network("/api/auth/sign-in", { headers: { "x-person": tokenIn(signInPath) } })
  }
}

function tokenIn(signInPath: string): string {
  return signInPath.slice(signInPath.indexOf("#") + 1)
}

interface Refusal {
  readonly code: string
  readonly message: string
  readonly next?: string
}

/** What asks for this path is refused, until the returned function is called or the test ends. */
export function refuse(path: string, error: Refusal, status = 403): () => void {
  let refusing = true
  overNetwork(
    (network) => (input, init) =>
      refusing && String(input).endsWith(path)
        ? Promise.resolve(Response.json({ error }, { status }))
        : network(input, init),
  )
  return () => {
    refusing = false
  }
}

/** What asks for this path is answered so until the test ends: for states in which the server of all tests never is. Tells what was sent there. */
export function answer(path: string, said: (input: unknown) => unknown): { readonly inputs: readonly unknown[] } {
  const inputs: unknown[] = []
  overNetwork((network) => async (address, init) => {
    if (!String(address).endsWith(path)) return network(address, init)
    const input: unknown = JSON.parse(String(init?.body ?? "null"))
    inputs.push(input)
    return Response.json(await said(input))
  })
  return { inputs }
}

/** What asks for this path waits until the returned function is called or the test ends. */
export function hold(path: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  onTestFinished(() => resolve())
  overNetwork((network) => async (input, init) => {
    if (String(input).endsWith(path)) await promise
    return network(input, init)
  })
  return () => resolve()
}

/** Counts what is sent to a path from here on. */
export function sentTo(path: string): { readonly count: number } {
  const sent = { count: 0 }
  overNetwork((network) => (input, init) => {
    if (String(input).endsWith(path)) sent.count++
    return network(input, init)
  })
  return sent
}

/** A page binds the network when it is opened; what lies between is asked for at each call. */
const network = globalThis.fetch.bind(globalThis)
const between: ((network: Network) => Network)[] = []
globalThis.fetch = (input, init) => between.reduce((inner, wrap) => wrap(inner), network)(input, init)

function overNetwork(wrap: (network: Network) => Network): void {
  between.push(wrap)
  onTestFinished(() => void between.splice(between.indexOf(wrap), 1))
}
