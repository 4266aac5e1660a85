import { createECDH, createHash, randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { InputOf, machines } from "@chorus/contracts"
import { operations } from "@chorus/server"
import type { Furnished } from "../../e2e/web/furnish.ts"
import { inputSchema, type JsonSchema } from "../../packages/server/test/sample-input.ts"
import { ELSEWHERE, XSS } from "./xss-payloads.ts"

const AT = "2026-01-01T09:00:00.000Z"

export interface Poisoned {
  readonly taskUuid: string
  readonly ideaUuid: string
  readonly proposalUuid: string
  readonly teamUuid: string
  readonly runUuid: string
  /** Checked and tried by hostile commands, with hostile output. */
  readonly checkedUuid: string
  readonly projectUuid: string
  readonly documentUuids: readonly string[]
  /** The last name of every field that got hostile text. */
  readonly fields: ReadonlySet<string>
}

/** The last names of all fields in which an operation takes free text. */
export function textFields(): Set<string> {
  const writes = operations.map(({ signature }) => signature).filter(({ kind }) => kind === "write")
  return new Set(writes.flatMap((signature) => fieldsIn(inputSchema(signature), "")))
}

let turn = 0
let usual = 1

/** The next few shapes, so that each field gets others. */
function shapes(count = usual): string[] {
  turn += count
  return Array.from({ length: count }, (_, at) => XSS[(turn + at) % XSS.length]?.text ?? "")
}

function shape(): string {
  return prose(shapes(1)[0] ?? "")
}

const prose = (text: string) => text.replaceAll("\u0001", " ").replaceAll("\f", " ")
const line = (text: string, most = 256) => prose(text).replaceAll(/\s+/g, " ").trim().slice(0, most)

/**
 * Puts hostile text wherever somebody can put text; each kind of field gets `count` shapes, comments and documents all
 * of them.
 */
export async function poison(furnished: Furnished, count: number): Promise<Poisoned> {
  usual = count
  const fields = new Set<string>()
  const noted =
    (call: Furnished["owner"]): Furnished["owner"] =>
    (name, input) => {
      note(input, [], fields)
      return call(name, input)
    }
  const hired = (one: Furnished["builder"]) => ({ ...one, call: noted(one.call) })
  const { projectUuid } = furnished
  const [owner, builder, planner, reviewer] = [
    noted(furnished.owner),
    hired(furnished.builder),
    hired(furnished.planner),
    hired(furnished.reviewer),
  ]
  const every = XSS.map(({ text }) => prose(text))
  for (const text of shapes()) {
    const group = await owner("chorus_admin_create_project_group", { name: line(text), description: prose(text) })
    const project = await owner("chorus_admin_create_project", { name: line(text), description: prose(text) })
    await owner("chorus_admin_move_project_to_group", { projectUuid: project.uuid, groupUuid: group.uuid })
    await owner("chorus_create_agent", {
      name: line(text, 80),
      persona: prose(text),
      systemPrompt: prose(text),
      presets: ["developer"],
    })
    await owner("chorus_invite_member", {
      name: line(text, 80),
      email: `x${turn}-${Math.random().toString(36).slice(2)}@example.test`,
      role: "viewer",
    })
    const attention = await builder.call("chorus_create_attention", {
      title: line(text),
      options: [line(text, 200)],
      projectUuid,
      detail: { tool: text, command: text, [line(text, 60)]: text },
    })
    if (turn % 2 === 0)
      await owner("chorus_answer_attention", { attentionUuid: attention.uuid, answer: { text: prose(text) } })
  }
  const keys = {
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  }
  await owner("chorus_subscribe_push", { endpoint: "https://push.example.com/x", keys, browser: line(shape(), 80) })
  const idea = await owner("chorus_pm_create_idea", {
    projectUuid,
    title: line(shapes(1)[0] ?? ""),
    content: every.join("\n\n"),
    references: [
      { type: "docs", url: `https://${ELSEWHERE}/`, title: line(shapes(1)[0] ?? ""), notes: shapes(1)[0] ?? "" },
    ],
  })
  for (const text of shapes())
    await owner("chorus_pm_create_idea", { projectUuid, title: line(text), content: prose(text) })
  for (const text of shapes())
    await builder.call("chorus_add_attachment", {
      targetType: "idea",
      targetUuid: idea.uuid,
      name: line(text, 200).replaceAll(/[/\\]/g, "-"),
      mediaType: "text/html",
      contentBase64: Buffer.from(text).toString("base64"),
    })
  await planner.call("chorus_claim_idea", { ideaUuid: idea.uuid })
  const questions = shapes(10).map((text, at) => ({
    id: `q${at}`,
    text: prose(text),
    category: "scope" as const,
    options: shapes(3).map((label, option) => ({
      id: `o${option}`,
      label: line(label, 200),
      description: prose(label),
    })),
  }))
  await planner.call("chorus_pm_start_elaboration", { ideaUuid: idea.uuid, depth: "standard", questions })
  await owner("chorus_answer_elaboration", {
    ideaUuid: idea.uuid,
    answers: questions.map(({ id }, at) => ({
      questionId: id,
      selectedOptionId: "o0",
      customText: prose(shapes(1)[0] ?? String(at)),
    })),
  })
  const proposal = await planner.call("chorus_submit_plan", {
    projectUuid,
    title: line(shapes(1)[0] ?? ""),
    description: shapes().map(prose).join("\n\n"),
    ideaUuids: [idea.uuid],
    documents: shapes(6).map((text) => ({
      type: "prd" as const,
      title: line(text),
      content: `${prose(text)}\n\n${"Words that make it long enough. ".repeat(8)}`,
    })),
    tasks: shapes(6).map((text, at) => ({
      key: `k${at}`,
      title: line(text),
      description: prose(text),
      criteria: shapes(3).map((criterion) => line(criterion, 2000)),
    })),
  })
  const { tasks } = await owner("chorus_create_tasks", {
    projectUuid,
    tasks: shapes(usual + 1).map((text) => ({
      title: line(text),
      labels: [line(text, 40)],
      description: prose(text),
      acceptanceCriteriaItems: shapes(3).map((criterion) => ({
        description: line(criterion, 2000),
        command: line(criterion, 2000),
      })),
    })),
  })
  const taskUuid = tasks[0]?.uuid ?? ""
  await owner("chorus_edit_tasks", {
    projectUuid,
    taskUuids: tasks.map(({ uuid }) => uuid),
    addLabels: [line(shape(), 40)],
    removeLabels: [line(shape(), 40)],
  })
  await owner("chorus_import_items", {
    projectUuid,
    origin: line(shape()),
    items: shapes(3).map((text, at) => ({
      key: `${at} ${line(text, 150)}`,
      url: null,
      title: line(text),
      description: prose(text),
      status: "open",
      priority: "low",
      storyPoints: null,
      labels: [line(text, 40)],
      dueOn: null,
      criteria: [line(text, 2000)],
      dependsOn: [],
      comments: [{ key: "1", author: line(text, 200), at: line(text, 40), content: prose(text) }],
    })),
  })
  await owner("chorus_save_view", {
    projectUuid,
    name: line(shape(), 80),
    layout: "list",
    query: `find=${shape()}`,
    shared: true,
  })
  for (const content of every)
    await builder.call("chorus_add_comment", { targetType: "task", targetUuid: taskUuid, content })
  await poisonWork({ owner, builder, reviewer, taskUuid, otherUuid: tasks[1]?.uuid ?? "" })
  await poisonPlan({ owner, planner, projectUuid })
  const documentUuids: string[] = []
  for (let from = 0; from < every.length; from += 20)
    documentUuids.push(
      (
        await planner.call("chorus_pm_create_document", {
          projectUuid,
          type: "adr",
          title: line(shapes(1)[0] ?? ""),
          content: every.slice(from, from + 20).join("\n\n"),
        })
      ).uuid,
    )
  await builder.call("chorus_report_machine", hostileMachine())
  for (const [event, more] of [
    ["SessionStart", { source: "startup" }],
    ["UserPromptSubmit", {}],
    ["SubagentStop", { agent_id: "a1" }],
    ["Notification", {}],
    [
      "Elicitation",
      {
        mcp_server_name: line(shape(), 60),
        requested_schema: { properties: { size: { title: shape(), enum: [shape()] } } },
      },
    ],
  ] as const) {
    await builder.call("chorus_hook", {
      hook_event_name: event,
      session_id: "hostile",
      cwd: `/${shape()}`,
      agent_type: line(shape(), 60),
      prompt: shape(),
      last_assistant_message: shape(),
      message: shape(),
      reason: shape(),
      task_subject: shape(),
      task_description: shape(),
      tool_input: { command: shape() },
      ...more,
    })
  }
  const { teams } = await owner("chorus_list_teams", {})
  for (const { uuid, members } of teams.slice(0, 1)) {
    const { orderUuid } = await owner("chorus_write_to_member", {
      teamUuid: uuid,
      to: members[0]?.name ?? "team-lead",
      text: shape(),
    })
    await builder.call("chorus_settle_delivery", {
      deliveryUuid: orderUuid,
      error: line(shape(), 1000),
      next: line(shape(), 1000),
      final: true,
    })
    await owner("chorus_ask_shutdown", { teamUuid: uuid, member: members[1]?.name ?? "frontend", reason: shape() })
  }
  const runUuid = await poisonRun({ owner, builder, projectUuid })
  const checkedUuid = await poisonChecks({ owner, builder, projectUuid })
  const projects = await owner("chorus_list_projects", { pageSize: 1 })
  return {
    taskUuid,
    ideaUuid: idea.uuid,
    proposalUuid: proposal.uuid,
    teamUuid: teams[0]?.uuid ?? "",
    runUuid,
    checkedUuid,
    projectUuid: projects.projects[0]?.uuid ?? "",
    documentUuids,
    fields,
  }
}

/** A run whose machine, program and agent say only what is hostile. */
async function poisonRun({
  owner,
  builder,
  projectUuid,
}: Pick<Furnished, "owner" | "builder" | "projectUuid">): Promise<string> {
  const { tasks } = await owner("chorus_create_tasks", {
    projectUuid,
    tasks: [{ title: line(shape(), 200), acceptanceCriteriaItems: [{ description: "it works" }] }],
  })
  const [machine, folder, command] = [line(shape(), 120), line(shape()), line(shape(), 1000)]
  const { uuid: runUuid } = await owner("chorus_start_run", {
    taskUuid: tasks[0]?.uuid ?? "",
    program: "command",
    command,
    model: line(shape(), 120),
    machine,
    folder,
    words: shape(),
  })
  const able = (missing: string | null) => ({
    program: "command" as const,
    version: line(shape(), 60),
    missing,
    commands: [command, line(shape(), 1000)],
    lacks: [line(shape(), 300)],
  })
  const found = [{ name: line(shape(), 80), command: line(shape(), 2000) }]
  const other = { path: line(shape(), 1000), project: line(shape(), 200), found }
  const told = { machine, folders: [folder, other], slots: 1, busy: 0 }
  await builder.call("chorus_lease_run", { ...told, programs: [able(line(shape(), 300))] })
  const { run } = await builder.call("chorus_lease_run", { ...told, programs: [able(null)] })
  const entry = { turn: 1, child: line(shape(), 200), title: shape(), text: shape(), status: line(shape(), 60), at: AT }
  await builder.call("chorus_report_run", {
    runUuid,
    lease: run?.lease ?? "",
    state: "waiting",
    reason: shape(),
    sessionId: line(shape(), 200),
    branch: line(shape(), 300),
    worktree: line(shape(), 1000),
    baseCommit: line(shape(), 64),
    entries: (["user", "message", "thought", "tool", "plan", "ask", "note"] as const).map((kind, place) => ({
      ...entry,
      id: `${place} ${line(shape(), 100)}`,
      place,
      kind,
      data: {
        input: shape(),
        diffs: [{ path: shape(), oldText: shape(), newText: shape() }],
        steps: [{ content: shape() }],
        agent: shape(),
        more: true,
      },
      whole: shape(),
    })),
    asks: [{ requestId: line(shape(), 200), kind: "permission", title: line(shape(), 300), detail: { tool: shape() } }],
    settled: [line(shape(), 200)],
    tree: line(shape(), 64),
    lastWords: shape(),
    evidence: shape(),
  })
  await owner("chorus_send_to_run", { runUuid, text: shape() })
  await owner("chorus_change_run", { runUuid, model: line(shape(), 120) })
  await owner("chorus_update_run_policy", {
    projectUuid,
    work: { build: { program: "command", command: line(shape(), 1000), model: line(shape(), 120) } },
  })
  return runUuid
}

/**
 * Checks of a project whose names, commands, machines and outputs are hostile: one runs, one was refused, one was run
 * by hand, and a preview of the same kind. Gives the task that they are of.
 */
async function poisonChecks({
  owner,
  builder,
  projectUuid,
}: Pick<Furnished, "owner" | "builder" | "projectUuid">): Promise<string> {
  const [running = "", refused = "", byHand = ""] = shapes(3).map((text) => line(text, 2000))
  const named = [running, refused, byHand].map((command, at) => ({
    name: line(shape(), 70) + at,
    command: command + at,
  }))
  await owner("chorus_update_project_settings", { projectUuid, checks: named, preview: line(shape(), 2000) })
  const { tasks } = await owner("chorus_create_tasks", {
    projectUuid,
    tasks: [{ title: line(shape(), 200), acceptanceCriteriaItems: [{ description: "it holds" }] }],
  })
  const [taskUuid, machine] = [tasks[0]?.uuid ?? "", line(shape(), 120)]
  const { uuid: runUuid } = await owner("chorus_start_run", { taskUuid, program: "claude", machine })
  const programs = [{ program: "claude" as const, version: null, missing: null }]
  const { run } = await builder.call("chorus_lease_run", {
    machine,
    programs,
    folders: ["/w"],
    slots: 1,
    busy: 0,
    checks: true,
  })
  const held = { runUuid, lease: run?.lease ?? "" }
  await builder.call("chorus_report_run", { ...held, state: "running", worktree: "/w" })
  await builder.call("chorus_report_run", { ...held, state: "finished", lastWords: "DONE" })
  const first = (await builder.call("chorus_lease_check", { machine })).check
  await builder.call("chorus_report_check", {
    checkUuid: first?.uuid ?? "",
    lease: first?.lease ?? "",
    refused: shape().slice(0, 500),
  })
  const next = (await builder.call("chorus_lease_check", { machine })).check
  await builder.call("chorus_report_check", { checkUuid: next?.uuid ?? "", lease: next?.lease ?? "", tail: shape() })
  await owner("chorus_start_preview", { taskUuid })
  const { check: tried } = await builder.call("chorus_lease_check", { machine, kinds: ["preview"] })
  const of = { checkUuid: tried?.uuid ?? "", lease: tried?.lease ?? "" }
  await builder.call("chorus_report_check", { ...of, tail: shape(), listens: { port: 1, near: false } })
  await owner("chorus_send_check", {
    taskUuid,
    // Whichever of the three nobody leased: what was sent last is what is shown of a check.
    command: named.find(({ command }) => command !== first?.command && command !== next?.command)?.command ?? "",
    machine: line(shape(), 120),
    exitCode: null,
    reason: shape().slice(0, 500),
    durationMs: 1,
    output: shape(),
    outputBytes: 1,
    touched: shapes(3).map(prose),
    environment: line(shape(), 200),
    tree: line(shape(), 64),
  })
  return taskUuid
}

async function poisonWork({
  owner,
  builder,
  reviewer,
  taskUuid,
  otherUuid,
}: Pick<Furnished, "owner" | "builder" | "reviewer"> & { taskUuid: string; otherUuid: string }): Promise<void> {
  await owner("chorus_add_task_dependency", { taskUuid: otherUuid, dependsOnTaskUuid: taskUuid, contract: shape() })
  const sessions: string[] = []
  for (const text of shapes(4))
    sessions.push(
      (
        await builder.call("chorus_create_session", {
          name: line(text, 120),
          description: prose(text),
          source: line(text, 40),
          machine: line(text, 120),
        })
      ).uuid,
    )
  await builder.call("chorus_start_task", { taskUuid, sessionUuid: sessions[0] })
  for (const text of shapes()) await builder.call("chorus_report_work", { taskUuid, report: prose(text) })
  for (const text of shapes(4))
    await builder.call("chorus_add_reference", {
      targetType: "task",
      targetUuid: taskUuid,
      type: "docs",
      url: `https://${ELSEWHERE}/"onmouseover="x`,
      title: line(text),
      notes: prose(text),
    })
  await builder.call("chorus_reserve_paths", {
    taskUuid,
    globs: ["src/<img src=x onerror=window.__taken=1>/**"],
    reason: line(shapes(1)[0] ?? "", 500),
  })
  await builder.call("chorus_report_usage", { taskUuid, model: line(shapes(1)[0] ?? "", 120), inputTokens: 1 })
  await poisonChange({ owner, builder, reviewer, taskUuid })
  const { acceptanceCriteriaItems } = await builder.call("chorus_get_task", { taskUuid })
  const failing = acceptanceCriteriaItems[0]?.uuid ?? ""
  await builder.call("chorus_report_criteria_self_check", {
    taskUuid,
    criteria: acceptanceCriteriaItems.map(({ uuid }, at) => ({
      uuid,
      devStatus: "passed" as const,
      devEvidence: shapes(4).map(prose).join("\n\n") + at,
      exitCode: 0,
      output: shape(),
    })),
  })
  const review = await reviewer.call("chorus_submit_review", {
    targetType: "task",
    targetUuid: taskUuid,
    verdict: "fail",
    summary: shapes(6).map(prose).join("\n\n"),
    findings: shapes().map((text) => ({ severity: "blocker" as const, text: prose(text) })),
  })
  await reviewer.call("chorus_update_finding", {
    findingUuid: review.findings[0]?.uuid ?? "",
    state: "resolved",
    note: shape(),
  })
  await builder.call("chorus_submit_for_verify", { taskUuid, summary: shape(), insist: true })
  await owner("chorus_mark_acceptance_criteria", {
    taskUuid,
    criteria: acceptanceCriteriaItems.map(({ uuid }) => ({
      uuid,
      status: "failed" as const,
      evidence: shape(),
      output: shape(),
    })),
    sendBack: shape(),
  })
  await builder.call("chorus_submit_for_verify", { taskUuid, insist: true })
  await owner("chorus_admin_reopen_task", { taskUuid, reason: shape(), failed: [{ uuid: failing, evidence: shape() }] })
  await builder.call("chorus_request_change", {
    targetType: "task",
    targetUuid: taskUuid,
    reason: shape(),
    title: line(shape()),
    content: shape(),
    criteria: [line(shape(), 2000)],
  })
}

/** Patches, names of files and what is said about their lines. */
async function poisonChange({
  owner,
  builder,
  reviewer,
  taskUuid,
}: Pick<Furnished, "owner" | "builder" | "reviewer"> & { taskUuid: string }): Promise<void> {
  const patchOf = (lines: readonly string[]) =>
    `diff --git a/a.ts b/a.ts\nnew file mode 100644\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,${lines.length} @@ ${line(shape())}\n${lines
      .map((text) => `+${line(text, 500)}\n`)
      .join("")}`
  const every = XSS.map(({ text }) => text)
  await builder.call("chorus_push_change", { taskUuid, patch: patchOf(every), branch: shape() })
  const patch = patchOf(every)
  const { sha256, gzip } = packed(patch)
  const file = {
    status: "renamed" as const,
    oldMode: "100644",
    newMode: "100755",
    additions: every.length,
    deletions: 0,
    binary: false,
    size: 1,
    patchSha: sha256,
    beforeSha: null,
    afterSha: null,
    rows: every.length + 1,
    folded: false,
    omitted: null,
  }
  const path = `src/${prose(every[0] ?? "")}.ts`
  await builder.call("chorus_send_change", {
    taskUuid,
    origin: "command",
    change: {
      repository: { roots: [], remotes: [shape()] },
      branch: shape(),
      baseRef: shape(),
      baseCommit: null,
      headCommit: null,
      tree: "a".repeat(40),
      uncommitted: 0,
      files: [
        { ...file, path, oldPath: prose(every[1] ?? "") },
        ...every.slice(2).map((text, at) => ({ ...file, path: `${prose(text)}${at}.env`, oldPath: prose(text) })),
      ],
      warnings: shapes(4).map(prose),
    },
    parts: [{ sha256, gzip }],
  })
  for (const text of shapes(4))
    await reviewer.call("chorus_comment_on_change", {
      taskUuid,
      comments: [{ file: path, line: 1, text: prose(text), suggestion: shape() }],
    })
  const branch = line(shape(), 300)
  const here = line(shape(), 120)
  const { leased } = await owner("chorus_land_change", { taskUuid, act: "preview", branch, here })
  await owner("chorus_report_landing", {
    landingUuid: leased?.uuid ?? "",
    lease: leased?.lease ?? "",
    state: "conflict",
    reason: shape(),
    files: shapes(4).map(prose),
    branch,
    onto: line(shape(), 64),
    commit: line(shape(), 64),
  })
}

function packed(text: string): { sha256: string; gzip: string } {
  const sha256 = createHash("sha256").update(text).digest("hex")
  return { sha256, gzip: gzipSync(text).toString("base64") }
}

/** A plan that skipped the questions and was sent back, both with words. */
async function poisonPlan({
  owner,
  planner,
  projectUuid,
}: Pick<Furnished, "owner" | "planner" | "projectUuid">): Promise<void> {
  const idea = await planner.call("chorus_pm_create_idea", { projectUuid, title: line(shape()) })
  const plan = await planner.call("chorus_submit_plan", {
    projectUuid,
    title: line(shape()),
    ideaUuids: [idea.uuid],
    skipElaboration: shape(),
    documents: [
      { type: "prd", title: line(shape()), content: `${shape()}\n\n${"Words that make it long enough. ".repeat(8)}` },
    ],
    tasks: [{ key: "k", title: line(shape()), criteria: [line(shape(), 2000)] }],
  })
  await owner("chorus_pm_reject_proposal", { proposalUuid: plan.uuid, reviewNote: shape() })
}

/** A machine whose every word is hostile: terminals, a team, plugins. */
function hostileMachine(): InputOf<typeof machines.reportMachine> {
  const about = { team: "session-deadbeef", at: AT }
  const member = (name: string) => ({
    agentId: `${name}@x`,
    name,
    joinedAt: 1,
    tmuxPaneId: "",
    cwd: name,
    subscriptions: [],
    color: name,
  })
  return {
    machine: line(shapes(1)[0] ?? "", 120),
    terminals: shapes().map((text, at) => ({
      terminalId: `x${at}`,
      agent: "claude" as const,
      state: at % 2 === 0 ? ("running" as const) : ("needsInput" as const),
      since: Date.now(),
      source: "claude:PreToolUse",
      title: line(text),
      detail: line(text),
      summary: line(text),
      exitCode: null,
      resumeCommand: null,
      reason: line(text),
      ask: at % 4 === 1 ? line(text, 200) : null,
    })),
    teamFacts: [
      { ...about, fact: "team", era: "session", ledByChorus: false, description: line(shapes(1)[0] ?? "") },
      { ...about, fact: "member", member: member("team-lead"), state: "working", lead: true },
      ...shapes(4).map((text) => ({
        ...about,
        fact: "member" as const,
        member: member(line(text, 60)),
        state: "working" as const,
        lead: false,
        progress: { at: about.at, line: text },
      })),
      ...shapes().map((text, at) => ({
        ...about,
        fact: "message" as const,
        id: `m${at}`,
        from: "team-lead",
        to: "team-lead",
        kind: "message" as const,
        text: prose(text),
        sentAt: AT,
      })),
      ...shapes(6).map((text, at) => ({
        ...about,
        fact: "task" as const,
        task: {
          id: String(at + 1),
          subject: line(text),
          description: prose(text),
          status: "pending" as const,
          blocks: [],
          blockedBy: [],
        },
        links: [],
      })),
    ],
    inventory: {
      machine: "x",
      takenAt: AT,
      marketplaces: [],
      plugins: shapes(6).map((text, at) => ({
        id: `${line(text, 60)}@x${at}`,
        version: line(text, 40),
        scope: "user" as const,
        enabled: true,
        contentHash: "a1",
        surfaceHash: line(text, 40),
        surface: surface(text),
        update: line(text, 40),
        errors: [line(text)],
      })),
      offers: shapes(6).map((text, at) => ({
        id: `${line(text, 60)}@y${at}`,
        version: line(text, 40),
        description: line(text),
        contentHash: "b1",
        surfaceHash: line(text, 40),
        surface: surface(text),
        problem: line(text),
      })),
    },
  }
}

function surface(text: string) {
  return [{ kind: "hook" as const, where: line(text), does: line(text) }]
}

function fieldsIn(schema: JsonSchema, name: string): string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  if (schema.type === "string") return isFreeText(schema) && !/uuids?$/i.test(name) ? [name] : []
  return [
    ...(schema.anyOf ?? []).flatMap((choice) => fieldsIn(choice, name)),
    ...(schema.items === undefined ? [] : fieldsIn(schema.items, name)),
    ...Object.entries(schema.properties ?? {}).flatMap(([inner, property]) => fieldsIn(property, inner)),
  ]
}

/** A hash or a mode takes no words. */
function isFreeText({ format, pattern = "" }: JsonSchema): boolean {
  return format === undefined && XSS.some(({ text }) => new RegExp(pattern).test(line(text)))
}

const MARKS = [ELSEWHERE, ...XSS.map(({ text }) => line(text, 20))]

/** Every name on the way to hostile text counts: a field may hold it inside. */
function note(value: unknown, names: readonly string[], fields: Set<string>): void {
  if (typeof value === "string" && MARKS.some((mark) => value.replaceAll(/\s+/g, " ").includes(mark)))
    for (const name of names) fields.add(name)
  if (typeof value !== "object" || value === null) return
  for (const [inner, each] of Object.entries(value))
    note(each, Array.isArray(value) ? names : [...names, inner], fields)
}
