import type { drafts, revisions } from "@chorus/contracts"
import { unifiedDiff } from "../documents/text-diff.ts"
import type { Snapshot } from "./check-proposal.ts"

type Draft = drafts.DocumentDraft | drafts.TaskDraft
type FieldChange = revisions.DraftChange["fields"][number]

/** Comparing long texts takes a moment each; others have their turn in between. */
type Steps<Answer> = Generator<undefined, Answer, undefined>

const LONG_TEXT = new Set(["content", "description"])
const BOOKKEEPING = new Set(["uuid", "version", "updatedAt"])

/** What a reviewer who knows the one must look at in the other. */
export function* compareSnapshots(
  before: Snapshot,
  after: Snapshot,
): Steps<{ proposal: FieldChange[]; drafts: revisions.DraftChange[] }> {
  return {
    proposal: yield* fieldChanges(
      { title: before.title, description: before.description },
      { title: after.title, description: after.description },
    ),
    drafts: [
      ...(yield* draftChanges("document", before.documents, after.documents)),
      ...(yield* draftChanges("task", before.tasks, after.tasks)),
    ],
  }
}

function* draftChanges(
  kind: "document" | "task",
  before: readonly Draft[],
  after: readonly Draft[],
): Steps<revisions.DraftChange[]> {
  const earlier = new Map(before.map((draft) => [draft.uuid, draft]))
  const now = new Set(after.map((draft) => draft.uuid))
  const changes: revisions.DraftChange[] = []
  for (const draft of after) {
    const old = earlier.get(draft.uuid)
    const fields = yield* fieldChanges({ ...old }, { ...draft })
    const change = old === undefined ? "added" : fields.length > 0 ? "changed" : "same"
    changes.push({ draftUuid: draft.uuid, kind, title: draft.title, change, fields })
  }
  for (const draft of before.filter(({ uuid }) => !now.has(uuid))) {
    const fields = yield* fieldChanges({ ...draft }, {})
    changes.push({ draftUuid: draft.uuid, kind, title: draft.title, change: "removed", fields })
  }
  return changes
}

function* fieldChanges(before: Record<string, unknown>, after: Record<string, unknown>): Steps<FieldChange[]> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !BOOKKEEPING.has(name))
  const changes: FieldChange[] = []
  for (const field of names) {
    const [was, is] = [before[field] ?? null, after[field] ?? null]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    if (!LONG_TEXT.has(field)) {
      changes.push({ field, before: was, after: is })
      continue
    }
    changes.push({ field, before: null, after: null, patch: unifiedDiff(field, String(was ?? ""), String(is ?? "")) })
    yield
  }
  return changes
}
