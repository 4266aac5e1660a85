import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useEvents, useLive } from "../live/use-operation.ts"
import type { Entry } from "./run.ts"

/** What a run's agent said and did, in order; whatever changes while it is on show is fetched by itself. */
export function useTranscript(runUuid: string): readonly Entry[] {
  const { client, started } = useLive()
  const [entries, setEntries] = useState<ReadonlyMap<string, Entry>>(new Map())
  const after = useRef(0)
  const fetching = useRef<Promise<void>>(undefined)
  const wanted = useRef(false)

  const load = useCallback(async () => {
    await started
    for (let more = true; more;) {
      wanted.current = false
      const told = await client.call("chorus_get_transcript", { runUuid, after: after.current })
      after.current = told.revision
      if (told.entries.length > 0)
        setEntries((before) => new Map([...before, ...told.entries.map((entry) => [entry.id, entry] as const)]))
      more = told.more || wanted.current
    }
  }, [client, started, runUuid])

  /** One at a time: whoever comes meanwhile is served by one more look. */
  const look = useCallback(() => {
    wanted.current = true
    fetching.current ??= load()
      .catch(() => undefined)
      .finally(() => (fetching.current = undefined))
  }, [load])

  useEffect(look, [look])
  useEvents((event) => {
    if (event.entityType === "run" && event.entityUuid === runUuid) look()
  })
  return useMemo(
    () => [...entries.values()].toSorted((one, other) => one.turn - other.turn || one.place - other.place),
    [entries],
  )
}
