import { createECDH, randomBytes } from "node:crypto"
import { notifications } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const { MOST_COUNTED } = notifications
const w = embeddedWorkspace()
let reader: Actor
beforeEach(async () => {
  reader = await w.agent("Reader")
})

interface Inbox {
  readonly notifications: notifications.NotificationRow[]
  readonly unreadCount: number
  readonly total: number
  readonly page: number
}

/** Tells the reader something, as often as asked. */
async function assign(times: number): Promise<void> {
  for (let n = 1; n <= times; n++)
    await w.call(w.pm, "chorus_pm_assign_task", {
      taskUuid: await w.newTask({ title: `n${n}` }),
      agentUuid: reader.uuid,
    })
}
const read = (more: object = {}, by: Actor = reader) => w.call<Inbox>(by, "chorus_get_notifications", more)
const peek = (more: object = {}) => read({ autoMarkRead: false, ...more })
const mark = (input: object, by: Actor = reader) =>
  w.call<{ marked: number; unreadCount: number }>(by, "chorus_mark_notification_read", input)

describe("an inbox", () => {
  it("shows what is unread, newest first, with what it is about and who did it", async () => {
    await assign(2)
    const {
      notifications: [first, second],
    } = await peek()
    expect(first).toMatchObject({
      action: "task_assigned",
      entityType: "task",
      entityTitle: "n2",
      actorName: "Petra",
      projectName: "First",
      message: 'Petra assigned "n2" to you.',
      readAt: null,
    })
    expect(second).toMatchObject({ entityTitle: "n1" })
    expect(first).not.toHaveProperty("workspaceUuid")
  })

  it("marks what it showed, and only that, unless asked not to", async () => {
    await assign(3)
    expect(await read({ limit: 1 })).toMatchObject({ notifications: [{ entityTitle: "n3" }], unreadCount: 2 })
    expect(await peek()).toMatchObject({ unreadCount: 2, total: 2 })
    expect(await peek({ status: "read" })).toMatchObject({ total: 1 })
    expect(await peek({ status: "all" })).toMatchObject({ total: 3 })
  })

  it("counts no further than a thousand, and shows what lies behind", async () => {
    const note = (n: number) => ({
      uuid: `told-${reader.uuid}-${n}`,
      workspaceUuid: w.workspaceUuid,
      projectUuid: null,
      recipientType: "agent" as const,
      recipientUuid: reader.uuid,
      entityType: "task",
      entityUuid: "t",
      entityTitle: `n${n}`,
      projectName: null,
      action: "task_assigned",
      message: "m",
      instructionText: null,
      actorType: "system" as const,
      actorUuid: "chorus",
      actorName: "Chorus",
      readAt: null,
      archivedAt: null,
      createdAt: new Date(n * 1000).toISOString(),
    })
    await w.store.write(async ({ db }) => {
      for (let from = 0; from < 1200; from += 300) {
        const some = Array.from({ length: 300 }, (_, n) => note(from + n))
        await db.insertInto("notifications").values(some).execute()
      }
    })
    expect(await peek()).toMatchObject({ unreadCount: MOST_COUNTED, total: MOST_COUNTED })
    expect(await peek({ limit: 1, offset: 1199 })).toMatchObject({ notifications: [{ entityTitle: "n0" }] })
  })

  it("goes on where it was left", async () => {
    await assign(3)
    expect(await peek({ limit: 2, offset: 2 })).toMatchObject({
      notifications: [{ entityTitle: "n1" }],
      page: 2,
      total: 3,
    })
    expect(await peek({ limit: 2, offset: 9 })).toMatchObject({ notifications: [], total: 3 })
  })

  it("is told to its owner alone when it is read or put away", async () => {
    await assign(1)
    const [row] = (await peek()).notifications
    const last = async () =>
      await w.store.db
        .selectFrom("events")
        .select(["kind", "projectUuid", "patch"])
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirstOrThrow()
    await mark({ notificationUuid: row?.uuid })
    expect(await last()).toMatchObject({
      kind: "notification.read",
      projectUuid: null,
      patch: expect.stringContaining(reader.uuid),
    })
    await w.call(reader, "chorus_archive_notification", { notificationUuid: row?.uuid })
    expect(await last()).toMatchObject({ kind: "notification.archived", patch: expect.stringContaining(reader.uuid) })
    const { events } = await w.call<{ events: { entityType: string }[] }>(w.owner, "chorus_list_events", { limit: 100 })
    expect(events.filter(({ entityType }) => entityType === "notification")).toEqual([])
  })
})

