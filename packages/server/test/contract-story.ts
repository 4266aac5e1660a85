import type { Player, Scenery } from "./contract-stage.ts"

type Input = Record<string, unknown>

const LONG =
  "What is built, how it hangs together and why it is done this way and no other, in enough words to be read. ".repeat(
    2,
  )
const CRITERIA = [{ description: "it works" }]
const QUESTION = {
  id: "q1",
  text: "Which?",
  category: "scope",
  options: [
    { id: "a", label: "A" },
    { id: "b", label: "B" },
  ],
}

/** Brings about what a tool needs and says with which input `role` calls it then. */
export type Scene = (stage: Scenery, role: Player) => Promise<Input>

/** One scene for each tool of the table. */
export const SCENES: Record<string, Scene> = {
  chorus_checkin: async () => ({}),
  chorus_list_projects: async () => ({}),
  chorus_get_project: async ({ project }) => ({ projectUuid: project }),
  chorus_get_ideas: async (stage) => after(idea(stage), { projectUuid: stage.project }),
  chorus_get_idea: async (stage) => ({ ideaUuid: await heldIdea(stage, stage.roles.pm) }),
  chorus_get_documents: async (stage) => after(document(stage), { projectUuid: stage.project }),
  chorus_get_document: async (stage) => ({ documentUuid: await document(stage) }),
  chorus_get_proposals: async (stage) => after(pending(stage, stage.roles.pm), { projectUuid: stage.project }),
  chorus_get_proposal: async (stage) => ({ proposalUuid: await pending(stage, stage.roles.pm) }),
  chorus_list_tasks: async (stage) => after(task(stage), { projectUuid: stage.project }),
  chorus_get_task: async (stage) => ({ taskUuid: await task(stage) }),
  chorus_get_activity: async ({ project }) => ({ projectUuid: project }),
  chorus_get_my_assignments: async (stage, role) => after(assignedTask(stage, role), {}),
  chorus_get_available_ideas: async (stage) => after(idea(stage), { projectUuid: stage.project }),
  chorus_get_available_tasks: async (stage) => after(task(stage), { projectUuid: stage.project }),
  chorus_get_unblocked_tasks: async (stage) => after(task(stage), { projectUuid: stage.project }),
  chorus_add_comment: async (stage) => ({ targetType: "task", targetUuid: await task(stage), content: "hello" }),
  chorus_get_comments: async (stage) => {
    const targetUuid = await task(stage)
    await stage.own("chorus_add_comment", { targetType: "task", targetUuid, content: "hello" })
    return { targetType: "task", targetUuid }
  },
  chorus_get_notifications: async (stage, role) => after(assignedTask(stage, role), {}),
  chorus_mark_notification_read: async () => ({ all: true }),
  chorus_answer_elaboration: async (stage) => ({
    ideaUuid: await askedIdea(stage, stage.roles.pm),
    answers: [{ questionId: "q1", selectedOptionId: "a", customText: null }],
  }),
  chorus_get_elaboration: async (stage) => ({ ideaUuid: await askedIdea(stage, stage.roles.pm) }),
  chorus_get_project_groups: async (stage) => after(group(stage), {}),
  chorus_get_project_group: async (stage) => ({ groupUuid: await groupWithProject(stage) }),
  chorus_get_group_dashboard: async (stage) => ({ groupUuid: await groupWithProject(stage) }),
  chorus_search_mentionables: async () => ({ query: "the" }),
  chorus_search: async (stage) => after(idea(stage), { query: "idea of the stage" }),
  chorus_create_tasks: async ({ project }) => ({
    projectUuid: project,
    tasks: [{ title: "New", acceptanceCriteriaItems: CRITERIA }],
  }),
  chorus_update_task: async (stage, role) => ({ taskUuid: await taskOf(stage, role), title: "Renamed" }),

  chorus_list_sessions: async (_, role) => after(session(role), {}),
  chorus_get_session: async (stage, role) => ({ sessionUuid: (await workingSession(stage, role)).sessionUuid }),
  chorus_create_session: async () => ({ name: "worker", description: "works" }),
  chorus_close_session: async (_, role) => ({ sessionUuid: await session(role) }),
  chorus_reopen_session: async (_, role) => {
    const sessionUuid = await session(role)
    await done(role, "chorus_close_session", { sessionUuid })
    return { sessionUuid }
  },
  chorus_session_checkin_task: async (stage, role) => ({
    sessionUuid: await session(role),
    taskUuid: await assignedTask(stage, role),
  }),
  chorus_session_checkout_task: workingSession,
  chorus_session_heartbeat: async (_, role) => ({ sessionUuid: await session(role) }),

  chorus_claim_idea: async (stage) => ({ ideaUuid: await idea(stage) }),
  chorus_release_idea: async (stage, role) => ({ ideaUuid: await heldIdea(stage, role) }),
  chorus_pm_create_idea: async ({ project }) => ({
    projectUuid: project,
    title: "New",
    references: [{ type: "docs", url: "https://example.test/a", title: "A" }],
  }),
  // A person's own words are not for an agent to rewrite.
  chorus_edit_idea: async (stage, role) => ({ ideaUuid: await ownIdea(stage, role), title: "Renamed" }),
  chorus_move_idea: async (stage) => ({ ideaUuid: await idea(stage), targetProjectUuid: stage.otherProject }),
  chorus_pm_assign_idea: async (stage) => ({
    ideaUuid: await idea(stage),
    assigneeType: "agent",
    assigneeUuid: stage.roles.pm.uuid,
  }),
  chorus_pm_start_elaboration: async (stage, role) => ({
    ideaUuid: await heldIdea(stage, role),
    depth: "minimal",
    questions: [QUESTION],
  }),
  chorus_pm_validate_elaboration: async (stage, role) => {
    const ideaUuid = await askedIdea(stage, role)
    await stage.own("chorus_answer_elaboration", {
      ideaUuid,
      answers: [{ questionId: "q1", selectedOptionId: "b", customText: null }],
    })
    return { ideaUuid }
  },
  chorus_pm_skip_elaboration: async (stage, role) => ({ ideaUuid: await heldIdea(stage, role), reason: "it is clear" }),
  chorus_get_alignment_anchor: async (stage) => ({ entityType: "idea", entityUuid: await idea(stage) }),
  chorus_pm_create_proposal: async (stage, role) => ({
    projectUuid: stage.project,
    title: "Proposal",
    inputType: "idea",
    inputUuids: [await settledIdea(stage, role)],
  }),
  chorus_pm_validate_proposal: async (stage, role) => ({ proposalUuid: (await draft(stage, role)).proposalUuid }),
  chorus_pm_submit_proposal: async (stage, role) => ({ proposalUuid: (await draft(stage, role)).proposalUuid }),
  chorus_pm_add_document_draft: async (stage, role) => ({
    proposalUuid: (await draft(stage, role)).proposalUuid,
    type: "prd",
    title: "More",
    content: LONG,
  }),
  chorus_pm_update_document_draft: async (stage, role) => {
    const { proposalUuid, documentDraft } = await draft(stage, role)
    return { proposalUuid, draftUuid: documentDraft, title: "Changed" }
  },
  chorus_pm_remove_document_draft: async (stage, role) => {
    const { proposalUuid, documentDraft } = await draft(stage, role)
    return { proposalUuid, draftUuid: documentDraft }
  },
  chorus_pm_add_task_draft: async (stage, role) => ({
    proposalUuid: (await draft(stage, role)).proposalUuid,
    title: "More",
    acceptanceCriteriaItems: CRITERIA,
  }),
  chorus_pm_update_task_draft: async (stage, role) => {
    const { proposalUuid, taskDraft } = await draft(stage, role)
    return { proposalUuid, draftUuid: taskDraft, title: "Changed" }
  },
  chorus_pm_remove_task_draft: async (stage, role) => {
    const { proposalUuid, taskDraft } = await draft(stage, role)
    return { proposalUuid, draftUuid: taskDraft }
  },
  chorus_pm_reject_proposal: async (stage, role) => ({
    proposalUuid: await pending(stage, role),
    reviewNote: "not yet",
  }),
  chorus_pm_revoke_proposal: async (stage, role) => ({
    proposalUuid: await approved(stage, role),
    reviewNote: "after all not",
  }),
  chorus_pm_assign_task: async (stage) => ({ taskUuid: await task(stage), agentUuid: stage.roles.developer.uuid }),
  chorus_pm_create_document: async ({ project }) => ({
    projectUuid: project,
    type: "adr",
    title: "Decision",
    content: "We do it.",
  }),
  chorus_pm_update_document: async (stage, role) => ({
    documentUuid: await ownDocument(stage, role),
    content: "Otherwise.",
  }),
  chorus_create_report: async (stage) => ({
    proposalUuid: await approved(stage, stage.roles.pm),
    title: "Report",
    content: "Done.",
  }),
  chorus_add_reference: async (stage) => ({
    targetType: "task",
    targetUuid: await task(stage),
    type: "repo",
    url: "https://example.test/r",
    title: "R",
    notes: "n",
  }),
  chorus_update_reference: async (stage, role) => ({ uuid: await ownReference(stage, role), title: "Renamed" }),
  chorus_remove_reference: async (stage, role) => ({ uuid: await ownReference(stage, role) }),

  chorus_claim_task: async (stage) => ({ taskUuid: await task(stage) }),
  chorus_release_task: async (stage, role) => ({ taskUuid: await assignedTask(stage, role) }),
  chorus_submit_for_verify: async (stage, role) => ({ taskUuid: await startedTask(stage, role), summary: "done" }),
  chorus_report_work: async (stage, role) => ({ taskUuid: await startedTask(stage, role), report: "half way" }),
  chorus_report_criteria_self_check: async (stage, role) => {
    const taskUuid = await startedTask(stage, role)
    return {
      taskUuid,
      criteria: (await criteriaOf(stage, taskUuid)).map((uuid) => ({
        uuid,
        devStatus: "passed",
        devEvidence: "ran it",
      })),
    }
  },

  chorus_admin_create_project: async () => ({ name: "New project", description: "d" }),
  chorus_admin_create_project_group: async () => ({ name: "New group" }),
  chorus_admin_update_project_group: async (stage) => ({ groupUuid: await group(stage), name: "Renamed" }),
  chorus_admin_delete_project_group: async (stage) => ({ groupUuid: await group(stage) }),
  chorus_admin_move_project_to_group: async (stage) => ({
    projectUuid: stage.otherProject,
    groupUuid: await group(stage),
  }),
  chorus_admin_approve_proposal: async (stage) => ({
    proposalUuid: await pending(stage, stage.roles.pm),
    reviewNote: "good",
  }),
  chorus_admin_close_proposal: async (stage) => ({
    proposalUuid: await pending(stage, stage.roles.pm),
    reviewNote: "no",
  }),
  chorus_admin_verify_task: async (stage) => {
    const taskUuid = await submittedTask(stage)
    const criteria = (await criteriaOf(stage, taskUuid)).map((uuid) => ({ uuid, status: "passed" }))
    await stage.own("chorus_mark_acceptance_criteria", { taskUuid, criteria })
    return { taskUuid }
  },
  chorus_admin_reopen_task: async (stage) => ({ taskUuid: await submittedTask(stage) }),
  chorus_admin_close_task: async (stage) => ({ taskUuid: await task(stage) }),
  chorus_mark_acceptance_criteria: async (stage) => {
    const taskUuid = await submittedTask(stage)
    return {
      taskUuid,
      criteria: (await criteriaOf(stage, taskUuid)).map((uuid) => ({ uuid, status: "passed", evidence: "seen" })),
    }
  },
  chorus_admin_delete_idea: async (stage, role) => ({ ideaUuid: await ownIdea(stage, role) }),
  chorus_admin_delete_task: async (stage, role) => ({ taskUuid: await ownTask(stage, role) }),
  chorus_admin_delete_document: async (stage, role) => ({ documentUuid: await ownDocument(stage, role) }),
}

