import type { tasks } from "@chorus/contracts"
import { type TextKey, useText } from "../i18n/language.ts"

const LABELS: Record<tasks.TaskPriority, TextKey> = {
  high: "board.priority.high",
  medium: "board.priority.medium",
  low: "board.priority.low",
}
const BARS = { low: 1, medium: 2, high: 3 } as const

/** Three bars, as many filled as it is urgent; colour stays free for status. */
export function PriorityIcon({ priority }: { readonly priority: tasks.TaskPriority }) {
  const text = useText()
  const label = `${text("board.priority")}: ${text(LABELS[priority])}`
  return (
    <svg viewBox="0 0 14 14" role="img" aria-label={label} className="size-3.5 shrink-0 text-muted">
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={1.5 + bar * 4}
          y={8 - bar * 3}
          width="3"
          height={4.5 + bar * 3}
          rx="1"
          fill="currentColor"
          opacity={bar < BARS[priority] ? 1 : 0.25}
        />
      ))}
    </svg>
  )
}
