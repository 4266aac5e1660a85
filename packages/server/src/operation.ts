import type { Exactly, NewEvent, OutputOf, ParsedInputOf, Signature } from "@chorus/contracts"
import type { Db, Engine } from "@chorus/store"
import type { Actor } from "./actor.ts"
import type { Focus } from "./focus.ts"

/** What an operation may touch. Its clock and ids come from here, so a test can hold them. */
export interface OperationContext {
  /** The open transaction of a write; committed data for a read. */
  readonly db: Db
  readonly engine: Engine
  readonly actor: Actor
  /** The time of this call, ISO 8601; the same throughout. */
  readonly now: string
  readonly requestId: string
  /** The projects the caller asked to hear about; undefined is all it can reach. */
  readonly focus: Focus | undefined
  newId(): string
  /** Adds to the event log in this change. Reads may not. */
  emit<E extends NewEvent>(event: E & Exactly<E>): void
  /** Runs after the change is durable; for what must not happen when it was rolled back. */
  afterCommit(run: () => void): void
}

/** What the registry carries out; operations that need one another's work share functions on records instead. */
export interface Operation<S extends Signature = Signature> {
  readonly signature: S
  run(context: OperationContext, input: ParsedInputOf<S>): Promise<OutputOf<S>>
}

/** Binds a signature to the code that carries it out. */
export function operation<S extends Signature>(signature: S, run: Operation<S>["run"]): Operation<S> {
  return { signature, run }
}
