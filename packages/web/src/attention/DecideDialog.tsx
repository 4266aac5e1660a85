import { type ReactNode, useCallback, useState } from "react"
import { AskDialog } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { titleOf } from "./decide.ts"
import { type Seen, type Subject, Summary } from "./Summary.tsx"

export interface Decided {
  readonly subject: Subject
  /** Criteria that pass with it. */
  readonly passing: readonly string[]
}

interface DecideDialogProps {
  /** One, or several to be decided in one go. */
  readonly subjects: readonly Subject[]
  readonly busy?: boolean
  /** What is to be known beside the evidence. */
  readonly note?: ReactNode
  /** What else can be done with one that is said yes to. */
  readonly also?: string | undefined
  onClose(): void
  /** Those whose evidence was on show and that can be said yes to. */
  onYes(decided: readonly Decided[]): void
  onAlso?(decided: readonly Decided[]): void
}

/**
 * Says yes to plans and to work, after having shown what that means. The one way to verify, from wherever it is asked
 * for.
 */
export function DecideDialog({ subjects, busy = false, note, also, onClose, onYes, onAlso }: DecideDialogProps) {
  const text = useText()
  const [seen, setSeen] = useState<Readonly<Record<string, Seen>>>({})
  const see = useCallback((uuid: string, what: Seen) => setSeen((now) => ({ ...now, [uuid]: what })), [])
  const decided = subjects.flatMap((subject): Decided[] => {
    const shown = seen[subject.uuid]
    return shown?.may === true ? [{ subject, passing: shown.passing }] : []
  })
  const waiting = subjects.some(({ uuid }) => seen[uuid] === undefined)
  const [first] = subjects
  const one = subjects.length === 1 && first !== undefined
  const titles = {
    task: text("decide.verify"),
    proposal: text("decide.approve"),
    attention: text("decide.change"),
  }
  const yes = {
    task: text(decided.some(({ passing }) => passing.length > 0) ? "tasks.passAndVerify" : "needsYou.verify"),
    proposal: text("needsYou.approve"),
    attention: text("needsYou.approve"),
  }
  return (
    <AskDialog
      open
      wide
      title={one ? titles[first.kind] : text("decide.many", { count: subjects.length })}
      confirm={one ? yes[first.kind] : text("decide.yesMany", { count: decided.length })}
      disabled={busy || waiting || decided.length === 0}
      onClose={onClose}
      onConfirm={() => onYes(decided)}
      also={also}
      onAlso={() => onAlso?.(decided)}
    >
      <ul className="grid grid-cols-1 gap-6">
        {subjects.map((subject) => (
          <Shown key={subject.uuid} subject={subject} onSeen={see} />
        ))}
      </ul>
      {note}
    </AskDialog>
  )
}

function Shown({ subject, onSeen }: { readonly subject: Subject; onSeen(uuid: string, seen: Seen): void }) {
  const { uuid } = subject
  const see = useCallback((seen: Seen) => onSeen(uuid, seen), [uuid, onSeen])
  return (
    <li className="min-w-0">
      <h3 className="mb-2 font-medium wrap-anywhere">
        <InlineCode text={titleOf(useText(), subject)} />
      </h3>
      <Summary subject={subject} onSeen={see} />
    </li>
  )
}
