import { commands, type Locator, page } from "vitest/browser"

declare module "vitest/browser" {
  interface BrowserCommands {
    /** Moves the mouse to a point of the window and presses it. */
    pressAt(x: number, y: number): Promise<void>
    /** Taps a point of the window with a finger. */
    tapAt(x: number, y: number): Promise<void>
  }
}

const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"] as const
const PATIENCE_MS = 60_000
const LOOK_MS = 30
// As they are before a test takes their place.
const { setTimeout, requestAnimationFrame, performance } = globalThis

/**
 * The driver of the browser talks with it a dozen times about each click, which was a tenth of the work of all tests.
 * So the page itself waits until a thing can be reached, only the press comes from outside, and one that would hit
 * something else is held off.
 */
export function pressFromWithin(): void {
  const prototype = Object.getPrototypeOf(page.getByText("")) as { click: Locator["click"] }
  const { click } = prototype
  prototype.click = async function (this: Locator, options) {
    if (options !== undefined) return click.call(this, options)
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      // A menu that has opened milliseconds ago is not settled; the driver is as slow as a hand.
      if (this.query()?.closest("[role=menu]")) return click.call(this)
      if (await pressed(this)) return
      if (performance.now() > deadline) throw new Error(`${this.selector}: ${whyNot(this.element())}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}

/** Presses what stands still in sight with nothing over it; says whether it could. */
async function pressed(locator: Locator): Promise<boolean> {
  const element = locator.query()
  if (element === null || element.matches(":disabled")) return false
  if (pointIn(element) === undefined) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  const before = pointIn(element)
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const point = pointIn(element)
  return point !== undefined && point.x === before?.x && point.y === before.y && press(element, point)
}

function whyNot(element: Element): string {
  if (element.matches(":disabled")) return "it stayed disabled"
  return pointIn(element) === undefined ? "it stayed out of sight or under something else" : "it did not stand still"
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Where it can be touched; none where it is out of sight or covered. */
function pointIn(element: Element): Point | undefined {
  const { left, top, width, height } = element.getClientRects()[0] ?? new DOMRect()
  const point = { x: left + width / 2, y: top + height / 2 }
  return width > 0 && height > 0 && isOn(element, document.elementFromPoint(point.x, point.y)) ? point : undefined
}

/** A label stands for what it names. */
function isOn(element: Element, hit: EventTarget | null): boolean {
  return hit instanceof Element && (element.contains(hit) || hit.closest("label")?.control === element)
}

/**
 * One that no event of reached the page, or whose click fell beside the element because the page moved under the mouse,
 * has done nothing and is made again. What acts on the press itself keeps the click from coming, or is gone by then.
 */
async function press(element: Element, { x, y }: Point): Promise<boolean> {
  let down: Event | undefined
  let clicked = false
  const guard = (event: Event) => {
    const hit = isOn(element, event.target)
    if (event.type === "pointerdown" && hit) down = event
    if (event.type === "click" && hit) clicked = true
    if (down !== undefined) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  for (const kind of KINDS) addEventListener(kind, guard, { capture: true })
  await pressPoint({ x, y })
  for (const kind of KINDS) removeEventListener(kind, guard, { capture: true })
  return clicked || (down !== undefined && (down.defaultPrevented || !element.isConnected))
}

/** Presses whatever is at a point of the page. */
export async function pressPoint(point: Point): Promise<void> {
  window.focus()
  const { x, y } = inWindow(point)
  await commands.pressAt(x, y)
}

/** Taps whatever is at a point of the page. */
export async function tapPoint(point: Point): Promise<void> {
  const { x, y } = inWindow(point)
  await commands.tapAt(x, y)
}

function inWindow({ x, y }: Point): Point {
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect()
  const scale = frame.width / innerWidth
  return { x: frame.x + x * scale, y: frame.y + y * scale }
}
