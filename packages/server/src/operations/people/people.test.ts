import { randomUUID } from "node:crypto"
import type { people } from "@chorus/contracts"
import { personPermissions } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"
import { linkHolder } from "../../sign-in/link.ts"
import { openSignIn } from "../../sign-in/sign-ins.ts"

const w = embeddedWorkspace()

const invite = (more: object = {}, by: Actor = w.owner) =>
  w.call<{ member: people.MemberRow; signInPath: string; expiresAt: string }>(by, "chorus_invite_member", {
    name: "Guest",
    ...more,
  })
const update = (userUuid: string, changes: object, by: Actor = w.owner) =>
  w.call<people.MemberRow>(by, "chorus_update_member", { userUuid, ...changes })

/** A further person of this workspace, able to call. */
async function person(role: people.MemberRow["role"], name: string = role): Promise<Actor> {
  const { member } = await invite({ name, role, email: `${name}-${randomUUID()}@example.test` })
  return { ...w.member, uuid: member.uuid, name: member.name, role, permissions: personPermissions(role) }
}
const signIn = (userUuid: string) =>
  w.store.write(({ db }) => openSignIn(db, userUuid, "a browser", w.clock.now().toISOString()))
const signInsOf = async (actor: Actor) =>
  (await w.call<{ signIns: people.SignInRow[] }>(actor, "chorus_list_sign_ins")).signIns