/** The input once something has happened that it does not name. */
async function after(happening: Promise<unknown>, input: Input): Promise<Input> {
  await happening
  return input
}

async function done(role: Player, tool: string, input: Input): Promise<Record<string, unknown>> {
  const { isError, body } = await role.call(tool, input)
  if (isError) throw new Error(`nobody could prepare with ${tool}: ${JSON.stringify(body)}`)
  return body
}

async function idea({ own, project }: Scenery): Promise<string> {
  return uuidOf(
    await own("chorus_pm_create_idea", {
      projectUuid: project,
      title: "An idea of the stage",
      content: "with content",
    }),
  )
}

async function ownIdea({ project }: Scenery, role: Player): Promise<string> {
  return uuidOf(await done(role, "chorus_pm_create_idea", { projectUuid: project, title: "My own" }))
}

async function heldIdea(stage: Scenery, role: Player): Promise<string> {
  const ideaUuid = await idea(stage)
  await stage.own("chorus_pm_assign_idea", { ideaUuid, assigneeType: "agent", assigneeUuid: role.uuid })
  return ideaUuid
}

async function askedIdea(stage: Scenery, role: Player): Promise<string> {
  const ideaUuid = await heldIdea(stage, role)
  await done(role, "chorus_pm_start_elaboration", { ideaUuid, depth: "minimal", questions: [QUESTION] })
  return ideaUuid
}

