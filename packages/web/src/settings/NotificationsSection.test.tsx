import { afterEach, describe, expect, it, vi } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { becomeGuest, hold, refuse } from "../../test/guest.ts"
import { openPage, owner, showRouted } from "../../test/stage.tsx"
import { NotificationsSection } from "./NotificationsSection.tsx"
import { PushSwitch } from "./PushSwitch.tsx"

const MENTIONED = "I am mentioned"

afterEach(() => vi.restoreAllMocks())

describe("what a person wants to be told", () => {
  it("is everything at first, changes at once, and is kept", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/notifications")
    await expect.element(screen.getByRole("switch", { name: MENTIONED })).toBeChecked()
    expect(screen.getByRole("switch", { checked: true }).elements()).toHaveLength(23)
    const letGo = hold("/chorus_update_notification_preferences")
    await screen.getByRole("switch", { name: MENTIONED }).click()
    await expect.element(screen.getByRole("switch", { name: MENTIONED })).not.toBeChecked()
    letGo()
    await screen.unmount()
    const again = await openPage("/settings/notifications")
    await expect.element(again.screen.getByRole("switch", { name: MENTIONED })).not.toBeChecked()
    expect(again.screen.getByRole("switch", { checked: true }).elements()).toHaveLength(22)
  })

  it("is pushed by kind as the boxes say, an agent in a terminal that has finished too", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/notifications")
    const box = (there: Screen, kind: string) => there.getByRole("checkbox", { name: new RegExp(`^Push.*${kind}$`) })
    const finished = "An agent in a terminal has finished or failed"
    await expect.element(box(screen, finished)).toBeChecked()
    await expect.element(box(screen, MENTIONED)).not.toBeChecked()
    for (const kind of [finished, MENTIONED]) await box(screen, kind).click()
    await expect.element(box(screen, MENTIONED)).toBeChecked()
    const comesAtAll = screen.getByRole("switch", { name: MENTIONED })
    await comesAtAll.click()
    await expect.element(box(screen, MENTIONED)).toBeDisabled()
    await comesAtAll.click()
    await expect.element(box(screen, MENTIONED)).toBeChecked()
    await screen.unmount()
    const again = await openPage("/settings/notifications")
    await expect.element(box(again.screen, MENTIONED)).toBeChecked()
    await expect.element(box(again.screen, finished)).not.toBeChecked()
  })

  it("may come as a summary, which is kept", async () => {
    const { screen } = await openPage("/settings/notifications")
    const choice = screen.getByRole("combobox", { name: "Push notifications come" })
    const kept = async () => (await owner.call("chorus_get_notification_preferences", {})).digest
    for (const [label, digest] of [
      ["As a daily summary", "daily"],
      ["One by one", "off"],
    ] as const) {
      await choice.selectOptions(label)
      await expect.poll(kept).toBe(digest)
    }
  })

  it("goes back to what it was when the server refuses, and says why", async () => {
    await becomeGuest("member")
    const { screen } = await openPage("/settings/notifications")
    refuse("/chorus_update_notification_preferences", { code: "store_unavailable", message: "The store is away." }, 409)
    await screen.getByRole("switch", { name: MENTIONED }).click()
    await expect.element(screen.getByText("The store is away.")).toBeVisible()
    await expect.element(screen.getByRole("switch", { name: MENTIONED })).toBeChecked()
  })

  it("is named for every event there is, in Chinese too", async () => {
    const { preferences } = await owner.call("chorus_get_notification_preferences", {})
    localStorage.setItem("chorus.language", "zh")
    const { screen } = await openPage("/settings/profile")
    await screen.getByRole("radio", { name: "中文" }).click()
    await screen.getByRole("navigation", { name: "设置" }).getByRole("link", { name: "通知" }).click()
    await expect.element(screen.getByRole("switch", { name: "有人提到我" })).toBeVisible()
    expect(screen.getByRole("main").getByRole("switch").elements()).toHaveLength(Object.keys(preferences).length + 1)
  })
})

