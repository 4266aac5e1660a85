import { refuseArchived } from "./archived.ts"
import { callForAttention } from "./call-for-attention.ts"
import { announceStandings } from "./idea-standing.ts"
import { notify } from "./notify.ts"
import type { Reactor } from "./reactor.ts"

/** What follows every change, in this order. */
export const reactors: readonly Reactor[] = [refuseArchived, announceStandings, notify, callForAttention]
