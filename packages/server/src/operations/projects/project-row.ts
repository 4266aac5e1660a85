import type { projects } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import type { Actor } from "../../actor.ts"

export function projectRow(row: Schema["projects"]): projects.ProjectRow {
  const { uuid, name, description, status, groupUuid, createdAt, updatedAt } = row
  return { uuid, name, description, status, groupUuid, createdAt, updatedAt }
}

/** A group with the number of its projects the caller can reach. */
export async function groupRow(
  db: Db,
  groupUuid: string,
  actor: Pick<Actor, "projectUuids">,
): Promise<projects.GroupRow> {
  return selectGroups(db, actor).where("g.uuid", "=", groupUuid).executeTakeFirstOrThrow()
}

export function selectGroups(db: Db, { projectUuids }: Pick<Actor, "projectUuids">) {
  const within = projectUuids === null ? sql`` : sql`and p."uuid" in (${sql.join([...projectUuids, ""])})`
  return db
    .selectFrom("projectGroups as g")
    .select(["g.uuid", "g.name", "g.description", "g.createdAt", "g.updatedAt"])
    .select(sql<number>`(select count(*) from projects p where p."groupUuid" = g."uuid" ${within})`.as("projectCount"))
}
