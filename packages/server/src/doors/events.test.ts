import type { LogEvent } from "@chorus/contracts"
import { afterEach, describe, expect, it, vi } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { eventually } from "../../test/eventually.ts"
import { type PaperResponse, responseOnPaper } from "../../test/response-on-paper.ts"
import type { Actor } from "../operation.ts"
import { EventHub } from "../event-hub.ts"
import { Presence } from "../presence/presence.ts"
import { type EventStreamRequest, parseLastEventId, streamEvents } from "./events.ts"
import { streamNotifications } from "./notification-stream.ts"

const w = embeddedWorkspace()
const undo: (() => void)[] = []
afterEach(() => undo.splice(0).forEach((run) => run()))

interface Frame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

/** Server-sent events as a browser reads them; comments are left out. */
function framesOf(text: string): Frame[] {
  return text.split("\n\n").flatMap((part) => {
    const lines = part.split("\n").filter((line) => line !== "" && !line.startsWith(":"))
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const data = field("data")
    return data === undefined ? [] : [{ id: field("id"), event: field("event"), data }]
  })
}

async function stream(
  actor: Actor,
  more: Partial<EventStreamRequest> = {},
): Promise<PaperResponse & { frames: () => Frame[]; hub: EventHub }> {
  const hub = new EventHub(w.store)
  const paper = responseOnPaper()
  undo.push(
    () => paper.leave(),
    () => hub.close(),
  )
  await streamEvents(hub, paper.response, {
    actor,
    lastEventId: undefined,
    projectUuid: undefined,
    kinds: undefined,
    presence: undefined,
    stillAllowed: async () => true,
    ...more,
  })
  await connected(paper)
  return { ...paper, hub, frames: () => framesOf(paper.body()) }
}
const connected = (paper: PaperResponse) => eventually(() => expect(paper.body()).toContain(": connected"))
const position = async () => (await w.call<{ last: number }>(w.owner, "chorus_list_events")).last

describe("parseLastEventId", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["0", 0],
    ["42", 42],
    ["007", 7],
  ])("reads %j as %j", (text, id) => {
    expect(parseLastEventId(text)).toBe(id)
  })

  it.each(["-1", "1.5", "abc", "1e3", "0x10", " ", " 7", "Infinity", "99999999999999999999"])("refuses %j", (text) => {
    expect(() => parseLastEventId(text)).toThrow(
      expect.objectContaining({ code: "invalid_input", next: expect.stringContaining("Leave it out") }),
    )
  })
})

