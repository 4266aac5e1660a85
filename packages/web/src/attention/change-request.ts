import type { attentions, changeRequests, criteria, revisions, tasks } from "@chorus/contracts"
import { mayMeasure } from "../tasks/task-status.ts"

type FieldChange = revisions.DraftChange["fields"][number]

/** What an agent asks to be changed, as its question keeps it. */
export interface RequestedChange {
  readonly targetType: changeRequests.ChangeTarget
  readonly targetUuid: string
  readonly target: string
  /** Of the text it was asked for; undefined for a plan, to which tasks are added. */
  readonly version?: number
  readonly change: changeRequests.RequestedChange
}

/** What an attention asks to be changed; undefined of one that asks something else. */
export function requestedChange({ kind, detail }: Pick<attentions.AttentionRow, "kind" | "detail">) {
  return kind === "change" && isRequest(detail) ? detail : undefined
}

/** Only Chorus writes one of that kind, and always whole. */
function isRequest(detail: object): detail is RequestedChange {
  return "targetType" in detail && "change" in detail
}

/** What stands there now. */
export interface Present {
  readonly title: string
  readonly content: string
  readonly version: number
  readonly criteria: readonly criteria.CriterionRow[]
  /** Of a task. */
  readonly status?: tasks.TaskStatus
}

/** Each thing that would be changed or added, with its fields before and after. */
export interface ChangedThing {
  readonly title: string
  readonly change: "changed" | "added"
  readonly fields: readonly FieldChange[]
}

/** Why what is asked for can no longer be done as it was asked. */
export function whyNot({ version, change }: RequestedChange, now: Present) {
  if (now.version !== version) return "decide.changeStale"
  return change.criteria !== undefined && now.status !== undefined && !mayMeasure(now.status)
    ? "decide.changeLate"
    : undefined
}

export function changedThings({ targetType, target, change }: RequestedChange, now: Present | undefined) {
  const { title, content, criteria: items, tasks } = change
  if (tasks !== undefined) return tasks.map(addedTask)
  const fields: FieldChange[] = []
  const put = (field: string, before: unknown, after: unknown) => fields.push({ field, before, after })
  if (title !== undefined) put("title", now?.title ?? target, title)
  if (content !== undefined) put(targetType === "task" ? "description" : "content", now?.content ?? "", content)
  if (items !== undefined) put("acceptanceCriteriaItems", now?.criteria.map(asWritten) ?? [], items.map(asWritten))
  return [{ title: target, change: "changed", fields }] satisfies ChangedThing[]
}

function addedTask(task: Readonly<Record<string, unknown>>): ChangedThing {
  const fields = Object.entries(task)
    .filter(([field]) => field !== "title" && field !== "draftUuid")
    .map(([field, after]) => ({ field, before: null, after }))
  return { title: String(task["title"]), change: "added", fields }
}

/** A criterion as words alone, or with what it needs beside them. */
function asWritten(item: string | criteria.CriterionInput | criteria.CriterionRow) {
  if (typeof item === "string") return { description: item }
  const { description, required, command } = item
  return { description, required, ...(command === null || command === undefined ? {} : { command }) }
}
