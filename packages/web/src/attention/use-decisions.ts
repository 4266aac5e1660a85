import { useCallback } from "react"
import { toast } from "../design/index.ts"
import { say, type TextKey } from "../i18n/language.ts"
import { amending, type AmendRule, useAction } from "../live/use-action.ts"
import type { Item } from "./decide.ts"
import { without } from "./use-needs-you.ts"

export interface Decisions {
  accept(item: Item): Promise<boolean>
  refuse(item: Item, note: string): Promise<boolean>
  answer(item: Item, text: string): Promise<boolean>
}

/** What a person decides about a waiting item: gone from the queue at once, back again if the server refuses. */
export function useDecisions(): Decisions {
  const approve = useAction("chorus_admin_approve_proposal").run
  const reject = useAction("chorus_pm_reject_proposal").run
  const verify = useAction("chorus_admin_verify_task").run
  const reopen = useAction("chorus_admin_reopen_task").run
  const answer = useAction("chorus_answer_attention").run

  const accept = useCallback(
    async (item: Item) => {
      const options = gone(item)
      if (item.kind === "proposal")
        return told(await approve({ proposalUuid: item.uuid }, options), "needsYou.approved")
      if (item.kind === "task") return told(await verify({ taskUuid: item.uuid }, options), "needsYou.verified")
      return told(await answer({ attentionUuid: item.uuid, answer: { decision: "approve" } }, options), "needsYou.done")
    },
    [approve, verify, answer],
  )
  const refuse = useCallback(
    async (item: Item, note: string) => {
      const options = gone(item)
      if (item.kind === "proposal")
        return told(await reject({ proposalUuid: item.uuid, reviewNote: note }, options), "needsYou.rejected")
      if (item.kind === "task")
        return told(
          await reopen({ taskUuid: item.uuid, ...(note === "" ? {} : { reason: note }) }, options),
          "needsYou.sentBack",
        )
      return told(
        await answer(
          { attentionUuid: item.uuid, answer: { decision: "deny", ...(note === "" ? {} : { text: note }) } },
          options,
        ),
        "needsYou.done",
      )
    },
    [reject, reopen, answer],
  )
  const reply = useCallback(
    async (item: Item, text: string) =>
      told(await answer({ attentionUuid: item.uuid, answer: { text } }, gone(item)), "needsYou.done"),
    [answer],
  )
  return { accept, refuse, answer: reply }
}

function gone(item: Item): { readonly amend: readonly AmendRule[] } {
  return { amend: [amending("chorus_needs_you", {}, (queue) => without(queue, item.uuid))] }
}

function told(done: unknown, key: TextKey): boolean {
  if (done === undefined) return false
  toast(say(key))
  return true
}
