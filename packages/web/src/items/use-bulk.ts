import { useCallback } from "react"
import { toast } from "../design/index.ts"
import { say } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { type Change, MOST, type Result, wayBack } from "./bulk.ts"

/** Changes many tasks at once, says what came of it, and offers the way back where there is one. */
export function useBulk(projectUuid: string): {
  readonly busy: boolean
  run(taskUuids: readonly string[], change: Change): Promise<void>
} {
  const { run: edit, busy } = useAction("chorus_edit_tasks")
  const send = useCallback(
    async (taskUuids: readonly string[], change: Change): Promise<Result[]> => {
      const results: Result[] = []
      for (let from = 0; from < taskUuids.length; from += MOST) {
        const part = await edit({ projectUuid, taskUuids: taskUuids.slice(from, from + MOST), ...change })
        if (part === undefined) break
        results.push(...part.results)
      }
      return results
    },
    [edit, projectUuid],
  )
  const run = useCallback(
    async (taskUuids: readonly string[], change: Change) => {
      const results = await send(taskUuids, change)
      if (results.length === 0) return
      const back = wayBack(change, results)
      const refused = results.filter(({ changed }) => !changed)
      toast(say("items.changed", { count: results.length - refused.length }), {
        ms: 10_000,
        detail:
          refused.length === 0
            ? undefined
            : say("items.refused", { count: refused.length, why: refused[0]?.problem?.message ?? "" }),
        undo:
          back.length === 0
            ? undefined
            : () => void back.reduce((done, each) => done.then(() => send(each.taskUuids, each.change)), NOTHING_YET),
      })
    },
    [send],
  )
  return { run, busy }
}

const NOTHING_YET: Promise<unknown> = Promise.resolve()
