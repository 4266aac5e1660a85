import type { Db } from "@chorus/store"
import { notFound } from "./faults.ts"

const TABLES = { idea: "ideas", proposal: "proposals", task: "tasks", document: "documents" } as const

/** The project that something commentable lives in. Whether the caller may reach it was decided before the operation ran. */
export async function projectOf(db: Db, type: keyof typeof TABLES, uuid: string): Promise<string> {
  const row = await db.selectFrom(TABLES[type]).select("projectUuid").where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined) throw notFound(type, uuid)
  return row.projectUuid
}