describe("marking", () => {
  it("counts what changed: one, the same again, then all the rest", async () => {
    await assign(3)
    const [row] = (await peek()).notifications
    expect(await mark({ notificationUuid: row?.uuid })).toMatchObject({ marked: 1, unreadCount: 2 })
    expect(await mark({ notificationUuid: row?.uuid })).toMatchObject({ marked: 0, unreadCount: 2 })
    expect(await mark({ all: true })).toMatchObject({ marked: 2, unreadCount: 0 })
  })

  it("needs to know what, and finds nobody else's", async () => {
    await assign(1)
    const [row] = (await peek()).notifications
    await expect(mark({})).rejects.toMatchObject({ code: "invalid_input" })
    await expect(mark({ notificationUuid: row?.uuid }, w.owner)).rejects.toMatchObject({ code: "not_found" })
    await expect(w.call(w.owner, "chorus_archive_notification", { notificationUuid: row?.uuid })).rejects.toMatchObject(
      { code: "not_found" },
    )
  })

  it("puts away what is then neither shown nor counted, read by that, once", async () => {
    await assign(2)
    const [row] = (await peek()).notifications
    const archive = () =>
      w.call<notifications.NotificationRow>(reader, "chorus_archive_notification", { notificationUuid: row?.uuid })
    const first = await archive()
    expect(first.readAt).toBe(first.archivedAt)
    expect(await archive()).toEqual(first)
    expect(await peek({ status: "all" })).toMatchObject({ total: 1, unreadCount: 1 })
  })
})

describe("what one wants to hear of", () => {
  const prefer = (preferences: object, by: Actor = reader) =>
    w.call<{ preferences: Record<string, boolean> }>(by, "chorus_update_notification_preferences", { preferences })

  it("is everything at first, and changes one by one", async () => {
    const { preferences } = await w.call<{ preferences: Record<string, boolean> }>(
      reader,
      "chorus_get_notification_preferences",
    )
    expect(Object.values(preferences).every(Boolean)).toBe(true)
    expect(Object.keys(preferences)).toHaveLength(23)
    await prefer({ task_assigned: false })
    expect((await prefer({ mentioned: false })).preferences).toMatchObject({
      task_assigned: false,
      mentioned: false,
      task_verified: true,
    })
  })

  it("is heeded, for oneself alone", async () => {
    await prefer({ task_assigned: false })
    await assign(1)
    expect(await peek()).toMatchObject({ total: 0 })
    await prefer({ task_assigned: true })
    await assign(1)
    expect(await peek()).toMatchObject({ total: 1 })
  })

  it("refuses what there is not", async () => {
    await expect(prefer({ moon_landed: true })).rejects.toMatchObject({ code: "invalid_input" })
  })
})

describe("what is pushed", () => {
  const prefer = (wishes: object) => w.call(w.owner, "chorus_update_notification_preferences", wishes)
  const calls = () =>
    w.store.db.selectFrom("deliveries").select(["title", "payload"]).where("kind", "=", "call").execute()
  const asks = async () => {
    await w.store.write(({ db }) => db.deleteFrom("deliveries").execute())
    await w.call(w.developer, "chorus_create_attention", { title: "May I?" })
    const targetUuid = await w.newTask({ title: "Roof" })
    await w.call(w.developer, "chorus_add_comment", {
      targetType: "task",
      targetUuid,
      content: `**Done**, @[Olive](user:${w.owner.uuid})`,
    })
    return (await calls()).map(({ title }) => title)
  }
  const digests = () => w.call({ ...w.admin, permissions: new Set(["task:write"]) } as Actor, "chorus_send_digests", {})

  it("is at first what waits for a person; each kind can be added or left out, in plain words", async () => {
    await w.call(w.owner, "chorus_subscribe_push", {
      endpoint: "https://push.example.com/x",
      keys: { p256dh: createECDH("prime256v1").generateKeys("base64url"), auth: randomBytes(16).toString("base64url") },
    })
    const taskUuid = await w.newTask({ title: "Wall" })
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, summary: "Built." })
    const handedIn = (await calls()).find(({ title }) => title === "Wall")
    expect(JSON.parse(handedIn?.payload ?? "")).toMatchObject({ path: `/?item=${taskUuid}` })
    expect(await asks()).toEqual(["Dev needs you"])
    await prefer({ push: { mentioned: true } })
    expect(await asks()).toEqual(["Dev needs you", "Roof"])
    const { payload = "" } = (await calls())[1] ?? {}
    expect(JSON.parse(payload)).toMatchObject({ body: 'Dev mentioned you on "Roof": Done, @Olive' })
    await prefer({ push: { attention_requested: false, mentioned: false } })
    expect(await asks()).toEqual([])
  })

  it("comes as a summary to whoever prefers that, once for its time, but a question at once", async () => {
    await prefer({ push: { attention_requested: true, mentioned: true }, digest: "hourly" })
    expect(await asks()).toEqual(["Dev needs you"])
    expect(await digests()).toEqual({ sent: 0 })
    await w.store.write(({ db }) =>
      db.updateTable("notificationPreferences").set({ digestAt: "2020-01-01T00:00:00.000Z" }).execute(),
    )
    expect(await digests()).toEqual({ sent: 1 })
    expect((await calls()).map(({ title }) => title).at(-1)).toMatch(/^\d+ unread notifications$/)
    expect(await digests()).toEqual({ sent: 0 })
  })
})
