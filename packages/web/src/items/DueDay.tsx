import { CalendarDays, CalendarX2 } from "lucide-react"
import { classes } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { isLate } from "./due.ts"

interface DueDayProps {
  readonly task: { readonly dueOn: string | null; readonly status?: string }
}

/** The day a task is due, and whether that has passed; nothing where there is none. */
export function DueDay({ task }: DueDayProps) {
  const text = useText()
  const format = useFormat()
  const { dueOn } = task
  if (dueOn === null) return null
  const late = isLate(task)
  const Icon = late ? CalendarX2 : CalendarDays
  // A day is the reader's own, whatever hour it is elsewhere.
  const begin = `${dueOn}T00:00:00`
  return (
    <span
      className={classes(
        "inline-flex items-center gap-1 whitespace-nowrap tabular-nums",
        late && "font-medium text-failed",
      )}
      title={text(late ? "items.overdue" : "items.dueOn", { day: format.date(begin) })}
    >
      <Icon aria-hidden className="size-3 shrink-0" />
      {late && <span className="sr-only">{text("items.late")}</span>}
      {format.day(begin)}
    </span>
  )
}
