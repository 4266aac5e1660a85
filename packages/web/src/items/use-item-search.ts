import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"
import type { BoardSearch } from "../shell/board-search.ts"

type Changes = { readonly [Key in keyof BoardSearch]?: BoardSearch[Key] | undefined }

/** What the address of the board, the list or the graph says; `set` changes some of it and drops what is empty. */
export function useItemSearch(): {
  readonly search: BoardSearch
  set(changes: Changes, options?: { readonly replace?: boolean }): void
} {
  const search: BoardSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = useCallback(
    (changes: Changes, { replace = true }: { readonly replace?: boolean } = {}) =>
      void navigate({ to: ".", search: (now: object) => clean({ ...now, ...changes }) as never, replace }),
    [navigate],
  )
  return { search, set }
}

function clean(search: object): BoardSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ""))
}
