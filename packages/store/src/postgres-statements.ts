import { type KyselyPlugin, Kysely, PostgresDialect, type PostgresPoolClient } from "kysely"
import type { Pool, PoolClient, QueryResult } from "pg"
import type { Db, Schema } from "./schema/index.ts"

/** As many are kept by name on each connection; a list in a statement makes a text for each of its lengths. */
const MOST = 1000
const names = new Map<string, string>()

/** A statement under the name by which PostgreSQL keeps its plan: planning takes longer than most of them run. Those without values are seldom asked. */
export function named(text: string, values: readonly unknown[]) {
  const known = names.get(text)
  if (values.length === 0 || (known === undefined && names.size >= MOST)) return { text, values: [...values] }
  const name = known ?? `chorus_${names.size}`
  names.set(text, name)
  return { name, text, values: [...values] }
}

export type Ask = (text: string, values: readonly unknown[]) => Promise<QueryResult>

/** What Kysely takes for a connection; it never reads by cursor here. */
export function connection(ask: Ask, release: () => void): PostgresPoolClient {
  return { query: ask as unknown as PostgresPoolClient["query"], release }
}

/** Queries over connections that are had one by one. */
export function queriesOver(
  connect: () => Promise<PostgresPoolClient>,
  end: () => Promise<void>,
  plugins: KyselyPlugin[],
): Db {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: { connect, end, options: {} } }), plugins })
}

/** Queries over a pool, each by its name. */
export function readsOver(pool: Pool, plugins: KyselyPlugin[]): Db {
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const asked =
      known.get(client) ??
      connection(
        (text, values) => client.query(named(text, values)),
        () => client.release(),
      )
    known.set(client, asked)
    return asked
  }
  return queriesOver(connect, () => pool.end(), plugins)
}
