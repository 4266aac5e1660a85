import { type RefObject, useEffect, useRef } from "react"
import type { ColumnId } from "./columns.ts"

interface CardDragOptions {
  readonly board: RefObject<HTMLElement | null>
  readonly enabled: boolean
  onLift(uuid: string): void
  onOver(column: ColumnId | undefined): void
  onDrop(uuid: string, column: ColumnId | undefined): void
}

const SLACK_PX = 6
const HOLD_MS = 320
const EDGE_PX = 48
const EDGE_STEP_PX = 8

interface Point {
  readonly clientX: number
  readonly clientY: number
}

interface Press {
  readonly card: HTMLElement
  readonly uuid: string
  readonly x: number
  readonly y: number
  ghost: HTMLElement | undefined
  over: ColumnId | undefined
  /** Where the pointer is now. */
  at: Point
  hold: ReturnType<typeof setTimeout> | undefined
}

/** Dragging cards by mouse, pen or a held finger. The copy under the pointer is moved without drawing the page anew. */
export function useCardDrag(options: CardDragOptions): void {
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  useEffect(() => {
    const board = options.board.current
    if (board === null) return
    let press: Press | undefined

    const lift = (event: Point) => {
      if (press === undefined) return
      press.ghost = ghostOf(press.card)
      // Snapping to columns would pull the board back while it is scrolled by the hand at its edge.
      board.style.scrollSnapType = "none"
      follow(event)
      requestAnimationFrame(keepScrolling)
      latest.current.onLift(press.uuid)
    }
    /** Also while the hand rests at the edge: on a phone the next column lies beyond it. */
    const keepScrolling = () => {
      if (press?.ghost === undefined) return
      if (scrollAtEdge(board, press.at.clientX)) follow(press.at)
      requestAnimationFrame(keepScrolling)
    }
    const follow = (point: Point) => {
      if (press?.ghost === undefined) return
      const { clientX, clientY } = point
      press.at = point
      press.ghost.style.transform = `translate(${clientX - press.x}px, ${clientY - press.y}px) rotate(1.5deg)`
      const over = columnAt(clientX, clientY)
      if (over === press.over) return
      press.over = over
      latest.current.onOver(over)
    }
    const end = (drop: boolean) => {
      if (press === undefined) return
      clearTimeout(press.hold)
      const { ghost, uuid, over } = press
      press = undefined
      if (ghost === undefined) return
      ghost.remove()
      board.style.scrollSnapType = ""
      latest.current.onDrop(uuid, drop ? over : undefined)
      // The click that ends a drag opens nothing.
      addEventListener("click", swallow, { capture: true, once: true })
      setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50)
    }
    const down = (event: PointerEvent) => {
      const card = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-card]") : null
      if (card === null || event.button !== 0 || !latest.current.enabled || event.metaKey || event.ctrlKey) return
      press = {
        card,
        uuid: card.dataset["card"] ?? "",
        x: event.clientX,
        y: event.clientY,
        ghost: undefined,
        over: undefined,
        at: { clientX: event.clientX, clientY: event.clientY },
        hold: undefined,
      }
      if (event.pointerType === "touch") press.hold = setTimeout(() => lift(event), HOLD_MS)
    }
    const move = (event: PointerEvent) => {
      if (press === undefined) return
      if (press.ghost !== undefined) {
        follow(event)
        return
      }
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < SLACK_PX) return
      if (event.pointerType === "touch") end(false)
      else lift(event)
    }
    const up = () => end(true)
    const cancel = () => end(false)
    const escape = (event: KeyboardEvent) => event.key === "Escape" && end(false)
    // A held finger means dragging, not the menu that a browser opens for a link.
    const menu = (event: Event) => press?.hold !== undefined && event.preventDefault()
    const touchMove = (event: TouchEvent) => press?.ghost !== undefined && event.preventDefault()

    board.addEventListener("pointerdown", down)
    board.addEventListener("touchmove", touchMove, { passive: false })
    board.addEventListener("contextmenu", menu)
    addEventListener("pointermove", move)
    addEventListener("pointerup", up)
    addEventListener("pointercancel", cancel)
    addEventListener("keydown", escape)
    return () => {
      end(false)
      board.removeEventListener("pointerdown", down)
      board.removeEventListener("touchmove", touchMove)
      board.removeEventListener("contextmenu", menu)
      removeEventListener("pointermove", move)
      removeEventListener("pointerup", up)
      removeEventListener("pointercancel", cancel)
      removeEventListener("keydown", escape)
    }
  }, [options.board])
}

function ghostOf(card: HTMLElement): HTMLElement {
  const { left, top, width } = card.getBoundingClientRect()
  const ghost = card.cloneNode(true) as HTMLElement
  ghost.removeAttribute("data-card")
  ghost.setAttribute("aria-hidden", "true")
  Object.assign(ghost.style, {
    position: "fixed",
    left: `${left}px`,
    top: `${top}px`,
    width: `${width}px`,
    zIndex: "50",
    pointerEvents: "none",
    boxShadow: "var(--shadow-raised)",
    transition: "none",
  })
  document.body.append(ghost)
  return ghost
}

function columnAt(x: number, y: number): ColumnId | undefined {
  return document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-column]")?.dataset["column"] as
    | ColumnId
    | undefined
}

/** Says whether it scrolled. */
function scrollAtEdge(board: HTMLElement, x: number): boolean {
  const { left, right } = board.getBoundingClientRect()
  const step = x < left + EDGE_PX ? -EDGE_STEP_PX : x > right - EDGE_PX ? EDGE_STEP_PX : 0
  if (step === 0) return false
  const before = board.scrollLeft
  board.scrollLeft += step
  return board.scrollLeft !== before
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
