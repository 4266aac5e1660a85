import type { criteria, drafts } from "@chorus/contracts"

/** A task draft as a person types it. */
export interface TaskForm {
  readonly title: string
  readonly description: string
  readonly priority: drafts.Priority | ""
  readonly points: string
  readonly criteria: readonly criteria.CriterionInput[]
  /** The drafts it comes after. */
  readonly after: readonly string[]
}

export function formOf(draft: drafts.TaskDraft): TaskForm {
  return {
    title: draft.title,
    description: draft.description ?? "",
    priority: draft.priority ?? "",
    points: draft.storyPoints === null ? "" : String(draft.storyPoints),
    criteria: draft.acceptanceCriteriaItems,
    after: draft.dependsOnDraftUuids,
  }
}

/** Whether it can be saved: a title, a number where one is meant, and at least one criterion with words. */
export function isWhole({ title, points, criteria: items }: TaskForm): boolean {
  const number = Number(points)
  return (
    title.trim() !== "" &&
    (points.trim() === "" || (Number.isFinite(number) && number >= 0)) &&
    items.some(({ description }) => description.trim() !== "")
  )
}

export function changesOf(form: TaskForm) {
  return {
    title: form.title.trim(),
    description: form.description === "" ? null : form.description,
    priority: form.priority === "" ? null : form.priority,
    storyPoints: form.points.trim() === "" ? null : Number(form.points),
    acceptanceCriteriaItems: form.criteria
      .filter(({ description }) => description.trim() !== "")
      .map((item) => ({ ...item, description: item.description.trim() })),
    dependsOnDraftUuids: [...form.after],
  }
}