async function settledIdea(stage: Scenery, role: Player): Promise<string> {
  const ideaUuid = await heldIdea(stage, role)
  await done(role, "chorus_pm_skip_elaboration", { ideaUuid, reason: "it is clear" })
  return ideaUuid
}

async function draft(
  stage: Scenery,
  role: Player,
): Promise<{ proposalUuid: string; documentDraft: string; taskDraft: string }> {
  const proposalUuid = uuidOf(
    await done(role, "chorus_pm_create_proposal", {
      projectUuid: stage.project,
      title: "A proposal",
      inputType: "idea",
      inputUuids: [await settledIdea(stage, role)],
    }),
  )
  const { draftUuid: documentDraft } = await done(role, "chorus_pm_add_document_draft", {
    proposalUuid,
    type: "prd",
    title: "PRD",
    content: LONG,
  })
  const { draftUuid: taskDraft } = await done(role, "chorus_pm_add_task_draft", {
    proposalUuid,
    title: "Build",
    acceptanceCriteriaItems: CRITERIA,
  })
  return { proposalUuid, documentDraft: String(documentDraft), taskDraft: String(taskDraft) }
}

async function pending(stage: Scenery, role: Player): Promise<string> {
  const { proposalUuid } = await draft(stage, role)
  await done(role, "chorus_pm_submit_proposal", { proposalUuid })
  return proposalUuid
}

