import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Kysely, SqliteDialect, type SqliteStatement } from "kysely"
import { answersStraight } from "./asked-often.ts"
import type { Schema } from "./schema/index.ts"

const CACHED_STATEMENTS = 500

/** Opens the embedded file the one way the product uses it: WAL, synced at each commit, foreign keys on. */
export function openDatabase(path: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5000 })
  if (options.readOnly !== true) {
    // Only in a new file does it take effect: what is dropped from it can be given back to the disk.
    const pages = database.prepare("pragma page_count").get()?.["page_count"]
    if (pages === 0) database.exec("pragma auto_vacuum = incremental")
    database.exec("pragma journal_mode = wal")
  }
  database.exec(
    "pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -16000",
  )
  return database
}

/**
 * Kysely over node:sqlite, with prepared statements kept between calls. `before` each of them may refuse; what fails is thrown as
 * `told`.
 */
export function kyselyOver(
  database: DatabaseSync,
  before: () => void = () => undefined,
  told: (error: unknown) => unknown = (error) => error,
): Kysely<Schema> {
  const statements = new Map<string, SqliteStatement>()
  const telling: Telling = (work) => {
    try {
      return work()
    } catch (error) {
      throw told(error)
    }
  }
  const prepare = (text: string): SqliteStatement => {
    before()
    const known = statements.get(text)
    if (known !== undefined) return known
    const prepared = telling(() => adapt(database.prepare(text), telling, text.startsWith("pragma ")))
    statements.set(text, prepared)
    const [oldest] = statements.keys()
    if (statements.size > CACHED_STATEMENTS && oldest !== undefined) statements.delete(oldest)
    return prepared
  }
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: { prepare, close: () => database.close() } }),
  })
  return answersStraight(db, async (text, parameters) => {
    const statement = prepare(text)
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return []
  })
}

type Telling = <T>(work: () => T) => T

/**
 * Rows come as arrays and are put into objects here: that takes half the time of having the driver do it. Of what works
 * in steps, a pragma, the driver takes only the first unless it is asked for rows, although there are none.
 */
function adapt(statement: StatementSync, telling: Telling, inSteps: boolean): SqliteStatement {
  let names = namesOf(statement)
  const bind = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
  statement.setReturnArrays(true)
  return {
    reader: names.length > 0 || inSteps,
    all: (parameters) => telling(() => statement.all(...bind(parameters)) as unknown as unknown[][]).map(toRow),
    run: (parameters) => telling(() => statement.run(...bind(parameters))),
    *iterate(parameters) {
      for (const values of statement.iterate(...bind(parameters))) yield toRow(values as unknown as unknown[])
    },
  }

  /** A table may have got a column since; the engine then prepares the statement anew without a word. */
  function toRow(values: readonly unknown[]): Record<string, unknown> {
    if (values.length !== names.length) names = namesOf(statement)
    const row: Record<string, unknown> = {}
    names.forEach((name, column) => (row[name] = values[column]))
    return row
  }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}
