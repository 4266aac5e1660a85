import type { Compilable, CompiledQuery } from "kysely"
import type { Db } from "./schema/index.ts"

/** Longer lists are seldom asked twice, and each length is a text of its own. */
const LONGEST_KEPT = 8

interface Asked<Row> {
  /** The first row of the answer. */
  (db: Db, ...parameters: string[]): Promise<Row | undefined>
  all(db: Db, ...parameters: string[]): Promise<Row[]>
}

/**
 * A question asked on every call, put into SQL once per database and number of parameters: building it costs more than
 * answering it. Its parameters are texts.
 */
export function askedOften<Row>(ask: (db: Db, ...parameters: string[]) => Compilable<Row>): Asked<Row> {
  const templates = new WeakMap<Db, Template<Row>[]>()
  const all = async (db: Db, ...parameters: string[]) => {
    if (parameters.length > LONGEST_KEPT) return answered(db, ask(db, ...parameters).compile())
    const known = templates.get(db) ?? []
    templates.set(db, known)
    const { query, places } = (known[parameters.length] ??= template(ask, db, parameters.length))
    return answered<Row>(db, {
      ...query,
      parameters: query.parameters.map((value, at) => {
        const place = places[at] ?? -1
        return place < 0 ? value : parameters[place]
      }),
    })
  }
  return Object.assign(async (db: Db, ...parameters: string[]) => (await all(db, ...parameters))[0], { all })
}

interface Template<Row> {
  readonly query: CompiledQuery<Row>
  /** Which of the parameters is meant at each place; below zero what is always the same. */
  readonly places: readonly number[]
}

function template<Row>(
  ask: (db: Db, ...parameters: string[]) => Compilable<Row>,
  db: Db,
  count: number,
): Template<Row> {
  const holders = Array.from({ length: count }, (_, place) => `parameter ${place}`)
  const query = ask(db, ...holders).compile()
  return { query, places: query.parameters.map((value) => holders.indexOf(value as string)) }
}

/**
 * A statement made on every call, put into SQL once per database and set of fields that it is given; a list of rows counts
 * as the fields of all of them. Its parameters are what the fields hold, in their order.
 */
export function writtenOften<Given extends object, Row>(
  write: (db: Db, given: Given) => Compilable<Row>,
): (db: Db, given: Given) => Written<Row> {
  const templates = new WeakMap<Db, Map<string, CompiledQuery<Row>>>()
  return (db, given) => {
    const known = templates.get(db) ?? new Map<string, CompiledQuery<Row>>()
    templates.set(db, known)
    const rows: readonly object[] = Array.isArray(given) ? given : [given]
    const parameters = rows.flatMap((row): unknown[] => Object.values(row))
    const shape = rows.map((row) => Object.keys(row).join()).join(";")
    const query = known.get(shape) ?? checked(write(db, given).compile(), parameters)
    if (rows.length <= LONGEST_KEPT) known.set(shape, query)
    const statement: CompiledQuery<Row> = { ...query, parameters }
    return { compile: () => statement, execute: () => answered(db, statement) }
  }
}

export interface Written<Row> extends Compilable<Row> {
  execute(): Promise<Row[]>
}

/** One that does not hold the fields in their order would write the next ones into the wrong places. */
function checked<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  const same = parameters.every((value, at) => value === query.parameters[at])
  const fits = same && parameters.length === query.parameters.length
  if (!fits) throw new Error(`a statement written often does not take its fields in their order: ${query.sql}`)
  return query
}

/** Asks a database what has been put into SQL already. */
export type Answering = (text: string, parameters: readonly unknown[]) => Promise<unknown[]>

const straight = new WeakMap<Db, Answering>()

/** From now on such statements go to the database straight, without the query builder that would only pass them on. */
export function answersStraight(db: Db, answering: Answering): Db {
  straight.set(db, answering)
  return db
}

/** What a database answers to a statement. */
export async function answered<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  const answering = straight.get(db)
  if (answering === undefined) return (await db.executeQuery(query)).rows
  return (await answering(query.sql, query.parameters)) as Row[]
}
