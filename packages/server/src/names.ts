import type { ActorKind, ActorRef } from "@chorus/contracts"
import type { Db } from "@chorus/store"

export type NameOf = (type: ActorKind | null, uuid: string | null) => ActorRef | null

/** Looks up the names of everybody named by some rows in two queries, however many rows there are. */
export async function namesOf(db: Db, uuids: Iterable<string | null>): Promise<NameOf> {
  const wanted = [...new Set([...uuids].filter((uuid) => uuid !== null))]
  const names = new Map<string, string>()
  if (wanted.length > 0) {
    for (const row of await db.selectFrom("agents").select(["uuid", "name"]).where("uuid", "in", wanted).execute())
      names.set(row.uuid, row.name)
    for (const row of await db.selectFrom("users").select(["uuid", "name"]).where("uuid", "in", wanted).execute())
      names.set(row.uuid, row.name)
  }
  return (type, uuid) =>
    type === null || uuid === null
      ? null
      : { type, uuid, name: names.get(uuid) ?? (type === "system" ? "Chorus" : "unknown") }
}
