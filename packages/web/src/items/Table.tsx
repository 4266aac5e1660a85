import { useVirtualizer } from "@tanstack/react-virtual"
import { ArrowDown, ArrowUp } from "lucide-react"
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { classes } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { type Order, SORT_LABEL, type SortBy, type TableRow } from "./table.ts"
import { CELLS, TaskCells, TICK } from "./TaskCells.tsx"
import type { Choice } from "./use-choice.ts"

interface TableProps {
  readonly rows: readonly TableRow[]
  readonly order: Order
  readonly choice: Choice
  onOrder(by: SortBy): void
  onOpen(uuid: string): void
}

/** Where a row has two lines: a phone, and a tablet whose navigation leaves no more room. */
const PHONE = "(max-width: 899px)"
const ROW = "absolute inset-x-0 top-0 flex items-center gap-3 border-b border-line px-4 text-sm md:px-6"

/** Thousands of rows, of which those in sight are drawn; by keys as well: arrows walk, x or Space chooses, Enter opens. */
export function Table({ rows, order, choice, onOrder, onOpen }: TableProps) {
  const text = useText()
  const scroller = useRef<HTMLDivElement>(null)
  const phone = useMedia(PHONE)
  const [active, setActive] = useState(0)
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.kind === "task" && phone ? 56 : 37),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    paddingEnd: 24,
  })
  useEffect(() => view.measure(), [view, rows, phone])
  const firstTask = rows.findIndex(({ kind }) => kind === "task")
  const tabbable = rows[active]?.kind === "task" ? active : firstTask

  const go = (to: number, step: 1 | -1) => {
    let at = Math.min(rows.length - 1, Math.max(0, to))
    while (rows[at]?.kind === "group") at += step
    if (rows[at] === undefined) return undefined
    setActive(at)
    view.scrollToIndex(at, { align: "auto" })
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus())
    return rows[at]
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Number(rowOf(event.target)?.dataset["at"] ?? -1)
    const row = rows[at]
    if (row?.kind !== "task" || !(event.target instanceof HTMLElement)) return
    const { uuid } = row.task
    const mod = event.ctrlKey || event.metaKey
    const act: Record<string, () => void> = {
      ArrowDown: () => walk(at + 1, 1),
      j: () => walk(at + 1, 1),
      ArrowUp: () => walk(at - 1, -1),
      k: () => walk(at - 1, -1),
      Home: () => void go(0, 1),
      End: () => void go(rows.length - 1, -1),
      PageDown: () => void go(at + 15, -1),
      PageUp: () => void go(at - 15, 1),
      Enter: () => onOpen(uuid),
      x: () => choice.toggle(uuid),
      " ": () => choice.toggle(uuid, { through: event.shiftKey }),
      Escape: () => choice.clear(),
    }
    const walk = (to: number, step: 1 | -1) => {
      const next = go(to, step)
      if (!event.shiftKey || next?.kind !== "task") return
      if (!choice.has(uuid)) choice.toggle(uuid)
      else choice.toggle(next.task.uuid, { through: true })
    }
    const doing = mod ? (event.key === "a" ? () => choice.all() : undefined) : act[event.key]
    if (doing === undefined || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    doing()
  }
  const onClick = (event: MouseEvent) => {
    const row = rows[Number(rowOf(event.target)?.dataset["at"] ?? -1)]
    if (row?.kind !== "task" || event.metaKey || event.ctrlKey) return
    if (event.target instanceof Element && event.target.closest("[data-choose]") !== null) {
      choice.toggle(row.task.uuid, { through: event.shiftKey })
      return
    }
    event.preventDefault()
    onOpen(row.task.uuid)
  }
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={text("items.list")}
      aria-rowcount={rows.length + 1}
      aria-multiselectable
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="@container min-h-0 flex-1 overflow-auto overscroll-contain"
    >
      <Heads order={order} onOrder={onOrder} choice={choice} />
      <div role="rowgroup" className="relative" style={{ height: view.getTotalSize() }} onClick={onClick}>
        {view.getVirtualItems().map(({ index, key, start, size }) => {
          const row = rows[index]
          if (row === undefined) return null
          const place = { transform: `translateY(${start}px)`, height: size }
          if (row.kind === "group") return <Group key={key} row={row} style={place} at={index} />
          const chosen = choice.has(row.task.uuid)
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={chosen}
              data-at={index}
              data-row={row.task.uuid}
              tabIndex={index === tabbable ? 0 : -1}
              onFocus={() => setActive(index)}
              style={place}
              className={classes(
                ROW,
                "cursor-pointer focus-visible:-outline-offset-2",
                chosen ? "bg-accent-soft" : "hover:bg-hover",
              )}
            >
              <TaskCells task={row.task} chosen={chosen} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Heads({ order, choice, onOrder }: Pick<TableProps, "order" | "choice" | "onOrder">) {
  const text = useText()
  const Arrow = order.down ? ArrowDown : ArrowUp
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="sticky top-0 z-10 flex h-9 items-center gap-3 border-b border-line bg-surface px-4 text-xs font-medium text-faint md:px-6"
    >
      <span role="columnheader" className="-m-2 flex w-8 shrink-0 p-2">
        <input
          type="checkbox"
          ref={(box) => {
            if (box !== null) box.indeterminate = choice.tasks.length > 0 && !choice.whole
          }}
          checked={choice.whole}
          onChange={choice.whole ? choice.clear : choice.all}
          aria-label={text("items.chooseAll")}
          className={TICK}
        />
      </span>
      {CELLS.map(({ by, className }) => (
        <span
          key={by}
          role="columnheader"
          aria-sort={order.by === by ? (order.down ? "descending" : "ascending") : "none"}
          className={className}
        >
          <button
            type="button"
            onClick={() => onOrder(by)}
            className="inline-flex cursor-pointer items-center gap-1 rounded-sm hover:text-ink"
          >
            {text(SORT_LABEL[by])}
            {order.by === by && <Arrow aria-hidden className="size-3" />}
          </button>
        </span>
      ))}
    </div>
  )
}

interface GroupProps {
  readonly row: Extract<TableRow, { kind: "group" }>
  readonly at: number
  readonly style: { readonly transform: string; readonly height: number }
}

function Group({ row, at, style }: GroupProps) {
  const text = useText()
  const format = useFormat()
  return (
    <div role="row" aria-rowindex={at + 2} style={style} className={classes(ROW, "bg-canvas font-medium")}>
      <span role="gridcell" className="flex min-w-0 items-baseline gap-2">
        <span className="truncate">{row.name ?? text("items.none")}</span>
        <span className="text-xs text-faint tabular-nums">{format.number(row.count)}</span>
      </span>
    </div>
  )
}

function rowOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query)
      media.addEventListener("change", listener)
      return () => media.removeEventListener("change", listener)
    },
    () => matchMedia(query).matches,
  )
}
