import { type Connection, type FieldDef, type PoolClient, Query } from "pg"

/** As many statements are kept by name on a connection; a list in a statement makes a text for each of its lengths. */
const MOST = 1000

export interface Answer {
  readonly command: string
  readonly rowCount: number
  readonly rows: Record<string, unknown>[]
}

interface Asked {
  readonly text: string
  readonly values: readonly unknown[]
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/** A statement that PostgreSQL keeps by its name. Its columns are told with its first answer and stay as they are. */
interface Kept {
  readonly name: string
  columns?: readonly Column[]
}

interface Column {
  readonly name: string
  readonly read: (text: string) => unknown
}

/**
 * A connection on which nothing waits for an answer it does not need: what is asked before anything is awaited goes out
 * as one batch. PostgreSQL answers a batch in one piece, where it would send each statement's answer by itself, and this
 * process wakes once for it.
 */
export class PostgresPipe {
  readonly #client: PoolClient
  readonly #kept = new Map<string, Kept>()
  #asked: Asked[] = []
  #doubtful: string[] = []
  #names = 0

  constructor(client: PoolClient) {
    this.#client = client
  }

  ask(text: string, values: readonly unknown[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ text, values, resolve, reject }) === 1) process.nextTick(() => this.#send())
    })
  }

  #send(): void {
    const statements = this.#asked.map((asked) => ({ ...asked, ...this.#keep(asked.text) }))
    this.#asked = []
    const typeOf = ({ name, dataTypeID }: FieldDef) => ({ name, read: this.#client.getTypeParser(dataTypeID, "text") })
    const forget = (unsure: readonly Statement[]) => {
      for (const { text, isNew, kept } of unsure) {
        if (!isNew || kept === undefined) continue
        this.#kept.delete(text)
        this.#doubtful.push(kept.name)
      }
    }
    this.#client.query(new Batch(statements, this.#doubtful.splice(0), typeOf, forget))
  }

  #keep(text: string): Pick<Statement, "kept" | "isNew"> {
    const known = this.#kept.get(text)
    if (known !== undefined) return { kept: known, isNew: false }
    if (this.#kept.size >= MOST) return { kept: undefined, isNew: true }
    const kept = { name: `chorus_${this.#names++}` }
    this.#kept.set(text, kept)
    return { kept, isNew: true }
  }
}

interface Statement extends Asked {
  readonly kept: Kept | undefined
  /** Whether PostgreSQL hears of it in this batch. */
  readonly isNew: boolean
}

/** Statements that go out together. The first that fails is the last that ran: PostgreSQL passes over those behind. */
class Batch extends Query {
  readonly #statements: readonly Statement[]
  readonly #doubtful: readonly string[]
  readonly #columnOf: (field: FieldDef) => Column
  readonly #forget: (unsure: readonly Statement[]) => void
  #at = 0
  #columns: readonly Column[] | undefined
  #rows: Record<string, unknown>[] = []
  #answers: Answer[] = []

  constructor(
    statements: readonly Statement[],
    doubtful: readonly string[],
    columnOf: (field: FieldDef) => Column,
    forget: (unsure: readonly Statement[]) => void,
  ) {
    super("")
    this.#statements = statements
    this.#doubtful = doubtful
    this.#columnOf = columnOf
    this.#forget = forget
  }

  override readonly submit = (connection: Connection): void => {
    connection.stream.cork()
    try {
      // After a failure nobody knows whether a new statement had been kept; closing one that was not is no error.
      for (const name of this.#doubtful) connection.close({ type: "S", name }, true)
      for (const { text, values, kept, isNew } of this.#statements) {
        const { name = "", columns } = kept ?? {}
        if (isNew) connection.parse({ name, text, types: [] }, true)
        connection.bind({ statement: name, values: values.map(asSent) }, true)
        if (columns === undefined) connection.describe({ type: "P" }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } catch (error) {
      // Half a batch cannot be taken back.
      connection.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { fields: readonly FieldDef[] }): void {
    this.#columns = fields.map(this.#columnOf)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#columns ??= this.#statements[this.#at]?.kept?.columns ?? []
    const row: Record<string, unknown> = {}
    for (const [at, { name, read }] of this.#columns.entries()) {
      const text = fields[at] ?? null
      row[name] = text === null ? null : read(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const kept = this.#statements[this.#at++]?.kept
    if (kept !== undefined) kept.columns ??= this.#columns ?? []
    const words = text.split(" ")
    this.#answers.push({ command: words[0] ?? "", rowCount: Number(words.at(-1)) || 0, rows: this.#rows })
    this.#columns = undefined
    this.#rows = []
  }

  handleReadyForQuery(): void {
    for (const [at, answer] of this.#answers.entries()) this.#statements[at]?.resolve(answer)
  }

  handleError(error: unknown): void {
    this.handleReadyForQuery()
    const unanswered = this.#statements.slice(this.#at)
    this.#forget(unanswered)
    for (const { reject } of unanswered) reject(error)
    this.#answers = []
  }
}

function asSent(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
