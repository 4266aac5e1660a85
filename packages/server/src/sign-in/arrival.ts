import { ChorusError, type KindAbout } from "@chorus/contracts"
import { type Schema, type Store, type Unit } from "@chorus/store"
import { findMember } from "../operations/people/member-row.ts"
import { openSignIn } from "./sign-ins.ts"

export interface Arrival {
  readonly userUuid: string
  readonly userAgent: string | undefined
  /** The sign-in this browser had until now; it ends. */
  readonly replaces: string | undefined
  readonly now: string
  readonly requestId: string
}

/** Signs in a person who has proven who they are, and gives the token for the cookie. Call it inside the change that took the proof. */
export async function arrive(store: Store, unit: Unit, arrival: Arrival): Promise<string> {
  const person = await findMember(unit.db, arrival.userUuid)
  if (person.disabledAt !== null) throw personDisabled()
  if (arrival.replaces !== undefined)
    await unit.db.updateTable("signIns").set({ revokedAt: arrival.now }).where("uuid", "=", arrival.replaces).execute()
  const token = await openSignIn(unit.db, person.uuid, arrival.userAgent, arrival.now)
  await recordPerson(store, unit, person, "member.signed_in", arrival)
  return token
}

/** Writes into the log what a person did with their own account. */
export async function recordPerson(
  store: Store,
  unit: Unit,
  person: Pick<Schema["users"], "uuid" | "name" | "workspaceUuid">,
  kind: KindAbout<"member", "updated">,
  at: { now: string; requestId: string },
): Promise<void> {
  const origin = {
    workspaceUuid: person.workspaceUuid,
    actor: { type: "user", uuid: person.uuid, name: person.name },
    at: at.now,
    requestId: at.requestId,
  } as const
  unit.append(origin, [
    { kind, entityType: "member", entityUuid: person.uuid, projectUuid: null, action: "updated", patch: {} },
  ])
}

export function personDisabled(): ChorusError {
  return new ChorusError("person_disabled", "This account is disabled.", {
    status: 403,
    next: "Ask an owner or admin of the workspace to enable it.",
  })
}
