import { ChorusError, type people } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { type Actor, forbidden, notFound } from "../../operation.ts"

export function memberRow({ uuid, name, email, role, createdAt, disabledAt }: Schema["users"]): people.MemberRow {
  return { uuid, name, email, role, createdAt, disabledAt }
}

export async function findMember(db: Db, userUuid: string): Promise<Schema["users"]> {
  const row = await db.selectFrom("users").selectAll().where("uuid", "=", userUuid).executeTakeFirst()
  if (row === undefined) throw notFound("person", userUuid)
  return row
}

export async function memberByEmail(
  db: Db,
  workspaceUuid: string,
  email: string,
): Promise<Schema["users"] | undefined> {
  return db
    .selectFrom("users")
    .selectAll()
    .where("workspaceUuid", "=", workspaceUuid)
    .where(sql`lower("email")`, "=", email.toLowerCase())
    .executeTakeFirst()
}

/** Only the fields that differ, as an event's patch tells them. */
export function changedFields(before: people.MemberRow, after: people.MemberRow): Partial<people.MemberRow> {
  return Object.fromEntries(
    Object.entries(after).filter(([field, value]) => before[field as keyof people.MemberRow] !== value),
  )
}

/** An account of one's own is a person's; agents have none. Viewers are people too. */
export function assertPerson(actor: Actor): void {
  if (actor.type === "user") return
  throw forbidden(`${actor.name} is not a person.`, "Let the person sign in and do this on the page.")
}

/** Refuses an address that somebody else in the workspace has. Hold the lock on its people. */
export async function assertEmailFree(
  db: Db,
  workspaceUuid: string,
  email: string,
  exceptUuid?: string,
): Promise<void> {
  const taken = await memberByEmail(db, workspaceUuid, email)
  if (taken === undefined || taken.uuid === exceptUuid) return
  throw new ChorusError("email_taken", `Somebody in this workspace already has the address ${email}.`, {
    status: 409,
    next: "Use another address, or change the person who has it.",
    details: { userUuid: taken.uuid },
  })
}

/** Held while people are judged together: their addresses, and whether an owner is left. */
export function peopleLock(workspaceUuid: string): string {
  return `people:${workspaceUuid}`
}
