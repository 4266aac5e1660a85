import type { work } from "@chorus/contracts"
import { cleanLine } from "./event-field.ts"

const MOST_REPORT = 1500

/** A brief in words: what to do, when it is done, what it builds upon, and how to hand it in without a call. */
export function briefText(brief: work.TaskBrief): string {
  const { task, idea, documents, dependencies, reservedByOthers } = brief
  const criteria = task.acceptanceCriteriaItems.map(
    (item, at) =>
      `${at + 1}. ${item.description}${item.required ? "" : " (optional)"}${item.command === null ? "" : ` — check: ${item.command}`}`,
  )
  const sections = [
    `Task ${task.uuid}: ${task.title} (${task.status.replace("_", " ")}, priority ${task.priority}, project ${task.project.name})`,
    task.description ?? "",
    section("Acceptance criteria", criteria.length > 0 ? criteria : [task.acceptanceCriteria ?? ""].filter(Boolean)),
    section(
      "Builds on",
      dependencies.map(
        (link) =>
          `- ${link.title} (${link.status})${link.contract === null ? "" : `, relies on ${link.contract}`}${link.lastReport === null ? "" : `: ${cleanLine(link.lastReport, MOST_REPORT)}`}`,
      ),
    ),
    section(
      "Earlier reports",
      task.reports.map((report) => `- ${cleanLine(report.content, MOST_REPORT)}`),
    ),
    idea === null ? "" : `Idea: ${idea.title} (${idea.uuid})`,
    section(
      "Documents (chorus_get_document)",
      documents.map((document) => `- ${document.title}, ${document.type}: ${document.uuid}`),
    ),
    section(
      "References",
      task.references.map((reference) => `- ${reference.title ?? reference.url}: ${reference.url}`),
    ),
    section(
      "Paths others work on; leave them alone",
      reservedByOthers.map((path) => `- ${path.glob} (${path.agent.name})`),
    ),
  ]
  return sections.filter((part) => part.trim() !== "").join("\n\n")
}

/** How a sub-agent ends, so that its last message is all the tracking there is. */
export function closingRules(criteria: number): string {
  return [
    "You are checked in and the task is in progress; Chorus keeps track by itself, so make no tracking call.",
    'Your last message is stored as the work report. Begin it with "DONE" if the task is finished, and it is handed in for verification; begin it with "UNFINISHED" and the reason if not.',
    ...(criteria > 0
      ? [
          `Say for each criterion how you checked it, one per line: "[x] 1 evidence" if it holds, "[ ] 1 reason" if not.`,
        ]
      : []),
  ].join("\n")
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`
}
