import type { ActorRef } from "@chorus/contracts"
import type { Tone } from "../design/index.ts"

/** What stands in a graph: a task, a draft of one, or many tasks folded into one. */
export interface GraphItem {
  readonly uuid: string
  readonly title: string
  readonly tone: Tone
  /** The short name people call it by. */
  readonly id?: string | undefined
  /** One line below the title. */
  readonly note?: string | undefined
  /** Said when the pointer rests on it. */
  readonly hint?: string | undefined
  readonly assignee?: ActorRef | null | undefined
  /** Given up, which is not the same as done. */
  readonly closed?: boolean | undefined
  readonly critical?: boolean | undefined
  /** How many tasks are folded into it. */
  readonly folded?: number | undefined
  readonly dim?: boolean | undefined
}
