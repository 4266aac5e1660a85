import { type Client, createClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"

type Operation = (input: never, call: number) => object | Promise<object>

export interface Called {
  readonly name: string
  readonly input: Record<string, unknown>
  readonly idempotencyKey: string | null
}

export interface ScriptedServer {
  readonly client: Client
  /** For what makes its client itself. */
  readonly fetch: typeof globalThis.fetch
  readonly calls: Called[]
  /** The inputs of one operation's calls, in order. */
  inputsOf(name: string): Record<string, unknown>[]
}

/** What a client meets instead of a server: answers by operation, given the input and how many calls it had before. A thrown ChorusError is a refusal, anything else thrown a broken network. */
export function scriptedServer(operations: Readonly<Record<string, Operation>>): ScriptedServer {
  const calls: Called[] = []
  const fetch = async (address: string | URL | Request, init: RequestInit = {}) => {
    const name = new URL(String(address)).pathname.split("/").at(-1) ?? ""
    const input = JSON.parse(String(init.body)) as Record<string, unknown>
    const before = calls.filter((call) => call.name === name).length
    calls.push({ name, input, idempotencyKey: new Headers(init.headers).get("idempotency-key") })
    try {
      return Response.json((await operations[name]?.(input as never, before)) ?? {})
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      return Response.json({ error: error.toBody() }, { status: error.status })
    }
  }
  return {
    client: createClient({ url: "http://chorus.test", fetch: fetch as typeof globalThis.fetch }),
    fetch: fetch as typeof globalThis.fetch,
    calls,
    inputsOf: (name) => calls.filter((call) => call.name === name).map(({ input }) => input),
  }
}

export const away = (): never => {
  throw new TypeError("fetch failed")
}

export const refuse = (code: string, status: number): never => {
  throw new ChorusError(code, "Not like this.", { status })
}
