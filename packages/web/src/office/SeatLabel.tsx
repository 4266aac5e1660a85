import { Link } from "@tanstack/react-router"
import type { PresentAgent, PresentSession } from "../agents/presence.ts"
import { useDoingWords } from "../agents/use-people.ts"
import { hueOf } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { CELL_HEIGHT, CELL_WIDTH, SCALE } from "./scene.ts"

export interface Occupant {
  readonly session: PresentSession
  readonly agent: { readonly uuid: string; readonly name: string }
  readonly task: PresentAgent["inProgress"][number] | undefined
}

interface SeatLabelProps {
  readonly person: Occupant
  readonly joyful: boolean
  readonly left: number
  readonly top: number
}

/** Who sits here and what they do, as text: readable, clickable, and all there is for those who do not see the drawing. */
export function SeatLabel({ person: { session, agent, task }, joyful, left, top }: SeatLabelProps) {
  const text = useText()
  const words = useDoingWords()
  const doing = joyful ? text("office.celebrates") : words(session)
  const title = [session.name, agent.name, doing, task?.title, session.lastWords].filter(Boolean).join(" · ")
  const bubble = [task?.shortId, lastLine(session.lastWords) ?? task?.title].filter(Boolean).join(" · ")
  const inside = (
    <>
      <span
        data-hue={hueOf(agent.uuid)}
        className="block truncate rounded-full bg-(--hue-soft) px-2 text-center text-xs leading-4 font-medium text-(--hue)"
      >
        {session.name}
      </span>
      {bubble !== "" && (
        <span
          aria-hidden
          className="absolute inset-x-1 top-0 truncate rounded-md border border-line bg-raised px-1 text-center text-[11px] leading-4 text-muted"
        >
          {bubble}
        </span>
      )}
      <span className="sr-only">{[agent.name, doing, task?.title].filter(Boolean).join(", ")}</span>
    </>
  )
  return (
    <li
      className="absolute flex"
      style={{ left, top, width: CELL_WIDTH * SCALE, height: CELL_HEIGHT * SCALE }}
      title={title}
    >
      {task === undefined ? (
        <span className="relative flex w-full min-w-0 flex-col justify-end p-1">{inside}</span>
      ) : (
        <Link
          to="/projects/$projectUuid/tasks/$taskUuid"
          params={{ projectUuid: task.projectUuid, taskUuid: task.uuid }}
          preload={false}
          className="relative flex w-full min-w-0 flex-col justify-end p-1"
        >
          {inside}
        </Link>
      )}
    </li>
  )
}

/** What was said last, without what came before it. */
function lastLine(words: string | null): string | undefined {
  return words?.trim().split("\n").at(-1)?.trim() || undefined
}
