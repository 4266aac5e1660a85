import type { Tone } from "./Badge.tsx"
import { classes } from "./classes.ts"

const COLOURS: Record<Tone, string> = {
  todo: "text-todo",
  progress: "text-progress",
  waiting: "text-waiting",
  done: "text-done",
  failed: "text-failed",
}

interface StatusIconProps {
  readonly tone: Tone
  /** How much of the ring is filled, 0 to 1. */
  readonly share?: number
  readonly className?: string
}

/** A ring that fills as work goes on, and closes with a tick. */
export function StatusIcon({ tone, share = SHARES[tone], className }: StatusIconProps) {
  const circumference = 2 * Math.PI * 2.5
  return (
    <svg viewBox="0 0 14 14" aria-hidden className={classes("size-3.5 shrink-0", COLOURS[tone], className)}>
      {share >= 1 ? (
        <>
          <circle cx="7" cy="7" r="6.5" fill="currentColor" />
          <path
            d={tone === "failed" ? "M5 5l4 4M9 5l-4 4" : "M4.2 7.2l2 2 3.6-4"}
            fill="none"
            className="stroke-surface"
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </>
      ) : (
        <>
          <circle
            cx="7"
            cy="7"
            r="5.75"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeDasharray={tone === "todo" ? "2.2 1.4" : undefined}
          />
          <circle
            cx="7"
            cy="7"
            r="2.5"
            fill="none"
            stroke="currentColor"
            strokeWidth="5"
            strokeDasharray={`${share * circumference} ${circumference}`}
            transform="rotate(-90 7 7)"
          />
        </>
      )}
    </svg>
  )
}

const SHARES: Record<Tone, number> = { todo: 0, progress: 0.5, waiting: 0.75, done: 1, failed: 1 }
