import { describe, expect, it, onTestFinished, vi } from "vitest"
import { agentRef, stayRow, taskRow } from "../../test/rows.ts"
import { show } from "../../test/stage.tsx"
import { setLanguage } from "../i18n/language.ts"
import { Card, cardHeight, NO_STAYS } from "./Card.tsx"
import type { Task } from "./columns.ts"
import { rememberMove } from "./recent-moves.ts"

async function showCard(task: Partial<Task>, stays = NO_STAYS) {
  const screen = await show(
    <Card task={taskRow({ uuid: crypto.randomUUID(), ...task })} stays={stays} tabbable lifted={false} />,
  )
  return { screen, link: screen.getByRole("link") }
}

describe("a card", () => {
  it("is a plain link to itself beside its board, so that it opens in a new tab", async () => {
    const { link } = await showCard({ uuid: "t7", projectUuid: "p3" })
    await expect.element(link).toHaveAttribute("href", "/projects/p3/board?task=t7")
  })

  it("shows no more than there is to say", async () => {
    const { link, screen } = await showCard({ title: "Bare" })
    await expect.element(screen.getByText("Bare")).toBeVisible()
    expect(link.element().textContent).toBe("BareSHOP-1")
  })

  it.each(["low", "medium", "high"] as const)("says aloud how urgent it is: %s", async (priority) => {
    const { screen } = await showCard({ priority })
    const words = { low: "Priority: Low", medium: "Priority: Medium", high: "Priority: High" }
    const icon = screen.getByRole("img", { name: words[priority] })
    await expect.element(icon).toBeVisible()
    const filled = [...icon.element().querySelectorAll("rect")].filter((bar) => bar.getAttribute("opacity") === "1")
    expect(filled).toHaveLength({ low: 1, medium: 2, high: 3 }[priority])
  })

  it("tells passed criteria from those the developer checked alone", async () => {
    const { screen } = await showCard({ ac: { total: 4, passed: 1, checked: 3 } })
    const bar = screen.getByTitle("1 of 4 criteria passed")
    await expect.element(bar.getByText("1/4")).toBeVisible()
    const widths = [...bar.element().querySelectorAll<HTMLElement>("[style]")].map(({ style }) => style.width)
    expect(widths).toEqual(["75%", "25%"])
  })

  it("never draws the developer's bar shorter than the verifier's", async () => {
    const { screen } = await showCard({ ac: { total: 2, passed: 2, checked: 0 } })
    const widths = [
      ...screen.getByTitle("2 of 2 criteria passed").element().querySelectorAll<HTMLElement>("[style]"),
    ].map(({ style }) => style.width)
    expect(widths).toEqual(["100%", "100%"])
  })

  it("counts agent hours in words", async () => {
    const { screen } = await showCard({ storyPoints: 1 })
    await expect.element(screen.getByTitle("1 agent hour")).toHaveTextContent("1 h")
    const half = await showCard({ storyPoints: 0.5 })
    await expect.element(half.screen.getByTitle("0.5 agent hours")).toHaveTextContent("0.5 h")
  })

  it.each<[Task["status"], boolean]>([
    ["open", true],
    ["assigned", true],
    ["in_progress", false],
    ["to_verify", false],
    ["done", false],
  ])("says in %s that it waits: %s", async (status, said) => {
    const { screen } = await showCard({ status, openDependencies: 2 })
    await expect.poll(() => screen.getByTitle("Waits for 2 tasks").elements().length > 0).toBe(said)
  })

  it("speaks Chinese where nothing has a plural", async () => {
    await setLanguage("zh")
    const { screen } = await showCard({ status: "open", openDependencies: 1, priority: "high" })
    await expect.element(screen.getByRole("img", { name: /高/ })).toBeVisible()
    await expect.element(screen.getByText(/1 个/)).toBeInTheDocument()
  })

  it("shows the holder", async () => {
    const { screen } = await showCard({ assignee: agentRef("Ada Lovelace") })
    await expect.element(screen.getByTitle("Ada Lovelace")).toBeVisible()
  })

  it("moves in when it has just come from another column, and only then", async () => {
    // The moment lasts as long as the test needs to draw the card.
    vi.useFakeTimers({ toFake: ["performance"] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    rememberMove("fresh")
    const fresh = await showCard({ uuid: "fresh" })
    expect(fresh.link.element().className).toContain("animate-arrive")
    const calm = await showCard({ uuid: "calm", title: "Calm" })
    expect(calm.screen.getByRole("link", { name: "Calm", exact: false }).element().className).not.toContain(
      "animate-arrive",
    )
  })
})

it.each([
  ["an overdue day", "open", "2020-01-02", /^KITCHEN-1234 Overdue/],
  ["that it was closed", "closed", null, /^KITCHEN-1234 Closed/],
] as const)("a narrow card cuts nothing in two, and keeps its id and %s", async (_, status, dueOn, kept) => {
  const task = taskRow({
    shortId: "KITCHEN-1234",
    status,
    dueOn,
    storyPoints: 12.5,
    openDependencies: 12,
    ac: { total: 14, passed: 10, checked: 12 },
  })
  const screen = await show(
    <div style={{ width: 220 }}>
      <Card task={task} stays={NO_STAYS} tabbable lifted={false} />
    </div>,
  )
  const facts = screen.container.querySelector<HTMLElement>("[data-facts]")
  const row = facts?.getBoundingClientRect()
  const shown = [...(facts?.children ?? [])].filter((each) => {
    const { top, bottom, right } = each.getBoundingClientRect()
    expect(right).toBeLessThanOrEqual(row?.right ?? 0)
    const inside = top >= (row?.top ?? 0) && bottom <= (row?.bottom ?? 0)
    expect(inside || top >= (row?.bottom ?? 0), each.textContent).toBe(true)
    return inside
  })
  expect(shown.map(({ textContent }) => textContent).join(" ")).toMatch(kept)
})

describe("who sits at a card", () => {
  const stays = ["one", "two", "three", "four"].map((name) =>
    stayRow({ uuid: name, sessionUuid: name, sessionName: name, heardAt: new Date().toISOString() }),
  )

  it("is shown by name up to two, beyond that how many more and who", async () => {
    const { screen, link } = await showCard({}, stays)
    await expect.element(screen.getByTitle("one · Ada")).toBeVisible()
    await expect.element(screen.getByTitle("two · Ada")).toBeVisible()
    await expect.element(screen.getByText("+2")).toHaveAttribute("title", "three, four")
    expect(link.element().textContent).not.toContain("three")
  })

  it("is not shown at work when nothing was heard for long, or its program died", async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const [busy, silent, lost] = [
      stayRow({ uuid: "busy", sessionName: "busy", heardAt: ago(1) }),
      stayRow({ uuid: "silent", sessionName: "silent", heardAt: ago(7) }),
      stayRow({ uuid: "lost", sessionName: "lost", checkoutAt: ago(1), checkoutReason: "session_lost" }),
    ]
    const { screen } = await showCard({ title: "Both" }, [busy, silent])
    const stay = (uuid: string) => screen.container.querySelector(`[data-stay="${uuid}"]`)?.textContent
    expect([stay("busy"), stay("silent")]).toEqual(["busy", expect.stringMatching(/^silentNot heard from since /)])
    const gone = await showCard({ title: "Gone" }, [lost])
    expect(gone.screen.container.querySelector("[data-stay=lost]")?.textContent).toMatch(/^lostNot heard from since /)
  })

  it("makes the card exactly as high as the board reckons", async () => {
    const alone = await showCard({ title: "Alone" })
    expect(alone.link.element().getBoundingClientRect().height).toBe(cardHeight(0))
    const busy = await showCard({ title: "Busy" }, stays.slice(0, 1))
    expect(busy.screen.getByRole("link", { name: "Busy", exact: false }).element().getBoundingClientRect().height).toBe(
      cardHeight(1),
    )
  })

  it("keeps its height with a title of any length", async () => {
    const { link } = await showCard(
      { title: "Donaudampfschifffahrtsgesellschaft ".repeat(9), ac: { total: 3, passed: 0, checked: 0 } },
      stays,
    )
    expect(link.element().getBoundingClientRect().height).toBe(cardHeight(4))
  })
})
