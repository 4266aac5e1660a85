import type { versions } from "@chorus/contracts"
import { useText } from "../i18n/language.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { useOperation } from "../live/use-operation.ts"

interface StaleNoteProps {
  readonly version: number
  /** Where its versions are kept, so that it can be said who wrote the newest. */
  readonly of?: { readonly targetType: versions.VersionTarget; readonly targetUuid: string } | undefined
  /** What stands there now, beside what is being written. */
  readonly theirs?: readonly { readonly name: string; readonly words: string }[]
}

/** Somebody saved while this was being written: who, and what they wrote. */
export function StaleNote({ version, of, theirs = [] }: StaleNoteProps) {
  const text = useText()
  const { answer } = useOperation("chorus_get_versions", of === undefined ? null : { ...of, pageSize: 1 })
  const { person } = useSignedIn()
  const by = answer?.versions[0]?.changedBy
  return (
    <div role="alert" className="grid gap-2 rounded-lg bg-waiting-soft px-4 py-3 text-sm text-waiting">
      <p className="font-medium">
        {by === undefined || by === null
          ? text("documents.stale", { number: version })
          : by.uuid === person.uuid
            ? text("documents.changedByYou", { number: version })
            : text("documents.changedBy", { name: by.name, number: version })}
      </p>
      <p>{text("documents.staleLead")}</p>
      {theirs.map(({ name, words }) => (
        <figure key={name} className="grid gap-1 text-ink">
          <figcaption className="text-xs text-muted">{text("documents.theirs", { name })}</figcaption>
          <pre
            tabIndex={0}
            className="max-h-48 overflow-auto rounded-md bg-surface px-3 py-2 font-mono text-xs whitespace-pre-wrap"
          >
            {words}
          </pre>
        </figure>
      ))}
    </div>
  )
}
