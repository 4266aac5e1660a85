import type { CompiledQuery } from "kysely"
import type { Db } from "./schema/index.ts"

interface Asked<Row> {
  /** The first row of the answer. */
  (db: Db, ...parameters: string[]): Promise<Row | undefined>
  all(db: Db, ...parameters: string[]): Promise<Row[]>
}

/**
 * A question asked on every call, put into SQL once per database: building it costs more than answering it. Its
 * parameters are texts.
 */
export function askedOften<Row>(
  ask: (db: Db, ...parameters: string[]) => { compile(): CompiledQuery<Row> },
): Asked<Row> {
  const compiled = new WeakMap<Db, CompiledQuery<Row>>()
  const holders = Array.from({ length: ask.length - 1 }, (_, place) => `parameter ${place}`)
  const all = async (db: Db, ...parameters: string[]) => {
    const query = compiled.get(db) ?? ask(db, ...holders).compile()
    compiled.set(db, query)
    const given = query.parameters.map((value) => {
      const place = holders.indexOf(value as string)
      return place < 0 ? value : parameters[place]
    })
    return (await db.executeQuery<Row>({ ...query, parameters: given })).rows
  }
  return Object.assign(async (db: Db, ...parameters: string[]) => (await all(db, ...parameters))[0], { all })
}
