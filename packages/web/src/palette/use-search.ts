import type { search } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { useLive } from "../live/use-operation.ts"

const PAUSE_MS = 120

/** What the server finds for a query, a moment after the typing stops; an older answer never replaces a newer one. */
export function useSearchResults(query: string): readonly search.SearchResult[] {
  const { client } = useLive()
  const [results, setResults] = useState<readonly search.SearchResult[]>([])
  const wanted = query.trim()
  useEffect(() => {
    if (wanted.length < 2) {
      setResults([])
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      client.call("chorus_search", { query: wanted }, { signal: stop.signal, retry: false }).then(
        (answer) => setResults(answer.results.slice(0, 12)),
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
