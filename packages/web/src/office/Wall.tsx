import { Link } from "@tanstack/react-router"
import { Coffee, DoorClosed, DoorOpen } from "lucide-react"
import { doingOf } from "../agents/presence.ts"
import { Avatar, classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Occupant } from "./SeatLabel.tsx"

interface WallProps {
  readonly people: readonly Occupant[]
  /** The machine whose people are looked at; undefined for everybody. */
  readonly machine: string | undefined
  onMachine(machine: string | undefined): void
}

/** More than these in a queue are told by their number. */
const MOST_QUEUED = 8

/**
 * The way in and the coffee machine: a door for each machine people work on, and who waits for a person in the order
 * they came.
 */
export function Wall({ people, machine, onMachine }: WallProps) {
  const text = useText()
  const machines = [...Map.groupBy(people, ({ session }) => session.machine ?? "")].filter(([name]) => name !== "")
  const waiting = people
    .filter(({ session }) => doingOf(session) === "needsInput")
    .toSorted((one, other) => ((one.session.stateSince ?? "") < (other.session.stateSince ?? "") ? -1 : 1))
  if (machines.length === 0 && waiting.length === 0) return null
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      {machines.map(([name, inside]) => {
        const open = machine === name
        const Door = open ? DoorOpen : DoorClosed
        return (
          <button
            key={name}
            type="button"
            aria-pressed={open}
            title={text("office.door", { machine: name })}
            onClick={() => onMachine(open ? undefined : name)}
            className={classes(
              "flex h-8 max-w-48 cursor-pointer items-center gap-1.5 rounded-md border px-2 pointer-coarse:h-11",
              open ? "border-accent bg-accent-soft text-accent" : "border-line bg-surface hover:bg-hover",
            )}
          >
            <Door aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{name}</span>
            <span className="text-xs text-faint tabular-nums">{inside.length}</span>
          </button>
        )
      })}
      {waiting.length > 0 && (
        <Link
          to="/"
          className="ml-auto flex h-8 items-center gap-2 rounded-md bg-waiting-soft px-3 text-waiting hover:underline pointer-coarse:h-11"
        >
          <Coffee aria-hidden className="size-4 shrink-0" />
          <span>{text("office.queue", { count: waiting.length })}</span>
          <span className="flex -space-x-1">
            {waiting.slice(0, MOST_QUEUED).map(({ session, agent }) => (
              <Avatar key={session.uuid} actor={{ type: "agent", ...agent }} size="sm" />
            ))}
          </span>
        </Link>
      )}
    </div>
  )
}
