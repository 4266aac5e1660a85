import { describe } from "vitest"
import { statusRow } from "../../test/examples.ts"
import { OTHER, PROJECT, TASK } from "../../test/field-rule.ts"
import { describeWholeInputs, type WholeInputs } from "../../test/whole-input.ts"

const AT = "2026-03-01T10:00:00.000Z"

/** What agents say while they work, and people while they look. */
const WORK: WholeInputs = {
  chorus_list_tasks: {
    projectUuid: PROJECT,
    status: "to_verify",
    priority: "high",
    proposalUuids: [OTHER],
    assigneeUuid: OTHER,
    ready: true,
    page: 3,
    pageSize: 10,
  },
  chorus_get_unblocked_tasks: { projectUuid: PROJECT, proposalUuids: [OTHER], page: 1, pageSize: 20 },
  chorus_create_tasks: {
    projectUuid: PROJECT,
    proposalUuid: OTHER,
    tasks: [
      {
        title: "Cut the hole",
        description: "Round.",
        priority: "high",
        storyPoints: 1.5,
        acceptanceCriteriaItems: [{ description: "The cat gets in.", required: true, command: "npm test" }],
        draftUuid: "hole",
        dependsOnDraftUuids: ["frame"],
        dependsOnTaskUuids: [TASK],
        contracts: { frame: "a frame of 30 cm" },
        references: [{ type: "repo", url: "https://example.org/flap.git", title: "Flap" }],
      },
    ],
  },
  chorus_update_task: {
    taskUuid: TASK,
    status: "to_verify",
    sessionUuid: OTHER,
    title: "Cut the hole",
    description: null,
    priority: "low",
    storyPoints: null,
    acceptanceCriteriaItems: [{ description: "The cat gets in." }],
    addDependsOn: [OTHER],
    contract: "a frame",
    expectedVersion: 3,
    insist: true,
    removeDependsOn: [PROJECT],
  },
  chorus_report_work: {
    taskUuid: TASK,
    report: "Half\n\nof it.",
    status: "in_progress",
    to: "dependents",
    sessionUuid: OTHER,
    insist: true,
  },
  chorus_finish_task: {
    taskUuid: TASK,
    report: "Done.",
    criteria: [
      { uuid: OTHER, devStatus: "passed", devEvidence: "seen", exitCode: 0, output: "1 passed" },
      { uuid: TASK, devStatus: "failed" },
    ],
    sessionUuid: OTHER,
    insist: true,
  },
  chorus_reserve_paths: {
    taskUuid: TASK,
    globs: ["src/flap/**", "docs/*.md"],
    ttlMinutes: 30,
    sessionUuid: OTHER,
    reason: "the flap",
  },
  chorus_create_session: {
    name: "saw",
    description: "cuts",
    reuse: true,
    source: "claude-code",
    externalId: "abc",
    machine: "laptop",
    parentSessionUuid: OTHER,
  },
  chorus_create_attention: {
    title: "May I cut?",
    kind: "permission",
    options: ["Yes", "No"],
    taskUuid: TASK,
    projectUuid: PROJECT,
    sessionUuid: OTHER,
    detail: { toolName: "Saw", input: { depth: 2, marks: ["a", null] } },
    answerable: true,
    expiresInMinutes: 5,
  },
  chorus_list_attentions: { projectUuid: PROJECT, taskUuid: TASK, open: false, page: 1, pageSize: 20 },
  chorus_report_usage: {
    key: "turn-1",
    sessionUuid: OTHER,
    taskUuid: TASK,
    model: "opus",
    inputTokens: 1000,
    outputTokens: 20,
    cacheReadTokens: 300,
    cacheCreationTokens: 4,
    costUsd: 0.0125,
    source: "hook",
  },
  chorus_get_usage: { by: "model", projectUuid: PROJECT, ideaUuid: OTHER, taskUuid: TASK, agentUuid: OTHER, since: AT },
  chorus_add_comment: {
    targetType: "task",
    targetUuid: TASK,
    content: `Look, @[Ada](user:${OTHER}).`,
    parentUuid: OTHER,
  },
  chorus_get_comments: { targetType: "document", targetUuid: TASK, page: 1, pageSize: 5 },
  chorus_get_activity: { projectUuid: PROJECT, entityUuid: TASK, actorUuid: OTHER, page: 2, pageSize: 20 },
  chorus_get_notifications: { status: "all", limit: 50, offset: 100, autoMarkRead: false },
  chorus_search: { query: "cat flap", scope: "group", scopeUuid: OTHER, entityTypes: ["task", "project_group"] },
  chorus_list_events: { projectUuid: PROJECT, kind: "task.claimed", entityUuid: TASK, before: 17, limit: 100 },
}

describe("working", () => describeWholeInputs(WORK))

/** What people say who see to the workspace, and what machines report. */
const HOUSEKEEPING: WholeInputs = {
  chorus_invite_member: { name: "Ada", email: "ada@example.org", role: "admin", expiresInHours: 48 },
  chorus_update_member: {
    userUuid: TASK,
    name: "Ada L.",
    email: null,
    role: "viewer",
    disabled: true,
    resetPassword: true,
  },
  chorus_create_agent: {
    name: "Builder",
    persona: "careful",
    systemPrompt: null,
    presets: ["developer", "pm"],
    permissions: ["idea:admin"],
    projectUuids: [PROJECT],
  },
  chorus_update_agent: {
    agentUuid: TASK,
    name: "Builder",
    ownerUuid: OTHER,
    archived: false,
    persona: null,
    systemPrompt: "Measure twice.",
    presets: [],
    permissions: [],
    projectUuids: null,
  },
  chorus_update_project: { projectUuid: PROJECT, name: "House", key: "HOUS", description: null, status: "archived" },
  chorus_update_project_settings: {
    projectUuid: PROJECT,
    allowSelfApproval: true,
    allowSelfVerify: false,
    requireReview: true,
    requireTaskReview: false,
    exclusiveWork: true,
  },
  chorus_create_webhook: {
    url: "https://example.org/hook",
    kinds: ["task.*", "proposal.approved"],
    projectUuid: PROJECT,
    allowPrivate: true,
  },
  chorus_update_webhook: {
    webhookUuid: TASK,
    url: "http://localhost:9000/",
    kinds: ["*"],
    active: false,
    allowPrivate: true,
    renewSecret: true,
  },
  chorus_list_webhook_deliveries: { webhookUuid: TASK, status: "failed", page: 1, pageSize: 20 },
  chorus_report_machine: {
    machine: "laptop",
    terminals: [statusRow],
    goneTerminals: ["tty2"],
    teamFacts: [
      { team: "cats", at: AT, fact: "team", era: "named", description: "of cats", ledByChorus: true },
      { team: "cats", at: AT, fact: "member_left", name: "bob" },
    ],
    inventory: {
      machine: "laptop",
      takenAt: AT,
      marketplaces: [{ name: "house", source: { source: "github", repo: "a/b", "x-note": "mine" } }],
      plugins: [],
      offers: [],
    },
  },
  chorus_curate_plugins: {
    revision: 3,
    marketplaces: { house: { source: { source: "npm", package: "@house/plugins" } } },
    plugins: [
      {
        id: "lint@house",
        version: "1.0.0",
        contentHash: "c",
        surfaceHash: "s",
        enabled: false,
        required: false,
        options: { level: 2, rules: ["a"], fix: true, name: "x" },
        surface: [{ kind: "hook", where: "hooks.json", does: "runs lint" }],
      },
    ],
    exclusive: true,
  },
}

describe("housekeeping", () => describeWholeInputs(HOUSEKEEPING))
