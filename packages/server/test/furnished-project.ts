import { randomUUID } from "node:crypto"
import { newDelivery } from "../src/deliveries/outbox.ts"
import type { Actor } from "../src/index.ts"
import { webhookLane } from "../src/webhooks/outbox.ts"
import type { Workspace } from "./workspace-fixture.ts"

/** One thing of every kind that an input can name. */
export interface Furniture {
  project: string
  group: string
  idea: string
  proposal: string
  documentDraft: string
  taskDraft: string
  round: string
  document: string
  task: string
  criterion: string
  reference: string
  attachment: string
  comment: string
  finding: string
  session: string
  run: string
  runRule: string
  landing: string
  attention: string
  notification: string
  bridge: string
  webhook: string
  delivery: string
  agent: string
  user: string
  key: string
  signIn: string
  channel: string
  team: string
  machine: string
  order: string
  label: string
  view: string
}

/**
 * Puts one thing of every kind into a project; what has words holds `marker`. `person` runs the workspace, `agent` is
 * one of theirs that may do everything.
 */
export async function furnish(
  w: Workspace,
  person: Actor,
  agent: Actor,
  projectUuid: string,
  marker: string,
): Promise<Furniture> {
  const own = (name: string, input: object = {}) => w.call(person, name, input)
  const act = (name: string, input: object = {}) => w.call(agent, name, input)
  const group = id(await own("chorus_admin_create_project_group", { name: `${marker} group` }))
  await own("chorus_admin_move_project_to_group", { projectUuid, groupUuid: group })
  const idea = id(await act("chorus_pm_create_idea", { projectUuid, title: `${marker} idea`, content: marker }))
  await act("chorus_claim_idea", { ideaUuid: idea })
  const options = [
    { id: "a", label: marker },
    { id: "b", label: "B" },
  ]
  const round = id(
    await act("chorus_pm_start_elaboration", {
      ideaUuid: idea,
      depth: "minimal",
      questions: [{ id: "q1", text: marker, category: "scope", options }],
    }),
  )
  const proposal = id(
    await act("chorus_pm_create_proposal", {
      projectUuid,
      title: `${marker} proposal`,
      inputType: "idea",
      inputUuids: [idea],
    }),
  )
  const documentDraft = id(
    await act("chorus_pm_add_document_draft", { proposalUuid: proposal, type: "prd", title: marker, content: marker }),
    "draftUuid",
  )
  const taskDraft = id(
    await act("chorus_pm_add_task_draft", {
      proposalUuid: proposal,
      title: marker,
      acceptanceCriteriaItems: [{ description: marker }],
    }),
    "draftUuid",
  )
  const document = id(
    await act("chorus_pm_create_document", { projectUuid, type: "adr", title: `${marker} document`, content: marker }),
  )
  const { tasks } = (await own("chorus_create_tasks", {
    projectUuid,
    tasks: [
      {
        title: `${marker} task`,
        labels: [marker],
        description: marker,
        acceptanceCriteriaItems: [{ description: marker }],
      },
    ],
  })) as { tasks: object[] }
  const task = id(tasks[0] ?? {})
  await own("chorus_pm_assign_task", { taskUuid: task, agentUuid: agent.uuid })
  await act("chorus_update_task", { taskUuid: task, status: "in_progress" })
  const { acceptanceCriteriaItems } = (await own("chorus_get_task", { taskUuid: task })) as {
    acceptanceCriteriaItems: object[]
  }
  const { findings } = (await own("chorus_submit_review", {
    targetType: "task",
    targetUuid: task,
    verdict: "fail",
    summary: marker,
    findings: [{ severity: "blocker", text: marker }],
  })) as { findings: object[] }
  const session = id(await act("chorus_create_session", { name: `${marker} session` }))
  await act("chorus_session_checkin_task", { sessionUuid: session, taskUuid: task })
  await act("chorus_reserve_paths", { taskUuid: task, globs: [`${marker}/**`], sessionUuid: session })
  await act("chorus_report_usage", { taskUuid: task, inputTokens: 1, model: marker })
  const bridge = id(await own("chorus_create_bridge", { projectUuid, origin: `github:octo/${marker}`, token: "t" }))
  const webhook = id(await own("chorus_create_webhook", { url: `https://example.test/${marker}`, projectUuid }))
  const { labels } = (await own("chorus_list_labels", { projectUuid })) as { labels: object[] }
  const { team, machine } = await addTeam(w, person, agent, marker)
  const run = id(await own("chorus_start_run", { taskUuid: task, words: marker }))
  const runRule = crypto.randomUUID()
  await w.store.write(({ db }) =>
    db
      .insertInto("runRules")
      .values({
        uuid: runRule,
        workspaceUuid: person.workspaceUuid,
        projectUuid,
        runUuid: run,
        kind: "execute",
        title: marker,
        byUuid: person.uuid,
        createdAt: "2026-01-01T00:00:00.000Z",
        used: 0,
      })
      .execute(),
  )
  const landing = crypto.randomUUID()
  await w.store.write(({ db }) =>
    db
      .insertInto("landings")
      .values({
        uuid: landing,
        workspaceUuid: person.workspaceUuid,
        taskUuid: task,
        train: null,
        rank: 0,
        act: "land",
        how: "squash",
        state: "queued",
        reason: null,
        files: "[]",
        version: null,
        branch: marker,
        onto: null,
        commit: null,
        pushed: 0,
        runUuid: run,
        machineUuid: null,
        machineName: null,
        byType: "user",
        byUuid: person.uuid,
        lease: null,
        leaseUntil: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        endedAt: null,
      })
      .execute(),
  )
  return {
    project: projectUuid,
    group,
    idea,
    proposal,
    documentDraft,
    taskDraft,
    round,
    document,
    task,
    criterion: id(acceptanceCriteriaItems[0] ?? {}),
    reference: id(
      await act("chorus_add_reference", {
        targetType: "task",
        targetUuid: task,
        type: "docs",
        url: "https://example.test/",
        title: marker,
      }),
    ),
    attachment: id(
      await act("chorus_add_attachment", {
        targetType: "idea",
        targetUuid: idea,
        name: `${marker}.txt`,
        mediaType: "text/plain",
        contentBase64: "YQ==",
      }),
    ),
    comment: id(await own("chorus_add_comment", { targetType: "idea", targetUuid: idea, content: marker })),
    finding: id(findings[0] ?? {}),
    run,
    runRule,
    landing,
    session,
    attention: id(await act("chorus_create_attention", { title: marker, projectUuid })),
    notification: (
      await w.store.db
        .selectFrom("notifications")
        .select("uuid")
        .where("recipientUuid", "=", person.uuid)
        .orderBy("createdAt", "desc")
        .executeTakeFirstOrThrow()
    ).uuid,
    bridge,
    webhook,
    delivery: await addDelivery(w, person.workspaceUuid, webhook),
    agent: agent.uuid,
    user: person.uuid,
    key: id(await own("chorus_create_key", { agentUuid: agent.uuid })),
    signIn: await addSignIn(w, person.uuid),
    channel: id(await own("chorus_add_channel", { kind: "ntfy", address: `https://ntfy.example/${marker}` })),
    team,
    machine,
    order: id(await own("chorus_write_to_member", { teamUuid: team, to: "bob", text: marker }), "orderUuid"),
    label: id(labels[0] ?? {}),
    view: id(await own("chorus_save_view", { projectUuid, name: marker, layout: "list", query: "" })),
  }
}

