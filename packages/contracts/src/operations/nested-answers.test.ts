import { describe } from "vitest"
import { describeAnswer } from "../../test/contract.ts"
import {
  ada,
  AT,
  attentionRow,
  builder,
  checkinRow,
  groupRow,
  projectRow,
  sessionRow,
  taskRow,
} from "../../test/examples.ts"
import { OTHER, PROJECT, TASK } from "../../test/field-rule.ts"
import { AttentionAnswer } from "./attentions.ts"
import { checkin } from "./checkin.ts"
import { getDraftVersions } from "./drafts.ts"
import { Elaboration, getAlignmentAnchor, Round } from "./elaboration.ts"
import { getGroupDashboard } from "./groups.ts"
import { getIdeaTree, IdeaDetail } from "./ideas.ts"
import { CycleTime, getFlow, getSessionTimeline } from "./insights.ts"
import { getGroup, listProjects } from "./projects.ts"
import { approveProposal, ProposalDetail, submitPlan } from "./proposals.ts"
import { DraftChange } from "./revisions.ts"
import { searchMentionables } from "./search.ts"
import { getSession } from "./sessions.ts"
import { Blocker, TaskDetail } from "./tasks.ts"
import { getTeam, listTeams } from "./team-room.ts"
import { UsageTotals } from "./usage.ts"
import { diffVersions, getVersions } from "./versions.ts"
import { getPresence, getTaskGraph, getTaskHistory, TaskBrief } from "./work.ts"

// Parts of answers that have no name of their own: what a reader finds inside of a list or below a field.

const question = Round.shape.questions.element
const answer = { selectedOptionId: "oak", customText: "Oak, please.", answeredAt: AT, answeredBy: ada }

describe("inside of the questions about an idea", () => {
  describeAnswer(
    "a question",
    question,
    {
      uuid: OTHER,
      questionId: "q1",
      text: "Which wood?",
      category: "scope",
      options: [{ id: "oak", label: "Oak", description: "Lasts." }],
      required: true,
      answer,
      earlier: [answer],
      issue: null,
    },
    { mayBeNull: ["answer", "issue"] },
  )

  describeAnswer("an answer", question.shape.earlier.element, answer, {
    mayBeNull: ["selectedOptionId", "customText", "answeredBy"],
  })

  describeAnswer(
    "the sum of them",
    Elaboration.shape.summary,
    { totalQuestions: 3, answeredQuestions: 2, validatedRounds: 1, pendingRound: 2 },
    { mayBeNull: ["pendingRound"] },
  )

  const origin = getAlignmentAnchor.output.shape.ideas.element
  describeAnswer(
    "what people asked for",
    origin,
    { uuid: TASK, title: "A house", content: "for cats", createdBy: ada, words: [], decisions: [], comments: [] },
    { mayBeNull: ["content", "createdBy"] },
  )
  describeAnswer(
    "what they decided",
    origin.shape.decisions.element,
    { question: "Which wood?", answer: "Oak", answeredBy: ada, answeredAt: AT },
    { mayBeNull: ["answeredBy"] },
  )
  describeAnswer(
    "what they said",
    origin.shape.comments.element,
    { content: "Hurry.", authorType: "user", author: ada, createdAt: AT },
    { mayBeNull: ["author"] },
  )
})

describe("inside of an idea", () => {
  describeAnswer(
    "its report",
    IdeaDetail.shape.reports.element,
    { uuid: OTHER, title: "Done", proposalUuid: OTHER, createdAt: AT },
    { mayBeNull: ["proposalUuid"] },
  )
  describeAnswer("its proposal", IdeaDetail.shape.proposals.element, { uuid: OTHER, title: "A plan", status: "draft" })
  describeAnswer(
    "its place in the tree",
    getIdeaTree.output.shape.ideas.element.pick({ uuid: true, parentUuid: true, depth: true, childUuids: true }),
    { uuid: TASK, parentUuid: OTHER, depth: 2, childUuids: [] },
    {
      mayBeNull: ["parentUuid"],
    },
  )
})

