import { type Client, createClient } from "@chorus/client"
import type { InputOf, OperationName, OutputOf, SignatureNamed } from "@chorus/contracts"
import { createContext, useCallback, useContext, useSyncExternalStore } from "react"
import { type Follow, keyOf, LiveStore } from "./live-store.ts"

export interface Live {
  readonly client: Client
  readonly store: LiveStore
}

export function startLive(): Live {
  return { client: createClient({ url: location.origin }), store: new LiveStore() }
}

export const LiveContext = createContext<Live | undefined>(undefined)

export function useLive(): Live {
  const live = useContext(LiveContext)
  if (live === undefined) throw new Error("no live store above this component")
  return live
}

export interface Loaded<Answer> {
  readonly status: "loading" | "ready" | "failed"
  readonly answer: Answer | undefined
  readonly error: unknown
  reload(): void
}

type Answer<Name extends OperationName> = OutputOf<SignatureNamed<Name>>

/** The answer of a read operation, kept up to date by the log while it is on show. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  follow?: Follow<Answer<Name>>,
): Loaded<Answer<Name>> {
  const { client, store } = useLive()
  const key = keyOf(name, input)
  const subscribe = useCallback(
    (listener: () => void) => store.keep(key, () => client.call(name, input), follow as Follow<unknown> | undefined, listener),
    // The key stands for name and input; `follow` is a constant of its caller.
    [store, client, key],
  )
  const { status, answer, error } = useSyncExternalStore(subscribe, () => store.snapshot(key))
  return { status, answer: answer as Answer<Name> | undefined, error, reload: () => store.reload(key) }
}
