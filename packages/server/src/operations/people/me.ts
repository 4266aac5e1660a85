import { people } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { forbidden, notFound, operation, readPage } from "../../operation.ts"
import { endSignIns as endAll } from "../../sign-in/sign-ins.ts"
import { assertEmailFree, assertPerson, changedFields, findMember, memberRow, peopleLock } from "./member-row.ts"

export const getMe = operation(people.getMe, async ({ db, actor }) => {
  assertPerson(actor)
  const row = await findMember(db, actor.uuid)
  return { ...memberRow(row), hasPassword: row.passwordHash !== null, hasOidc: row.oidcSubject !== null }
})

export const updateMe = operation(people.updateMe, async (context, input) => {
  const { db, actor, emit } = context
  assertPerson(actor)
  await lock(context, peopleLock(actor.workspaceUuid))
  const before = await findMember(db, actor.uuid)
  const email = input.email === undefined ? before.email : input.email
  // OIDC finds people by their address: whoever could choose theirs freely could wait there for somebody else to sign in.
  if (email !== before.email && actor.role !== "owner" && actor.role !== "admin") {
    throw forbidden("Your e-mail is changed by those who run the workspace.", "Ask an owner or admin.")
  }
  if (email !== null && email !== before.email) await assertEmailFree(db, actor.workspaceUuid, email, actor.uuid)
  const row = await db
    .updateTable("users")
    .set({ name: input.name ?? before.name, email })
    .where("uuid", "=", actor.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  const patch = changedFields(memberRow(before), memberRow(row))
  if (Object.keys(patch).length > 0)
    emit({
      kind: "member.updated",
      entityType: "member",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "updated",
      patch,
    })
  return memberRow(row)
})

export const listSignIns = operation(people.listSignIns, async ({ db, actor, now }, input) => {
  assertPerson(actor)
  const mine = db
    .selectFrom("signIns")
    .where("userUuid", "=", actor.uuid)
    .where("revokedAt", "is", null)
    .where("expiresAt", ">", now)
  const { rows: signIns, page } = await readPage(
    mine
      .select(["uuid", "userAgent", "createdAt", "lastUsedAt", "expiresAt"])
      .orderBy("lastUsedAt", "desc")
      .orderBy("uuid"),
    input,
  )
  return { signIns, ...page }
})

export const endSignIn = operation(people.endSignIn, async ({ db, actor, now, emit }, { signInUuid }) => {
  assertPerson(actor)
  const row = await db
    .selectFrom("signIns")
    .select(["uuid", "revokedAt"])
    .where("uuid", "=", signInUuid)
    .where("userUuid", "=", actor.uuid)
    .executeTakeFirst()
  if (row === undefined) throw notFound("sign-in", signInUuid)
  if (row.revokedAt === null) {
    await db.updateTable("signIns").set({ revokedAt: now }).where("uuid", "=", signInUuid).execute()
    emit({
      kind: "member.signed_out",
      entityType: "member",
      entityUuid: actor.uuid,
      projectUuid: null,
      action: "updated",
      patch: {},
    })
  }
  return { uuid: row.uuid, ended: true as const }
})

export const endSignIns = operation(people.endSignIns, async ({ db, actor, now, emit }, { keepSignInUuid }) => {
  assertPerson(actor)
  const ended = await endAll(db, actor.uuid, now, keepSignInUuid)
  if (ended > 0)
    emit({
      kind: "member.signed_out",
      entityType: "member",
      entityUuid: actor.uuid,
      projectUuid: null,
      action: "updated",
      patch: {},
    })
  return { ended }
})
