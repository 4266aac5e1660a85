import { describe, expect, it, onTestFinished } from "vitest"
import { page, userEvent } from "vitest/browser"
import { MOD, toast } from "../design/index.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { makeProject, makeTasks } from "../../test/workplace.ts"

describe("the frame around a page", () => {
  it("offers whoever comes by keys to skip to the content", async () => {
    const { screen } = await openPage("/projects")
    const skip = screen.getByRole("link", { name: "Skip to content" })
    await expect.element(screen.getByRole("main")).toBeVisible()
    await userEvent.tab()
    await expect.element(skip).toHaveFocus()
    await expect.element(skip).toHaveAttribute("href", "#main")
    expect(screen.getByRole("main").element().id).toBe("main")
  })

  it.each([
    [true, 0],
    [false, 1],
  ])("says that the connection is lost, and only then: connected %s", async (connected, times) => {
    const { screen } = await openPage("/projects", { connected })
    await expect.element(screen.getByRole("main")).toBeVisible()
    expect(screen.getByText("Connection lost. Reconnecting…").elements()).toHaveLength(times)
  })

  it("gives news on a phone a row of their own, between the page and its buttons", async () => {
    await page.viewport(390, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const project = await makeProject()
    const [taskUuid = ""] = await makeTasks(project, { title: "Lay the wire" })
    const { screen } = await openPage(`/projects/${project}/tasks/${taskUuid}`)
    await expect.element(screen.getByRole("main").getByRole("button", { name: "Assign" })).toBeVisible()
    toast("Saved")
    const news = screen.getByRole("region", { name: "News" })
    await expect.element(news.getByText("Saved")).toBeVisible()
    const box = (element: Element | null | undefined) => element?.getBoundingClientRect() ?? new DOMRect()
    const card = box(news.element().firstElementChild)
    expect(box(screen.getByRole("main").element()).bottom).toBeLessThanOrEqual(card.top)
    expect(box(document.querySelector("[data-thumb]")).top).toBeGreaterThanOrEqual(card.bottom)
  })

  it.each([390, 800, 1280])("says so beside or over an open task too, %i wide", async (width) => {
    const project = await makeProject()
    const [taskUuid = ""] = await makeTasks(project, { title: "Lay the wire" })
    await page.viewport(width, 800)
    try {
      const { screen } = await openPage(`/projects/${project}/board?task=${taskUuid}`, { connected: false })
      const panel = screen.getByRole("dialog")
      await expect.element(panel.getByRole("heading", { name: /Lay the wire/ })).toBeVisible()
      const words = document.createRange()
      words.selectNodeContents(screen.getByText("Connection lost. Reconnecting…").element())
      const [left, right] = [words.getBoundingClientRect().left, words.getBoundingClientRect().right]
      const top = words.getBoundingClientRect().top
      const isUnder = panel.element().getBoundingClientRect().left < right
      const zIndex = Number(getComputedStyle(words.startContainer as Element).zIndex) || 0
      expect([left >= 0, right <= width, top >= 0]).toEqual([true, true, true])
      expect(!isUnder || zIndex > Number(getComputedStyle(panel.element()).zIndex)).toBe(true)
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("says that nothing is under an unknown address, and leads home", async () => {
    // Where there is none yet, home leads on to the welcome.
    await makeProject()
    const { screen, router } = await openPage("/no/such/place")
    await expect.element(screen.getByRole("heading", { name: "Page not found" })).toBeVisible()
    await screen.getByRole("link", { name: "Go to what needs you" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/")
  })

  it.each([
    ["/settings", "/settings/profile"],
    ["/settings/", "/settings/profile"],
  ])("leads from %s to %s", async (from, to) => {
    const { router } = await openPage(from)
    await expect.poll(() => router.state.location.pathname).toBe(to)
  })

  it("leads from a project to its board", async () => {
    const project = await makeProject()
    const { router } = await openPage(`/projects/${project}`)
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/board`)
  })

  it("keeps the navigation in a drawer on a phone, which closes on the way, and the bell in sight", async () => {
    await page.viewport(390, 700)
    try {
      const { screen, router } = await openPage("/agents")
      await expect.element(screen.getByRole("link", { name: /^Notifications/ })).toBeInViewport({ ratio: 1 })
      await screen.getByRole("button", { name: "Open navigation" }).click()
      const drawer = screen.getByRole("dialog", { name: "Main" })
      await expect.element(drawer).toBeVisible()
      await drawer.getByRole("link", { name: "Projects" }).click()
      await expect.poll(() => router.state.location.pathname).toBe("/projects")
      await expect.element(drawer).not.toBeInTheDocument()
    } finally {
      await page.viewport(1280, 800)
    }
  })
})

/** One letter right after the other, however busy the machine is. */
function press(letters: string): void {
  for (const key of letters)
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
}

describe("keys that work everywhere", () => {
  async function openBoard() {
    const project = await makeProject()
    await makeTasks(project, { title: "Anything" })
    const opened = await openPage(`/projects/${project}/board`)
    await expect.element(opened.screen.getByRole("searchbox")).toBeVisible()
    return { project, ...opened }
  }

  it("open the palette, by Ctrl+K, ⌘K and a slash", async () => {
    const { screen } = await openBoard()
    const palette = screen.getByRole("dialog", { name: "Search" })
    for (const keys of ["{Control>}k{/Control}", "{Meta>}k{/Meta}", "/"]) {
      await userEvent.keyboard(keys)
      await expect.element(palette.getByRole("combobox")).toHaveFocus()
      await userEvent.keyboard("{Escape}")
      await expect.element(palette).not.toBeInTheDocument()
    }
  })

  it("show themselves with a question mark", async () => {
    const { screen } = await openBoard()
    await userEvent.keyboard("?")
    const dialog = screen.getByRole("dialog", { name: "Keyboard shortcuts" })
    await expect.element(dialog).toBeVisible()
    // The window has room for all of them, and below the last of each column.
    const bottoms = [...dialog.element().querySelectorAll("dd")].map((each) => each.getBoundingClientRect().bottom)
    expect(Math.max(...bottoms)).toBeLessThan(dialog.element().getBoundingClientRect().bottom - 8)
  })

  it("lead by two letters to places of the workspace and of the project one is in", async () => {
    const { router, project } = await openBoard()
    press("gy")
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/activity`)
    press("gh")
    await expect.poll(() => router.state.location.pathname).toBe("/projects")
    // Outside of a project there is no board to go to.
    press("gb")
    press("gr")
    await expect.poll(() => router.state.location.pathname).toBe("/runs")
    press("ga")
    await expect.poll(() => router.state.location.pathname).toBe("/agents")
  })

  it("go nowhere by an unknown letter, and begin anew after it", async () => {
    const { router, project } = await openBoard()
    press("gq")
    press("h")
    press("gx")
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/insights`)
  })

  it("are letters like any other while one writes, but for the palette", async () => {
    const { screen, router } = await openBoard()
    const field = screen.getByRole("searchbox", { name: "Filter cards" })
    await userEvent.type(field, "gy?/")
    await expect.element(field).toHaveValue("gy?/")
    expect(router.state.location.pathname).toMatch(/board$/)
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await userEvent.keyboard("{Control>}k{/Control}")
    await expect.element(screen.getByRole("dialog", { name: "Search" })).toBeVisible()
  })
})

describe("the sidebar", () => {
  it("marks where one is, and opens the places of the project there", async () => {
    const project = await makeProject("Marked")
    const { name } = await owner.call("chorus_get_project", { projectUuid: project })
    const { screen, router } = await openPage(`/projects/${project}/activity`)
    const nav = screen.getByRole("navigation", { name: "Main" })
    await expect.element(nav.getByRole("link", { name: "Activity" })).toHaveAttribute("aria-current", "page")
    await expect.element(nav.getByRole("link", { name: "Board" })).not.toHaveAttribute("aria-current")
    const places = [
      "Board",
      "List",
      "Graph",
      "Ideas",
      "Proposals",
      "Documents",
      "Insights",
      "Activity",
      "Project settings",
    ]
    for (const place of places) await expect.element(nav.getByRole("link", { name: place, exact: true })).toBeVisible()
    await nav.getByRole("link", { name: "Agents" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/agents")
    await expect.element(nav.getByRole("link", { name: "Board", exact: true })).not.toBeInTheDocument()
    // Who was there lately finds it within reach.
    await expect.element(nav.getByRole("link", { name })).toBeVisible()
    await expect
      .poll(async () =>
        (await owner.call("chorus_get_my_projects", {})).visits.some(({ projectUuid }) => projectUuid === project),
      )
      .toBe(true)
  })

  it("opens the palette from its field", async () => {
    const { screen } = await openPage("/projects")
    await screen.getByRole("button", { name: "Search…", exact: false }).click()
    await expect.element(screen.getByRole("dialog", { name: "Search" })).toBeVisible()
  })
})

describe("what stays where it was", () => {
  it("is the page's name, from one page to the next", async () => {
    const project = await makeProject()
    await page.viewport(1920, 900)
    try {
      const { screen, router } = await openPage("/")
      const places = ["/", "/agents", `/projects/${project}/board`, `/projects/${project}/ideas`, "/settings/profile"]
      const lefts: number[] = []
      for (const to of places) {
        await router.navigate({ to })
        await expect.poll(() => router.state.status).toBe("idle")
        await expect.element(screen.getByRole("heading", { level: 1 })).toBeVisible()
        lefts.push(screen.getByRole("heading", { level: 1 }).element().getBoundingClientRect().left)
      }
      expect(new Set(lefts).size).toBe(1)
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("is the focus, when a task beside the board is closed", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "Lay the wire" })
    const { screen } = await openPage(`/projects/${project}/board`)
    const card = screen.getByRole("link", { name: /Lay the wire/ })
    await card.click()
    await expect.element(screen.getByRole("dialog")).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(card).toHaveFocus()
  })
})

it("names the keys as they are called on this machine", async () => {
  const { screen } = await openPage("/projects")
  await expect.element(screen.getByRole("button", { name: /Search…/ })).toMatchTextContent(MOD === "⌘" ? "⌘K" : "CtrlK")
  expect(MOD).toBe(/Mac/.test(navigator.userAgent) ? "⌘" : "Ctrl")
})
