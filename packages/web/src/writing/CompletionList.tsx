import { FileText, GitPullRequestArrow, Lightbulb, SquareCheckBig } from "lucide-react"
import { useEffect, useRef } from "react"
import { Avatar, classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import type { Choosing } from "./use-choosing.ts"
import type { Completion } from "./use-completions.ts"

const ICONS = { task: SquareCheckBig, idea: Lightbulb, proposal: GitPullRequestArrow, document: FileText }

interface CompletionListProps {
  readonly label: string
  readonly choosing: Choosing
}

/** Who or what fits, below the field in which it is typed; the field's wrapper places it. */
export function CompletionList({ label, choosing: { id, found, at, choose } }: CompletionListProps) {
  const text = useText()
  const list = useRef<HTMLUListElement>(null)
  // A dialog's foot would lie over what opens beyond its edge.
  useEffect(() => {
    if (found.length > 0) void list.current?.scrollIntoView({ block: "nearest" })
  }, [found.length])
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      hidden={found.length === 0}
      className="absolute top-full left-0 z-20 w-72 max-w-full rounded-lg border border-line bg-raised p-1 shadow-(--shadow-raised)"
    >
      {found.map((each, row) => (
        <li
          key={each.uuid}
          id={`${id}-${row}`}
          role="option"
          aria-selected={row === at}
          // The field keeps the focus. A list that closed at the touch would let the tap fall on what lies below it.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(each)}
          className={classes(
            "flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-sm pointer-coarse:h-11",
            row === at && "bg-hover",
          )}
        >
          <Sign of={each} />
          <span className="min-w-0 flex-1 truncate">{each.name}</span>
          {each.actor?.online === true && <span className="text-xs text-done">{text("writing.online")}</span>}
        </li>
      ))}
    </ul>
  )
}

function Sign({ of: { actor, thing } }: { readonly of: Completion }) {
  if (actor !== undefined) return <Avatar actor={actor} size="sm" />
  const Icon = ICONS[thing?.entityType as keyof typeof ICONS] ?? FileText
  return <Icon aria-hidden className="size-4 shrink-0 text-faint" />
}
