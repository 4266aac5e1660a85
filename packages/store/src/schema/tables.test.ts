import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { memoryStore } from "../../test/memory.ts"
import { readTables } from "../table-map.ts"

interface TypedColumn {
  readonly name: string
  readonly nullable: boolean
  readonly kind: "number" | "bytes" | "text"
}

/** The tables as the compiler knows them: by the key of `Schema`, and each column with what may be in it. */
function typedTables(): Map<string, TypedColumn[]> {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8")
  const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith("-tables.ts"))
  const interfaces = new Map(
    files.flatMap((file) =>
      [...read(file).matchAll(/^export interface (\w+Table) \{\n([\s\S]*?)^\}/gm)].map(
        ([, name = "", body = ""]) => [name, columnsOf(body)] as const,
      ),
    ),
  )
  const keys = /export interface Schema \{\n([\s\S]*?)^\}/m.exec(read("index.ts"))?.[1] ?? ""
  return new Map(
    [...keys.matchAll(/^ {2}(\w+): (\w+)$/gm)].map(([, key = "", type = ""]) => [key, interfaces.get(type) ?? []]),
  )
}

function columnsOf(body: string): TypedColumn[] {
  return [...body.matchAll(/^ {2}(\w+): (.+)$/gm)].map(([, name = "", type = ""]) => ({
    name,
    nullable: type.includes("| null"),
    kind: kindOf(type),
  }))
}

function kindOf(type: string): TypedColumn["kind"] {
  if (type.includes("Uint8Array")) return "bytes"
  return /\bnumber\b/.test(type) ? "number" : "text"
}

const { database, db } = await memoryStore()
const made = await readTables(db, "sqlite")
const typed = typedTables()

describe("the tables as they are typed", () => {
  it("are the tables that the migrations make", () => {
    expect([...typed.keys()].sort()).toEqual(made.map(({ name }) => name).sort())
  })

  it.each(made.map(({ name, columns }) => ({ name, columns })))(
    "have the columns of $name, of the same kind",
    ({ name, columns }) => {
      const kinds = (all: readonly { name: string; kind: string }[]) =>
        Object.fromEntries(all.map((column) => [column.name, column.kind]))
      expect(kinds(typed.get(name) ?? [])).toEqual(kinds(columns))
    },
  )

  it.each(made.map(({ name }) => name))("say of each column of %s whether it may be null", (name) => {
    const facts = database.prepare(`select name, "notnull", pk from pragma_table_info(?)`).all(name)
    const mayBeNull = facts
      .filter((fact) => fact["notnull"] === 0 && fact["pk"] === 0)
      .map((fact) => String(fact["name"]))
    expect(
      (typed.get(name) ?? [])
        .filter(({ nullable }) => nullable)
        .map((column) => column.name)
        .sort(),
    ).toEqual(mayBeNull.sort())
  })
})
