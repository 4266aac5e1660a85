import type { attentions, LogEvent, OutputOf } from "@chorus/contracts"
import { useEffect } from "react"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof attentions.needsYou>

/** What waits goes at once when it is settled; what begins to wait is asked for. */
export const followNeedsYou: Follow<Answer> = {
  apply(answer, event) {
    const waits = answer.items.some((item) => item.uuid === event.entityUuid)
    const waiting = isWaiting(event)
    if (waits && waiting !== false) return dueAgain(answer, event)
    // Something further back takes its place.
    if (waits) return answer.items.length < answer.total ? undefined : without(answer, event.entityUuid)
    return waiting === true ? undefined : answer
  },
}

const EMPTY: Answer = {
  items: [],
  counts: { elaboration: 0, proposal: 0, task: 0, attention: 0, delivery: 0 },
  total: 0,
}

export interface NeedsYou extends Answer {
  readonly status: "loading" | "ready" | "failed"
  readonly error: unknown
  reload(): void
}

/** Everything that waits for a person, kept in step with the log. */
export function useNeedsYou(): NeedsYou {
  const { answer, status, error, reload } = useOperation("chorus_needs_you", {}, followNeedsYou)
  return { ...(answer ?? EMPTY), status, error, reload }
}

/** The window's title carries the count, so that it is seen from another tab. */
export function useTitleCount(total: number, title: string): void {
  useEffect(() => {
    document.title = total > 0 ? `(${total}) ${title}` : title
  }, [total, title])
}

export function without(answer: Answer, uuid: string): Answer {
  const gone = answer.items.find((item) => item.uuid === uuid)
  if (gone === undefined) return answer
  return {
    items: answer.items.filter((item) => item !== gone),
    counts: { ...answer.counts, [gone.kind]: answer.counts[gone.kind] - 1 },
    total: answer.total - 1,
  }
}

function dueAgain(answer: Answer, { entityType, entityUuid, patch }: LogEvent): Answer {
  if (entityType !== "task" || patch.dueOn === undefined) return answer
  const { dueOn } = patch
  return { ...answer, items: answer.items.map((item) => (item.uuid === entityUuid ? { ...item, dueOn } : item)) }
}

/** Whether the thing waits for a person now; undefined where the event does not say. */
function isWaiting({ entityType, action, patch }: LogEvent): boolean | undefined {
  if (action === "deleted") return false
  if (entityType === "round") return is(patch.status, "pending_answers")
  if (entityType === "attention") return is(patch.state, "open")
  if (entityType === "delivery") return is(patch.state, "dead")
  if (entityType === "task") return is(patch.status, "to_verify")
  if (entityType === "proposal") return is(patch.status, "pending")
  return undefined
}

function is<Status extends string>(status: Status | undefined, waiting: Status): boolean | undefined {
  return status === undefined ? undefined : status === waiting
}
