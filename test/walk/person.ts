import type { attentions } from "@chorus/contracts"
import { waitFor } from "@chorus/testing"

type Item = attentions.WaitingItem

/** A person as the page is one: signed in by the printed link, and working off what Needs you shows. */
export interface Person {
  call<T = object>(name: string, input?: object): Promise<T>
  /** What comes to wait under Needs you, of this kind. */
  needed(kind: Item["kind"]): Promise<Item>
}

export async function signIn({ url, signIn: link }: { url: string; signIn: string | null }): Promise<Person> {
  const headers = { "content-type": "application/json", origin: url }
  const answer = await fetch(`${url}/api/auth/link`, {
    method: "POST",
    headers,
    body: JSON.stringify({ token: link?.split("#")[1] }),
  })
  const cookie = answer.headers.getSetCookie().map((set) => set.split(";")[0])
  const call = async <T = object>(name: string, input: object = {}): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${name}`, {
      method: "POST",
      headers: { ...headers, cookie: cookie.join("; ") },
      body: JSON.stringify(input),
    })
    const body = (await response.json()) as { error?: { message: string } }
    if (!response.ok) throw Object.assign(new Error(`${name}: ${body.error?.message}`), body.error)
    return body as T
  }
  return {
    call,
    needed: (kind) =>
      waitFor(
        async () => (await call<{ items: Item[] }>("chorus_needs_you")).items.find((item) => item.kind === kind),
        60_000,
        `something of kind ${kind} under Needs you`,
        100,
      ),
  }
}
