import type { drafts } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { draftsOf } from "./draft-row.ts"

/** A proposal with all it holds, as it was at one moment. */
export interface Snapshot {
  readonly title: string
  readonly description: string | null
  readonly documents: readonly drafts.DocumentDraft[]
  readonly tasks: readonly drafts.TaskDraft[]
}

export async function snapshotOf(
  db: Db,
  { uuid, title, description }: Pick<Schema["proposals"], "uuid" | "title" | "description">,
): Promise<Snapshot> {
  return { title, description, ...(await draftsOf(db, uuid)) }
}
