import type { projects } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"

export function projectRow(row: Schema["projects"]): projects.ProjectRow {
  const { uuid, name, description, status, groupUuid, createdAt, updatedAt } = row
  return { uuid, name, description, status, groupUuid, createdAt, updatedAt }
}

/** A group with the number of its projects. */
export async function groupRow(db: Db, groupUuid: string): Promise<projects.GroupRow> {
  return db
    .selectFrom("projectGroups as g")
    .select(["g.uuid", "g.name", "g.description", "g.createdAt", "g.updatedAt"])
    .select(sql<number>`(select count(*) from projects p where p."groupUuid" = g."uuid")`.as("projectCount"))
    .where("g.uuid", "=", groupUuid)
    .executeTakeFirstOrThrow()
}
