import { memo, useLayoutEffect, useRef, useState } from "react"
import { classes } from "../design/index.ts"
import type { ShownLine, ShownRow } from "./diff-rows.ts"
import type { Shade } from "./syntax.ts"

export const ROW_PX = 20
const STEP = 20
const MOST_LETTERS = 2000

export interface LineLook {
  readonly shades: ReadonlyMap<ShownRow, readonly Shade[]>
  readonly split: boolean
  readonly found: string
}

interface DiffLinesProps extends LineLook {
  /** Those of the whole file, of which these are the ones from one place to another. */
  readonly lines: readonly ShownLine[]
  readonly from: number
  readonly to: number
  readonly chosen: number | null
  /** `again` where it was chosen already, or touched by a finger: nobody taps a line only to mark it. */
  onChoose(line: number, again: boolean): void
}

const NOTHING = [0, 0] as const

/** Some lines of a file, of which only those that can be seen are drawn. */
export function DiffLines({ lines, from, to, chosen, onChoose, ...look }: DiffLinesProps) {
  const count = to - from
  const box = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<readonly [number, number]>(NOTHING)
  useLayoutEffect(() => {
    const look = () => {
      const rect = box.current?.getBoundingClientRect()
      if (rect === undefined) return
      const first = Math.floor(-rect.top / ROW_PX / STEP - 1) * STEP
      const last = Math.ceil((innerHeight - rect.top) / ROW_PX / STEP + 1) * STEP
      const seen = [Math.max(0, Math.min(first, count)), Math.max(0, Math.min(last, count))] as const
      const next = seen[0] < seen[1] ? seen : NOTHING
      setRange((before) => (before[0] === next[0] && before[1] === next[1] ? before : next))
    }
    look()
    let frame = 0
    const later = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        look()
      })
    }
    // Whatever scrolls, the page or a part of it.
    addEventListener("scroll", later, { capture: true, passive: true })
    addEventListener("resize", later)
    // And whatever opens or closes above it.
    const moved = new IntersectionObserver(later, { rootMargin: "400px" })
    const grown = new ResizeObserver(later)
    const all = box.current?.closest("[role=group]")
    if (box.current !== null) moved.observe(box.current)
    if (all) grown.observe(all)
    return () => {
      moved.disconnect()
      grown.disconnect()
      cancelAnimationFrame(frame)
      removeEventListener("scroll", later, { capture: true })
      removeEventListener("resize", later)
    }
  }, [count])
  return (
    <div ref={box} data-from={from} className="relative" style={{ height: count * ROW_PX }}>
      <div className="w-max min-w-full" style={{ transform: `translateY(${range[0] * ROW_PX}px)` }}>
        {lines.slice(from + range[0], from + Math.min(range[1], count)).map((line, at) => {
          const place = from + range[0] + at
          return <Line key={place} line={line} place={place} chosen={chosen === place} onChoose={onChoose} {...look} />
        })}
      </div>
    </div>
  )
}

interface LineProps extends LineLook {
  readonly line: ShownLine
  readonly place: number
  readonly chosen: boolean
  onChoose(line: number, again: boolean): void
}

const LOOK: Readonly<Record<ShownRow["kind"], string>> = {
  hunk: "bg-sunken text-muted",
  same: "",
  added: "bg-done-soft",
  removed: "bg-failed-soft",
  note: "text-muted italic",
}
const SIGN: Readonly<Record<ShownRow["kind"], string>> = { hunk: "", same: " ", added: "+", removed: "−", note: "" }

const Line = memo(function Line({ line, place, chosen, onChoose, split, ...look }: LineProps) {
  return (
    <div
      data-line={place}
      aria-current={chosen || undefined}
      onClick={({ nativeEvent }) => onChoose(place, chosen || isTap(nativeEvent))}
      className={classes("flex min-w-full", chosen && "outline-2 -outline-offset-2 outline-accent")}
      style={{ height: ROW_PX }}
    >
      <Side row={line.left} numbers={split ? "before" : "both"} {...look} />
      {split && <Side row={line.right} numbers="after" {...look} />}
    </div>
  )
})

function isTap(event: MouseEvent): boolean {
  return event instanceof PointerEvent && event.pointerType === "touch"
}

interface SideProps extends Omit<LineLook, "split"> {
  readonly row: ShownRow | null
  readonly numbers: "both" | "before" | "after"
}

function Side({ row, numbers, shades, found }: SideProps) {
  const half = numbers === "both" ? "min-w-full" : "min-w-1/2 basis-1/2"
  if (row === null) return <span className={classes("flex bg-sunken", half)} />
  return (
    <span className={classes("flex", half, LOOK[row.kind])}>
      {numbers !== "after" && <Number value={row.before} />}
      {numbers !== "before" && <Number value={row.after} />}
      <span aria-hidden={row.kind === "same"} className="w-4 shrink-0 text-center text-muted select-none">
        {SIGN[row.kind]}
      </span>
      <span className="pr-4 whitespace-pre">
        {piecesOf(row, shades.get(row) ?? [], found).map(({ text, look }, at) => (
          <span key={at} className={look}>
            {text}
          </span>
        ))}
      </span>
    </span>
  )
}

function Number({ value }: { readonly value: number | null }) {
  return <span className="w-11 shrink-0 pr-2 text-right text-muted tabular-nums select-none">{value}</span>
}

const SHADES: readonly (readonly [RegExp, string])[] = [
  [/^(keyword|literal|symbol|selector|meta)/, "text-accent"],
  [/^(string|regexp|char|addition)/, "text-done"],
  [/^(number|attr|attribute|variable|template-variable)/, "text-waiting"],
  [/^(comment|quote)/, "text-muted italic"],
  [/^(title|section|name|type|built_in)/, "font-semibold"],
]

/** The letters of a row, cut where its colour, its words or what was searched for begins or ends. */
function piecesOf(row: ShownRow, shades: readonly Shade[], found: string): { text: string; look: string }[] {
  const text = row.text.length > MOST_LETTERS ? `${row.text.slice(0, MOST_LETTERS)}…` : row.text
  const words = row.words ?? []
  const hits = hitsOf(text, found)
  const cuts = new Set([0, text.length, ...shades.flatMap(([from, to]) => [from, to]), ...[...words, ...hits].flat()])
  const places = [...cuts].filter((at) => at <= text.length).sort((one, other) => one - other)
  return places.slice(1).map((to, at) => {
    const from = places[at] ?? 0
    const inside = ([start, end]: readonly [number, number, ...unknown[]]) => start <= from && to <= end
    const what = shades.findLast(inside)?.[2] ?? ""
    const shade = SHADES.find(([name]) => name.test(what))?.[1] ?? ""
    const word = words.some(inside) ? (row.kind === "added" ? "bg-done/25 rounded-xs" : "bg-failed/25 rounded-xs") : ""
    return { text: text.slice(from, to), look: classes(shade, word, hits.some(inside) && "bg-waiting-soft ring-1") }
  })
}

function hitsOf(text: string, found: string): (readonly [number, number])[] {
  if (found === "") return []
  const hits: (readonly [number, number])[] = []
  const [low, wanted] = [text.toLowerCase(), found.toLowerCase()]
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, at + wanted.length))
    hits.push([at, at + wanted.length])
  return hits
}
