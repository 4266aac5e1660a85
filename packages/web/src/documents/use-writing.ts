import { ChorusError } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { toastError } from "../design/index.ts"
import { type Draft, useDraft } from "../live/draft.ts"

/** Something that is written at, as it stands now; it changes when somebody else saves. */
export type Subject<Fields> = Fields & { readonly version: number }

interface Touched<Value> {
  readonly mine: Value
  /** What stood there when it was touched. */
  readonly base: Value
}

export interface Writing<Fields> {
  /** What the fields show: one's own words where one wrote, else what stands there now. */
  readonly fields: Fields
  /** Those one wrote at and somebody else has changed since. */
  readonly clashes: readonly (keyof Fields)[]
  /** Those one wrote at, and that are not as they stand there. */
  readonly touched: readonly (keyof Fields)[]
  readonly busy: boolean
  /** Something was written that is not kept yet. */
  readonly changed: boolean
  /** What was begun earlier and is shown again; dropping it shows what stands there. */
  readonly draft: Pick<Draft<unknown>, "resumed" | "drop">
  set<Name extends keyof Fields>(name: Name, value: Fields[Name]): void
  /** Sends what was touched and nothing else; whoever saved meanwhile is not written over unknowingly. */
  keep(): Promise<void>
  /** Gives up what was written. */
  stop(): void
}

type TouchedFields<Fields> = { readonly [Name in keyof Fields]?: Touched<Fields[Name]> }

/**
 * Writing at something that others write at too. A field nobody touched here follows what they save and is never sent; one that only
 * this person touched is put on top of theirs; one that both touched is shown, and saved only on purpose. What was touched is kept on
 * this device, under the name of what is written at, until it is saved or given up.
 */
export function useWriting<Fields extends object>(
  name: string,
  subject: Subject<Fields>,
  names: readonly (keyof Fields)[],
  save: (changes: Partial<Fields>, expectedVersion: number) => Promise<unknown>,
  onDone: () => void,
): Writing<Fields> {
  const draft = useDraft<TouchedFields<Fields>>(`edit.${name}`, {})
  const touched = draft.value
  const [busy, setBusy] = useState(false)
  /** The version that was refused; once a newer one is here, what does not clash is saved on top of it. */
  const [refused, setRefused] = useState<number>()
  const clashes = names.filter((name) => {
    const field = touched[name]
    // While one saves, what comes in is one's own.
    return field !== undefined && !busy && !same(field.base, subject[name]) && !same(field.mine, subject[name])
  })
  const fields: Fields = { ...subject }
  for (const name of names) {
    const field = touched[name]
    if (field !== undefined) fields[name] = field.mine
  }
  const changes: Partial<Fields> = {}
  for (const field of names) {
    const own = touched[field]
    if (own !== undefined && !same(own.mine, subject[field])) changes[field] = own.mine
  }
  const written = Object.keys(changes) as (keyof Fields)[]
  const changed = written.length > 0
  const stop = () => {
    draft.drop()
    onDone()
  }
  const keep = async () => {
    if (busy) return
    if (!changed) return stop()
    setBusy(true)
    try {
      await save(changes, subject.version)
      stop()
    } catch (error) {
      // The newer version arrives with the log and is told above the text; nothing typed is lost.
      if (error instanceof ChorusError && error.code === "stale_version") setRefused(subject.version)
      else toastError(error)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => {
    if (refused === undefined || refused === subject.version || busy) return
    setRefused(undefined)
    if (clashes.length === 0) void keep()
  })
  return {
    fields,
    clashes,
    touched: written,
    busy,
    changed,
    draft,
    keep,
    stop,
    set: (field, value) =>
      draft.set({ ...touched, [field]: { mine: value, base: touched[field]?.base ?? subject[field] } }),
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
