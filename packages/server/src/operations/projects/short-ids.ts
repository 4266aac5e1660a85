import { ChorusError } from "@chorus/contracts"
import { projectKeyFrom } from "@chorus/core"
import { type Db, lock } from "@chorus/store"
import { sql } from "kysely"
import type { Actor, OperationContext } from "../../operation.ts"

/**
 * The next numbers of a project for tasks and ideas that are about to be made. The project's row stays locked until the change
 * commits, so two changes at once get different ones; what is undone leaves a gap.
 */
export async function nextShortIds(db: Db, projectUuid: string, count: number): Promise<string[]> {
  if (count === 0) return []
  const { key, lastNumber } = await db
    .updateTable("projects")
    .set({ lastNumber: sql`"lastNumber" + ${count}` })
    .where("uuid", "=", projectUuid)
    .returning(["key", "lastNumber"])
    .executeTakeFirstOrThrow()
  return key === null ? [] : Array.from({ length: count }, (_, at) => `${key}-${lastNumber - count + 1 + at}`)
}

/** The task or idea that a short id stands for, wherever it has been moved. */
export async function uuidOfShortId(
  db: Db,
  { workspaceUuid }: Pick<Actor, "workspaceUuid">,
  shortId: string,
  kinds: readonly ("tasks" | "ideas")[] = ["tasks", "ideas"],
): Promise<string | undefined> {
  const inWorkspace = db.selectFrom("projects").select("uuid").where("workspaceUuid", "=", workspaceUuid)
  for (const table of kinds) {
    const found = await db
      .selectFrom(table)
      .select("uuid")
      .where("shortId", "=", shortId)
      .where("projectUuid", "in", inWorkspace)
      .executeTakeFirst()
    if (found !== undefined) return found.uuid
  }
  return undefined
}

type Context = Pick<OperationContext, "db" | "engine" | "actor">

/** A key for a new project that no other has; nobody else chooses one meanwhile. */
export async function freeKey(context: Context, name: string): Promise<string> {
  await lock(context, `project keys of ${context.actor.workspaceUuid}`)
  const { db, actor } = context
  const rows = await db.selectFrom("projects").select("key").where("workspaceUuid", "=", actor.workspaceUuid).execute()
  return projectKeyFrom(name, new Set(rows.flatMap(({ key }) => key ?? [])))
}

/** Everything made in the project is called by the new key from now on. */
export async function changeKey(context: Context, projectUuid: string, key: string): Promise<void> {
  await lock(context, `project keys of ${context.actor.workspaceUuid}`)
  const { db, actor } = context
  const holder = await db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("key", "=", key)
    .executeTakeFirst()
  if (holder?.uuid === projectUuid) return
  if (holder !== undefined)
    throw new ChorusError("key_taken", `The project ${holder.name} has the key ${key} already.`, {
      status: 409,
      next: "Choose another key.",
    })
  const before = await db.selectFrom("projects").select("key").where("uuid", "=", projectUuid).executeTakeFirstOrThrow()
  for (const table of ["tasks", "ideas"] as const)
    await db
      .updateTable(table)
      .set({ shortId: sql`replace("shortId", ${`${before.key ?? ""}-`}, ${`${key}-`})` })
      .where("projectUuid", "=", projectUuid)
      .where("shortId", "like", `${before.key ?? ""}-%`)
      .execute()
}
