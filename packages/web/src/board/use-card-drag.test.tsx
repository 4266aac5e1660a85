import { useRef } from "react"
import { afterEach, describe, expect, it, vi } from "vitest"
import { show } from "../../test/stage.tsx"
import { useCardDrag } from "./use-card-drag.ts"

type Told = readonly ["lift" | "over" | "drop" | "click", ...unknown[]]

/** Two columns side by side with one card in the first; it writes down what it is told. */
function Board({ told, enabled }: { readonly told: Told[]; readonly enabled: boolean }) {
  const board = useRef<HTMLDivElement>(null)
  useCardDrag({
    board,
    enabled,
    onLift: (uuid) => told.push(["lift", uuid]),
    onOver: (column) => told.push(["over", column]),
    onDrop: (uuid, column) => told.push(["drop", uuid, column]),
  })
  const place = { width: 200, height: 300, flexShrink: 0 }
  return (
    <div
      ref={board}
      data-testid="board"
      style={{ position: "fixed", inset: "0 auto auto 0", display: "flex", width: 400, overflowX: "auto" }}
      onClick={() => told.push(["click"])}
    >
      <div data-column="open" style={place}>
        <a href="#card" data-card="c1" style={{ display: "block", width: 180, height: 60 }}>
          The card
        </a>
      </div>
      <div data-column="in_progress" style={place} />
      <div data-column="to_verify" style={place} />
    </div>
  )
}

async function showBoard(enabled = true) {
  const told: Told[] = []
  const screen = await show(<Board told={told} enabled={enabled} />)
  await expect.element(screen.getByText("The card")).toBeVisible()
  const board = screen.getByTestId("board").element() as HTMLElement
  const card = screen.getByText("The card").element() as HTMLElement
  return { told, screen, board, card, ghost: () => document.querySelector<HTMLElement>("body > a[aria-hidden]") }
}

function point(target: EventTarget, type: string, clientX: number, clientY: number, more: PointerEventInit = {}) {
  const event = new PointerEvent(type, {
    bubbles: true,
    cancelable: true,
    button: 0,
    pointerType: "mouse",
    clientX,
    clientY,
    ...more,
  })
  target.dispatchEvent(event)
  return event
}

afterEach(() => {
  // Else what swallows the click that ends a drag would wait for the next test's.
  if (vi.isFakeTimers()) vi.runOnlyPendingTimers()
  vi.useRealTimers()
})

