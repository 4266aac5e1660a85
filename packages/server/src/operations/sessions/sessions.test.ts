import type { sessions } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()

type Opened = sessions.SessionRow & { action: string }
const open = (more: object = {}, by: Actor = w.developer) =>
  w.call<Opened>(by, "chorus_create_session", { name: "s", ...more })
const get = (sessionUuid: string, by: Actor = w.developer) =>
  w.call<sessions.SessionRow & { checkins: { taskUuid: string }[] }>(by, "chorus_get_session", { sessionUuid })
const close = (sessionUuid: string, by: Actor = w.developer) =>
  w.call<sessions.SessionRow>(by, "chorus_close_session", { sessionUuid })
const heartbeat = (sessionUuid: string) =>
  w.call<{ status: string }>(w.developer, "chorus_session_heartbeat", { sessionUuid })
const checkIn = (sessionUuid: string, taskUuid: string, by: Actor = w.developer) =>
  w.call<{ claimed: boolean; uuid: string }>(by, "chorus_session_checkin_task", { sessionUuid, taskUuid })
const checkOut = (sessionUuid: string, taskUuid: string) =>
  w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })

describe("opening a session", () => {
  it("keeps what the program said of it, and is told", async () => {
    const parent = await open()
    const events = await w.told(() =>
      open({
        name: "child",
        description: "why",
        source: "claude-code",
        externalId: "x1",
        machine: "laptop",
        parentSessionUuid: parent.uuid,
      }),
    )
    expect(events).toMatchObject([
      {
        kind: "session.created",
        entityType: "session",
        projectUuid: null,
        patch: {
          name: "child",
          description: "why",
          source: "claude-code",
          externalId: "x1",
          machine: "laptop",
          parentUuid: parent.uuid,
          status: "active",
        },
      },
    ])
  })

  it("by the program's own id finds it again, opens it again, and never another agent's", async () => {
    const first = await open({ externalId: "same" })
    expect(await open({ externalId: "same", name: "other name" })).toMatchObject({
      uuid: first.uuid,
      action: "reused",
      name: "s",
    })
    await close(first.uuid)
    const events = await w.told(async () =>
      expect(await open({ externalId: "same" })).toMatchObject({
        uuid: first.uuid,
        action: "reopened",
        status: "active",
        closedAt: null,
      }),
    )
    expect(events.map(({ kind }) => kind)).toEqual(["session.reopened"])
    expect((await open({ externalId: "same" }, w.rival)).uuid).not.toBe(first.uuid)
  })

  it("by name finds the newest, and only when reuse is wanted", async () => {
    const [older, newer] = [await open({ name: "twin" }), await open({ name: "twin" })]
    expect(older.uuid).not.toBe(newer.uuid)
    expect((await open({ name: "twin", reuse: true })).uuid).toBe(newer.uuid)
  })

  it("by many at once under one id opens one", async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => open({ externalId: "stampede" })))
    expect(new Set(all.map(({ uuid }) => uuid)).size).toBe(1)
    expect(all.filter(({ action }) => action === "created")).toHaveLength(1)
  })

  it("under another agent's session is refused", async () => {
    const theirs = await open({}, w.rival)
    await expect(open({ parentSessionUuid: theirs.uuid })).rejects.toMatchObject({ code: "forbidden" })
  })

  it("is for agents", async () => {
    await expect(open({}, w.member)).rejects.toMatchObject({
      code: "forbidden",
      next: expect.stringContaining("agent's key"),
    })
  })
})

describe("a session's end", () => {
  it("checks it out everywhere and is told once", async () => {
    const { uuid } = await open()
    const tasks = [await w.taskAt("assigned"), await w.taskAt("assigned")]
    for (const taskUuid of tasks) await checkIn(uuid, taskUuid)
    expect(await w.kinds(() => close(uuid))).toEqual(["session.checked_out", "session.checked_out", "session.closed"])
    expect(await w.kinds(() => close(uuid))).toEqual([])
    expect((await get(uuid)).checkins).toEqual([])
  })

  it("leaves it closed to signs of life and to work, but not for good", async () => {
    const { uuid } = await open()
    await close(uuid)
    const refusal = { code: "session_closed", status: 409, next: expect.stringContaining("chorus_reopen_session") }
    await expect(heartbeat(uuid)).rejects.toMatchObject(refusal)
    await expect(checkIn(uuid, await w.newTask())).rejects.toMatchObject(refusal)
    await w.call(w.developer, "chorus_reopen_session", { sessionUuid: uuid })
    expect((await heartbeat(uuid)).status).toBe("active")
  })

  it("may be brought about by its agent, its agent's person, or who runs the workspace", async () => {
    const agent = await w.agent("Mia's agent", { owner: w.member })
    const other = await open()
    await close((await open({}, agent)).uuid, w.member)
    await close((await open({}, agent)).uuid, w.owner)
    await expect(close(other.uuid, w.member)).rejects.toMatchObject({ code: "forbidden" })
    await expect(close(other.uuid, w.rival)).rejects.toMatchObject({ code: "forbidden" })
  })
})

