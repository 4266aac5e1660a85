import { ChorusError } from "@chorus/contracts"
import { useEffect, useState } from "react"
import { toastError } from "../design/index.ts"

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
  readonly busy: boolean
  set<Name extends keyof Fields>(name: Name, value: Fields[Name]): void
  /** Sends what was touched and nothing else; whoever saved meanwhile is not written over unknowingly. */
  keep(): Promise<void>
}

/**
 * Writing at something that others write at too. A field nobody touched here follows what they save and is never sent; one that only
 * this person touched is put on top of theirs; one that both touched is shown, and saved only on purpose.
 */
export function useWriting<Fields extends object>(
  subject: Subject<Fields>,
  names: readonly (keyof Fields)[],
  save: (changes: Partial<Fields>, expectedVersion: number) => Promise<unknown>,
  onDone: () => void,
): Writing<Fields> {
  const [touched, setTouched] = useState<{ readonly [Name in keyof Fields]?: Touched<Fields[Name]> }>({})
  const [busy, setBusy] = useState(false)
  /** The version that was refused; once a newer one is here, what does not clash is saved on top of it. */
  const [refused, setRefused] = useState<number>()
  const clashes = names.filter((name) => {
    const field = touched[name]
    return field !== undefined && !same(field.base, subject[name]) && !same(field.mine, subject[name])
  })
  const fields: Fields = { ...subject }
  for (const name of names) {
    const field = touched[name]
    if (field !== undefined) fields[name] = field.mine
  }
  const keep = async () => {
    if (busy) return
    const changes: Partial<Fields> = {}
    for (const name of names) {
      const field = touched[name]
      if (field !== undefined && !same(field.mine, subject[name])) changes[name] = field.mine
    }
    if (Object.keys(changes).length === 0) {
      onDone()
      return
    }
    setBusy(true)
    try {
      await save(changes, subject.version)
      onDone()
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
    busy,
    keep,
    set: (name, value) =>
      setTouched((now) => ({ ...now, [name]: { mine: value, base: now[name]?.base ?? subject[name] } })),
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
