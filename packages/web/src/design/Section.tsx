import { type ReactNode, useId } from "react"
import { useFormat, useText } from "../i18n/language.ts"
import { Avatar } from "./Avatar.tsx"
import { classes } from "./classes.ts"

interface SectionProps {
  readonly title: string
  readonly count?: number | undefined
  /** Stands at the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A part of a page under its own small heading. */
export function Section({ title, count, actions, children, className }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes("min-w-0", className)}>
      <header className="mb-2 flex min-h-7 items-center gap-2">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {count !== undefined && count > 0 && <span className="text-xs text-faint tabular-nums">{count}</span>}
        <div className="ml-auto flex items-center gap-1">{actions}</div>
      </header>
      {children}
    </section>
  )
}

/** Facts as name and value, one below the other. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-1 gap-2 text-sm">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-6 items-start gap-3">
      <dt className="w-24 shrink-0 text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">{children}</dd>
    </div>
  )
}

interface RowFactsProps {
  /** When the row's thing last changed. */
  readonly at: string
  readonly children: ReactNode
  readonly className?: string
}

/** What a row says beside its title; where there is little room, a line of its own below it. */
export function RowFacts({ at, children, className }: RowFactsProps) {
  return (
    <span
      className={classes(
        "flex min-w-0 basis-full flex-wrap items-center gap-x-3 @2xl:ml-auto @2xl:basis-auto @2xl:flex-nowrap",
        className,
      )}
    >
      {children}
      <When at={at} className="ml-auto w-20 shrink-0 text-right text-xs text-faint" />
    </span>
  )
}

/** A quiet line where a part has nothing to show. */
export function Nothing({ children }: { readonly children: ReactNode }) {
  return <p className="text-sm text-faint">{children}</p>
}

/** A framed list whose rows are parted by lines. */
export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
      {children}
    </ul>
  )
}

interface WhoProps {
  readonly actor: { readonly type: string; readonly uuid: string; readonly name: string } | null
}

/** Somebody by picture and name; nobody in words. */
export function Who({ actor }: WhoProps) {
  const text = useText()
  if (actor === null) return <span className="text-faint">{text("tasks.nobody")}</span>
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Avatar actor={actor} size="sm" />
      <span className="truncate">{actor.name}</span>
    </span>
  )
}

/** How long ago, with the exact time on hover. */
export function When({ at, className }: { readonly at: string; readonly className?: string }) {
  const format = useFormat()
  return (
    <time dateTime={at} title={format.dateTime(at)} className={className ?? "text-xs text-faint"}>
      {format.ago(at)}
    </time>
  )
}
