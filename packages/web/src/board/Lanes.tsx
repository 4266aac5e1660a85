import { useVirtualizer } from "@tanstack/react-virtual"
import { ChevronDown, ChevronRight } from "lucide-react"
import { useContext, useEffect, useMemo, useRef, useState } from "react"
import { classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { BoardContext } from "./board-state.ts"
import { Card, cardHeight, NO_STAYS } from "./Card.tsx"
import { ColumnHead, dropLook } from "./Column.tsx"
import { type Columns, COLUMNS, type Lane, type LaneBy, type Task } from "./columns.ts"
import { type CardPlace, useCardFocus } from "./use-card-focus.ts"

interface LanesProps {
  readonly lanes: readonly Lane[]
  readonly by: LaneBy
  readonly totals: Columns
}

type Row =
  | { readonly kind: "head"; readonly lane: Lane }
  | { readonly kind: "cards"; readonly lane: Lane; readonly tasks: readonly (Task | undefined)[] }

const HEAD_HEIGHT = 40
const GAP = 8
const GRID = "grid grid-cols-[repeat(4,minmax(232px,1fr))] gap-3"

/** The board cut into lanes that can be folded; drawn row by row, so that length costs nothing. */
export function Lanes({ lanes, by, totals }: LanesProps) {
  const text = useText()
  const { staysOf, marks, drag, tabbable, focus } = useContext(BoardContext)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => lanes.flatMap((lane) => rowsOf(lane, folded.has(lane.key))), [lanes, folded])
  const heightOf = (row: Row | undefined) => {
    if (row === undefined || row.kind === "head") return HEAD_HEIGHT
    return (
      Math.max(
        ...row.tasks.map((task) => cardHeight(staysOf.get(task?.uuid ?? "")?.length ?? 0, task?.labels.length)),
      ) + GAP
    )
  }
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: (index) => keyOf(rows[index], index),
    overscan: 4,
    paddingEnd: 24,
  })
  useEffect(() => view.measure(), [view, rows, staysOf])
  useCardFocus(focus, focus && placeOf(rows, focus.uuid), (at) => view.scrollToIndex(at, { align: "auto" }))
  const toggle = (key: string) =>
    setFolded((now) => (now.has(key) ? new Set([...now].filter((each) => each !== key)) : new Set([...now, key])))
  return (
    <div ref={scroller} tabIndex={-1} className="min-h-0 flex-1 overflow-auto px-4 md:px-6">
      <div className={classes(GRID, "sticky top-0 z-10 bg-surface py-1")}>
        {COLUMNS.map(({ id }) => (
          <div key={id} data-column={id} className={classes("rounded-lg border", dropLook(id, drag))}>
            <ColumnHead id={id} count={totals[id].length} />
          </div>
        ))}
      </div>
      <div className="relative min-w-fit" style={{ height: view.getTotalSize() }}>
        {view.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const name = row.lane.name ?? text(by === "proposal" ? "board.laneNoProposal" : "board.laneNobody")
          return (
            <div key={key} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
              {row.kind === "head" ? (
                <LaneHead
                  name={name}
                  count={row.lane.count}
                  folded={folded.has(row.lane.key)}
                  onToggle={() => toggle(row.lane.key)}
                />
              ) : (
                <div className={classes(GRID, "pb-2")}>
                  {COLUMNS.map(({ id }, at) => {
                    const task = row.tasks[at]
                    return (
                      <div key={id} data-column={id} className={classes("min-w-0", drag !== undefined && "rounded-lg")}>
                        {task !== undefined && (
                          <Card
                            task={task}
                            mark={marks.get(task.uuid)}
                            stays={staysOf.get(task.uuid) ?? NO_STAYS}
                            tabbable={tabbable === task.uuid}
                            lifted={drag?.task.uuid === task.uuid}
                          />
                        )}
                      </div>
                    )
                  })}
                </div>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface LaneHeadProps {
  readonly name: string
  readonly count: number
  readonly folded: boolean
  onToggle(): void
}

function LaneHead({ name, count, folded, onToggle }: LaneHeadProps) {
  const Chevron = folded ? ChevronRight : ChevronDown
  return (
    <h3 className="flex h-10 items-center">
      <button
        type="button"
        aria-expanded={!folded}
        onClick={onToggle}
        className="sticky left-0 flex cursor-pointer items-center gap-1.5 rounded-md py-1 pr-2 text-sm font-semibold hover:bg-hover"
      >
        <Chevron aria-hidden className="size-4 text-faint" />
        {name}
        <span className="text-xs font-normal text-faint tabular-nums">{count}</span>
      </button>
    </h3>
  )
}

function rowsOf(lane: Lane, folded: boolean): Row[] {
  if (folded) return [{ kind: "head", lane }]
  const length = Math.max(...COLUMNS.map(({ id }) => lane.columns[id].length))
  const cards = Array.from({ length }, (_, row): Row => ({
    kind: "cards",
    lane,
    tasks: COLUMNS.map(({ id }) => lane.columns[id][row]),
  }))
  return [{ kind: "head", lane }, ...cards]
}

function placeOf(rows: readonly Row[], uuid: string): CardPlace | undefined {
  for (const [at, row] of rows.entries()) {
    const column = row.kind === "head" ? -1 : row.tasks.findIndex((task) => task?.uuid === uuid)
    if (column >= 0) return { at, where: `${row.lane.key} ${column}` }
  }
  return undefined
}

function keyOf(row: Row | undefined, index: number): string | number {
  if (row === undefined) return index
  return row.kind === "head"
    ? `head ${row.lane.key}`
    : `${row.lane.key} ${row.tasks.map((task) => task?.uuid ?? "").join(" ")}`
}
