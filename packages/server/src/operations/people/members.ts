import { ChorusError, people } from "@chorus/contracts"
import { lock, type Schema } from "@chorus/store"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { addSignInLink, endSignInLinks, signInPath } from "../../sign-in/link.ts"
import { endSignIns } from "../../sign-in/sign-ins.ts"
import { assertEmailFree, changedFields, findMember, memberRow, peopleLock } from "./member-row.ts"
import { losesOwner, mayManage, type MemberChange } from "./stewardship.ts"

const HOUR_MS = 3_600_000

export const inviteMember = operation(people.inviteMember, async (context, input) => {
  const { db, actor, now, newId, emit } = context
  assertMayManage({ by: actor.role, target: input.role, becomes: input.role })
  await lock(context, peopleLock(actor.workspaceUuid))
  if (input.email !== undefined) await assertEmailFree(db, actor.workspaceUuid, input.email)
  const row = await db
    .insertInto("users")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      name: input.name,
      email: input.email ?? null,
      role: input.role,
      passwordHash: null,
      oidcSubject: null,
      createdAt: now,
      disabledAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const member = memberRow(row)
  const { token, expiresAt } = await addSignInLink(db, row.uuid, now, input.expiresInHours * HOUR_MS)
  emit({
    kind: "member.invited",
    entityType: "member",
    entityUuid: row.uuid,
    projectUuid: null,
    action: "created",
    patch: member,
  })
  return { member, signInPath: signInPath(token), expiresAt }
})

export const updateMember = operation(people.updateMember, async (context, input) => {
  const { db, actor, now, emit } = context
  await lock(context, peopleLock(actor.workspaceUuid))
  const before = await findMember(db, input.userUuid)
  assertMayManage({ by: actor.role, target: before.role, becomes: input.role })
  if (input.disabled === true && before.uuid === actor.uuid)
    throw forbidden("You cannot disable yourself.", "Let another owner or admin do it.")
  if (input.resetPassword === true && before.uuid === actor.uuid)
    throw forbidden("You change your own password with the old one.", "Use the page: Settings → Profile.")
  await assertOwnerRemains(context, before, input)
  if (input.email) await assertEmailFree(db, before.workspaceUuid, input.email, before.uuid)
  const row = await db
    .updateTable("users")
    .set({
      name: input.name ?? before.name,
      email: input.email === undefined ? before.email : input.email,
      role: input.role ?? before.role,
      disabledAt: disabledAt(before, input.disabled, now),
      ...(input.resetPassword === true ? { passwordHash: null } : {}),
    })
    .where("uuid", "=", before.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (row.disabledAt !== null || input.resetPassword === true) await endSignIns(db, row.uuid, now)
  if (row.disabledAt !== null) {
    await db.deleteFrom("signInLinks").where("userUuid", "=", row.uuid).where("usedAt", "is", null).execute()
  }
  const member = memberRow(row)
  const patch = changedFields(memberRow(before), member)
  if (Object.keys(patch).length > 0)
    emit({
      kind: "member.updated",
      entityType: "member",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "updated",
      patch,
    })
  if (input.resetPassword === true)
    emit({
      kind: "member.password_reset",
      entityType: "member",
      entityUuid: row.uuid,
      projectUuid: null,
      action: "updated",
      patch: {},
    })
  return member
})

export const createSignInLink = operation(people.createSignInLink, async ({ db, actor, now, emit }, { userUuid }) => {
  const member = await findMember(db, userUuid)
  assertMayManage({ by: actor.role, target: member.role })
  if (member.disabledAt !== null) {
    throw new ChorusError("person_disabled", `${member.name} is disabled.`, {
      status: 409,
      next: "Enable the person first (chorus_update_member).",
    })
  }
  await endSignInLinks(db, userUuid, now)
  const { token, expiresAt } = await addSignInLink(db, userUuid, now)
  emit({
    kind: "member.link_made",
    entityType: "member",
    entityUuid: userUuid,
    projectUuid: null,
    action: "updated",
    patch: {},
  })
  return { signInPath: signInPath(token), expiresAt }
})

function disabledAt(before: Schema["users"], disabled: boolean | undefined, now: string): string | null {
  if (disabled === undefined) return before.disabledAt
  return disabled ? (before.disabledAt ?? now) : null
}

function assertMayManage(change: MemberChange): void {
  if (mayManage(change)) return
  throw forbidden("Only an owner may make, change or sign in for an owner.", "Ask an owner of this workspace.")
}

async function assertOwnerRemains(
  { db }: OperationContext,
  before: Schema["users"],
  input: { role?: people.MemberRow["role"] | undefined; disabled?: boolean | undefined },
): Promise<void> {
  if (
    !losesOwner({
      role: before.role,
      isActive: before.disabledAt === null,
      becomes: input.role,
      disabled: input.disabled,
    })
  )
    return
  const other = await db
    .selectFrom("users")
    .select("uuid")
    .where("workspaceUuid", "=", before.workspaceUuid)
    .where("role", "=", "owner")
    .where("disabledAt", "is", null)
    .where("uuid", "<>", before.uuid)
    .executeTakeFirst()
  if (other !== undefined) return
  throw new ChorusError("last_owner", `${before.name} is the last owner of this workspace.`, {
    status: 409,
    next: "Make somebody else an owner first.",
  })
}
