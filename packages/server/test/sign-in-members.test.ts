import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Member {
  uuid: string
  role: string
  email: string | null
  disabledAt: string | null
}

onEachEngineUnderStress("members", (engine) => {
  let space: Workspace

  beforeAll(async () => {
    space = await openWorkspace({ engine })
  })
  afterAll(() => space.close())

  const invite = async (role: string, by = space.owner) =>
    (await space.call<{ member: Member }>(by, "chorus_invite_member", { name: `A ${role}`, role })).member
  const update = (by: Actor, userUuid: string, change: object) =>
    space.call<Member>(by, "chorus_update_member", { userUuid, ...change })
  const asActor = (member: Member, role: Actor["role"]): Actor => ({ ...space.owner, uuid: member.uuid, role })

  it("are invited with a link that says when it ends and keeps its token from the log", async () => {
    const answer = await space.call<{ member: Member; signInPath: string; expiresAt: string }>(
      space.owner,
      "chorus_invite_member",
      { name: "New", email: " New@Example.com " },
    )
    expect(answer.member).toMatchObject({ email: "new@example.com", role: "member", disabledAt: null })
    expect(answer.signInPath).toMatch(/^\/sign-in#[\w-]{43}$/)
    expect(Date.parse(answer.expiresAt) - space.clock.now().getTime()).toBeGreaterThan(23 * 3_600_000)
    const log = JSON.stringify(await space.store.db.selectFrom("events").selectAll().execute())
    expect(log).toContain("member.invited")
    expect(log).not.toContain(answer.signInPath.slice("/sign-in#".length))
  })

  it("have an address of their own, whatever its case", async () => {
    const first = await space.call<{ member: Member }>(space.owner, "chorus_invite_member", {
      name: "One",
      email: "one@example.com",
    })
    const taken = expect.objectContaining({ code: "email_taken", details: { userUuid: first.member.uuid } })
    await expect(
      space.call(space.owner, "chorus_invite_member", { name: "Two", email: "ONE@example.com" }),
    ).rejects.toEqual(taken)
    await expect(space.call(space.owner, "chorus_update_me", { email: "One@Example.com" })).rejects.toEqual(taken)
    const races = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        space.call(space.owner, "chorus_invite_member", { name: "Racer", email: "race@example.com" }),
      ),
    )
    expect(races.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(
      races.filter((race) => race.status === "rejected" && (race.reason as { code: string }).code === "email_taken"),
    ).toHaveLength(9)
  })

  it("are managed by those who run the workspace alone", async () => {
    const target = await invite("viewer")
    for (const actor of [space.member, space.viewer, space.developer, space.admin]) {
      await expect(update(actor, target.uuid, { role: "admin" })).rejects.toThrow(
        expect.objectContaining({ code: "forbidden" }),
      )
      await expect(space.call(actor, "chorus_invite_member", { name: "X" })).rejects.toThrow(
        expect.objectContaining({ code: "forbidden" }),
      )
      await expect(space.call(actor, "chorus_create_sign_in_link", { userUuid: target.uuid })).rejects.toThrow(
        expect.objectContaining({ code: "forbidden" }),
      )
    }
    await expect(update(space.stranger, target.uuid, { role: "admin" })).rejects.toThrow(
      expect.objectContaining({ code: "not_found" }),
    )
  })

  it("who are admins cannot make, change or sign in for an owner", async () => {
    const admin = asActor(await invite("admin"), "admin")
    const refusal = expect.objectContaining({ code: "forbidden" })
    await expect(invite("owner", admin)).rejects.toThrow(refusal)
    await expect(update(admin, space.owner.uuid, { name: "Mine" })).rejects.toThrow(refusal)
    await expect(update(admin, space.owner.uuid, { resetPassword: true })).rejects.toThrow(refusal)
    await expect(update(admin, space.member.uuid, { role: "owner" })).rejects.toThrow(refusal)
    await expect(space.call(admin, "chorus_create_sign_in_link", { userUuid: space.owner.uuid })).rejects.toThrow(
      refusal,
    )
    expect(await update(admin, space.viewer.uuid, { role: "viewer" })).toMatchObject({ role: "viewer" })
  })

  it("keep one owner: the last cannot be demoted or disabled, not even when two demote each other at once", async () => {
    const second = await invite("owner")
    await expect(update(space.owner, space.owner.uuid, { disabled: true })).rejects.toThrow(/yourself/)
    const race = await Promise.allSettled([
      update(space.owner, second.uuid, { role: "member" }),
      update(asActor(second, "owner"), space.owner.uuid, { role: "member" }),
    ])
    expect(race.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(race.find((one) => one.status === "rejected")).toMatchObject({ reason: { code: "last_owner", status: 409 } })
    const last = await space.store.db
      .selectFrom("users")
      .select("uuid")
      .where("workspaceUuid", "=", space.workspaceUuid)
      .where("role", "=", "owner")
      .execute()
    expect(last).toHaveLength(1)
    await update(asActor({ ...second, uuid: last[0]?.uuid ?? "" }, "owner"), space.owner.uuid, { role: "owner" })
    await update(space.owner, second.uuid, { role: "member" })
    await expect(update(space.owner, space.owner.uuid, { role: "viewer" })).rejects.toThrow(
      expect.objectContaining({ code: "last_owner" }),
    )
  })

  it("tell what changed, and only that", async () => {
    const target = await invite("member")
    await update(space.owner, target.uuid, { role: "viewer", name: "A member" })
    await update(space.owner, target.uuid, { role: "viewer" })
    const events = await space.store.db
      .selectFrom("events")
      .select(["kind", "patch"])
      .where("entityUuid", "=", target.uuid)
      .orderBy("id")
      .execute()
    expect(events.map(({ kind }) => kind)).toEqual(["member.invited", "member.updated"])
    expect(JSON.parse(events[1]?.patch ?? "")).toEqual({ role: "viewer" })
  })

  it("change their own name, but only those who run the workspace their own address", async () => {
    expect(await space.call(space.viewer, "chorus_update_me", { name: "Victor" })).toMatchObject({ name: "Victor" })
    await expect(space.call(space.viewer, "chorus_update_me", { email: "owner@example.com" })).rejects.toThrow(
      expect.objectContaining({ code: "forbidden" }),
    )
    expect(await space.call(space.owner, "chorus_update_me", { email: "owner@example.com" })).toMatchObject({
      email: "owner@example.com",
    })
    await expect(space.call(space.admin, "chorus_update_me", { name: "Agent" })).rejects.toThrow(/not a person/)
  })
})

describe("an agent", () => {
  it("is given away by those who run the workspace alone", async () => {
    const space = await openWorkspace()
    const give = (by: Actor, ownerUuid: string) =>
      space.call(by, "chorus_update_agent", { agentUuid: space.developer.uuid, ownerUuid })
    await expect(give(space.member, space.member.uuid)).rejects.toThrow(expect.objectContaining({ code: "forbidden" }))
    await expect(give(space.owner, space.stranger.uuid)).rejects.toThrow(expect.objectContaining({ code: "not_found" }))
    expect(await give(space.owner, space.member.uuid)).toMatchObject({ ownerUuid: space.member.uuid })
    await expect(give(space.member, space.owner.uuid)).rejects.toThrow(/run the workspace/)
    await space.close()
  })
})
