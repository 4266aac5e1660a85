import {
  type BinaryOperationNode,
  Kysely,
  OperatorNode,
  PostgresDialect,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ValueListNode,
} from "kysely"
import type { Pool, PoolClient } from "pg"
import { answersStraight } from "./asked-often.ts"
import type { Answer } from "./postgres-pipe.ts"
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

type Ask = (text: string, values: readonly unknown[]) => Promise<Pick<Answer, "rows">>

/** What Kysely takes for a connection; it never reads by cursor here. */
export function connection(ask: Ask, release: () => void): PostgresPoolClient {
  return { query: ask as unknown as PostgresPoolClient["query"], release }
}

/** SQLite reads "in ()" as nothing; PostgreSQL refuses it unless it is put otherwise. */
class Compiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node
    const isEmpty = (PrimitiveValueListNode.is(list) || ValueListNode.is(list)) && list.values.length === 0
    if (!isEmpty || !OperatorNode.is(operator)) return super.visitBinaryOperation(node)
    this.append(operator.operator === "in" ? "1 = 0" : "1 = 1")
  }
}

class Dialect extends PostgresDialect {
  override createQueryCompiler() {
    return new Compiler()
  }
}

/** Queries over connections that are had one by one. */
export function queriesOver(connect: () => Promise<PostgresPoolClient>, end: () => Promise<void>): Db {
  return new Kysely<Schema>({ dialect: new Dialect({ pool: { connect, end, options: {} } }) })
}

/** Queries over a pool, each by its name; `failed` hears of those that PostgreSQL refuses. */
export function readsOver(pool: Pool, failed: (error: unknown) => void): Db {
  const ask = async (client: PoolClient, text: string, values: readonly unknown[]) => {
    try {
      return await client.query(named(text, values))
    } catch (error) {
      failed(error)
      throw error
    }
  }
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const asked =
      known.get(client) ??
      connection(
        (text, values) => ask(client, text, values),
        () => client.release(),
      )
    known.set(client, asked)
    return asked
  }
  return answersStraight(
    queriesOver(connect, () => pool.end()),
    async (text, values) => {
      const client = await pool.connect()
      try {
        return (await ask(client, text, values)).rows
      } finally {
        client.release()
      }
    },
  )
}
