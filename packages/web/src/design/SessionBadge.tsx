import { classes } from "./classes.ts"
import { hueOf } from "./hue.ts"

interface SessionBadgeProps {
  readonly session: { readonly uuid: string; readonly name: string }
  /** Whose session it is: its colour, and its name in the tooltip. */
  readonly agent: { readonly uuid: string; readonly name: string } | undefined
  /** Whether it is at work right now. */
  readonly live?: boolean
}

/** A session at work, in the hue of its agent. */
export function SessionBadge({ session, agent, live = true }: SessionBadgeProps) {
  return (
    <span
      data-hue={hueOf(agent?.uuid ?? session.uuid)}
      data-session={session.uuid}
      title={agent === undefined ? session.name : `${session.name} · ${agent.name}`}
      className="inline-flex h-5 max-w-full animate-appear items-center gap-1.5 rounded-full bg-(--hue-soft) pr-2 pl-1.5 text-xs font-medium text-(--hue)"
    >
      <span
        aria-hidden
        className={classes("size-1.5 shrink-0 rounded-full", live ? "bg-current" : "border border-current")}
      />
      <span className="truncate">{session.name}</span>
    </span>
  )
}
