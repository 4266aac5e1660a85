import type { OutputOf, search } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { useLive } from "../live/use-operation.ts"

const PAUSE_MS = 120

export interface Found {
  readonly things: readonly search.SearchResult[]
  /** People and agents of that name. */
  readonly actors: OutputOf<typeof search.searchMentionables>["results"]
}

const NOTHING: Found = { things: [], actors: [] }

/** What the server finds for a query, a moment after the typing stops; an older answer never replaces a newer one. */
export function useSearchResults(query: string): Found {
  const { client } = useLive()
  const [results, setResults] = useState(NOTHING)
  const wanted = query.trim()
  useEffect(() => {
    if (wanted.length < 2) {
      setResults(NOTHING)
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const options = { signal: stop.signal, retry: false }
      Promise.all([
        client.call("chorus_search", { query: wanted }, options),
        client.call("chorus_search_mentionables", { query: wanted, limit: 6 }, options),
      ]).then(
        ([things, actors]) => setResults({ things: things.results.slice(0, 12), actors: actors.results }),
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [client, wanted])
  return results
}
