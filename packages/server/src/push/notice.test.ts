import type { StatusRow } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { submittedPlan } from "../../test/plan-fixture.ts"
import { dropSeen, terminalNotice } from "./notice.ts"

const w = embeddedWorkspace()

const ROW: StatusRow = {
  terminalId: "t1",
  agent: "claude",
  state: "running",
  since: 1,
  source: "hook",
  title: "Parser",
  detail: null,
  summary: null,
  exitCode: null,
  resumeCommand: null,
  reason: null,
  outside: false,
  ask: null,
  asks: null,
  folder: null,
  unread: false,
  ended: false,
}
const row = (more: Partial<StatusRow>): StatusRow => ({ ...ROW, ...more })

describe("what a person is called for", () => {
  it.each<[string, Partial<StatusRow>, object]>([
    [
      "a question",
      { state: "needsInput", detail: "May I run it?" },
      { title: "claude needs you", body: "Parser: May I run it?", path: "/?item=a1" },
    ],
    [
      "a question without words",
      { state: "needsInput" },
      { title: "claude needs you", body: "Parser: a question waits" },
    ],
    [
      "work that is done",
      { state: "finished", exitCode: 0, summary: "All green." },
      { title: "claude has finished", body: "Parser: All green.", path: "/agents" },
    ],
    [
      "work that failed",
      { state: "finished", exitCode: 2, reason: "out of memory" },
      { title: "claude failed", body: "Parser: out of memory" },
    ],
    ["a terminal without a title", { state: "needsInput", title: null, detail: "x" }, { body: "t1: x" }],
    ["words over several lines", { state: "needsInput", detail: "one\n\n  two" }, { body: "Parser: one two" }],
  ])("%s", (_, more, notice) => {
    expect(terminalNotice(row(more), ROW, "tag", "a1")).toMatchObject({ tag: "tag", ...notice })
  })

  it("is cut where it gets long", () => {
    const { body = "" } = terminalNotice(row({ state: "needsInput", detail: "x".repeat(500) }), ROW, "tag", "a1") ?? {}
    expect(body).toHaveLength(300)
    expect(body.endsWith("…")).toBe(true)
  })

  it.each<[string, StatusRow, StatusRow | undefined]>([
    ["that it runs", row({}), undefined],
    ["that it idles", row({ state: "idle" }), ROW],
    ["the same question once more", row({ state: "needsInput", since: 5 }), row({ state: "needsInput", since: 5 })],
    ["that it is still finished", row({ state: "finished", since: 9 }), row({ state: "finished", since: 5 })],
  ])("is not %s", (_, now, before) => {
    expect(terminalNotice(now, before, "tag", "a1")).toBeUndefined()
  })

  it("is a new question of the same terminal", () => {
    expect(
      terminalNotice(row({ state: "needsInput", since: 9 }), row({ state: "needsInput", since: 5 }), "tag", "a1"),
    ).toBeDefined()
  })
})

