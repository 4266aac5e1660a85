import { ChorusError } from "@chorus/contracts"
import { sql } from "kysely"
import type { OperationContext } from "./operation.ts"

/** What came of a part of a change that may be refused. */
export type Attempted<T> = { readonly done: T; readonly refused?: undefined } | { readonly refused: ChorusError }

/**
 * A part of a change that stands or falls by itself: where it is refused, all that it had written by then is undone and
 * untold, and the change goes on.
 */
export async function attempt<T>(
  context: OperationContext,
  work: (own: OperationContext) => Promise<T>,
): Promise<Attempted<T>> {
  const { db } = context
  const onceDone: (() => void)[] = []
  const own: OperationContext = {
    ...context,
    later: (statement) => void onceDone.push(() => context.later(statement)),
    emit: (event) => void onceDone.push(() => context.emit(event)),
    afterCommit: (run) => void onceDone.push(() => context.afterCommit(run)),
  }
  await sql`savepoint attempt`.execute(db)
  try {
    const done = await work(own)
    await sql`release savepoint attempt`.execute(db)
    for (const act of onceDone) act()
    return { done }
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    await sql`rollback to savepoint attempt`.execute(db)
    await sql`release savepoint attempt`.execute(db)
    return { refused: error }
  }
}
