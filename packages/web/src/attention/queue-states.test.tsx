import { beforeEach, describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { answer, becomeGuest, hold, refuse } from "../../test/guest.ts"
import { openMachine, terminal } from "../../test/machine-room.ts"
import { attentionRow, waitingItem } from "../../test/rows.ts"
import { openPage, show } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { hire, makeProject } from "../../test/workplace.ts"
import { setLanguage } from "../i18n/language.ts"
import type { Item } from "./decide.ts"
import { useTitleCount } from "./use-needs-you.ts"
import { WaitingCard } from "./WaitingCard.tsx"

const NOTHING = { elaboration: 0, proposal: 0, task: 0, attention: 0 }

function waits(...items: readonly Partial<Item>[]) {
  const all = items.map((item, at) =>
    waitingItem({
      uuid: `u${at}`,
      title: `Work ${at}`,
      projectUuid: "p1",
      projectName: "House",
      since: new Date().toISOString(),
      ...item,
    }),
  )
  return { items: all, counts: { ...NOTHING, task: all.length }, total: all.length }
}

function asks(kind: "permission" | "input" | "plan" | "shutdown", changes = {}): Partial<Item> {
  const attention = attentionRow({ kind, title: "May I", ...changes })
  return { kind: "attention", uuid: "a1", title: "May I", projectUuid: null, projectName: null, attention }
}

describe("a queue in which nothing waits", () => {
  beforeEach(() => answer("chorus_needs_you", () => waits()))

  it("says what will come, to who has agents", async () => {
    await hire()
    const { screen } = await openPage("/")
    await expect.element(screen.getByRole("heading", { name: "Nothing needs you" })).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Connect your first agent" })).not.toBeInTheDocument()
    await expect.element(screen.getByText("0 things wait for you")).toBeInTheDocument()
  })

  it("says which machine is not heard from, whose agents may wait all the same", async () => {
    const { machine, tell } = await openMachine()
    const lost = { state: "unknown", source: "server:silence", since: Date.now() - 150_000 } as const
    await tell({ terminals: [terminal("asks", lost), terminal("beside", lost)] })
    const { screen } = await openPage("/")
    await expect
      .element(screen.getByText(`${machine} has not been heard from for 2 min.`, { exact: false }))
      .toBeVisible()
    await expect.element(screen.getByRole("heading", { name: "Nothing needs you" })).not.toBeInTheDocument()
    await tell({ terminals: [terminal("asks"), terminal("beside")] })
    await expect.element(screen.getByText(machine, { exact: false })).not.toBeInTheDocument()
  })

  it("leads to the first agent where there is a project and no agent", async () => {
    await makeProject()
    answer("chorus_list_agents", () => ({ agents: [], returned: 0, page: 1, pageSize: 1, total: 0 }))
    const { router, screen } = await openPage("/")
    await screen.getByRole("button", { name: "Connect your first agent" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/welcome")
  })

  it("welcomes who has neither agents nor projects", async () => {
    answer("chorus_list_agents", () => ({ agents: [], returned: 0, page: 1, pageSize: 1, total: 0 }))
    answer("chorus_list_projects", () => ({ projects: [], returned: 0, page: 1, pageSize: 100, total: 0 }))
    const { router } = await openPage("/")
    await expect.poll(() => router.state.location.pathname).toBe("/welcome")
  })

  it("takes no key", async () => {
    const { router, screen } = await openPage("/")
    await expect.element(screen.getByRole("heading", { name: "Nothing needs you" })).toBeVisible()
    await userEvent.keyboard("jkar{Enter}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    expect(router.state.location.pathname).toBe("/")
  })
})

describe("a queue on its way", () => {
  it("is said to be loading, and is there when it comes", async () => {
    answer("chorus_needs_you", () => waits({ title: "Lay the wire" }))
    const release = hold("chorus_needs_you")
    const { screen } = await openPage("/")
    await expect.element(screen.getByRole("main").getByRole("status", { name: "Loading" })).toBeVisible()
    release()
    await expect.element(screen.getByText("Lay the wire")).toBeVisible()
    await expect.element(screen.getByRole("main").getByRole("status", { name: "Loading" })).not.toBeInTheDocument()
  })

  it("that cannot come says why and what to do, and comes when asked again", async () => {
    answer("chorus_needs_you", () => waits({ title: "Lay the wire" }))
    const allow = refuse("chorus_needs_you", {
      code: "store_full",
      message: "The disk is full.",
      next: "Make room, then try again.",
    })
    const { screen } = await openPage("/")
    await expect.element(screen.getByRole("alert")).toMatchTextContent("The disk is full.Make room, then try again.")
    allow()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByText("Lay the wire")).toBeVisible()
  })
})

describe("the number of what waits", () => {
  it.each([
    [1, "1 thing waits for you", "有 1 件事等你处理"],
    [2, "2 things wait for you", "有 2 件事等你处理"],
  ])("is said as one says it: %i", async (count, english, chinese) => {
    answer("chorus_needs_you", () => waits(...Array.from({ length: count }, () => ({}))))
    const { screen } = await openPage("/")
    await expect.element(screen.getByText(english)).toBeInTheDocument()
    await setLanguage("zh")
    await expect.element(screen.getByText(chinese)).toBeInTheDocument()
  })

  it("stands in the window's title, so that it is seen from another tab", async () => {
    const before = document.title
    const screen = await show(<Titled total={3} />)
    await expect.poll(() => document.title).toBe("(3) Chorus")
    await screen.unmount()
    const none = await show(<Titled total={0} />)
    await expect.poll(() => document.title).toBe("Chorus")
    await none.unmount()
    document.title = before
  })
})

describe("a decision", () => {
  it("is seen at once, and taken back with the reason when the server refuses it", async () => {
    answer("chorus_needs_you", () => waits({ title: "Lay the wire" }, { title: "Hang the lamp" }))
    refuse(
      "chorus_admin_reopen_task",
      { code: "task_changed", message: "Somebody was faster.", next: "Look at the task." },
      409,
    )
    const release = hold("chorus_admin_reopen_task")
    const { screen } = await openPage("/")
    const cards = () =>
      [...document.querySelectorAll("main li")].map((card) => card.querySelector("button")?.textContent)
    await screen.getByRole("button", { name: "Send back" }).first().click()
    await screen.getByRole("textbox", { name: "Reason" }).fill("Not yet")
    await screen.getByRole("dialog").getByRole("button", { name: "Send back" }).click()
    await expect.poll(cards).toEqual(["Hang the lamp"])
    await letStand("Sending back: Lay the wire")
    release()
    await expect.element(screen.getByRole("alert")).toMatchTextContent("Somebody was faster.Look at the task.")
    await expect.poll(() => screen.container.ownerDocument.querySelectorAll("main li").length).toBe(2)
  })

  it("is not offered to a viewer", async () => {
    answer("chorus_needs_you", () => waits({ title: "Lay the wire" }))
    await becomeGuest("viewer")
    const { screen } = await openPage("/")
    await expect.element(screen.getByText("Lay the wire").first()).toBeVisible()
    for (const name of ["Verify", "Send back"])
      await expect.element(screen.getByRole("button", { name })).not.toBeInTheDocument()
  })
})

describe("a card", () => {
  const card = (changes: Partial<Item>) => {
    const [item] = waits(changes).items
    if (item === undefined) throw new Error("nothing waits")
    const nothing = () => undefined
    return show(
      <ul>
        <WaitingCard
          item={item}
          disabled={false}
          onOpen={nothing}
          onShow={nothing}
          onAccept={nothing}
          onRefuse={nothing}
          onAnswer={async () => true}
        />
      </ul>,
    )
  }

  it.each([
    ["permission", "Asks for permission", ["Deny", "Allow"]],
    ["plan", "Plan to approve", ["Reject", "Approve"]],
    ["shutdown", "Asks to stop", ["Reject", "Approve"]],
    ["input", "Input needed", ["Send answer"]],
  ] as const)("of the kind %s says so and offers its own answers", async (kind, name, buttons) => {
    const screen = await card(asks(kind))
    await expect.element(screen.getByText(name)).toBeVisible()
    expect(
      screen
        .getByRole("button")
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(["May I", ...buttons])
  })

  it("shows what an agent wants as it is, and lets long things scroll", async () => {
    const screen = await card(
      asks("permission", {
        detail: { command: "<b>rm</b> -rf", input: { deep: [1, 2] }, empty: "", text: "x".repeat(5000) },
      }),
    )
    const details = screen.getByLabelText("What it wants to do")
    expect(details.element().scrollWidth).toBe(details.element().clientWidth)
    await expect.element(details.getByText("<b>rm</b> -rf")).toBeVisible()
    expect(screen.container.querySelector("b")).toBeNull()
    await expect.element(details.getByText("empty")).not.toBeInTheDocument()
    expect(details.element().scrollHeight).toBeGreaterThan(details.element().clientHeight)
    await expect.element(details).toHaveAttribute("tabindex", "0")
    await screen.getByText("Show everything it sends").click()
    await expect.element(screen.getByText('"deep"', { exact: false })).toBeVisible()
  })

  it("says since when it waits, in the reader's language", async () => {
    const since = new Date(Date.now() - 3 * 86_400_000 - 60_000).toISOString()
    const screen = await card({ since, from: { type: "agent", uuid: "a", name: "Ada" } })
    await expect.element(screen.getByRole("time")).toHaveTextContent("3 days ago")
    await setLanguage("zh")
    await expect.element(screen.getByRole("time")).toHaveTextContent("3天前")
  })
})

function Titled({ total }: { readonly total: number }) {
  useTitleCount(total, "Chorus")
  return null
}
