import { useCallback, useEffect, useRef, useState } from "react"
import { toastError } from "../design/index.ts"
import { useEvents, useLive } from "../live/use-operation.ts"
import type { Entry } from "./run.ts"

const FIRST = 200
const EARLIER = 1000
const END = Number.MAX_SAFE_INTEGER

export interface Transcript {
  readonly entries: readonly Entry[]
  readonly status: "loading" | "ready" | "failed"
  /** Why the newest could not be fetched. */
  readonly error: unknown
  /** Asks again. */
  reload(): void
  /** There is more before the first entry. */
  readonly more: boolean
  /** Loads what stands before; back to this place, where one is given. */
  loadEarlier(place?: number): Promise<void>
}

/** What a run's agent said and did, from its end; whatever changes while it is on show is fetched by itself. */
export function useTranscript(runUuid: string): Transcript {
  const { client, started } = useLive()
  const kept = useRef<Kept>({ entries: [], at: new Map(), more: true, revision: undefined })
  const [, setChanges] = useState(0)
  const [error, setError] = useState<unknown>()
  const fetching = useRef<Promise<void>>(undefined)
  const wanted = useRef(false)
  const show = useCallback(() => setChanges((before) => before + 1), [])

  const load = useCallback(async () => {
    await started
    for (let more = true; more;) {
      wanted.current = false
      const { revision } = kept.current
      const asked = revision === undefined ? { before: END, limit: FIRST } : { after: revision, limit: EARLIER }
      const told = await client.call("chorus_get_transcript", { runUuid, ...asked })
      kept.current = withChanged({ ...kept.current, revision: told.revision }, told.entries)
      if (revision === undefined) kept.current = { ...kept.current, more: told.more }
      show()
      more = (revision !== undefined && told.more) || wanted.current
    }
  }, [client, started, runUuid, show])

  /** One at a time: whoever comes meanwhile is served by one more look. */
  const look = useCallback(() => {
    wanted.current = true
    fetching.current ??= load()
      .then(() => setError(undefined), setError)
      .finally(() => (fetching.current = undefined))
  }, [load])

  const earlier = useRef<Promise<void>>(undefined)
  const loadEarlier = useCallback(
    (place?: number) => {
      const back = async () => {
        do {
          const before = kept.current.entries[0]?.place ?? END
          const told = await client.call("chorus_get_transcript", { runUuid, before, limit: EARLIER })
          const entries = [...told.entries, ...kept.current.entries]
          kept.current = { ...kept.current, entries, at: indexed(entries), more: told.more }
        } while (kept.current.more && place !== undefined && (kept.current.entries[0]?.place ?? 0) > place)
        show()
      }
      earlier.current ??= back()
        .catch(toastError)
        .finally(() => (earlier.current = undefined))
      return earlier.current
    },
    [client, runUuid, show],
  )

  useEffect(look, [look])
  useEvents((event) => {
    if (event.entityType === "run" && event.entityUuid === runUuid) look()
  })
  const { entries, more, revision } = kept.current
  const status = error !== undefined ? "failed" : revision === undefined ? "loading" : "ready"
  return { entries, more, loadEarlier, status, error, reload: look }
}

interface Kept {
  readonly entries: readonly Entry[]
  readonly at: ReadonlyMap<string, number>
  readonly more: boolean
  readonly revision: number | undefined
}

/** With these in their newest form; what lies before all that was loaded is fetched when somebody looks there. */
function withChanged(kept: Kept, changed: readonly Entry[]): Kept {
  if (changed.length === 0) return kept
  const entries = [...kept.entries]
  const at = new Map(kept.at)
  let inOrder = true
  for (const entry of changed) {
    const known = at.get(entry.id)
    if (known !== undefined) {
      entries[known] = entry
      continue
    }
    if (kept.revision !== undefined && kept.more && entry.place < (entries[0]?.place ?? 0)) continue
    inOrder &&= entry.place > (entries.at(-1)?.place ?? -1)
    at.set(entry.id, entries.push(entry) - 1)
  }
  if (inOrder) return { ...kept, entries, at }
  entries.sort((one, other) => one.place - other.place)
  return { ...kept, entries, at: indexed(entries) }
}

function indexed(entries: readonly Entry[]): ReadonlyMap<string, number> {
  return new Map(entries.map(({ id }, at) => [id, at]))
}
