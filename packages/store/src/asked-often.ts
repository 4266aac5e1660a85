import type { CompiledQuery } from "kysely"
import type { Db } from "./schema/index.ts"

/**
 * A question asked on every call, put into SQL once per database: building it costs more than answering it.
 * It takes one text, and that text must be its only parameter.
 */
export function askedOften<Row>(
  ask: (db: Db, parameter: string) => { compile(): CompiledQuery<Row> },
): (db: Db, parameter: string) => Promise<Row | undefined> {
  const compiled = new WeakMap<Db, CompiledQuery<Row>>()
  return async (db, parameter) => {
    const query = compiled.get(db) ?? ask(db, "").compile()
    compiled.set(db, query)
    const asked: CompiledQuery<Row> = { ...query, parameters: [parameter] }
    return (await db.executeQuery<Row>(asked)).rows[0]
  }
}
