import { describe } from "vitest"
import { OTHER, PROJECT, TASK } from "../../test/field-rule.ts"
import { describeWholeInputs, type WholeInputs } from "../../test/whole-input.ts"

const criteria = [
  { description: "The cat gets in." },
  { description: "It shuts behind it.", required: false, command: "npm test -- flap" },
]
const references = [{ type: "docs" as const, url: "https://example.org/flaps", title: "Flaps", notes: "chapter 2" }]

/** What people and agents say while they plan. */
const PLANNING: WholeInputs = {
  chorus_pm_create_idea: {
    projectUuid: PROJECT,
    title: "A house for cats",
    content: "With a *flap* in each door.\n\n- warm\n- dry",
    parentUuid: OTHER,
    isContainer: true,
    labels: ["cats"],
    references,
  },
  chorus_edit_idea: {
    ideaUuid: TASK,
    title: "A house for cats",
    content: null,
    parentUuid: null,
    isContainer: false,
    labels: [],
    expectedVersion: 2,
  },
  chorus_get_ideas: {
    projectUuid: PROJECT,
    status: "elaborated",
    assigneeUuid: OTHER,
    label: "cats",
    page: 2,
    pageSize: 50,
  },
  chorus_pm_assign_idea: { ideaUuid: TASK, assigneeType: "user", assigneeUuid: OTHER, instanceUuid: null },
  chorus_pm_start_elaboration: {
    ideaUuid: TASK,
    depth: "comprehensive",
    questions: [
      {
        id: "q1",
        text: "Which wood?\nIt stands outside.",
        category: "non_functional",
        options: [
          { id: "oak", label: "Oak", description: "Lasts." },
          { id: "pine", label: "Pine" },
        ],
        required: false,
      },
    ],
  },
  chorus_answer_elaboration: {
    ideaUuid: TASK,
    roundUuid: OTHER,
    answers: [
      { questionId: "q1", selectedOptionId: "oak", customText: null },
      { questionId: "q2", selectedOptionId: null, customText: "Green, please." },
    ],
    askAgain: true,
  },
  chorus_pm_create_proposal: {
    projectUuid: PROJECT,
    title: "A cat flap",
    description: "In the kitchen door.",
    inputType: "idea",
    inputUuids: [OTHER],
    references,
    documentDrafts: [{ type: "tech_design", title: "The flap", content: "# The flap" }],
    taskDrafts: [
      {
        key: "hole",
        title: "Cut the hole",
        description: "Round.",
        storyPoints: 0.5,
        priority: "high",
        acceptanceCriteriaItems: criteria,
      },
      { key: "flap", title: "Hang the flap", acceptanceCriteriaItems: criteria, dependsOnDraftUuids: ["hole"] },
    ],
  },
  chorus_get_proposals: { projectUuid: PROJECT, status: "pending", ideaUuid: OTHER, page: 1, pageSize: 20 },
  chorus_submit_plan: {
    projectUuid: PROJECT,
    title: "A cat flap",
    description: "In the kitchen door.",
    ideaUuids: [OTHER],
    proposalUuid: TASK,
    skipElaboration: "It is clear.",
    documents: [{ type: "prd", title: "Why", content: "Cats." }],
    tasks: [
      {
        key: "hole",
        title: "Cut the hole",
        description: "Round.",
        priority: "low",
        storyPoints: 1,
        criteria: ["The cat gets in."],
      },
      { key: "flap", title: "Hang the flap", criteria, dependsOn: ["hole"] },
    ],
  },
  chorus_pm_add_document_draft: { proposalUuid: TASK, type: "adr", title: "Oak", content: "Because it lasts." },
  chorus_pm_update_document_draft: {
    proposalUuid: TASK,
    draftUuid: OTHER,
    expectedVersion: 3,
    type: "spec",
    title: "Oak",
    content: "",
  },
  chorus_pm_add_task_draft: {
    proposalUuid: TASK,
    title: "Cut the hole",
    description: "Round.",
    storyPoints: 2,
    priority: "medium",
    acceptanceCriteriaItems: criteria,
    dependsOnDraftUuids: [OTHER],
    contracts: { [OTHER]: "a frame" },
  },
  chorus_pm_update_task_draft: {
    proposalUuid: TASK,
    draftUuid: OTHER,
    expectedVersion: 1,
    title: "Cut the hole",
    description: null,
    storyPoints: null,
    priority: null,
    acceptanceCriteriaItems: criteria,
    dependsOnDraftUuids: [],
    contracts: {},
  },
  chorus_pm_create_document: {
    projectUuid: PROJECT,
    type: "guide",
    title: "How to hang a flap",
    content: "First…",
    proposalUuid: OTHER,
  },
  chorus_pm_update_document: {
    documentUuid: TASK,
    title: "How to hang a flap",
    content: "Second…",
    expectedVersion: 2,
  },
  chorus_get_documents: { projectUuid: PROJECT, type: "report", proposalUuid: OTHER, page: 1, pageSize: 100 },
  chorus_create_report: { proposalUuid: OTHER, title: "The flap hangs", content: "All of it.", force: true },
  chorus_add_reference: {
    targetType: "document",
    targetUuid: TASK,
    type: "paper_blog",
    url: "https://example.org/cats?q=1#top",
    title: "On cats",
    notes: "long",
  },
  chorus_update_reference: { uuid: TASK, type: "issue_pr", url: "http://example.org", title: "On cats", notes: null },
  chorus_add_attachment: {
    targetType: "idea",
    targetUuid: TASK,
    as: OTHER,
    name: "Skizze größer 猫.png",
    mediaType: "image/png",
    contentBase64: "iVBORw0KGgo=",
  },
  chorus_submit_review: {
    targetType: "proposal",
    targetUuid: TASK,
    verdict: "fail",
    summary: "The hole is too small.",
    findings: [
      { key: "B1", severity: "blocker", text: "It is still too small." },
      { severity: "note", text: "Round the edges." },
    ],
    resolvedKeys: ["N2", "N3"],
  },
}

describe("planning", () => describeWholeInputs(PLANNING))
