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

/** Whoever is kept to some projects sees the groups these are in, and those that are empty. */
export function selectGroups(db: Db, { projectUuids }: Pick<Actor, "projectUuids">) {
  const all = db.selectFrom("projectGroups as g")
  const seen =
    projectUuids === null
      ? all
      : all.where(({ exists, not, or, selectFrom }) => {
          const inside = selectFrom("projects as p").select("p.uuid").whereRef("p.groupUuid", "=", "g.uuid")
          return or([exists(inside.where("p.uuid", "in", [...projectUuids])), not(exists(inside))])
        })
  return seen
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
