import type { returned, work } from "@chorus/contracts"
import { cleanLine } from "./event-field.ts"

const MOST_REPORT = 1500

/** A brief in words: what came back, what to do, when it is done, what it builds upon, and how to hand it in without a call. */
export function briefText(brief: work.TaskBrief): string {
  const {
    task,
    idea,
    answers = [],
    files = [],
    documents = [],
    dependencies = [],
    dependents = [],
    reservedByOthers = [],
  } = brief
  const criteria = task.acceptanceCriteriaItems.map(
    (item, at) =>
      `${at + 1}. ${item.description}${item.required === false ? " (optional)" : ""}${item.command === undefined ? "" : ` — check: ${item.command}`}${item.status === undefined ? "" : ` [${item.status}]`}`,
  )
  const sections = [
    `Task ${task.uuid}: ${task.title} (${task.shortId}, ${task.status.replace("_", " ")}, priority ${task.priority}, project ${task.project.name})`,
    task.returned === undefined ? "" : returnedText(task.returned),
    task.changed === undefined ? "" : `The task was rewritten since the last brief: ${task.changed}.`,
    task.description ?? "",
    section("Acceptance criteria", criteria),
    section(
      "Builds on",
      dependencies.map(
        (link) =>
          `- ${link.title} (${link.status})${link.contract === undefined ? "" : `, relies on ${link.contract}`}${link.reports === undefined ? "" : `: ${cleanLine(link.reports, MOST_REPORT)}`}`,
      ),
    ),
    section(
      "Others rely on",
      dependents.map((link) => `- ${link.title}: ${link.contract}`),
    ),
    section(
      "Earlier reports",
      (task.reports ?? []).map((report) => `- ${cleanLine(report, MOST_REPORT)}`),
    ),
    section(
      "What people said about it",
      (task.comments ?? []).map((comment) => `- ${cleanLine(comment, MOST_REPORT)}`),
    ),
    idea === undefined ? "" : `Idea: ${idea.title} (${idea.uuid})${idea.words === undefined ? "" : `\n${idea.words}`}`,
    section(
      "What people answered",
      answers.map(
        ({ question, answer, changed }) => `- ${question} ${answer}${changed === undefined ? "" : ` (${changed})`}`,
      ),
    ),
    section(
      "Files (chorus_get_attachment has each)",
      files.map(({ name, uuid }) => `- ${cleanLine(name, 200)}: ${uuid}`),
    ),
    section(
      "Documents (chorus_get_document has all of each)",
      documents.map(
        (document) =>
          `- ${document.title}, ${document.type}, version ${document.version}${document.changed === undefined ? "" : ` (CHANGED: ${document.changed})`}: ${document.uuid}${document.parts === undefined ? "" : `\n${document.parts}`}`,
      ),
    ),
    section(
      "References",
      (task.references ?? []).map((reference) => `- ${reference.title}: ${reference.url}`),
    ),
    section(
      "Paths others work on; leave them alone",
      reservedByOthers.map((path) => `- ${path.glob} (${path.agent})`),
    ),
  ]
  return sections.filter((part) => part.trim() !== "").join("\n\n")
}

/** Why work came back, in words. */
export function returnedText({ handIn, by, reason, failed, findings, comments = [] }: returned.Returned): string {
  return [
    `${by === null ? "FAILED A REVIEW" : `SENT BACK by ${by.name}`} (hand-in ${handIn})${reason === undefined || reason.trim() === "" ? "" : `: ${reason}`}`,
    ...failed.map(
      ({ criterion, evidence }) => `- Failed: ${criterion}${evidence === undefined ? "" : ` — ${evidence}`}`,
    ),
    ...findings.map(findingText),
    ...comments.map(threadText),
    ...(comments.length > 0 ? ["Answer each thread with chorus_comment_on_change, under its threadUuid."] : []),
  ].join("\n")
}

function threadText({ file, line, outdated, severity, text, suggestion, threadUuid }: returned.OpenThread): string {
  const where = outdated === undefined ? "" : `, outdated: ${outdated}`
  const better = suggestion === undefined ? "" : `\n  Suggested instead:\n${suggestion.replace(/^/gm, "    ")}`
  return `- ${file}:${line} (${severity}${where}): ${text}${better}\n  Thread ${threadUuid}`
}

export function findingText({ key, severity, text }: returned.OpenFinding): string {
  return `- ${key} (${severity}): ${text}`
}

/** How a sub-agent ends, so that its last message is all the tracking there is. */
export function closingRules(criteria: readonly { readonly command?: string | undefined }[]): string {
  return [
    "You are checked in and the task is in progress; Chorus keeps track by itself, so make no tracking call.",
    'Your last message is stored as the work report. Begin it with "DONE" if the task is finished, and it is handed in for verification; begin it with "UNFINISHED" and the reason if not.',
    ...(criteria.length > 0
      ? [
          `Say for each criterion how you checked it, one per line: "[x] 1 evidence" if it holds, "[ ] 1 reason" if not.`,
        ]
      : []),
    ...(criteria.some(({ command }) => command !== undefined)
      ? [`One with a check passes by the exit code alone: "[x] 1 exit 0, evidence".`]
      : []),
  ].join("\n")
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`
}
