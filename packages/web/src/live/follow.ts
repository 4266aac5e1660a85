import type { LogEvent } from "@chorus/contracts"
import type { Follow } from "./live-store.ts"

interface Row {
  readonly uuid: string
}

/** Loads the answer again, a moment later, when such an event comes. */
export function reloadWhen<Answer>(concerns: (event: LogEvent, answer: Answer) => boolean): Follow<Answer> {
  return { apply: (answer, event) => (concerns(event, answer) ? undefined : answer) }
}

/** Follows one entity whose fields lie in the answer itself. */
export function followOne<Answer extends Row>(entityType: string): Follow<Answer> {
  return {
    apply(answer, event) {
      if (event.entityType !== entityType || event.entityUuid !== answer.uuid) return answer
      return event.action === "deleted" ? undefined : { ...answer, ...event.patch }
    },
  }
}

interface RowsRule<Answer, Each extends Row> {
  readonly entityType: string
  rowsOf(answer: Answer): readonly Each[]
  withRows(answer: Answer, rows: readonly Each[]): Answer
  /** Whether a row belongs in this list; asked for new and for changed rows. */
  belongs?(row: Each, event: LogEvent): boolean
  /** What a created row has beside the patch. */
  readonly defaults?: Partial<Each>
  /** New rows come first unless this says otherwise. */
  readonly append?: boolean
}

/** Follows a list of rows: adds what is created, merges what changes, drops what goes, and asks for what comes back. */
export function followRows<Answer, Each extends Row>(rule: RowsRule<Answer, Each>): Follow<Answer> {
  const belongs = rule.belongs ?? (() => true)
  return {
    apply(answer, event) {
      if (event.entityType !== rule.entityType) return answer
      const rows = rule.rowsOf(answer)
      const comesBack = event.action === "updated" && rule.belongs?.(event.patch as unknown as Each, event) === true
      if (comesBack && !rows.some(({ uuid }) => uuid === event.entityUuid)) return undefined
      const next = rowsAfter(rows, event, belongs, rule)
      return next === rows ? answer : rule.withRows(answer, next)
    },
  }
}

/** Asks several rules in turn; the first that changes the answer, or wants it anew, decides. */
export function followAll<Answer>(...rules: readonly Follow<Answer>[]): Follow<Answer> {
  return {
    apply(answer, event) {
      let current = answer
      for (const rule of rules) {
        const next = rule.apply(current, event)
        if (next === undefined) return undefined
        current = next
      }
      return current
    },
  }
}

function rowsAfter<Each extends Row>(
  rows: readonly Each[],
  event: LogEvent,
  belongs: (row: Each, event: LogEvent) => boolean,
  rule: { readonly defaults?: Partial<Each>; readonly append?: boolean },
): readonly Each[] {
  const at = rows.findIndex((row) => row.uuid === event.entityUuid)
  const found = rows[at]
  if (event.action === "deleted") return found === undefined ? rows : rows.filter((row) => row !== found)
  if (found !== undefined) {
    if (event.action === "created") return rows
    const changed = { ...found, ...event.patch }
    return belongs(changed, event) ? rows.with(at, changed) : rows.filter((row) => row !== found)
  }
  if (event.action !== "created") return rows
  const made = { ...rule.defaults, ...event.patch, uuid: event.entityUuid } as Each
  if (!belongs(made, event)) return rows
  return rule.append === true ? [...rows, made] : [made, ...rows]
}
