import type { ReactNode } from "react"
import { classes } from "./classes.ts"

/** Colour says one thing only: where something stands. */
export type Tone = "todo" | "progress" | "waiting" | "done" | "failed"

const TONES: Record<Tone, string> = {
  todo: "bg-sunken text-muted",
  progress: "bg-progress-soft text-progress",
  waiting: "bg-waiting-soft text-waiting",
  done: "bg-done-soft text-done",
  failed: "bg-failed-soft text-failed",
}

interface BadgeProps {
  readonly tone?: Tone
  readonly children: ReactNode
  readonly className?: string
  readonly title?: string
}

export function Badge({ tone = "todo", children, className, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={classes(
        "inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}

const DOTS: Record<Tone, string> = {
  todo: "bg-todo",
  progress: "bg-progress",
  waiting: "bg-waiting",
  done: "bg-done",
  failed: "bg-failed",
}

export function Dot({ tone, pulse = false }: { readonly tone: Tone; readonly pulse?: boolean }) {
  return (
    <span aria-hidden className="relative inline-flex size-2 shrink-0">
      {pulse && <span className={classes("absolute inset-0 animate-ping rounded-full opacity-60", DOTS[tone])} />}
      <span className={classes("relative size-2 rounded-full", DOTS[tone])} />
    </span>
  )
}