describe("the event stream", () => {
  it("says what it is and that nobody may keep it, then how soon to come back", async () => {
    const { head, body } = await stream(w.owner)
    expect(head()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    for (const line of [
      "content-type: text/event-stream; charset=utf-8",
      "cache-control: no-store",
      "x-accel-buffering: no",
    ])
      expect(head().toLowerCase()).toContain(line)
    expect(head().toLowerCase()).not.toContain("transfer-encoding")
    expect(body()).toBe(": connected\nretry: 1000\n\n")
  })

  it("frames each event with its position, its kind and all of it in one line", async () => {
    const { frames } = await stream(w.owner)
    await w.newIdea({ title: "two\u2028lines", content: "a\nb" })
    await eventually(() => expect(frames()).toHaveLength(1))
    const [frame] = frames()
    const event = JSON.parse(frame?.data ?? "") as LogEvent
    expect(frame).toMatchObject({ id: String(event.id), event: "idea.created" })
    expect(event.patch).toMatchObject({ title: "two\u2028lines", content: "a\nb" })
  })

  it("goes on after the position it is given", async () => {
    const from = await position()
    await w.newIdea({ title: "missed" })
    const { frames } = await stream(w.owner, { lastEventId: from })
    await eventually(() => expect(frames().map(({ id }) => Number(id))).toEqual([from + 1]))
  })

  it("says that there is a gap when the log does not reach to that position, and goes on at its end", async () => {
    const last = await position()
    const { frames } = await stream(w.owner, { lastEventId: last + 1000 })
    await eventually(() => expect(frames()).toEqual([{ id: String(last), event: "gap", data: "{}" }]))
    await w.newIdea()
    await eventually(() => expect(frames().map(({ id }) => Number(id))).toEqual([last, last + 1]))
  })

  it("carries only the project and the kinds that were asked for", async () => {
    const { frames } = await stream(w.owner, { projectUuid: w.otherProject, kinds: new Set(["idea.created"]) })
    await w.newIdea()
    await w.call(w.owner, "chorus_update_project", { projectUuid: w.otherProject, description: "x" })
    await w.newIdea({ projectUuid: w.otherProject, title: "wanted" })
    await eventually(() => expect(frames()).toHaveLength(1))
    expect(frames()[0]?.data).toContain("wanted")
  })

  it("shows a confined agent its projects and nothing of the workspace", async () => {
    const scoped = await w.agent("Scoped", { projectUuids: [w.otherProject] })
    const { frames } = await stream(scoped)
    await w.newIdea()
    await w.call(w.owner, "chorus_create_agent", { name: "unseen" })
    await w.newIdea({ projectUuid: w.otherProject, title: "seen" })
    await eventually(() => expect(frames()).toHaveLength(1))
    expect(frames()[0]?.data).toContain("seen")
  })

  it("carries a notification to its recipient alone", async () => {
    const [mine, theirs] = [await stream(w.developer), await stream(w.rival)]
    await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: await w.newTask(), agentUuid: w.developer.uuid })
    await eventually(() => expect(theirs.frames().map(({ event }) => event)).toContain("task.assigned"))
    await eventually(() => expect(mine.frames().map(({ event }) => event)).toContain("notification.created"))
    expect(theirs.frames().map(({ event }) => event)).not.toContain("notification.created")
  })

  it("is told what agents touch where that was asked for, within reach, without a position", async () => {
    const presence = new Presence(w.store)
    undo.push(() => presence.close())
    const within = await w.agent("Inside", { projectUuids: [w.project] })
    const without = await w.agent("Kept out", { projectUuids: [w.otherProject] })
    const open = await stream(w.owner, { presence })
    const elsewhere = await stream(w.owner, { presence, projectUuid: w.otherProject })
    const deaf = await stream(w.owner)
    const inside = await stream(within, { presence })
    const keptOut = await stream(without, { presence })
    const stranger = await stream(w.stranger, { presence })
    presence.note({
      actor: w.developer,
      kind: "read",
      reached: [{ noun: "task", uuid: "t1", projectUuid: w.project }],
      at: new Date().toISOString(),
    })
    for (const { frames } of [open, inside])
      await eventually(() =>
        expect(frames()).toMatchObject([{ id: undefined, event: "presence", data: expect.stringContaining("t1") }]),
      )
    expect([elsewhere, deaf, keptOut, stranger].flatMap(({ frames }) => frames())).toEqual([])
  })

  it("lets go of everything when its reader leaves", async () => {
    const { hub, leave } = await stream(w.owner)
    await eventually(() => expect(hub.readers()).toBe(1))
    leave()
    await eventually(() => expect(hub.readers()).toBe(0))
  })

  it("cuts off a reader that takes nothing, instead of keeping its events", async () => {
    const { response, stall } = await stream(w.owner)
    stall()
    await eventually(async () => {
      await w.newIdea({ content: "x".repeat(190_000) })
      expect(response.destroyed).toBe(true)
    })
  })

  it("ends when its reader may no longer listen, and stays when nobody can tell", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    try {
      const gone = await stream(w.owner, { stillAllowed: async () => false })
      const unsure = await stream(w.owner, { stillAllowed: () => Promise.reject(new Error("store away")) })
      await vi.advanceTimersByTimeAsync(15_000)
      expect(gone.response.writableEnded).toBe(true)
      expect(unsure.response.writableEnded).toBe(false)
      expect(unsure.body()).toContain(": alive\n\n")
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("the stream of notifications", () => {
  async function inbox(actor: Actor) {
    const hub = new EventHub(w.store)
    const paper = responseOnPaper()
    undo.push(
      () => paper.leave(),
      () => hub.close(),
    )
    await streamNotifications(hub, w.store, paper.response, { actor, stillAllowed: async () => true })
    await connected(paper)
    return {
      ...paper,
      messages: () =>
        [...paper.body().matchAll(/^data: (.*)$/gm)].map(
          (match) => JSON.parse(match[1] ?? "") as Record<string, unknown>,
        ),
    }
  }

  it("tells each as it comes, with how many are unread, and when they are read", async () => {
    const agent = await w.agent("Listener")
    const { messages, head } = await inbox(agent)
    expect(head().toLowerCase()).toContain("text/event-stream")
    await w.call(w.pm, "chorus_pm_assign_task", {
      taskUuid: await w.newTask({ title: "yours" }),
      agentUuid: agent.uuid,
    })
    await eventually(() => expect(messages()).toHaveLength(2))
    expect(messages()).toMatchObject([
      {
        type: "new_notification",
        action: "task_assigned",
        actorName: "Petra",
        entityType: "task",
        entityTitle: "yours",
        projectName: "First",
        unreadCount: 1,
      },
      { type: "count_update", unreadCount: 1 },
    ])
    await w.call(agent, "chorus_mark_notification_read", { all: true })
    await eventually(() => expect(messages().at(-1)).toEqual({ type: "count_update", unreadCount: 0 }))
  })

  it("tells nobody of another's", async () => {
    const [agent, other] = [await w.agent("One"), await w.agent("Two")]
    const [mine, theirs] = [await inbox(agent), await inbox(other)]
    await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: await w.newTask(), agentUuid: agent.uuid })
    await eventually(() => expect(mine.messages()).not.toEqual([]))
    expect(theirs.messages()).toEqual([])
  })
})