describe("inviting", () => {
  it("makes a person and a link that signs them in once, a day long unless told otherwise", async () => {
    const events = await w.told(async () => {
      const { member, signInPath, expiresAt } = await invite({ email: "New@Example.test" })
      expect(member).toMatchObject({ name: "Guest", email: "new@example.test", role: "member", disabledAt: null })
      expect(signInPath).toMatch(/^\/sign-in#[\w-]{43}$/)
      expect(Date.parse(expiresAt) - Date.parse(member.createdAt)).toBe(24 * 3_600_000)
    })
    expect(events).toMatchObject([
      { kind: "member.invited", entityType: "member", action: "created", patch: { email: "new@example.test" } },
    ])
    expect(JSON.stringify(events)).not.toContain("sign-in#")
  })

  it("refuses an address somebody has, however it is written", async () => {
    const { member } = await invite({ email: "taken@example.test" })
    await expect(invite({ email: " TAKEN@example.test " })).rejects.toMatchObject({
      code: "email_taken",
      status: 409,
      details: { userUuid: member.uuid },
    })
  })

  it("of an owner is an owner's affair", async () => {
    const admin = await person("admin")
    await expect(invite({ role: "owner" }, admin)).rejects.toMatchObject({ code: "forbidden" })
    expect((await invite({ role: "admin" }, admin)).member.role).toBe("admin")
    expect((await invite({ role: "owner" })).member.role).toBe("owner")
  })
})

describe("changing a person", () => {
  it("is told with what changed; nothing changed is told to nobody", async () => {
    const { uuid } = await person("member")
    const [event] = await w.told(() => update(uuid, { name: "Renamed", role: "viewer" }))
    expect(event).toMatchObject({
      kind: "member.updated",
      entityUuid: uuid,
      patch: { name: "Renamed", role: "viewer" },
    })
    expect(await w.kinds(() => update(uuid, { role: "viewer" }))).toEqual([])
  })

  it("have one sign-in link that works, the last one made for them", async () => {
    const alive = () =>
      w.store.db
        .selectFrom("signInLinks")
        .select("hash")
        .where("userUuid", "=", w.viewer.uuid)
        .where("usedAt", "is", null)
        .where("expiresAt", ">", w.clock.now().toISOString())
        .execute()
    const { signInPath } = await w.call<{ signInPath: string }>(w.owner, "chorus_create_sign_in_link", {
      userUuid: w.viewer.uuid,
    })
    const [first] = await alive()
    await w.call(w.owner, "chorus_create_sign_in_link", { userUuid: w.viewer.uuid })
    const now = await alive()
    expect(now).toHaveLength(1)
    expect(now[0]).not.toEqual(first)
    const replaced = linkHolder(w.store.db, signInPath.slice(signInPath.indexOf("#") + 1), w.clock.now().toISOString())
    await expect(replaced).rejects.toMatchObject({
      code: "link_replaced",
      status: 410,
      next: expect.stringContaining("newest link"),
    })
  })

  it("disables them: their browsers are out and unused links are dead", async () => {
    const { uuid } = await person("member")
    await signIn(uuid)
    await update(uuid, { disabled: true })
    const open = await w.store.db
      .selectFrom("signIns")
      .select("uuid")
      .where("userUuid", "=", uuid)
      .where("revokedAt", "is", null)
      .execute()
    const links = await w.store.db.selectFrom("signInLinks").select("hash").where("userUuid", "=", uuid).execute()
    expect([open, links]).toEqual([[], []])
    await expect(w.call(w.owner, "chorus_create_sign_in_link", { userUuid: uuid })).rejects.toMatchObject({
      code: "person_disabled",
    })
    expect(await update(uuid, { disabled: false })).toMatchObject({ disabledAt: null })
  })

  it("keeps the time since when somebody is disabled when they are disabled again", async () => {
    const { uuid } = await person("member")
    const { disabledAt } = await update(uuid, { disabled: true })
    expect((await update(uuid, { disabled: true })).disabledAt).toBe(disabledAt)
  })

  it("takes a password away and signs them out", async () => {
    const someone = await person("member")
    await w.store.write(({ db }) =>
      db.updateTable("users").set({ passwordHash: "scrypt$…" }).where("uuid", "=", someone.uuid).execute(),
    )
    await signIn(someone.uuid)
    expect(await w.kinds(() => update(someone.uuid, { resetPassword: true }))).toEqual(["member.password_reset"])
    expect(await w.call(someone, "chorus_get_me")).toMatchObject({ hasPassword: false })
    expect(await signInsOf(someone)).toEqual([])
  })

  it("of oneself leaves out what would lock one out", async () => {
    await expect(update(w.owner.uuid, { disabled: true })).rejects.toMatchObject({
      code: "forbidden",
      message: "You cannot disable yourself.",
    })
    await expect(update(w.owner.uuid, { resetPassword: true })).rejects.toMatchObject({ code: "forbidden" })
  })

  it.each([{ role: "member" }, { role: "admin" }])("never takes the last owner: %j", async (changes) => {
    await expect(update(w.stranger.uuid, changes, w.stranger)).rejects.toMatchObject({
      code: "last_owner",
      next: "Make somebody else an owner first.",
    })
  })

  it("by two owners who step down at once leaves one", async () => {
    const [one, two] = [await person("owner", "one"), await person("owner", "two")]
    await w.store.write(({ db }) =>
      db
        .updateTable("users")
        .set({ role: "member" })
        .where("workspaceUuid", "=", w.workspaceUuid)
        .where("role", "=", "owner")
        .where("uuid", "not in", [one.uuid, two.uuid])
        .execute(),
    )
    const answers = await Promise.allSettled([
      update(one.uuid, { role: "member" }, two),
      update(two.uuid, { role: "member" }, one),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    await w.store.write(({ db }) =>
      db.updateTable("users").set({ role: "owner" }).where("uuid", "=", w.owner.uuid).execute(),
    )
  })

  it("that is an owner is an owner's affair, and so is a link for one", async () => {
    const admin = await person("admin")
    await expect(update(w.owner.uuid, { name: "x" }, admin)).rejects.toMatchObject({ code: "forbidden" })
    await expect(update(w.member.uuid, { role: "owner" }, admin)).rejects.toMatchObject({ code: "forbidden" })
    await expect(w.call(admin, "chorus_create_sign_in_link", { userUuid: w.owner.uuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    expect(await w.kinds(() => w.call(admin, "chorus_create_sign_in_link", { userUuid: w.member.uuid }))).toEqual([
      "member.link_made",
    ])
  })
})

describe("one's own account", () => {
  const updateMe = (actor: Actor, changes: object) => w.call<people.MemberRow>(actor, "chorus_update_me", changes)

  it("shows whether there is a password and another way in, never the password", async () => {
    expect(await w.call(w.viewer, "chorus_get_me")).toEqual({
      uuid: w.viewer.uuid,
      name: "Vic",
      email: "vic@example.test",
      role: "viewer",
      createdAt: expect.any(String),
      disabledAt: null,
      hasPassword: false,
      hasOidc: false,
    })
  })

  it("may be renamed by its person; its address only by who runs the workspace", async () => {
    expect(await w.kinds(() => updateMe(w.viewer, { name: "Victor" }))).toEqual(["member.updated"])
    await expect(updateMe(w.viewer, { email: "other@example.test" })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("e-mail"),
    })
    expect(await updateMe(w.viewer, { email: "vic@example.test" })).toMatchObject({ email: "vic@example.test" })
    expect(await updateMe(w.owner, { email: "olive2@example.test" })).toMatchObject({ email: "olive2@example.test" })
    await expect(updateMe(w.owner, { email: "mia@example.test" })).rejects.toMatchObject({ code: "email_taken" })
    expect(await updateMe(w.owner, { email: null })).toMatchObject({ email: null })
  })

  it.each(["chorus_get_me", "chorus_update_me", "chorus_list_sign_ins", "chorus_end_sign_ins"])(
    "%s is no agent's",
    async (name) => {
      await expect(w.call(w.admin, name)).rejects.toMatchObject({ code: "forbidden", message: "Ada is not a person." })
    },
  )
})

describe("browsers somebody is signed in with", () => {
  it("are listed without those that have ended, and ended one by one or all but one", async () => {
    const someone = await person("viewer")
    for (let n = 0; n < 3; n++) await signIn(someone.uuid)
    const [keep, other] = await signInsOf(someone)
    expect(await w.kinds(() => w.call(someone, "chorus_end_sign_in", { signInUuid: other?.uuid }))).toEqual([
      "member.signed_out",
    ])
    expect(await w.kinds(() => w.call(someone, "chorus_end_sign_in", { signInUuid: other?.uuid }))).toEqual([])
    expect(await w.call(someone, "chorus_end_sign_ins", { keepSignInUuid: keep?.uuid })).toEqual({ ended: 1 })
    expect((await signInsOf(someone)).map(({ uuid }) => uuid)).toEqual([keep?.uuid])
    expect(await w.call(someone, "chorus_end_sign_ins")).toEqual({ ended: 1 })
    expect(await w.call(someone, "chorus_end_sign_ins")).toEqual({ ended: 0 })
  })

  it("of somebody else do not exist", async () => {
    const [mine, theirs] = [await person("member"), await person("member")]
    await signIn(theirs.uuid)
    const [signInOfTheirs] = await signInsOf(theirs)
    await expect(w.call(mine, "chorus_end_sign_in", { signInUuid: signInOfTheirs?.uuid })).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await signInsOf(theirs)).toHaveLength(1)
  })

  it("are forgotten after thirty days unused", async () => {
    const someone = await person("member")
    await signIn(someone.uuid)
    w.clock.advance(30 * 86_400_000 + 1000)
    expect(await signInsOf(someone)).toEqual([])
  })
})
