import type { drafts, revisions } from "@chorus/contracts"
import { unifiedDiff } from "../documents/text-diff.ts"
import type { Snapshot } from "./check-proposal.ts"

type Draft = drafts.DocumentDraft | drafts.TaskDraft
type FieldChange = revisions.DraftChange["fields"][number]

const LONG_TEXT = new Set(["content", "description"])
const BOOKKEEPING = new Set(["uuid", "version", "updatedAt"])

/** What a reviewer who knows the one must look at in the other. */
export function compareSnapshots(
  before: Snapshot,
  after: Snapshot,
): { proposal: FieldChange[]; drafts: revisions.DraftChange[] } {
  return {
    proposal: fieldChanges(
      { title: before.title, description: before.description },
      { title: after.title, description: after.description },
    ),
    drafts: [
      ...draftChanges("document", before.documents, after.documents),
      ...draftChanges("task", before.tasks, after.tasks),
    ],
  }
}

function draftChanges(
  kind: "document" | "task",
  before: readonly Draft[],
  after: readonly Draft[],
): revisions.DraftChange[] {
  const earlier = new Map(before.map((draft) => [draft.uuid, draft]))
  const now = new Set(after.map((draft) => draft.uuid))
  const kept = after.map((draft): revisions.DraftChange => {
    const old = earlier.get(draft.uuid)
    const fields = fieldChanges({ ...old }, { ...draft })
    const change = old === undefined ? "added" : fields.length > 0 ? "changed" : "same"
    return { draftUuid: draft.uuid, kind, title: draft.title, change, fields }
  })
  const gone = before
    .filter((draft) => !now.has(draft.uuid))
    .map((draft): revisions.DraftChange => ({
      draftUuid: draft.uuid,
      kind,
      title: draft.title,
      change: "removed",
      fields: fieldChanges({ ...draft }, {}),
    }))
  return [...kept, ...gone]
}

function fieldChanges(before: Record<string, unknown>, after: Record<string, unknown>): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !BOOKKEEPING.has(name))
  return names.flatMap((field) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    if (!LONG_TEXT.has(field)) return [{ field, before: was, after: is }]
    return [{ field, before: null, after: null, patch: unifiedDiff(field, String(was ?? ""), String(is ?? "")) }]
  })
}
