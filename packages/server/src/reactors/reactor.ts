import type { NewEvent } from "@chorus/contracts"
import type { OperationContext } from "../operation.ts"

/**
 * Follows a change inside its own transaction: sees the events it is about to append, and may write and emit more, which those after it see.
 * What it throws undoes the change, so it throws only when the change must not stand without it.
 */
export type Reactor = (context: OperationContext, events: readonly NewEvent[]) => Promise<void>
