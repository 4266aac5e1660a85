import type { LogEvent } from "@chorus/contracts"

/** Whether a label is called otherwise, or gone: it may be on whatever has labels. */
export function changesLabels({ kind }: LogEvent): boolean {
  return kind === "label.updated" || kind === "label.deleted"
}
