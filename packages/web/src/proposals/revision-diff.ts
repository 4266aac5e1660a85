import type { revisions } from "@chorus/contracts"
import { type DiffLine, linesBetween, linesOfPatch } from "../diff/lines.ts"

type FieldChange = revisions.DraftChange["fields"][number]

/** Which submissions to compare first: the last one somebody has seen with what lies there now. */
export function firstComparison(
  revision: number,
  status: string,
): { readonly from: number; readonly to: number | undefined } | undefined {
  if (status === "draft") return revision >= 1 ? { from: revision, to: undefined } : undefined
  return revision >= 2 ? { from: revision - 1, to: revision } : undefined
}

export interface Wording {
  titleOf(draftUuid: string): string
  /** What a criterion is called that need not be met. */
  readonly optional: string
}

/** A changed field as lines: long text as its diff, lists item by item, the rest before and after. */
export function linesOfField({ field, before, after, patch }: FieldChange, wording: Wording): DiffLine[] {
  if (patch !== undefined) return linesOfPatch(patch)
  if (typeof before === "string" && typeof after === "string") return linesBetween(before, after)
  const was = items(field, before, wording)
  const is = items(field, after, wording)
  const gone = was.filter((item) => !is.includes(item)).map((text): DiffLine => ({ kind: "removed", text }))
  const kept = is.map((text): DiffLine => ({ kind: was.includes(text) ? "same" : "added", text }))
  return [...gone, ...kept]
}

function items(field: string, value: unknown, { titleOf, optional }: Wording): string[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return [String(value)]
  return value.map((item: unknown) => {
    if (field === "dependsOnDraftUuids") return titleOf(String(item))
    if (typeof item === "object" && item !== null && "description" in item) {
      const { description, required, command } = item as { description: string; required?: boolean; command?: string }
      return [description, required === false ? `(${optional})` : "", command === undefined ? "" : `$ ${command}`]
        .filter(Boolean)
        .join(" ")
    }
    return typeof item === "string" ? item : JSON.stringify(item)
  })
}