describe("silence", () => {
  it("counts from the last sign of life, to the minute", async () => {
    const { uuid } = await open()
    w.clock.advance(60 * MINUTE - 100)
    expect((await get(uuid)).status).toBe("active")
    w.clock.advance(200)
    expect((await get(uuid)).status).toBe("inactive")
    expect((await heartbeat(uuid)).status).toBe("active")
  })

  it("that ends is told at once, however short the time since readers last heard", async () => {
    await w.call(w.owner, "chorus_update_work_settings", { sessionInactiveMinutes: 1 })
    const { uuid } = await open()
    w.clock.advance(2 * MINUTE)
    expect(await w.told(() => heartbeat(uuid))).toMatchObject([{ kind: "session.seen", patch: { status: "active" } }])
    await w.call(w.owner, "chorus_update_work_settings", { sessionInactiveMinutes: 60 })
  })
})

describe("a list of sessions", () => {
  it("shows an agent its own and a person everybody's, by state, newest first", async () => {
    const agent = await w.agent("Lister")
    const [first, second, third] = [await open({}, agent), await open({}, agent), await open({}, agent)]
    await close(second.uuid, agent)
    const list = async (by: Actor, more: object = {}) =>
      (await w.call<{ sessions: Opened[] }>(by, "chorus_list_sessions", { pageSize: 100, ...more })).sessions.map(
        ({ uuid }) => uuid,
      )
    expect(await list(agent)).toEqual([third.uuid, second.uuid, first.uuid])
    expect(await list(agent, { status: "closed" })).toEqual([second.uuid])
    expect(await list(agent, { status: "active" })).toEqual([third.uuid, first.uuid])
    expect(await list(agent, { status: "inactive" })).toEqual([])
    expect(await list(w.viewer)).toEqual(expect.arrayContaining([first.uuid]))
    expect(await list(w.stranger)).toEqual([])
  })
})

describe("checking in", () => {
  it("claims an open task, and is at it once however often it says so", async () => {
    const { uuid } = await open()
    const taskUuid = await w.newTask()
    expect(await w.kinds(() => checkIn(uuid, taskUuid))).toEqual(["task.claimed", "session.checked_in"])
    const again = await checkIn(uuid, taskUuid)
    expect(again.claimed).toBe(false)
    expect(await w.kinds(() => checkIn(uuid, taskUuid))).toEqual([])
    expect((await get(uuid)).checkins).toHaveLength(1)
  })

  it("of two sessions at once at one task is two stays", async () => {
    const taskUuid = await w.taskAt("assigned")
    const [one, two] = [await open(), await open()]
    await Promise.all([checkIn(one.uuid, taskUuid), checkIn(two.uuid, taskUuid)])
    const { checkins } = await w.call<{ checkins: object[] }>(w.owner, "chorus_get_task_history", { taskUuid })
    expect(checkins).toHaveLength(2)
  })

  it("on somebody else's task says so without taking it", async () => {
    const taskUuid = await w.taskAt("assigned", { holder: w.rival })
    expect((await checkIn((await open()).uuid, taskUuid)).claimed).toBe(false)
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ assignee: { name: "Rival" } })
  })

  it.each(["done", "closed"] as const)("is refused on a task that is %s", async (stage) => {
    await expect(checkIn((await open()).uuid, await w.taskAt(stage))).rejects.toMatchObject({
      code: "task_finished",
      details: { status: stage },
    })
  })
})

describe("checking out", () => {
  it("ends one stay and says when; where there is none, it says so", async () => {
    const { uuid } = await open()
    const taskUuid = await w.taskAt("assigned")
    await checkIn(uuid, taskUuid)
    const events = await w.told(async () =>
      expect(await checkOut(uuid, taskUuid)).toMatchObject({ checkedOut: true, checkoutAt: expect.any(String) }),
    )
    expect(events).toMatchObject([
      {
        kind: "session.checked_out",
        projectUuid: w.project,
        patch: { checkoutReason: "checked_out", sessionUuid: uuid, taskUuid },
      },
    ])
    expect(await checkOut(uuid, taskUuid)).toEqual({ sessionUuid: uuid, taskUuid, checkedOut: false, checkoutAt: null })
  })

  it("works for a session that is closed already", async () => {
    const { uuid } = await open()
    await close(uuid)
    expect(await checkOut(uuid, await w.newTask())).toMatchObject({ checkedOut: false })
  })
})
