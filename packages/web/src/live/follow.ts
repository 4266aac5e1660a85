import type { Entity, EventOf, LogEvent, RowOf } from "@chorus/contracts"
import type { Follow } from "./live-store.ts"

interface Row {
  readonly uuid: string
}

/** Loads the answer again, a moment later, when such an event comes. */
export function reloadWhen<Answer>(concerns: (event: LogEvent, answer: Answer) => boolean): Follow<Answer> {
  return { apply: (answer, event) => (concerns(event, answer) ? undefined : answer) }
}

/** Asks several rules in turn; one that wants the answer anew decides. */
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

/** Follows one entity whose row lies in the answer itself. */
export function followOne<Answer extends Row>(entity: EntityIn<Answer>): Follow<Answer> {
  return {
    apply(answer, event) {
      if (event.entityType !== entity || event.entityUuid !== answer.uuid) return answer
      return event.action === "deleted" ? undefined : { ...answer, ...event.patch }
    },
  }
}

/**
 * Follows a list of rows: adds what is created, merges what changes, drops what goes, and asks for what comes back; a
 * total beside it keeps step.
 */
export function followRows<Answer>(rule: RowsRule<Answer>): Follow<Answer>
export function followRows<Name extends string>(rule: AnyRule<Name>): Follow<Listing<Name>> {
  return {
    apply(answer, event) {
      if (event.entityType !== rule.entity) return answer
      const rows = answer[rule.rows]
      if (comesBack(rows, event, rule)) return undefined
      const next = rowsAfter(rows, event, rule)
      if (next === rows) return answer
      const total = answer.total === undefined ? {} : { total: answer.total + next.length - rows.length }
      return { ...answer, [rule.rows]: next, ...total }
    },
  }
}

/** Entities whose row these rows hold, field by field: an event about one can be merged into them. */
type EntityIn<Each> = {
  [E in Entity]: Each extends RowOf<E> ? (RowOf<E> extends Pick<Each, keyof RowOf<E>> ? E : never) : never
}[Entity]

/** For each list in an answer, the entities it can list. */
type RowsRule<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Each extends Row)[] ? RuleFor<Name, Each> : never
}[keyof Answer]

type RuleFor<Name, Each> = {
  [E in EntityIn<Each>]: {
    readonly entity: E
    /** Under which name the answer has the rows. */
    readonly rows: Name
    /** Whether a row belongs in this list; asked for new and for changed rows. */
    belongs?(row: Each, event: EventOf<E>): boolean
    /** New rows come first unless this says otherwise. */
    readonly append?: boolean
  } & (keyof Each extends keyof RowOf<E>
    ? unknown
    : {
        /** What a new row has beside what the log tells. */
        readonly extra: Omit<Each, keyof RowOf<E>>
      })
}[EntityIn<Each>]

interface AnyRule<Name extends string> {
  readonly entity: Entity
  readonly rows: Name
  belongs?(row: Row, event: LogEvent): boolean
  readonly append?: boolean
  readonly extra?: object
}

type Listing<Name extends string> = { readonly [N in Name]: readonly Row[] } & { readonly total?: number }

function rowsAfter(rows: readonly Row[], event: LogEvent, rule: Omit<AnyRule<string>, "rows">): readonly Row[] {
  const at = rows.findIndex((row) => row.uuid === event.entityUuid)
  const found = rows[at]
  if ((found === undefined) !== (event.action === "created")) return rows
  const row = { ...(found ?? rule.extra), ...event.patch, uuid: event.entityUuid }
  if (event.action === "deleted" || rule.belongs?.(row, event) === false)
    return found === undefined ? rows : rows.filter((each) => each !== found)
  if (found !== undefined) return rows.with(at, row)
  return rule.append === true ? [...rows, row] : [row, ...rows]
}

/** A row that is not listed and belongs by what changed: the event does not carry the rest of it. */
function comesBack(rows: readonly Row[], event: LogEvent, rule: Omit<AnyRule<string>, "rows">): boolean {
  if (event.action !== "updated" || rows.some(({ uuid }) => uuid === event.entityUuid)) return false
  return rule.belongs?.({ ...event.patch, uuid: event.entityUuid }, event) === true
}
