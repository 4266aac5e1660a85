import { type Client, createClient } from "@chorus/client"
import type { Role } from "@chorus/contracts"
import { onTestFinished } from "vitest"
import { network, overNetwork } from "./network.ts"
import { owner } from "./stage.tsx"

export interface Guest {
  readonly uuid: string
  readonly name: string
  readonly email: string
}

/** From here to the end of the test the page is that of somebody else, signed in for real. */
export async function becomeGuest(role: Role): Promise<Guest> {
  const { token, ...guest } = await invite(role)
  overNetwork((network) => asPerson(network, token))
  return guest
}

/** Somebody else, who works beside the person of the page. */
export async function meetGuest(role: Role): Promise<Guest & { readonly client: Client }> {
  const { token, ...guest } = await invite(role)
  return { ...guest, client: createClient({ url: location.origin, fetch: asPerson(network, token) }) }
}

async function invite(role: Role): Promise<Guest & { readonly token: string }> {
  const mark = crypto.randomUUID().slice(0, 8)
  const guest = { name: `Guest ${mark}`, email: `guest-${mark}@chorus.example` }
  const { signInPath, member } = await owner.call("chorus_invite_member", { ...guest, role })
  const token = tokenIn(signInPath)
  // Their link is used up at once: a newer one would end it.
  await network("/api/auth/sign-in", { headers: { "x-person": token } })
  return { uuid: member.uuid, token, ...guest }
}

function asPerson(network: typeof fetch, token: string): typeof fetch {
  return (input, init) =>
    network(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), "x-person": token } })
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

/**
 * What asks for this path is answered so until `end` or the test's end: for states in which the server of all tests
 * never is. Tells what was sent there.
 */
export function answer(path: string, said: (input: unknown) => unknown) {
  const inputs: unknown[] = []
  let ended = false
  overNetwork((network) => async (address, init) => {
    if (ended || !String(address).endsWith(path)) return network(address, init)
    const input: unknown = JSON.parse(String(init?.body ?? "null"))
    inputs.push(input)
    return Response.json(await said(input))
  })
  return { inputs: inputs as readonly unknown[], end: () => void (ended = true) }
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
