import type { CuratedSet } from "@chorus/contracts"
import { useRef } from "react"
import { toast } from "../design/index.ts"
import { say } from "../i18n/language.ts"
import { keyOf } from "../live/live-store.ts"
import { amending, useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"

type Change = (set: CuratedSet) => CuratedSet | undefined

const KEPT = keyOf("chorus_get_curated_plugins", {})

/** Changes the set, one change after the other: each builds on what the one before it left. */
export function useCuration(): (change: Change) => void {
  const { store } = useLive()
  const curate = useAction("chorus_curate_plugins")
  const saved = useRef<CuratedSet>(undefined)
  const turn = useRef<Promise<void>>(Promise.resolve())
  const run = async (change: Change) => {
    const next = change(newer(store.snapshot(KEPT).answer as CuratedSet, saved.current))
    if (next === undefined) return
    const done = await curate.run(next, {
      amend: [amending("chorus_get_curated_plugins", {}, ({ revision }) => ({ ...next, revision }))],
    })
    if (done === undefined) return
    saved.current = done
    toast(say("plugins.changed"))
  }
  return (change) => {
    turn.current = turn.current.then(() => run(change))
  }
}

/** What is on show learns the new revision a moment after it was saved. */
function newer(shown: CuratedSet, saved: CuratedSet | undefined): CuratedSet {
  return saved !== undefined && saved.revision > shown.revision ? saved : shown
}
