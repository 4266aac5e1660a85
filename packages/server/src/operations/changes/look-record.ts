import type { changes, InputOf } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"

type Look = Schema["changeLooks"]

/** What a run has changed in a turn that goes on; none once the turn has shown it. */
export function lookOf(db: Db, taskUuid: string): Promise<Look | undefined> {
  return db.selectFrom("changeLooks").selectAll().where("taskUuid", "=", taskUuid).executeTakeFirst()
}

/** A turn has one look at it, the last. */
export async function keepLook(db: Db, look: Look): Promise<void> {
  await db
    .insertInto("changeLooks")
    .values(look)
    .onConflict((conflict) => conflict.column("taskUuid").doUpdateSet(look))
    .execute()
}

/** Its turn has shown what it did. */
export async function forgetLook(db: Db, taskUuid: string): Promise<void> {
  await db.deleteFrom("changeLooks").where("taskUuid", "=", taskUuid).execute()
}

/** A file of a version, or of a look, which has its patch with it. */
export type FileOfWork = InputOf<typeof changes.lookAtRun>["files"][number] | changes.ChangeFile
