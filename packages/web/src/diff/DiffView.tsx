import { useMemo, useState } from "react"
import { classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { type DiffLine, type DiffRow, foldedRows, isFold } from "./lines.ts"

const LOOK: Record<DiffLine["kind"], string> = { same: "", added: "bg-done-soft", removed: "bg-failed-soft" }
const SIGN: Record<DiffLine["kind"], string> = { same: " ", added: "+", removed: "−" }

interface DiffViewProps {
  readonly lines: readonly DiffLine[]
  readonly label: string
  /** Line numbers mean something only where the lines are whole. */
  readonly numbers?: boolean
}

/** What changed, line by line: the sign says it as well as the colour. */
export function DiffView({ lines, label, numbers = true }: DiffViewProps) {
  const text = useText()
  const rows = useMemo(() => foldedRows(lines), [lines])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface font-mono text-xs leading-5"
    >
      <div className="min-w-fit py-1">
        {rows.map((row, at) => {
          if (!isFold(row)) return <Line key={at} row={row} numbers={numbers} />
          if (opened.has(at))
            return row.hidden.map((line, inner) => <Line key={`${at}-${inner}`} row={line} numbers={numbers} />)
          return (
            <button
              key={at}
              type="button"
              onClick={() => setOpened(new Set([...opened, at]))}
              className="block w-full cursor-pointer bg-canvas px-3 py-0.5 text-left font-sans text-faint hover:text-ink"
            >
              {text("documents.unchanged", { count: row.hidden.length })}
            </button>
          )
        })}
      </div>
    </div>
  )
}

function Line({ row, numbers }: { readonly row: DiffRow; readonly numbers: boolean }) {
  return (
    <div className={classes("flex", LOOK[row.kind])}>
      {numbers && (
        <span aria-hidden className="flex shrink-0 text-right text-faint select-none">
          <span className="w-9 pr-2">{row.before}</span>
          <span className="w-9 pr-2">{row.after}</span>
        </span>
      )}
      <span className="w-5 shrink-0 text-center text-muted select-none">{SIGN[row.kind]}</span>
      <span className="pr-3 wrap-anywhere whitespace-pre-wrap">{row.text === "" ? " " : <Words row={row} />}</span>
    </div>
  )
}

function Words({ row: { text, kind, words = [] } }: { readonly row: DiffRow }) {
  const cuts = [0, ...words.flat(), text.length]
  return cuts.slice(1).map((to, at) => (
    <span key={at} className={at % 2 === 0 ? "" : kind === "added" ? "bg-done/25" : "bg-failed/25"}>
      {text.slice(cuts[at], to)}
    </span>
  ))
}
