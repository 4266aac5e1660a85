import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { showRouted } from "../../test/stage.tsx"
import { setLanguage } from "../i18n/language.ts"
import { ActivityFeed } from "./ActivityFeed.tsx"
import { type Line, lineOf } from "./feed.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-05T12:00:00") })
})
afterEach(() => {
  vi.useRealTimers()
})

function line(changes: Partial<Line> = {}): Line {
  return {
    ...lineOf(logEvent({ kind: "task.claimed", patch: { title: "Parser" } }), new Map()),
    id: Math.random(),
    ...changes,
  }
}

describe("the feed", () => {
  it("parts days, and names today and yesterday", async () => {
    const { screen } = await showRouted(
      <ActivityFeed
        lines={["2026-03-05T08:00:00", "2026-03-04T08:00:00", "2026-03-01T08:00:00"].map((createdAt) =>
          line({ createdAt }),
        )}
      />,
    )
    await expect.element(screen.getByRole("region", { name: "Today" })).toBeVisible()
    await expect.element(screen.getByRole("region", { name: "Yesterday" })).toBeVisible()
    await expect.element(screen.getByRole("region", { name: "Mar 1, 2026" })).toBeVisible()
    await expect.element(screen.getByText("8:00 AM").first()).toHaveAttribute("title", "Mar 5, 2026, 8:00 AM")
  })

  it("does so in Chinese", async () => {
    await setLanguage("zh")
    const { screen } = await showRouted(
      <ActivityFeed lines={[line({ createdAt: "2026-03-05T08:00:00" }), line({ createdAt: "2026-03-01T08:00:00" })]} />,
    )
    await expect.element(screen.getByRole("region", { name: "今天" })).toBeVisible()
    await expect.element(screen.getByRole("region", { name: "2026年3月1日" })).toBeVisible()
  })

  it.each([
    ["en", "Also checked out of it, checked criteria of it"],
    ["zh", "同时：签出了、自检了标准"],
  ] as const)("says in whole words what else came with it (%s)", async (language, words) => {
    await setLanguage(language)
    const kinds = ["task.submitted", "session.checked_out", "task.criteria_checked"] as const
    const { screen } = await showRouted(
      <ActivityFeed
        lines={kinds.map((kind) => line({ kind, createdAt: "2026-03-05T08:00:00", value: { taskUuid: "t1" } }))}
      />,
    )
    await expect.element(screen.getByText(words)).toBeVisible()
  })

  it.each([
    ["task", {}, "/projects/p/tasks/t1"],
    ["checkin", { taskUuid: "t7" }, "/projects/p/tasks/t7"],
    ["idea", {}, "/projects/p/ideas/t1"],
    ["proposal", {}, "/projects/p/proposals/t1"],
    ["document", {}, "/projects/p/documents/t1"],
  ])("links a %s to its page", async (targetType, value, href) => {
    const { screen } = await showRouted(<ActivityFeed lines={[line({ targetType, value })]} />)
    await expect.element(screen.getByRole("link", { name: "Parser" })).toHaveAttribute("href", href)
  })

  it.each([
    ["of no project", { projectUuid: null }],
    ["that has no page", { targetType: "review" }],
  ])("names a thing %s without a link", async (_, changes) => {
    const { screen } = await showRouted(<ActivityFeed lines={[line(changes)]} />)
    await expect.element(screen.getByText("Parser")).toBeVisible()
    await expect.element(screen.getByRole("link")).not.toBeInTheDocument()
  })

  it("has words for kinds it does not know, and shows the session only when both its id and its name are known", async () => {
    const { screen } = await showRouted(
      <ActivityFeed
        lines={[
          line({ kind: "comet.sighted", targetTitle: null, sessionUuid: "s1", sessionName: "night" }),
          line({ sessionUuid: "s2", createdAt: "2026-01-01T00:00:01.000Z" }),
        ]}
      />,
    )
    await expect.element(screen.getByText("Ada changed night")).toBeVisible()
    expect(screen.getByTitle("night · Ada").elements()).toHaveLength(1)
  })
})
