import { useVirtualizer } from "@tanstack/react-virtual"
import { useContext, useEffect, useRef } from "react"
import { classes, StatusIcon } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { BoardContext, type Drag } from "./board-state.ts"
import { Card, cardHeight, NO_STAYS } from "./Card.tsx"
import { type ColumnId, COLUMNS, type Task } from "./columns.ts"
import { DropHint } from "./DropHint.tsx"
import { moveTo } from "./moves.ts"
import { useCardFocus } from "./use-card-focus.ts"

interface ColumnProps {
  readonly id: ColumnId
  readonly tasks: readonly Task[]
}

/** One column; only the cards in sight are drawn. */
export function Column({ id, tasks }: ColumnProps) {
  const text = useText()
  const { staysOf, marks, drag, tabbable, focus } = useContext(BoardContext)
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const task = tasks[index]
      return cardHeight(staysOf.get(task?.uuid ?? "")?.length ?? 0, task?.labels.length)
    },
    getItemKey: (index) => tasks[index]?.uuid ?? index,
    overscan: 4,
    gap: 8,
    paddingStart: 2,
    paddingEnd: 16,
  })
  useEffect(() => rows.measure(), [rows, tasks, staysOf])
  const at = focus === undefined ? -1 : tasks.findIndex(({ uuid }) => uuid === focus.uuid)
  useCardFocus(focus, at < 0 ? undefined : { at, where: id }, (index) => rows.scrollToIndex(index, { align: "auto" }))
  return (
    <section
      aria-labelledby={`column-${id}`}
      data-column={id}
      className={classes(
        "flex min-h-0 min-w-0 snap-start flex-col rounded-xl border transition-colors duration-100",
        dropLook(id, drag),
      )}
    >
      <ColumnHead id={id} count={tasks.length} />
      <div ref={scroller} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2">
        <DropHint id={id} drag={drag} />
        {tasks.length === 0 && drag === undefined && (
          <p className="rounded-lg border border-dashed border-line px-3 py-6 text-center text-xs text-faint">
            {text("board.columnEmpty")}
          </p>
        )}
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const task = tasks[index]
            return (
              task !== undefined && (
                <li key={key} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
                  <Card
                    task={task}
                    mark={marks.get(task.uuid)}
                    stays={staysOf.get(task.uuid) ?? NO_STAYS}
                    tabbable={tabbable === task.uuid}
                    lifted={drag?.task.uuid === task.uuid}
                  />
                </li>
              )
            )
          })}
        </ul>
      </div>
    </section>
  )
}

export function ColumnHead({ id, count }: { readonly id: ColumnId; readonly count: number }) {
  const text = useText()
  const format = useFormat()
  const column = COLUMNS.find((each) => each.id === id)
  if (column === undefined) return null
  return (
    <header className="flex h-10 shrink-0 items-center gap-2 px-3">
      <StatusIcon tone={column.tone} />
      <h2 id={`column-${id}`} className="text-sm font-semibold">
        {text(column.label)}
      </h2>
      <span className="text-xs text-faint tabular-nums">{format.number(count)}</span>
    </header>
  )
}

export function dropLook(id: ColumnId, drag: Drag | undefined): string {
  if (drag === undefined) return "border-transparent bg-canvas"
  if (!moveTo(drag.task, id).may) return "border-transparent bg-canvas opacity-60"
  return drag.over === id ? "border-accent bg-accent-soft" : "border-dashed border-line-strong bg-canvas"
}
