import { type KeyboardEvent, useState } from "react"
import { useText } from "../i18n/language.ts"
import { cardBeside, columnBeside, type Direction, firstCard } from "./card-steps.ts"
import { type ColumnId, type Columns, columnOf, COLUMNS, type Task } from "./columns.ts"
import { WHY } from "./DropHint.tsx"
import { moveTo } from "./moves.ts"

interface BoardKeysOptions {
  readonly columns: Columns
  readonly lifted: { readonly task: Task; readonly over: ColumnId | undefined } | undefined
  readonly enabled: boolean
  onLift(task: Task | undefined, over?: ColumnId): void
  onDrop(task: Task, column: ColumnId): void
}

const STEPS: Record<string, Direction> = {
  ArrowUp: "up",
  k: "up",
  ArrowDown: "down",
  j: "down",
  ArrowLeft: "left",
  h: "left",
  ArrowRight: "right",
  l: "right",
}

/** The board by keys alone: arrows or h j k l walk, Space picks up and drops, Escape puts back; all of it said aloud. */
export function useBoardKeys({ columns, lifted, enabled, onLift, onDrop }: BoardKeysOptions) {
  const text = useText()
  const [said, setSaid] = useState("")
  const [active, setActive] = useState<string>()
  const [focus, setFocus] = useState<{ readonly uuid: string }>()
  const label = (id: ColumnId) => text(COLUMNS.find((column) => column.id === id)?.label ?? "board.open")
  const find = (uuid: string) => COLUMNS.flatMap(({ id }) => columns[id]).find((task) => task.uuid === uuid)
  const tabbable = active !== undefined && find(active) !== undefined ? active : firstCard(columns)

  const go = (uuid: string | undefined) => {
    if (uuid === undefined) return
    setActive(uuid)
    setFocus({ uuid })
  }
  const carry = (task: Task, over: ColumnId, direction: Direction) => {
    if (direction === "up" || direction === "down") return
    const next = columnBeside(over, direction)
    if (next === undefined) return
    onLift(task, next)
    const move = moveTo(task, next)
    setSaid(
      move.may
        ? text("board.over", { column: label(next) })
        : text("board.overNo", { column: label(next), why: text(WHY[move.why]) }),
    )
  }
  const drop = (task: Task, column: ColumnId) => {
    onLift(undefined)
    if (!moveTo(task, column).may) {
      setSaid(text("board.putBack", { title: task.title }))
      return
    }
    onDrop(task, column)
    setSaid(text("board.dropped", { title: task.title, column: label(column) }))
    go(task.uuid)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const uuid =
      event.target instanceof Element ? event.target.closest<HTMLElement>("[data-card]")?.dataset["card"] : undefined
    const task = uuid === undefined ? undefined : find(uuid)
    if (task === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    const direction = STEPS[event.key]
    const carried = lifted?.task.uuid === uuid ? lifted : undefined
    const place = carried?.over ?? columnOf(task.status)
    if (direction !== undefined) {
      event.preventDefault()
      if (carried !== undefined) carry(task, place, direction)
      else go(cardBeside(columns, uuid, direction))
    } else if (event.key === " " || (event.key === "Enter" && carried !== undefined)) {
      event.preventDefault()
      if (carried !== undefined) drop(task, place)
      else if (enabled) {
        onLift(task, place)
        setSaid(text("board.lifted", { title: task.title }))
      }
    } else if (event.key === "Escape" && carried !== undefined) {
      event.preventDefault()
      onLift(undefined)
      setSaid(text("board.putBack", { title: task.title }))
    }
  }
  /** The focus went where the person sent it; a card that moves on no longer takes it along. */
  const letGo = (to: string | undefined) => setFocus((now) => (now?.uuid === to ? now : undefined))
  return { onKeyDown, tabbable, focus, said, setActive, letGo }
}
