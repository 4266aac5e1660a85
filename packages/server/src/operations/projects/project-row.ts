import type { projects } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import type { Selectable } from "kysely"
import type { Actor } from "../../operation.ts"

export function projectRow(row: Selectable<Schema["projects"]>): projects.ProjectRow {
  const { uuid, name, key, description, status, groupUuid, createdAt, updatedAt } = row
  return { uuid, name, key: key ?? "", description, status, groupUuid, createdAt, updatedAt }
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
  return db
    .selectFrom("projectGroups as g")
    .select(["g.uuid", "g.name", "g.description", "g.createdAt", "g.updatedAt"])
    .select(({ selectFrom, fn }) => {
      const all = selectFrom("projects as p")
        .select(fn.countAll<number>().as("count"))
        .whereRef("p.groupUuid", "=", "g.uuid")
      const reached = projectUuids === null ? all : all.where("p.uuid", "in", [...projectUuids])
      return reached.$asScalar().$notNull().as("projectCount")
    })
}

export async function isArchived(db: Db, projectUuid: string): Promise<boolean> {
  const row = await db.selectFrom("projects").select("status").where("uuid", "=", projectUuid).executeTakeFirst()
  return row?.status === "archived"
}
