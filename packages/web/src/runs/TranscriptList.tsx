import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { Heights } from "./heights.ts"
import type { Entry } from "./run.ts"

/** Rows beyond the edge that are there before they are seen. */
const MARGIN = 600
const NEAR_END = 40
const NEAR_TOP = 1500

interface TranscriptListProps {
  readonly label: string
  readonly entries: readonly Entry[]
  /** An entry to come to, by its id. */
  readonly target: string | undefined
  render(entry: Entry, before: Entry | undefined): ReactNode
  /** The first loaded row is near. */
  onNearTop(): void
}

/**
 * A list of any length of which only what is seen is there. It stays at its end while that grows; what changes above does
 * not move what is read.
 */
export function TranscriptList({ label, entries, target, render, onNearTop }: TranscriptListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLOListElement>(null)
  const known = useRef(new Map<string, number>())
  const list = useRef<Listed>({ first: undefined, last: undefined, heights: new Heights() })
  const atEnd = useRef(true)
  const [view, setView] = useState({ top: 0, height: 800 })
  const look = useCallback(() => {
    const { scrollTop = 0, clientHeight = 800 } = frame.current ?? {}
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    )
  }, [])

  const heights = heightsOf(list.current, entries, known.current)
  const from = heights.at(Math.max(0, view.top - MARGIN))
  const to = Math.min(entries.length, heights.at(view.top + view.height + MARGIN) + 1)

  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    // What came before the first row moves everything down by its height.
    const moved = list.current.first === undefined ? 0 : movedBy(list.current.first, entries, heights)
    if (moved > 0 && !atEnd.current) element.scrollTop += moved
    list.current = { first: entries[0]?.id, last: entries.at(-1)?.id, heights }
  }, [entries, heights])

  useLayoutEffect(() => {
    const element = frame.current
    if (element === null || inner.current === null) return
    let above = 0
    for (const [at, row] of [...inner.current.children].entries()) {
      const index = from + at
      const height = (row as HTMLElement).offsetHeight
      const entry = entries[index]
      if (entry === undefined || height === heights.height(index)) continue
      if (heights.start(index) < element.scrollTop) above += height - heights.height(index)
      heights.set(index, height)
      known.current.set(entry.id, height)
    }
    if (atEnd.current) element.scrollTop = heights.total
    else if (above !== 0) element.scrollTop += above
    look()
  })

  useEffect(() => {
    const at = entries.findIndex(({ id }) => id === target)
    if (at === -1 || frame.current === null) return
    atEnd.current = false
    frame.current.scrollTop = heights.start(at)
    look()
    // Only where somebody wants to go elsewhere, not with every word that comes.
  }, [target, target !== undefined && entries.some(({ id }) => id === target)])

  useEffect(() => {
    const observer = new ResizeObserver(() => setView((before) => ({ ...before })))
    if (inner.current !== null) observer.observe(inner.current)
    if (frame.current !== null) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])

  return (
    <div
      ref={frame}
      tabIndex={0}
      className="min-h-40 flex-1 overflow-y-auto [overflow-anchor:none]"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END
        if (scrollTop < NEAR_TOP) onNearTop()
        look()
      }}
    >
      <div style={{ height: heights.total }} className="relative">
        <ol
          ref={inner}
          aria-label={label}
          className="absolute inset-x-0 grid grid-cols-1"
          style={{ top: heights.start(from) }}
        >
          {entries.slice(from, to).map((entry, at) => (
            <li key={entry.id} aria-setsize={entries.length} className="min-w-0 pb-3">
              {render(entry, entries[from + at - 1])}
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

interface Listed {
  readonly first: string | undefined
  readonly last: string | undefined
  readonly heights: Heights
}

/** The kept heights with what came at the end; made anew where something came or went before. */
function heightsOf(
  { first, last, heights }: Listed,
  entries: readonly Entry[],
  known: ReadonlyMap<string, number>,
): Heights {
  const guess = (entry: Entry) => known.get(entry.id) ?? guessed(entry)
  if (first !== entries[0]?.id || last !== entries[heights.length - 1]?.id) return new Heights(entries.map(guess))
  for (const entry of entries.slice(heights.length)) heights.append(guess(entry))
  return heights
}

function movedBy(first: string, entries: readonly Entry[], heights: Heights): number {
  if (entries[0]?.id === first) return 0
  const at = entries.findIndex(({ id }) => id === first)
  return at === -1 ? 0 : heights.start(at)
}

function guessed({ kind, text }: Entry): number {
  return kind === "message" ? 36 + Math.ceil((text?.length ?? 0) / 80) * 24 : 50
}