async function addTeam(w: Workspace, person: Actor, agent: Actor, marker: string) {
  const about = { team: `${marker} team`, at: "2026-01-01T00:00:00.000Z" }
  const teamFacts = [
    { ...about, fact: "team", era: "session", ledByChorus: false },
    {
      ...about,
      fact: "member",
      state: "working",
      lead: true,
      member: { agentId: "lead", name: "bob", joinedAt: 1, tmuxPaneId: "leader", cwd: "/p", subscriptions: [] },
    },
    { ...about, fact: "message", id: "m1", from: "bob", to: "lead", kind: "message", text: marker, sentAt: about.at },
  ]
  const terminal = { terminalId: marker, agent: "claude", state: "needsInput", since: 1, source: "hook", title: marker }
  const terminals = [{ ...terminal, detail: marker, summary: null, exitCode: null, resumeCommand: null, reason: null }]
  const machine = `${marker} machine`
  const reported = await w.call<object>(agent, "chorus_report_machine", { machine, teamFacts, terminals })
  const { teams } = (await w.call(person, "chorus_list_teams")) as { teams: { uuid: string; name: string }[] }
  const team = id(teams.find(({ name }) => name === about.team) ?? {})
  return { team, machine: id(reported, "machineUuid") }
}

/** The server makes these out by itself; without one there is none. */
async function addDelivery(w: Workspace, workspaceUuid: string, webhookUuid: string): Promise<string> {
  const uuid = randomUUID()
  const now = new Date().toISOString()
  const row = newDelivery(
    {
      workspaceUuid,
      lane: webhookLane(webhookUuid),
      kind: "event",
      title: "task.created",
      payload: {},
    },
    { uuid, place: 1, now },
  )
  await w.store.write(({ db }) =>
    db
      .insertInto("deliveries")
      .values({ ...row, state: "dead", attempts: 1, nextAttemptAt: null, responseStatus: 500, settledAt: now })
      .execute(),
  )
  return uuid
}

async function addSignIn(w: Workspace, userUuid: string): Promise<string> {
  const uuid = randomUUID()
  const now = new Date().toISOString()
  const row = {
    uuid,
    hash: uuid,
    previousHash: null,
    userUuid,
    userAgent: null,
    createdAt: now,
    rotatedAt: now,
    lastUsedAt: now,
    expiresAt: "2999-01-01T00:00:00.000Z",
    revokedAt: null,
  }
  await w.store.write(({ db }) => db.insertInto("signIns").values(row).execute())
  return uuid
}

function id(row: object, field = "uuid"): string {
  const value = (row as Record<string, unknown>)[field]
  if (typeof value !== "string") throw new Error(`no ${field} in ${JSON.stringify(row)}`)
  return value
}
