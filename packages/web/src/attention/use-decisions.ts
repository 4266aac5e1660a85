import type { Client } from "@chorus/client"
import { useCallback } from "react"
import { settle, toast } from "../design/index.ts"
import { say, type TextKey } from "../i18n/language.ts"
import { amending, type AmendRule, useAction } from "../live/use-action.ts"
import { useLive } from "../live/use-operation.ts"
import type { Reach } from "../runs/Remember.tsx"
import { attempt } from "./attempt.ts"
import type { Item } from "./decide.ts"
import { without } from "./use-needs-you.ts"

export interface Yes {
  readonly item: Item
  /** Criteria that pass with it. */
  readonly passing?: readonly string[]
  /** For how long a yes to a run's agent counts. */
  readonly reach?: Reach | undefined
  /** Sent only when this says so. */
  readonly held?: Promise<boolean>
}

export interface Decisions {
  accept(yes: Yes): Promise<boolean>
  refuse(item: Item, note: string, held?: Promise<boolean>): Promise<boolean>
  /** The words, and which of them belong to which of several questions. */
  answer(item: Item, text: string, data?: Readonly<Record<string, unknown>>): Promise<boolean>
}

/** What a person decides about a waiting item: gone from the queue at once, back again if the server refuses. */
export function useDecisions(): Decisions {
  const approve = useAction("chorus_admin_approve_proposal").run
  const reject = useAction("chorus_pm_reject_proposal").run
  const verify = useAction("chorus_admin_verify_task").run
  const answer = useAction("chorus_answer_attention").run

  const { client } = useLive()

  const accept = useCallback(
    ({ item, passing = [], reach = "", held }: Yes) =>
      done(client, item, async () => {
        const options = { ...gone(item), held }
        if (item.kind === "proposal") return approve({ proposalUuid: item.uuid }, options)
        if (item.kind === "task") return verify({ taskUuid: item.uuid, passing: [...passing] }, options)
        const remembered = reach === "" ? {} : { data: { remember: reach } }
        return told(
          await answer({ attentionUuid: item.uuid, answer: { decision: "approve", ...remembered } }, options),
          "needsYou.done",
        )
      }).finally(() => held !== undefined && settle(held)),
    [client, approve, verify, answer],
  )
  const refuse = useCallback(
    (item: Item, note: string, held?: Promise<boolean>) =>
      done(client, item, async () => {
        const options = { ...gone(item), held }
        if (item.kind === "proposal")
          return told(await reject({ proposalUuid: item.uuid, reviewNote: note }, options), "needsYou.rejected")
        const words = note === "" ? {} : { text: note }
        return told(
          await answer({ attentionUuid: item.uuid, answer: { decision: "deny", ...words } }, options),
          "needsYou.done",
        )
      }),
    [client, reject, answer],
  )
  const reply = useCallback(
    (item: Item, text: string, data?: Readonly<Record<string, unknown>>) =>
      done(client, item, async () => {
        const said = { text, ...(data === undefined ? {} : { data: { ...data } }) }
        return told(await answer({ attentionUuid: item.uuid, answer: said }, gone(item)), "needsYou.done")
      }),
    [client, answer],
  )
  return { accept, refuse, answer: reply }
}

async function done(client: Client, item: Item, act: () => Promise<unknown>): Promise<boolean> {
  return (await attempt(client, item, act)) !== undefined
}

/** Out of the queue while it is on its way. */
export function gone(item: Pick<Item, "uuid">): { readonly tell: false; readonly amend: readonly AmendRule[] } {
  return { tell: false, amend: [amending("chorus_needs_you", {}, (queue) => without(queue, item.uuid))] }
}

function told<Answer>(done: Answer | undefined, key: TextKey): Answer | undefined {
  if (done !== undefined) toast(say(key))
  return done
}