describe("calling", () => {
  const keys = { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: Buffer.alloc(16, 1).toString("base64url") }
  const subscribe = (endpoint: string, by = w.owner) =>
    w.call<{ uuid: string }>(by, "chorus_subscribe_push", { endpoint, keys, browser: "Firefox" })
  const waiting = () =>
    w.store.db.selectFrom("deliveries").select(["lane", "tag", "payload", "nextAttemptAt", "createdAt"]).execute()
  const ask = async () =>
    (await w.call<{ uuid: string }>(w.developer, "chorus_create_attention", { title: "May I?" })).uuid

  beforeEach(() =>
    w.store.write(async ({ db }) => {
      for (const table of ["deliveries", "pushSubscriptions", "personPresence"] as const)
        await db.deleteFrom(table).execute()
    }),
  )

  it("goes to every browser of the person the agent works for, and to nobody else's", async () => {
    const [one, two] = [await subscribe("https://push.test/1"), await subscribe("https://push.test/2")]
    await subscribe("https://push.test/3", w.member)
    const uuid = await ask()
    const calls = await waiting()
    expect(calls.map(({ lane }) => lane).sort()).toEqual([`push:${one.uuid}`, `push:${two.uuid}`].sort())
    expect(JSON.parse(calls[0]?.payload ?? "")).toMatchObject({
      tag: `attention:${uuid}`,
      title: "Dev needs you",
      body: "May I?",
      path: `/?item=${uuid}`,
    })
  })

  it.each<[string, string, () => Promise<string>]>([
    ["a plan", "proposal_submitted", async () => `/?item=${(await submittedPlan(w, w.pm)).uuid}`],
    [
      "questions about an idea",
      "elaboration_requested",
      async () => {
        const { uuid: ideaUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", {
          projectUuid: w.project,
          title: "A shop",
        })
        await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
        const options = ["All", "Few"].map((label) => ({ id: label, label }))
        const questions = [{ id: "q1", category: "scope", text: "For whom?", options }]
        await w.call(w.pm, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions })
        return `/?item=${ideaUuid}`
      },
    ],
    [
      "a mention",
      "mentioned",
      async () => {
        const taskUuid = await w.newTask()
        await w.call(w.pm, "chorus_add_comment", {
          targetType: "task",
          targetUuid: taskUuid,
          content: `@[${w.owner.name}](user:${w.owner.uuid}) look`,
        })
        return `/projects/${w.project}/tasks/${taskUuid}`
      },
    ],
  ])("about %s leads there", async (_, kind, work) => {
    await w.call(w.owner, "chorus_update_notification_preferences", { push: { [kind]: true } })
    await subscribe("https://push.test/1")
    const path = await work()
    expect((await waiting()).map(({ payload }) => (JSON.parse(payload) as { path: string }).path)).toContain(path)
    await w.call(w.owner, "chorus_update_notification_preferences", { push: { [kind]: false } })
  })

  it("waits a moment, in which an answer takes it back", async () => {
    await subscribe("https://push.test/1")
    const attentionUuid = await ask()
    const [call] = await waiting()
    expect(Date.parse(call?.nextAttemptAt ?? "") - Date.parse(call?.createdAt ?? "")).toBe(1500)
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: "yes" } })
    expect(await waiting()).toEqual([])
  })

  it("waits for a person who was just there, goes out when they have left, and is dropped when they look again", async () => {
    await subscribe("https://push.test/1")
    await w.call(w.owner, "chorus_note_page_in_view")
    w.clock.advance(30_000)
    await ask()
    const [call] = await waiting()
    expect(Date.parse(call?.nextAttemptAt ?? "") - Date.parse(call?.createdAt ?? "")).toBeGreaterThan(59_000)
    await dropSeen(w.store)
    expect(await waiting()).toHaveLength(1)
    w.clock.advance(30_000)
    await w.call(w.owner, "chorus_note_page_in_view")
    await dropSeen(w.store)
    expect(await waiting()).toEqual([])
  })

  it("takes back what waits for another attempt as well, and keeps what arrived", async () => {
    await subscribe("https://push.test/1")
    const set = (changes: { attempts?: number; state?: "delivered" }) =>
      w.store.write(({ db }) => db.updateTable("deliveries").set(changes).execute())
    const first = await ask()
    await set({ attempts: 1 })
    await w.call(w.developer, "chorus_withdraw_attention", { attentionUuid: first })
    expect(await waiting()).toEqual([])
    const second = await ask()
    await set({ state: "delivered" })
    await w.call(w.developer, "chorus_withdraw_attention", { attentionUuid: second })
    expect(await waiting()).toHaveLength(1)
  })

  it("does not come from a terminal that waits where nobody wants to be called for questions", async () => {
    await subscribe("https://push.test/1")
    const wish = (wanted: boolean) =>
      w.call(w.owner, "chorus_update_notification_preferences", { push: { attention_requested: wanted } })
    const needs = (since: number) =>
      w.call(w.developer, "chorus_report_machine", {
        machine: "laptop",
        terminals: [row({ state: "needsInput", since, detail: "Which?" })],
      })
    await wish(false)
    await needs(3)
    expect(await waiting()).toEqual([])
    await wish(true)
    await needs(4)
    expect(await waiting()).toHaveLength(1)
  })

  it("does not come from a terminal that has finished where nobody wants to be called for that", async () => {
    await subscribe("https://push.test/1")
    const wish = (wanted: boolean) =>
      w.call(w.owner, "chorus_update_notification_preferences", { push: { terminal_finished: wanted } })
    const ends = async (since: number) => {
      for (const state of ["running", "finished"] as const)
        await w.call(w.developer, "chorus_report_machine", {
          machine: "desk",
          terminals: [row({ state, since, exitCode: 0 })],
        })
    }
    await wish(false)
    await ends(3)
    expect(await waiting()).toEqual([])
    await wish(true)
    await ends(4)
    expect(await waiting()).toHaveLength(1)
  })

  it("takes the place of an earlier call about the same terminal", async () => {
    await subscribe("https://push.test/1")
    const needs = (since: number, detail: string) =>
      w.call(w.developer, "chorus_report_machine", {
        machine: "laptop",
        terminals: [row({ state: "needsInput", since, detail })],
      })
    await needs(5, "One?")
    await needs(6, "Two?")
    const calls = await waiting()
    expect(calls.map(({ payload }) => (JSON.parse(payload) as { body: string }).body)).toEqual(["Parser: Two?"])
  })
})

describe("a browser that is called", () => {
  const keys = { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: Buffer.alloc(16, 1).toString("base64url") }
  const endpoint = "https://push.test/mine"
  const mine = async (by = w.owner) =>
    (await w.call<{ subscriptions: { browser: string }[] }>(by, "chorus_get_push")).subscriptions

  it("is one however often it says so, and belongs to whoever said so last", async () => {
    const before = (await mine()).length
    for (const browser of ["Old", "New"]) await w.call(w.owner, "chorus_subscribe_push", { endpoint, keys, browser })
    expect((await mine()).slice(before)).toMatchObject([{ browser: "New" }])
    await w.call(w.member, "chorus_subscribe_push", { endpoint, keys })
    expect(await mine()).toHaveLength(before)
    expect(await mine(w.member)).toHaveLength(1)
  })

  it("is let go by its own person", async () => {
    await w.call(w.owner, "chorus_subscribe_push", { endpoint, keys })
    const leave = (by = w.owner) => w.call(by, "chorus_unsubscribe_push", { endpoint })
    expect(await leave(w.member)).toEqual({ removed: false })
    expect(await leave()).toEqual({ removed: true })
    expect(await leave()).toEqual({ removed: false })
  })

  it.each([
    { endpoint: "http://push.test/plain" },
    { keys: { ...keys, auth: "short" } },
    { keys: { ...keys, p256dh: Buffer.alloc(64).toString("base64url") } },
  ])("is refused with %j", async (more) => {
    await expect(w.call(w.owner, "chorus_subscribe_push", { endpoint, keys, ...more })).rejects.toMatchObject({
      code: "invalid_input",
    })
  })
})
