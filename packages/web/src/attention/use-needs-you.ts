import type { attentions, OutputOf } from "@chorus/contracts"
import { useEffect } from "react"
import type { Follow } from "../live/live-store.ts"
import { useOperation } from "../live/use-operation.ts"

type Answer = OutputOf<typeof attentions.needsYou>

/** What waits goes at once when it is settled; what begins to wait is asked for. */
export const followNeedsYou: Follow<Answer> = {
  apply(answer, { entityType, entityUuid, action, patch }) {
    const waits = answer.items.some((item) => item.uuid === entityUuid)
    if (waits) return settled(entityType, action, patch) ? without(answer, entityUuid) : answer
    return begins(entityType, action, patch) ? undefined : answer
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

function settled(entityType: string, action: string, patch: Record<string, unknown>): boolean {
  if (action === "deleted") return true
  const now = patch[entityType === "attention" || entityType === "delivery" ? "state" : "status"]
  return now !== undefined && now !== WAITING[entityType]
}

function begins(entityType: string, action: string, patch: Record<string, unknown>): boolean {
  if (entityType === "round" || entityType === "attention") return action === "created"
  if (entityType === "delivery") return patch["state"] === WAITING["delivery"]
  return (entityType === "task" || entityType === "proposal") && patch["status"] === WAITING[entityType]
}

const WAITING: Record<string, string> = {
  round: "pending_answers",
  attention: "open",
  task: "to_verify",
  proposal: "pending",
  delivery: "dead",
}
