import type { proposals } from "@chorus/contracts"
import { danglingDependencies, dependencyCircles, type DraftNode } from "./draft-graph.ts"

const LEAST_CONTENT = 100

export interface ProposalToCheck {
  readonly description: string | null
  readonly inputType: "idea" | "document"
  readonly inputs: readonly InputToCheck[]
  readonly documents: readonly {
    readonly uuid: string
    readonly type: string
    readonly title: string
    readonly content: string
  }[]
  readonly tasks: readonly TaskToCheck[]
}

export interface InputToCheck {
  readonly title: string
  /** Ideas only: whether the questions about it are settled. */
  readonly resolved: boolean
}

export interface TaskToCheck extends DraftNode {
  readonly description: string | null
  readonly priority: string | null
  readonly storyPoints: number | null
  readonly criteria: readonly { readonly description: string }[]
}

type Issue = proposals.ProposalIssue

/** Everything that can be said about a proposal before it is submitted. Ids are stable; errors keep it from being submitted. */
export function checkProposal(proposal: ProposalToCheck): { valid: boolean; issues: Issue[] } {
  const issues = [
    ...inputIssues(proposal),
    ...documentIssues(proposal),
    ...taskIssues(proposal),
    ...graphIssues(proposal),
  ]
  return { valid: issues.every((issue) => issue.level !== "error"), issues }
}

function inputIssues({ description, inputType, inputs }: ProposalToCheck): Issue[] {
  const issues: Issue[] = []
  if (inputs.length === 0)
    issues.push(error("E4", "The proposal has no input; name at least one idea or document.", "inputUuids"))
  for (const input of inputType === "idea" ? inputs : []) {
    if (!input.resolved)
      issues.push(
        error(
          "E5",
          `The questions about "${input.title}" are not settled. If they wait for answers, wait with chorus_inbox (wait_seconds); if nothing was asked, ask, or give skipElaboration a reason.`,
          "inputUuids",
        ),
      )
  }
  if (blank(description)) issues.push(warning("W5", "The proposal has no description.", "description"))
  return issues
}

function documentIssues({ documents }: ProposalToCheck): Issue[] {
  const issues: Issue[] = []
  if (documents.length === 0) issues.push(error("E1", "The proposal has no document draft.", "documentDrafts"))
  for (const { uuid, title, content } of documents) {
    if (content.trim().length < LEAST_CONTENT) {
      issues.push(
        error(
          "E2",
          `The document "${title}" has fewer than ${LEAST_CONTENT} characters.`,
          `documentDrafts.${uuid}.content`,
        ),
      )
    }
  }
  if (documents.length > 0 && !documents.some((document) => document.type === "tech_design")) {
    issues.push(warning("W1", "No document is a tech_design.", "documentDrafts"))
  }
  return issues
}

function taskIssues({ tasks }: ProposalToCheck): Issue[] {
  const issues: Issue[] = []
  if (tasks.length === 0) issues.push(error("E3", "The proposal has no task draft.", "taskDrafts"))
  for (const { uuid, title, description, priority, storyPoints, criteria } of tasks) {
    const field = (name: string) => `taskDrafts.${uuid}.${name}`
    if (!criteria.some((criterion) => !blank(criterion.description))) {
      issues.push(error("E-AC", `The task "${title}" has no acceptance criterion.`, field("acceptanceCriteriaItems")))
    }
    if (blank(description)) issues.push(warning("W2", `The task "${title}" has no description.`, field("description")))
    if (priority === null) issues.push(info("I1", `The task "${title}" has no priority.`, field("priority")))
    if (storyPoints === null)
      issues.push(info("I2", `The task "${title}" has no estimate in agent hours.`, field("storyPoints")))
  }
  if (tasks.length >= 2 && tasks.every((task) => task.dependsOnDraftUuids.length === 0)) {
    issues.push(warning("W4", "No task depends on another; is that so?", "taskDrafts"))
  }
  return issues
}

function graphIssues({ tasks }: ProposalToCheck): Issue[] {
  const circles = dependencyCircles(tasks).map((circle) => {
    const titles = [...circle, ...circle.slice(0, 1)].map((draft) => `"${draft.title}"`)
    return error(
      "E-CYCLE",
      `These tasks wait for each other: ${titles.join(" → ")}.`,
      `taskDrafts.${circle[0]?.uuid}.dependsOnDraftUuids`,
    )
  })
  const dangling = danglingDependencies(tasks).map(({ uuid, title, missing }) =>
    error(
      "E-DANGLING",
      `The task "${title}" depends on ${missing}, which is no draft of this proposal.`,
      `taskDrafts.${uuid}.dependsOnDraftUuids`,
    ),
  )
  return [...circles, ...dangling]
}

function blank(text: string | null): boolean {
  return text === null || text.trim() === ""
}

const issue =
  (level: Issue["level"]) =>
  (id: string, message: string, field: string): Issue => ({ id, level, message, field })
const error = issue("error")
const warning = issue("warning")
const info = issue("info")