describe("a place where a person is called", () => {
  it("says why it would not be, where it is on a private network and nobody said so", async () => {
    const { screen } = await openPage("/settings/notifications")
    await expect.element(screen.getByRole("checkbox", { name: /^Push.*Work waits to be verified$/ })).toBeChecked()
    await screen.getByRole("button", { name: "Add a channel" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByRole("combobox", { name: "Where" }).selectOptions("ntfy")
    await dialog.getByRole("textbox", { name: "Topic" }).fill("http://192.168.1.9/bell")
    const add = dialog.getByRole("button", { name: "Add a channel" })
    await add.click()
    await expect.element(screen.getByText(/192\.168\.1\.9 is on a private network/)).toBeVisible()
    await dialog.getByRole("checkbox", { name: "It is on a private network (owners only)" }).click()
    await add.click()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(screen.getByText("192.168.1.9/bel…")).toBeVisible()
  })
})

/** A browser's push service that gives this address, of which only the parts that are asked for are there. */
function pushService(answer: NotificationPermission = "granted") {
  const made = {
    endpoint: `https://push.example.com/${crypto.randomUUID()}`,
    unsubscribe: vi.fn(async () => {
      here = undefined
      return true
    }),
    toJSON: () => ({
      endpoint: made.endpoint,
      keys: {
        p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        auth: "tBHItJI5svbpez7KI4CCXg",
      },
    }),
  }
  let here: typeof made | undefined
  const subscribe = vi.fn(async (_options: PushSubscriptionOptionsInit) => (here = made))
  const registration = {
    pushManager: { getSubscription: async () => here ?? null, subscribe },
  } as unknown as ServiceWorkerRegistration
  vi.spyOn(Notification, "requestPermission").mockResolvedValue(answer)
  vi.spyOn(Notification, "permission", "get").mockReturnValue("default")
  vi.spyOn(navigator.serviceWorker, "register").mockResolvedValue(registration)
  vi.spyOn(navigator.serviceWorker, "getRegistration").mockResolvedValue(registration)
  vi.spyOn(navigator.serviceWorker, "ready", "get").mockReturnValue(Promise.resolve(registration))
  return { made, subscribe }
}

const browsers = async () => (await owner.call("chorus_get_push", {})).subscriptions.map(({ browser }) => browser)

describe("being called elsewhere", () => {
  it("is added with what the service needs, tried and removed", async () => {
    const { screen } = await showRouted(<NotificationsSection />)
    await screen.getByRole("button", { name: "Add a channel" }).click()
    const dialog = screen.getByRole("dialog")
    await dialog.getByLabelText("Where").selectOptions("telegram")
    await dialog.getByLabelText("Token of your bot").fill("nonsense")
    await dialog.getByLabelText("Chat").fill("@team")
    await dialog.getByRole("button", { name: "Add a channel" }).click()
    await expect.element(screen.getByText("That is no token of a bot.")).toBeVisible()
    await dialog.getByLabelText("Token of your bot").fill("123456:ABCdefGHIjklMNOpqrSTUvwxYZ")
    await dialog.getByRole("button", { name: "Add a channel" }).click()
    await expect.element(screen.getByText("Telegram @team")).toBeVisible()
    await screen.getByRole("button", { name: "More about Telegram @team" }).click()
    await screen.getByRole("menuitem", { name: "Remove" }).click()
    await expect.element(screen.getByText("Telegram @team")).not.toBeInTheDocument()
  })
})

describe("being called in this browser", () => {
  it("is turned on with a click: the person is asked, the browser gives an address, the server knows it", async () => {
    const { made, subscribe } = pushService()
    const { publicKey } = await owner.call("chorus_get_push", {})
    const { screen } = await showRouted(<PushSwitch />)
    const push = screen.getByRole("switch")
    await expect.element(push).toBeEnabled()
    await expect
      .element(screen.getByText("When one of your agents needs you or has finished, and Chorus is not in view."))
      .toBeVisible()
    await push.click()
    await expect.element(push).toBeChecked()
    expect(navigator.serviceWorker.register).toHaveBeenCalledWith("/push-worker.js")
    expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: publicKey })
    expect(await browsers()).toEqual(["Chrome · Linux"])

    await push.click()
    await expect.element(push).not.toBeChecked()
    expect(made.unsubscribe).toHaveBeenCalled()
    expect(await browsers()).toEqual([])
  })

  it("stays off when the person says no", async () => {
    const { subscribe } = pushService("denied")
    const { screen } = await showRouted(<PushSwitch />)
    await screen.getByRole("switch").click()
    await expect.element(screen.getByRole("switch")).toBeEnabled()
    await expect.element(screen.getByRole("switch")).not.toBeChecked()
    expect(subscribe).not.toHaveBeenCalled()
  })

  it("is undone in the browser when the server does not take the address", async () => {
    const { made } = pushService()
    const { screen } = await showRouted(<PushSwitch />)
    refuse(
      "/chorus_subscribe_push",
      { code: "too_many_browsers", message: "You are called in too many browsers." },
      409,
    )
    await screen.getByRole("switch").click()
    await expect.element(screen.getByText("You are called in too many browsers.")).toBeVisible()
    await expect.element(screen.getByRole("switch")).not.toBeChecked()
    expect(made.unsubscribe).toHaveBeenCalled()
  })

  it("says what the browser says when it gives no address", async () => {
    const { subscribe } = pushService()
    subscribe.mockRejectedValue(new DOMException("Registration failed - push service error", "AbortError"))
    const { screen } = await showRouted(<PushSwitch />)
    await screen.getByRole("switch").click()
    await expect.element(screen.getByText("Registration failed - push service error")).toBeVisible()
    await expect.element(screen.getByRole("switch")).toBeEnabled()
  })

  it("cannot be turned on where the browser has been told to refuse, and says where that is changed", async () => {
    pushService()
    vi.spyOn(Notification, "permission", "get").mockReturnValue("denied")
    const { screen } = await showRouted(<PushSwitch />)
    await expect.element(screen.getByText(/does not allow notifications from here/)).toBeVisible()
    await expect.element(screen.getByRole("switch")).toBeDisabled()
  })

  it("cannot be turned on where the browser has no such thing, and says what it takes", async () => {
    vi.spyOn(navigator.serviceWorker, "getRegistration").mockRejectedValue(
      new DOMException("The operation is insecure.", "SecurityError"),
    )
    vi.spyOn(Notification, "permission", "get").mockReturnValue("default")
    const { screen } = await showRouted(<PushSwitch />)
    await expect.element(screen.getByText(/They need a secure address/)).toBeVisible()
    await expect.element(screen.getByRole("switch")).toBeDisabled()
  })
})
