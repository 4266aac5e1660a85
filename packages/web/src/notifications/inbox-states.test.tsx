import { describe, expect, it } from "vitest"
import type { notifications } from "@chorus/contracts"
import { answer, hold, refuse } from "../../test/guest.ts"
import { openPage } from "../../test/stage.tsx"
import { setLanguage } from "../i18n/language.ts"

function told(...rows: readonly Partial<notifications.NotificationRow>[]) {
  const all = rows.map((row, at) => ({
    uuid: `n${at}`,
    projectUuid: null,
    projectName: "House",
    recipientType: "user",
    recipientUuid: "me",
    entityType: "task",
    entityUuid: "t1",
    entityTitle: "Wire",
    action: "mentioned",
    message: `News ${at}`,
    instructionText: null,
    actorType: "agent",
    actorUuid: "a",
    actorName: "Ada",
    readAt: null,
    archivedAt: null,
    createdAt: new Date(Date.now() - 7_200_000).toISOString(),
    ...row,
  }))
  return {
    notifications: all,
    unreadCount: all.filter(({ readAt }) => readAt === null).length,
    returned: all.length,
    page: 1,
    pageSize: 50,
    total: all.length,
  }
}

const lines = (main: Element) =>
  [...main.querySelectorAll("li")].map((line) => line.querySelector("button")?.textContent)

describe("an inbox", () => {
  it("with nothing in it says what will come, and the bell is quiet", async () => {
    answer("chorus_get_notifications", () => told())
    const { screen } = await openPage("/notifications")
    await expect.element(screen.getByRole("heading", { name: "No notifications" })).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Mark all as read" })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("link", { name: "Notifications", exact: true })).toBeVisible()
  })

  it("tells what is unread apart, where it is from and how long ago, in the reader's language", async () => {
    answer("chorus_get_notifications", () =>
      told(
        { message: "Ada handed in work" },
        { message: "Old news", readAt: "2026-01-01T00:00:00Z", projectName: null },
      ),
    )
    const { screen } = await openPage("/notifications")
    await expect
      .poll(() => lines(screen.getByRole("main").element()))
      .toEqual(["Ada handed in workHouse · 2 hr. agoUnread", "Old news2 hr. ago"])
    await setLanguage("zh")
    await expect.poll(() => lines(screen.getByRole("main").element())[1]).toBe("Old news2小时前")
  })

  it("that cannot be read says why and what to do next", async () => {
    refuse("chorus_get_notifications", { code: "store_busy", message: "The store is busy.", next: "Wait a moment." })
    const { screen } = await openPage("/notifications")
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.Wait a moment.Try again")
  })

  it("shows at once what is put away or read, and takes it back when the server refuses", async () => {
    answer("chorus_get_notifications", () => told({}, {}))
    refuse("chorus_archive_notification", { code: "store_busy", message: "The store is busy." })
    const release = hold("chorus_archive_notification")
    const { screen } = await openPage("/notifications")
    const main = screen.getByRole("main")
    await main.getByRole("button", { name: "Archive" }).first().click()
    await expect.poll(() => lines(main.element()).length).toBe(1)
    await expect.element(screen.getByRole("link", { name: "Notifications, 1 unread" })).toBeVisible()
    release()
    await expect.poll(() => lines(main.element()).length).toBe(2)
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The store is busy.")
    await expect.element(screen.getByRole("link", { name: "Notifications, 2 unread" })).toBeVisible()
  })
})
