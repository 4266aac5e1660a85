import type { InputOf, OperationName, OutputOf, SignatureNamed } from "@chorus/contracts"
import { useCallback, useRef, useState } from "react"
import { toastError } from "../design/index.ts"
import { keyOf } from "./live-store.ts"
import { useLive } from "./use-operation.ts"

interface ActOptions {
  /** False leaves telling the person about a failure to the caller. */
  readonly tell?: boolean
  /** Changes to answers on show, made before the server answers and taken back if it refuses. */
  readonly amend?: readonly AmendRule[]
  /** Waited for before anything is sent; false takes back what was shown. */
  readonly held?: Promise<boolean> | undefined
}

export interface AmendRule {
  readonly key: string
  change(answer: unknown): unknown
}

/** A change to the kept answer of an operation, typed by it. */
export function amending<Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  change: (answer: OutputOf<SignatureNamed<Name>>) => OutputOf<SignatureNamed<Name>>,
): AmendRule {
  return { key: keyOf(name, input), change: (answer) => change(answer as OutputOf<SignatureNamed<Name>>) }
}

export interface Action<Name extends OperationName> {
  /** Resolves to the answer, or to undefined after a failure the person has been told about. */
  run(input: InputOf<SignatureNamed<Name>>, options?: ActOptions): Promise<OutputOf<SignatureNamed<Name>> | undefined>
  readonly busy: boolean
}

/** A change the person makes: shown at once where that is safe, explained when it fails. */
export function useAction<Name extends OperationName>(name: Name): Action<Name> {
  const { client, store } = useLive()
  const [busy, setBusy] = useState(false)
  const running = useRef(0)
  const run = useCallback<Action<Name>["run"]>(
    async (input, { tell = true, amend = [], held } = {}) => {
      const amendments = amend.map(({ key, change }) => store.amend(key, change))
      running.current++
      setBusy(true)
      try {
        if (held !== undefined && !(await held)) {
          for (const amendment of amendments) amendment.takeBack()
          return undefined
        }
        const { answer, position } = await client.callWithPosition(name, input)
        for (const amendment of amendments) amendment.confirm(position)
        return answer
      } catch (error) {
        for (const amendment of amendments) amendment.takeBack()
        if (!tell) throw error
        toastError(error)
        return undefined
      } finally {
        setBusy(--running.current > 0)
      }
    },
    [client, store, name],
  )
  return { run, busy }
}
