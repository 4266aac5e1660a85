import type { OutputOf, work } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { agentRef, stayRow } from "../../test/rows.ts"
import { show } from "../../test/stage.tsx"
import { setLanguage } from "../i18n/language.ts"
import { Lost, Reservations, Stays } from "./Stays.tsx"

type History = OutputOf<typeof work.getTaskHistory>

function history(changes: Partial<History>): History {
  const lease = { state: "none", at: null }
  return { checkins: [], sessions: [], reports: [], verdicts: [], reservations: [], lease, ...changes } as History
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-01T12:00:00Z") })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("stays at a task", () => {
  it("say that nobody has worked on it", async () => {
    const screen = await show(<Stays history={history({})} />)
    await expect.element(screen.getByText(/^No session has checked in on it\./)).toBeVisible()
  })

  it("tell one that goes on from one that ended, with how long each took and why it ended", async () => {
    const ended = stayRow({
      uuid: "c1",
      sessionName: "night",
      checkinAt: "2026-03-01T01:00:00Z",
      checkoutAt: "2026-03-01T03:05:00Z",
      checkoutReason: "task_submitted",
    })
    const going = stayRow({ uuid: "c2", sessionName: "day", agent: agentRef("Bo"), checkinAt: "2026-03-01T11:30:00Z" })
    const screen = await show(<Stays history={history({ checkins: [going, ended] })} />)
    const row = (name: string) =>
      screen.getByRole("list", { name: "Sessions" }).getByRole("listitem").filter({ hasText: name })
    await expect.element(row("day").getByText("At work")).toBeVisible()
    await expect.element(row("day").getByText(/– now · 30 min/)).toBeVisible()
    await expect.element(row("night").getByText("At work")).not.toBeInTheDocument()
    await expect.element(row("night").getByText(/2 hr 5 min/)).toBeVisible()
    await expect.element(row("night").getByText("Handed it in")).toBeVisible()
  })

  it("say until when a task is kept whose program died", async () => {
    const lost = stayRow({ checkoutAt: "2026-03-01T11:57:00Z", checkoutReason: "session_lost" })
    const earlier = stayRow({ uuid: "c0", checkoutAt: "2026-03-01T10:00:00Z", checkoutReason: "session_lost" })
    const lease = { state: "held", at: "2026-03-01T12:07:00Z" } as const
    const screen = await show(<Stays history={history({ checkins: [lost, earlier], lease })} />)
    await expect.element(screen.getByText(/ended without a word; it is kept for its agent until .*07/)).toBeVisible()
    expect(screen.getByText("Its program ended without a word", { exact: true }).elements()).toHaveLength(1)
  })

  it("are not all that says so: the head of the task does too, until others can take it", async () => {
    const lost = stayRow({ checkoutAt: "2026-03-01T11:57:00Z", checkoutReason: "session_lost" })
    const until = (lease: History["lease"]) => show(<Lost history={history({ checkins: [lost], lease })} />)
    const kept = await until({ state: "held", at: "2026-03-01T12:07:00Z" })
    await expect.element(kept.getByText(/kept for its agent until .*07/)).toBeVisible()
    const free = await until({ state: "lapsed", at: "2026-03-01T11:59:00Z" })
    expect(free.container.textContent).toBe("")
  })

  it("repeat the last words of the session", async () => {
    const sessions = [{ uuid: "s1", lastWords: "I leave the rest to you." }] as unknown as History["sessions"]
    const screen = await show(<Stays history={history({ checkins: [stayRow()], sessions })} />)
    await expect.element(screen.getByText("I leave the rest to you.")).toBeVisible()
  })

  it("keep what each of them reported, although the session came back", async () => {
    const sessions = [{ uuid: "s1", lastWords: "DONE It is red." }] as unknown as History["sessions"]
    const first = stayRow({ uuid: "c1", checkinAt: "2026-03-01T01:00:00Z", checkoutAt: "2026-03-01T02:00:00Z" })
    const second = stayRow({ uuid: "c2", checkinAt: "2026-03-01T03:00:00Z", checkoutAt: "2026-03-01T04:00:00Z" })
    const reports = [
      { sessionUuid: first.sessionUuid, content: "DONE It is blue.", createdAt: "2026-03-01T02:00:00Z" },
    ] as History["reports"]
    const screen = await show(<Stays history={history({ checkins: [second, first], sessions, reports })} />)
    const rows = screen.getByRole("list", { name: "Sessions" }).getByRole("listitem")
    await expect.element(rows.nth(0).getByText("DONE It is red.")).toBeVisible()
    await expect.element(rows.nth(1).getByText("DONE It is blue.")).toBeVisible()
  })

  it("count time in Chinese words for who reads Chinese", async () => {
    await setLanguage("zh")
    const screen = await show(
      <Stays
        history={history({
          checkins: [stayRow({ checkinAt: "2026-03-01T10:00:00Z", checkoutAt: "2026-03-01T11:30:00Z" })],
        })}
      />,
    )
    await expect.element(screen.getByText(/1 ?小时 ?30 ?分钟/)).toBeVisible()
  })
})

describe("reserved paths", () => {
  const reservation = {
    uuid: "r1",
    taskUuid: "t1",
    glob: "src/**/*.ts",
    agent: agentRef("Ada"),
    createdAt: "2026-03-01T11:00:00Z",
    expiresAt: "2026-03-01T13:00:00Z",
    releasedAt: null,
  } as unknown as History["reservations"][number]

  it.each([
    ["held while the time runs", {}, /held until/],
    ["free when it has run out", { expiresAt: "2026-03-01T11:59:59Z" }, /^freed$/],
    ["free when they were given back before", { releasedAt: "2026-03-01T11:10:00Z" }, /^freed$/],
  ])("are %s", async (_, changes, words) => {
    const screen = await show(<Reservations history={history({ reservations: [{ ...reservation, ...changes }] })} />)
    await expect.element(screen.getByText("src/**/*.ts")).toBeVisible()
    await expect.element(screen.getByText(words)).toBeVisible()
    await expect.element(screen.getByText("Ada", { exact: true })).toBeVisible()
  })
})