describe("inside of a proposal", () => {
  describeAnswer(
    "its review",
    ProposalDetail.shape.review.unwrap(),
    { reviewedBy: ada, reviewNote: "Good.", reviewedAt: AT },
    { mayBeNull: ["reviewedBy", "reviewNote", "reviewedAt"] },
  )
  describeAnswer("a draft that became a task", approveProposal.output.shape.materializedTasks.element, {
    draftUuid: OTHER,
    taskUuid: TASK,
    title: "Cut",
  })
  describeAnswer(
    "a draft that was named",
    submitPlan.output.shape.taskDrafts.element,
    { draftUuid: OTHER, title: "Cut", key: "t1" },
    { mayBeLeftOut: ["key"] },
  )
  describeAnswer(
    "a version of a draft",
    getDraftVersions.output.shape.versions.element,
    { version: 2, body: { title: "Cut" }, changedBy: ada, changedAt: AT },
    { mayBeNull: ["body", "changedBy"] },
  )
  describeAnswer("what changed in a draft", DraftChange, {
    draftUuid: OTHER,
    kind: "task",
    title: "Cut",
    change: "changed",
    fields: [],
  })
  describeAnswer(
    "a field that changed",
    DraftChange.shape.fields.element,
    { field: "title", before: "Cut", after: "Saw", patch: "@@" },
    { mayBeNull: ["before", "after"], mayBeLeftOut: ["patch"] },
  )
})

describe("inside of a document", () => {
  describeAnswer(
    "a version in its list",
    getVersions.output.shape.versions.element,
    { version: 1, title: "Why", contentLength: 9, changedBy: ada, changedAt: AT },
    { mayBeNull: ["changedBy"] },
  )
  describeAnswer("a line of a comparison", diffVersions.output.shape.lines.element, { kind: "added", text: "" })
})

describe("inside of a task", () => {
  describeAnswer(
    "what blocks it",
    Blocker,
    {
      uuid: OTHER,
      title: "Cut",
      status: "in_progress",
      assignee: builder,
      activeSession: { uuid: OTHER, name: "saw" },
    },
    { mayBeNull: ["assignee", "activeSession"] },
  )
  describeAnswer(
    "who holds it",
    TaskDetail.shape.assignee.unwrap(),
    { ...builder, assignedAt: AT, assignedBy: ada },
    { mayBeNull: ["assignedAt", "assignedBy"] },
  )
  describeAnswer(
    "what it builds upon, in its brief",
    TaskBrief.shape.dependencies.unwrap().element,
    { uuid: OTHER, title: "Cut", status: "done", contract: "planks", reports: "Cut." },
    { mayBeLeftOut: ["contract", "reports"] },
  )
  describeAnswer("paths that others hold", TaskBrief.shape.reservedByOthers.unwrap().element, {
    glob: "src/**",
    agent: "Builder",
  })
  describeAnswer("its lease", getTaskHistory.output.shape.lease, { state: "lapsed", at: AT }, { mayBeNull: ["at"] })
  describeAnswer(
    "its node in the graph",
    getTaskGraph.output.shape.nodes.element,
    { ...taskRow, wave: 1, critical: false, blockedBy: [] },
    { mayBeNull: ["proposalUuid", "storyPoints", "dueOn", "assignee", "wave"] },
  )
  describeAnswer(
    "an edge of the graph",
    getTaskGraph.output.shape.edges.element,
    { taskUuid: TASK, dependsOnUuid: OTHER, contract: "planks" },
    { mayBeNull: ["contract"] },
  )
})