describe("dragging by mouse", () => {
  it("lifts after a few pixels, tells each column once, and drops where the hand lets go", async () => {
    const { told, card, ghost } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 23, 22)
    expect(told).toEqual([])
    point(window, "pointermove", 30, 30)
    expect(told).toEqual([
      ["over", "open"],
      ["lift", "c1"],
    ])
    expect(ghost()?.textContent).toBe("The card")
    point(window, "pointermove", 250, 40)
    point(window, "pointermove", 260, 44)
    point(window, "pointerup", 260, 44)
    expect(told.slice(2)).toEqual([
      ["over", "in_progress"],
      ["drop", "c1", "in_progress"],
    ])
    expect(ghost()).toBeNull()
  })

  it("carries a copy under the pointer that hides nothing from it and is no card itself", async () => {
    const { card, ghost } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 120, 70)
    const copy = ghost()
    expect(copy?.dataset["card"]).toBeUndefined()
    expect(copy?.style.pointerEvents).toBe("none")
    expect(copy?.style.transform).toContain("translate(100px, 50px)")
    point(window, "pointerup", 120, 70)
  })

  it("swallows the click that ends it, and no later one", async () => {
    const { told, card } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 250, 40)
    point(window, "pointerup", 250, 40)
    card.click()
    expect(told.filter(([what]) => what === "click")).toEqual([])
    card.click()
    expect(told.filter(([what]) => what === "click")).toEqual([["click"]])
  })

  it("leaves a click alone that moved by a trembling hand only", async () => {
    const { told, card } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 22, 21)
    point(window, "pointerup", 22, 21)
    card.click()
    expect(told).toEqual([["click"]])
  })

  it.each([
    ["Escape", () => dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))],
    ["the browser taking the pointer away", () => point(window, "pointercancel", 0, 0)],
  ])("drops nowhere after %s", async (_, end) => {
    const { told, card, ghost } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 250, 40)
    end()
    expect(told.at(-1)).toEqual(["drop", "c1", undefined])
    expect(ghost()).toBeNull()
    point(window, "pointermove", 300, 40)
    expect(told.at(-1)).toEqual(["drop", "c1", undefined])
  })

  it("drops nowhere beside the board", async () => {
    const { told, card } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 700, 500)
    point(window, "pointerup", 700, 500)
    expect(told.at(-1)).toEqual(["drop", "c1", undefined])
  })

  it.each<[string, PointerEventInit]>([
    ["the right button", { button: 2 }],
    ["Ctrl held, which opens a new tab", { ctrlKey: true }],
    ["⌘ held, which opens a new tab", { metaKey: true }],
  ])("does not begin with %s", async (_, more) => {
    const { told, card } = await showBoard()
    point(card, "pointerdown", 20, 20, more)
    point(window, "pointermove", 250, 40)
    expect(told).toEqual([])
  })

  it("does not begin beside a card", async () => {
    const { told, board } = await showBoard()
    point(board, "pointerdown", 20, 200)
    point(window, "pointermove", 250, 40)
    expect(told).toEqual([])
  })

  it("does not begin for who may only look", async () => {
    const { told, card } = await showBoard(false)
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 250, 40)
    expect(told).toEqual([])
  })

  it("takes the copy away when the board goes in the middle of it", async () => {
    const { told, card, ghost, screen } = await showBoard()
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 250, 40)
    expect(ghost()).not.toBeNull()
    await screen.unmount()
    expect(ghost()).toBeNull()
    expect(told.at(-1)).toEqual(["drop", "c1", undefined])
  })

  it("scrolls on while the hand rests at the edge, and reaches the column beyond it", async () => {
    const { told, board, card } = await showBoard()
    expect(board.scrollLeft).toBe(0)
    point(card, "pointerdown", 20, 20)
    point(window, "pointermove", 390, 40)
    await expect.poll(() => board.scrollLeft).toBe(board.scrollWidth - board.clientWidth)
    expect(told.at(-1)).toEqual(["over", "to_verify"])
    point(window, "pointermove", 5, 40)
    await expect.poll(() => board.scrollLeft).toBe(0)
    point(window, "pointerup", 5, 40)
    expect(told.at(-1)).toEqual(["drop", "c1", "open"])
  })
})

describe("dragging by finger", () => {
  const touch = { pointerType: "touch" }

  it("begins when the finger rests on the card, and keeps the page and the menu still then", async () => {
    const { told, board, card } = await showBoard()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    point(card, "pointerdown", 20, 20, touch)
    vi.advanceTimersByTime(319)
    expect(told).toEqual([])
    vi.advanceTimersByTime(1)
    expect(told).toContainEqual(["lift", "c1"])
    const menu = new Event("contextmenu", { bubbles: true, cancelable: true })
    card.dispatchEvent(menu)
    expect(menu.defaultPrevented).toBe(true)
    const slide = new Event("touchmove", { bubbles: true, cancelable: true })
    board.dispatchEvent(slide)
    expect(slide.defaultPrevented).toBe(true)
    point(window, "pointerup", 20, 20, touch)
  })

  it("gives way to scrolling when the finger moves first", async () => {
    const { told, board, card } = await showBoard()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    point(card, "pointerdown", 20, 20, touch)
    point(window, "pointermove", 20, 60, touch)
    const slide = new Event("touchmove", { bubbles: true, cancelable: true })
    board.dispatchEvent(slide)
    expect(slide.defaultPrevented).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(told).toEqual([])
  })

  it("leaves the browser's menu to what is no held card", async () => {
    const { card } = await showBoard()
    const menu = new Event("contextmenu", { bubbles: true, cancelable: true })
    card.dispatchEvent(menu)
    expect(menu.defaultPrevented).toBe(false)
  })
})