async function approved(stage: Scenery, role: Player): Promise<string> {
  const proposalUuid = await pending(stage, role)
  await stage.own("chorus_admin_approve_proposal", { proposalUuid })
  return proposalUuid
}

async function document({ own, project }: Scenery): Promise<string> {
  return uuidOf(
    await own("chorus_pm_create_document", { projectUuid: project, type: "guide", title: "Guide", content: "text" }),
  )
}

async function ownDocument({ project }: Scenery, role: Player): Promise<string> {
  const guide = { projectUuid: project, type: "guide", title: "Mine", content: "text" }
  return uuidOf(await done(role, "chorus_pm_create_document", guide))
}

async function ownReference(stage: Scenery, role: Player): Promise<string> {
  return uuidOf(
    await done(role, "chorus_add_reference", {
      targetType: "task",
      targetUuid: await task(stage),
      type: "docs",
      url: "https://example.test/d",
      title: "D",
    }),
  )
}

const NEW_TASKS = { tasks: [{ title: "A task", acceptanceCriteriaItems: CRITERIA }] }

async function task({ own, project }: Scenery): Promise<string> {
  const { tasks } = await own("chorus_create_tasks", { projectUuid: project, ...NEW_TASKS })
  return uuidOf((tasks as Record<string, unknown>[])[0])
}

async function ownTask({ project }: Scenery, role: Player): Promise<string> {
  const { tasks } = await done(role, "chorus_create_tasks", { projectUuid: project, ...NEW_TASKS })
  return uuidOf((tasks as Record<string, unknown>[])[0])
}

async function taskOf({ project }: Scenery, role: Player): Promise<string> {
  const { tasks } = await done(role, "chorus_create_tasks", {
    projectUuid: project,
    tasks: [{ title: "A task", acceptanceCriteriaItems: CRITERIA }],
  })
  return uuidOf((tasks as Record<string, unknown>[])[0])
}

async function assignedTask(stage: Scenery, role: Player): Promise<string> {
  const taskUuid = await task(stage)
  await stage.own("chorus_pm_assign_task", { taskUuid, agentUuid: role.uuid })
  return taskUuid
}

async function startedTask(stage: Scenery, role: Player): Promise<string> {
  const taskUuid = await assignedTask(stage, role)
  await done(role, "chorus_update_task", { taskUuid, status: "in_progress" })
  return taskUuid
}

async function submittedTask(stage: Scenery): Promise<string> {
  const taskUuid = await startedTask(stage, stage.roles.developer)
  await done(stage.roles.developer, "chorus_submit_for_verify", { taskUuid })
  return taskUuid
}

async function criteriaOf({ own }: Scenery, taskUuid: string): Promise<string[]> {
  const { acceptanceCriteriaItems } = await own("chorus_get_task", { taskUuid })
  return (acceptanceCriteriaItems as Record<string, unknown>[]).map(uuidOf)
}

async function session(role: Player): Promise<string> {
  return uuidOf(await done(role, "chorus_create_session", { name: "worker" }))
}

async function workingSession(stage: Scenery, role: Player): Promise<{ sessionUuid: string; taskUuid: string }> {
  const input = { sessionUuid: await session(role), taskUuid: await assignedTask(stage, role) }
  await done(role, "chorus_session_checkin_task", input)
  return input
}

async function group({ own }: Scenery): Promise<string> {
  return uuidOf(await own("chorus_admin_create_project_group", { name: "Group" }))
}

async function groupWithProject(stage: Scenery): Promise<string> {
  const groupUuid = await group(stage)
  await stage.own("chorus_admin_create_project", { name: "Member", groupUuid })
  return groupUuid
}

function uuidOf(row: Record<string, unknown> | undefined): string {
  if (typeof row?.["uuid"] !== "string") throw new Error(`no uuid in ${JSON.stringify(row)}`)
  return row["uuid"]
}