describe("inside of who is there", () => {
  const agent = getPresence.output.shape.agents.element
  describeAnswer(
    "an agent",
    agent,
    {
      uuid: OTHER,
      name: "Builder",
      ownerUuid: OTHER,
      lastActiveAt: AT,
      sessions: [{ ...sessionRow, working: [checkinRow] }],
      inProgress: [],
    },
    { mayBeNull: ["ownerUuid", "lastActiveAt"] },
  )
  describeAnswer("a task it has in progress", agent.shape.inProgress.element, {
    uuid: TASK,
    shortId: "SHOP-1",
    title: "Fit",
    projectUuid: PROJECT,
    wasInSession: true,
  })
  describeAnswer(
    "a stay of a session",
    getSession.output.shape.checkins.element,
    { taskUuid: TASK, checkinAt: AT, checkoutAt: AT },
    { mayBeNull: ["checkoutAt"] },
  )
  describeAnswer("somebody to mention", searchMentionables.output.shape.results.element, {
    uuid: OTHER,
    name: "Ada",
    type: "user",
    online: false,
    activeCount: 0,
    mention: "@[Ada](user:x)",
  })
  describeAnswer(
    "who says hello",
    checkin.output.shape.agent,
    {
      uuid: OTHER,
      name: "Builder",
      type: "agent",
      roles: [],
      permissions: {},
      persona: "careful",
      systemPrompt: "Measure twice.",
      owner: { uuid: OTHER, name: "Ada", email: "ada@example.org" },
    },
    { mayBeNull: ["persona", "systemPrompt", "owner"] },
  )
})

describe("inside of projects and groups", () => {
  describeAnswer(
    "a project in its list",
    listProjects.output.shape.projects.element,
    { ...projectRow, _count: { ideas: 1, tasks: 2, openTasks: 1 } },
    { mayBeNull: ["description", "groupUuid"] },
  )
  describeAnswer(
    "a project of a group",
    getGroup.output.shape.projects.element,
    { uuid: PROJECT, name: "House", description: "of wood" },
    { mayBeNull: ["description"] },
  )
  describeAnswer("a group's numbers", getGroupDashboard.output.shape.stats, {
    totalTasks: 4,
    completedTasks: 1,
    completionRate: 25,
    openIdeas: 2,
    activeProposals: 1,
    projectCount: groupRow.projectCount,
  })
})

describe("inside of figures", () => {
  describeAnswer(
    "how long tasks took",
    CycleTime,
    { count: 3, medianHours: 1.5, p85Hours: 4, longestHours: 9.25 },
    { mayBeNull: ["medianHours", "p85Hours", "longestHours"] },
  )
  describeAnswer("a day's progress", getFlow.output.shape.burnUp.element, {
    day: "2026-03-01",
    scope: 6,
    done: 3,
    scopePoints: 9.5,
    donePoints: 4,
  })
  describeAnswer("a lane of the timeline", getSessionTimeline.output.shape.lanes.element, {
    sessionUuid: OTHER,
    sessionName: "saw",
    agent: builder,
    stays: [],
    hours: 0,
  })
  describeAnswer(
    "what was spent",
    UsageTotals,
    { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, totalTokens: 10, costUsd: 0.5 },
    { mayBeNull: ["costUsd"] },
  )
})

describe("inside of a team", () => {
  describeAnswer(
    "an order on its way",
    getTeam.output.shape.orders.element,
    {
      uuid: OTHER,
      what: "message",
      by: "Ada",
      to: "bob",
      createdAt: AT,
      deliveredAt: AT,
      error: "gone",
      next: "Send it again.",
    },
    { mayBeNull: ["deliveredAt", "error", "next"] },
  )
  describeAnswer(
    "a team in its list",
    listTeams.output.shape.teams.element.pick({ name: true, members: true, goneAt: true }),
    { name: "cats", members: [], goneAt: AT },
    { mayBeNull: ["goneAt"] },
  )
  describeAnswer(
    "what a person answered",
    AttentionAnswer,
    { ...attentionRow.answer, decision: "approve" },
    { mayBeLeftOut: ["decision", "text", "data"] },
  )
})
