import {
  ChorusError,
  EVENT_KINDS,
  type LogEvent,
  type Need,
  type NewEvent,
  type Permission,
  type Signature,
} from "@chorus/contracts"
import { meets } from "@chorus/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventsAfter } from "@chorus/store"
import { type Actor, operations } from "../src/index.ts"
import { maySee } from "../src/may-see.ts"
import type { Player, Scenery } from "./contract-stage.ts"
import { SCENES } from "./contract-story.ts"
import { type Furniture, furnish } from "./furnished-project.ts"
import { DECISIONS } from "./permission-decisions.ts"
import { idPaths, inputSchema, sample, withAt } from "./sample-input.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

type Kind = keyof Furniture

/**
 * What each field of an input names; `words` is a name the caller makes up, `filter` narrows what the caller sees
 * anyway.
 */
const FIELDS: Record<string, Kind | "words" | "filter"> = {
  projectUuid: "project",
  targetProjectUuid: "project",
  "projectUuids[]": "project",
  groupUuid: "group",
  ideaUuid: "idea",
  "ideaUuids[]": "idea",
  parentUuid: "idea",
  "inputUuids[]": "idea",
  targetUuid: "idea",
  entityUuid: "idea",
  scopeUuid: "group",
  proposalUuid: "proposal",
  "proposalUuids[]": "proposal",
  draftUuid: "documentDraft",
  roundUuid: "round",
  documentUuid: "document",
  taskUuid: "task",
  "taskUuids[]": "task",
  labelUuid: "label",
  viewUuid: "view",
  afterTaskUuid: "task",
  afterNotificationUuid: "notification",
  dependsOnTaskUuid: "task",
  "addDependsOn[]": "task",
  "removeDependsOn[]": "task",
  "tasks[].dependsOnTaskUuids[]": "task",
  "criteria[].uuid": "criterion",
  "passing[]": "filter",
  "failed[].uuid": "criterion",
  uuid: "reference",
  attachmentUuid: "attachment",
  commentUuid: "comment",
  findingUuid: "finding",
  runUuid: "run",
  "run.runUuid": "filter",
  "run.lease": "words",
  "comments[].threadUuid": "filter",
  "seen[].taskUuid": "task",
  ruleUuid: "runRule",
  landingUuid: "landing",
  criterionUuid: "criterion",
  checkUuid: "filter",
  "previews[]": "filter",
  as: "words",
  lease: "words",
  sessionUuid: "session",
  parentSessionUuid: "session",
  attentionUuid: "attention",
  attention_uuid: "attention",
  notificationUuid: "notification",
  bridgeUuid: "bridge",
  webhookUuid: "webhook",
  deliveryUuid: "delivery",
  agentUuid: "agent",
  assigneeUuid: "agent",
  userUuid: "user",
  ownerUuid: "user",
  keyUuid: "key",
  signInUuid: "signIn",
  channelUuid: "channel",
  teamUuid: "team",
  machineUuid: "machine",
  orderUuid: "order",
  keepSignInUuid: "words",
  instanceUuid: "words",
  "tasks[].draftUuid": "words",
  "tasks[].dependsOnDraftUuids[]": "words",
  "taskDrafts[].dependsOnDraftUuids[]": "words",
  "dependsOnDraftUuids[]": "words",
  "chorus_add_comment parentUuid": "comment",
  "chorus_pm_remove_task_draft draftUuid": "taskDraft",
  "chorus_pm_update_task_draft draftUuid": "taskDraft",
  "chorus_list_events entityUuid": "filter",
  "chorus_get_activity entityUuid": "filter",
  actorUuid: "filter",
  "chorus_list_tasks assigneeUuid": "filter",
  "chorus_get_ideas assigneeUuid": "filter",
}

/** What lives in a project; the rest belongs to the workspace as a whole. */
const IN_PROJECT: ReadonlySet<string> = new Set<Kind>([
  "project",
  "idea",
  "proposal",
  "documentDraft",
  "taskDraft",
  "round",
  "document",
  "task",
  "reference",
  "attachment",
  "comment",
  "finding",
  "run",
  "landing",
  "attention",
  "group",
  "team",
  "label",
  "view",
])

/** What an input needs besides what its schema says. */
const BESIDES: Record<string, object> = {
  chorus_search: { scope: "group" },
  chorus_add_attachment: { name: "a.txt", mediaType: "text/plain", contentBase64: "YQ==" },
  chorus_submit_review: { targetType: "idea", findings: [] },
  chorus_update_label: { hue: 1 },
  chorus_create_bridge: { origin: "github:octo/shop", token: "t" },
  chorus_create_webhook: { kinds: ["*"] },
  chorus_add_reference: { url: "https://example.test/" },
  chorus_answer_attention: { answer: { text: "yes" } },
  chorus_report_pull_requests: { seen: [{ pullRequest: null }] },
}

/** Reads of what the furniture lacks. What they show of anything is tried with the ids that name it. */
const UNANSWERED: Record<string, string> = {
  chorus_compare_proposal_revisions: "not_found",
  chorus_get_change_content: "not_found",
  chorus_get_run_output: "not_found",
  chorus_preview_build: "not_approved",
}

/** Reads of what is a person's or another agent's own, though it lies in the caller's project. */
const NOT_FOR_ANOTHER_AGENT: Record<string, string> = {
  chorus_get_attention: "not_found",
  chorus_get_me: "forbidden",
  chorus_get_session: "forbidden",
  chorus_get_team: "not_found",
  chorus_list_sign_ins: "forbidden",
}

/** Steps of stories that end otherwise when one agent plays everybody. */
const REFUSED: Record<string, string> = {
  "chorus_get_project_group by Other neighbour": "not_found",
  "chorus_get_group_dashboard by Other neighbour": "not_found",
  "chorus_create_session by Olive": "forbidden",
  "chorus_admin_approve_proposal by Other neighbour": "self_approval",
  "chorus_admin_verify_task by Other neighbour": "self_verification",
  "chorus_mark_acceptance_criteria by Other neighbour": "self_verification",
}

const PATCH = `diff --git a/Forbidden.txt b/Forbidden.txt
new file mode 100644
--- /dev/null
+++ b/Forbidden.txt
@@ -0,0 +1 @@
+Forbidden
`

/** Kinds of events that come of machines, clocks and people's accounts: only `maySee` is tried with these. */
const UNTOLD: readonly string[] = [
  "agent.updated",
  "attention.left",
  "attention.unheard",
  "change.pull_request_changed",
  "change.pull_request_found",
  "check.changed",
  "delivery.dismissed",
  "delivery.failed",
  "document.moved",
  "finding.dismissed",
  "finding.resolved",
  "key.updated",
  "landing.queued",
  "machine.inventoried",
  "member.joined",
  "member.password_changed",
  "member.password_reset",
  "member.signed_in",
  "member.updated",
  "order.delivered",
  "order.failed",
  "plugins.curated",
  "proposal.moved",
  "reservation.expired",
  "rule.kept",
  "rule.revoked",
  "session.seen",
  "session.updated",
  "task.checked",
  "task.criteria_reset",
  "task.moved",
  "team.gone",
  "team.member_left",
  "team.task_changed",
  "team.task_removed",
  "terminal.gone",
  "workspace.created",
]

/** Writes that no made-up input carries through: they need a machine, a clock, a provider or a particular moment. */
const UNDONE: readonly string[] = [
  "chorus_add_channel",
  "chorus_approve_check",
  "chorus_build_proposal",
  "chorus_curate_plugins",
  "chorus_dismiss_delivery",
  "chorus_finish_task",
  "chorus_fork_run",
  "chorus_interrupt_run",
  "chorus_land_change",
  "chorus_land_member",
  "chorus_look_at_run",
  "chorus_reclaim_task",
  "chorus_redeliver",
  "chorus_report_check",
  "chorus_report_landing",
  "chorus_report_pull_requests",
  "chorus_report_run",
  "chorus_request_change",
  "chorus_revert_landing",
  "chorus_revoke_run_rule",
  "chorus_run_checks",
  "chorus_see_terminal",
  "chorus_send_check",
  "chorus_send_to_run",
  "chorus_settle_delivery",
  "chorus_show_terminal",
  "chorus_start_preview",
  "chorus_start_run",
  "chorus_stop_preview",
  "chorus_submit_plan",
  "chorus_subscribe_push",
  "chorus_view_change",
]

const signatures: readonly Signature[] = operations.map(({ signature }) => signature)
/** What goes away goes last. */
const WRITES = signatures
  .filter(({ kind, needs }) => kind === "write" && needs !== "nobody")
  .toSorted((a, b) => ending(a) - ending(b))
const needOf = new Map(
  Object.entries(DECISIONS).flatMap(([need, names]) => names.map((name) => [name, need as Need] as const)),
)

let w: Workspace
let mine: Furniture
let other: Furniture
let theirs: Furniture
let confined: Actor
let nothing: Actor
/** Keeps what the other project has; whose own some of it is. */
let keeper: Actor
/** The log up to here knows nothing of the other project. */
let furnished: number

beforeAll(async () => {
  w = await openWorkspace()
  const stranger = await w.agent("Strange admin", { presets: ["admin"], owner: w.stranger })
  theirs = await furnish(w, w.stranger, stranger, w.strangersProject, "Contraband")
  furnished = await w.store.position(w.workspaceUuid)
  keeper = await w.agent("Keeper", { presets: ["admin"] })
  other = await furnish(w, w.owner, keeper, w.otherProject, "Forbidden")
  mine = await furnish(w, w.owner, w.admin, w.project, "Mine")
  confined = await w.agent("Confined", { presets: ["admin"], projectUuids: [w.project] })
  nothing = await w.agent("Nothing", { presets: [] })
})
afterAll(() => w.close())

describe("the decisions", () => {
  it("name every operation once, with the need it states", () => {
    expect(Object.fromEntries(signatures.map(({ name, needs }) => [name, needs]))).toEqual(Object.fromEntries(needOf))
    expect(Object.values(DECISIONS).flat()).toHaveLength(needOf.size)
  })

  it("say of every id in an input what it names", () => {
    const named = signatures.flatMap((signature) =>
      idPaths(inputSchema(signature))
        .filter((path) => kindOf(signature, path) === undefined)
        .map((path) => `${signature.name} ${path}`),
    )
    expect(named).toEqual([])
  })
})

describe("who may", () => {
  const CALLERS = {
    nobody: () => undefined,
    nothing: () => nothing,
    developer: () => w.developer,
    pm: () => w.pm,
    admin: () => w.admin,
    viewer: () => w.viewer,
    member: () => w.member,
    owner: () => w.owner,
  }

  it.each(signatures)("$name", async (signature) => {
    const need = needOf.get(signature.name) ?? "steward"
    for (const [name, caller] of Object.entries(CALLERS)) {
      const code = await codeOf(w.call(caller(), signature.name, { impossible: true, ...emptied(signature) }))
      const refused = code === "forbidden" || code === "unauthenticated"
      if (!meets(caller(), need))
        expect(code, `${name} calling ${signature.name}`).toBe(caller() === undefined ? "unauthenticated" : "forbidden")
      else if (need !== "anyone" && need !== "person")
        expect(refused, `${name} calling ${signature.name}: ${code}`).toBe(false)
    }
  })
})

describe("out of reach", () => {
  const cases = signatures.flatMap((signature) =>
    idPaths(inputSchema(signature)).flatMap((path) => {
      const kind = kindOf(signature, path)
      return kind === undefined || kind === "words" || kind === "filter"
        ? []
        : [{ signature, name: signature.name, path, kind }]
    }),
  )

  it.each(cases)("$name finds no $path of another workspace", async ({ signature, path, kind }) => {
    const before = await position(theirs)
    expect(await codeOf(w.call(callerFor(signature), signature.name, inputWith(signature, path, theirs[kind])))).toBe(
      "not_found",
    )
    expect(await position(theirs)).toBe(before)
  })

  it.each(
    cases.filter(({ kind, signature }) => IN_PROJECT.has(kind) && !["person", "steward"].includes(signature.needs)),
  )("$name finds no $path of a project the agent is kept out of", async ({ signature, path, kind }) => {
    expect(await codeOf(w.call(confined, signature.name, inputWith(signature, path, other[kind])))).toBe("not_found")
  })

  it.each(signatures.filter(({ kind, needs }) => kind === "read" && needs !== "nobody"))(
    "$name shows nothing of another workspace or project",
    async (signature) => {
      const schema = inputSchema(signature)
      const input = {
        ...(sample(schema, (path) => ownId(signature, path)) as object),
        ...BESIDES[signature.name],
        ...(signature.name === "chorus_search" ? { query: "a", scope: "global" } : {}),
      }
      const { name } = signature
      const seen = await answerTo(w.call(callerFor(signature), name, input))
      expect(seen.code, name).toBe(UNANSWERED[name] ?? "ok")
      expect(JSON.stringify(seen)).not.toContain("Contraband")
      if (["person", "steward"].includes(signature.needs)) return
      const inside = await answerTo(w.call(confined, name, input))
      expect(inside.code, name).toBe(UNANSWERED[name] ?? NOT_FOR_ANOTHER_AGENT[name] ?? "ok")
      expect(JSON.stringify(inside)).not.toContain("Forbidden")
    },
  )

  it("no event of any kind is seen that is of another project or of none, but what is for the agent itself", () => {
    const seen = Object.entries(EVENT_KINDS).flatMap(([kind, { entity: entityType }]) =>
      [w.otherProject, null]
        .map(
          (projectUuid) =>
            ({ kind, entityType, entityUuid: "x", projectUuid, action: "updated", patch: {} }) as NewEvent,
        )
        .filter((event) => maySee(confined, event)),
    )
    expect(seen).toEqual([])
  })

  it("whatever is done with what another project has, nobody who is kept out of it hears of it", async () => {
    const { uuid: third } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "Forbidden third",
    })
    const neighbour = await w.agent("Other neighbour", {
      presets: ["admin"],
      projectUuids: [w.otherProject, third],
    })
    await tellStories(neighbour, third)
    const furtherDone = await furtherStories(neighbour)
    const done = new Set([...Object.keys(SCENES), ...furtherDone])
    for (const signature of WRITES)
      for (const caller of [keeper, w.owner, neighbour]) {
        const input = {
          ...(sample(inputSchema(signature), (path) => idIn(other, signature, path)) as object),
          ...BESIDES[signature.name],
        }
        if ((await codeOf(w.call(caller, signature.name, marked(input)))) === "ok") done.add(signature.name)
      }
    expect(
      WRITES.map(({ name }) => name)
        .filter((name) => !done.has(name))
        .sort(),
    ).toEqual(UNDONE)
    const log = await eventsAfter(w.store.db, w.workspaceUuid, furnished, 100_000)
    const told = new Set<string>(log.map(({ kind }) => kind))
    expect(Object.keys(EVENT_KINDS).filter((kind) => !told.has(kind))).toEqual(UNTOLD)
    const ids = Object.entries(other).flatMap(([kind, uuid]) => (IN_PROJECT.has(kind) ? [uuid] : []))
    const tells = (text: string) => text.includes("Forbidden") || ids.some((uuid) => text.includes(uuid))
    expect(log.filter((event) => maySee(confined, event) && tells(JSON.stringify(event)))).toEqual([])
  })

  it("no event of another project is seen, nor a question somebody else asked", async () => {
    const log = await eventsAfter(w.store.db, w.workspaceUuid, 0, 100_000)
    const forbidden = log.filter((event) => JSON.stringify(event).includes("Forbidden"))
    expect(forbidden.length).toBeGreaterThan(20)
    expect(forbidden.filter((event) => maySee(confined, event))).toEqual([])
    const questions = log.filter(({ entityType }) => entityType === "attention")
    expect(questions.filter((event) => maySee(w.owner, event))).toEqual(questions)
    const own = questions.filter((event) => maySee(w.admin, event))
    expect(own.length).toBeGreaterThan(0)
    expect(own.every((event) => JSON.stringify(event).includes(w.admin.uuid))).toBe(true)
    expect(questions.filter((event) => maySee(w.developer, event))).toEqual([])
  })

  it("what an agent was told before it was narrowed is read no more", async () => {
    const agent = await w.agent("Narrowed")
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
      projectUuid: w.otherProject,
      tasks: [{ title: "Forbidden errand", acceptanceCriteriaItems: [{ description: "it works" }] }],
    })
    await w.call(w.owner, "chorus_pm_assign_task", { taskUuid: tasks[0]?.uuid, agentUuid: agent.uuid })
    const told = async (actor: Actor) => ({
      checkin: await w.call(actor, "chorus_checkin"),
      inbox: await w.call(actor, "chorus_inbox"),
      read: await w.call<{ unreadCount: number; total: number }>(actor, "chorus_get_notifications", {
        autoMarkRead: false,
      }),
    })
    expect(JSON.stringify(await told(agent)).match(/Forbidden errand/g)?.length).toBeGreaterThanOrEqual(3)
    const narrowed = { ...agent, projectUuids: new Set([w.project]) }
    const left = await told(narrowed)
    expect(JSON.stringify(left)).not.toContain("Forbidden")
    expect(left.read).toMatchObject({ unreadCount: 0, total: 0 })
    const log = await eventsAfter(w.store.db, w.workspaceUuid, furnished, 100_000)
    const seen = log.filter((event) => maySee(narrowed, event))
    expect(JSON.stringify(seen)).not.toContain("Forbidden")
  })

  it.each(["idea", "proposal", "document", "task"] as const)(
    "the log tells an agent nothing of %ss unless it may read them",
    async (resource) => {
      const others = ["idea", "proposal", "document", "task"].filter((one) => one !== resource)
      const permissions = [...others, "project"].map((one) => `${one}:read`) as Permission[]
      const reader = await w.agent(`Reader of no ${resource}`, { presets: [], permissions })
      const log = await eventsAfter(w.store.db, w.workspaceUuid, 0, 100_000)
      const seen = log.filter((event) => maySee(reader, event))
      const listed: LogEvent[] = []
      for (let before: number | undefined; ; before = listed.at(-1)?.id) {
        const input = { limit: 100, ...(before === undefined ? {} : { before }) }
        const { events } = await w.call<{ events: LogEvent[] }>(reader, "chorus_list_events", input)
        listed.push(...events)
        if (events.length < 100) break
      }
      const ids = (events: readonly LogEvent[]) =>
        events.flatMap(({ id, entityType }) => (entityType === "notification" ? [] : [id]))
      expect(ids(listed).toReversed()).toEqual(ids(seen))
      const hidden = log.filter(({ entityType }) => entityType === resource)
      expect(hidden.length).toBeGreaterThan(0)
      expect(seen.filter(({ entityType }) => entityType === resource)).toEqual([])
      const about = (event: LogEvent) => "targetType" in event.patch && event.patch.targetType === resource
      expect(seen.filter((event) => event.entityType === "comment" && about(event))).toEqual([])
      const { activities } = await w.call<{ activities: { targetType: string }[] }>(reader, "chorus_get_activity", {
        projectUuid: w.project,
        pageSize: 100,
      })
      expect(activities.filter(({ targetType }) => targetType === resource)).toEqual([])
    },
  )

  it("an agent learns no person's address", async () => {
    const { members } = await w.call<{ members: { name: string; email: string | null }[] }>(
      w.admin,
      "chorus_list_members",
    )
    expect(members.length).toBeGreaterThan(1)
    expect(members.filter(({ email }) => email !== null)).toEqual([])
  })

  it("an agent that does what it may in its project is answered with nothing of another", async () => {
    const ids = Object.entries(other).flatMap(([kind, uuid]) => (IN_PROJECT.has(kind) ? [uuid] : []))
    let answered = 0
    for (const signature of WRITES.filter(({ needs }) => needs !== "person" && needs !== "steward")) {
      const input = {
        ...(sample(inputSchema(signature), (path) => ownId(signature, path)) as object),
        ...BESIDES[signature.name],
      }
      const answer = await answerTo(w.call(confined, signature.name, input))
      answered += Number(answer.code === "ok")
      const text = JSON.stringify(answer)
      expect(text, signature.name).not.toContain("Forbidden")
      expect(
        ids.filter((uuid) => text.includes(uuid)),
        signature.name,
      ).toEqual([])
    }
    expect(answered).toBeGreaterThan(50)
  })

  /** What agents and people do with what they know in the other project, step by step. */
  async function tellStories(neighbour: Actor, third: string): Promise<void> {
    const player = (actor: Actor): Player => ({
      uuid: actor.uuid,
      call: async (tool, input = {}) => {
        const body = await w.call(actor, tool, marked(input))
        return { isError: false, body }
      },
    })
    const scenery: Scenery = {
      roles: { pm: player(neighbour), developer: player(neighbour), admin: player(neighbour) },
      project: w.otherProject,
      otherProject: third,
      own: (name, input = {}) => w.call(w.owner, name, marked(input)),
    }
    for (const [name, scene] of Object.entries(SCENES))
      for (const caller of [neighbour, w.owner]) {
        const code = await codeOf(
          scene(scenery, player(neighbour)).then((input) => w.call(caller, name, marked(input))),
        )
        expect(code, `${name} by ${caller.name}`).toBe(REFUSED[`${name} by ${caller.name}`] ?? "ok")
      }
  }

  /** What the table of tools has no scene for. Gives what was done. */
  async function furtherStories(neighbour: Actor): Promise<string[]> {
    const done: string[] = []
    const by = (actor: Actor) => async (name: string, input: object) => {
      const answer = await w.call(actor, name, marked(input))
      done.push(name)
      return answer
    }
    const [own, act] = [by(w.owner), by(neighbour)]
    const id = (row: unknown) => (row as { uuid: string }).uuid
    const newTask = async (more: object = {}) => {
      const made = await own("chorus_create_tasks", {
        projectUuid: w.otherProject,
        tasks: [{ title: "A task", acceptanceCriteriaItems: [{ description: "it works", command: "true" }], ...more }],
      })
      return id((made as { tasks: unknown[] }).tasks[0])
    }
    const [first, next] = [await newTask(), await newTask()]
    await own("chorus_add_task_dependency", { taskUuid: next, dependsOnTaskUuid: first })
    await own("chorus_remove_task_dependency", { taskUuid: next, dependsOnTaskUuid: first })
    await own("chorus_add_task_dependency", { taskUuid: next, dependsOnTaskUuid: first })
    await own("chorus_admin_close_task", { taskUuid: first })
    await act("chorus_start_task", { taskUuid: next })
    await act("chorus_push_change", { taskUuid: next, patch: PATCH })
    await act("chorus_comment_on_change", {
      taskUuid: next,
      comments: [{ file: "Forbidden.txt", line: 1, text: "Why?" }],
    })
    await act("chorus_reserve_paths", { taskUuid: next, globs: ["Forbidden again/**"] })
    await act("chorus_reserve_paths", { taskUuid: next, globs: ["Forbidden again/**"], ttlMinutes: 90 })
    const view = id(
      await own("chorus_save_view", { projectUuid: w.otherProject, name: "Mine", layout: "list", query: "" }),
    )
    await own("chorus_update_view", { viewUuid: view, shared: true })
    await own("chorus_delete_view", { viewUuid: view })
    const question = id(await act("chorus_create_attention", { title: "Well?", projectUuid: w.otherProject }))
    await own("chorus_answer_attention", { attentionUuid: question, answer: { text: "yes" } })
    await act("chorus_attention_delivered", { attentionUuid: question })
    await act("chorus_withdraw_attention", {
      attentionUuid: id(await act("chorus_create_attention", { title: "So?" })),
    })
    const comment = id(await own("chorus_add_comment", { targetType: "task", targetUuid: next, content: "Hm." }))
    await own("chorus_delete_comment", { commentUuid: comment })
    await own("chorus_update_task", { taskUuid: next, acceptanceCriteriaItems: [{ description: "it works well" }] })
    await act("chorus_submit_for_verify", { taskUuid: next, insist: true })
    await act("chorus_start_task", { taskUuid: next, takeBack: true })
    return done
  }

  function inputWith(signature: Signature, path: string, foreign: string): object {
    const schema = inputSchema(signature)
    const idAt = (at: string) => ownId(signature, at)
    const input = { ...(sample(schema, idAt) as object), ...BESIDES[signature.name] }
    return withAt(input, schema, path, foreign, idAt) as object
  }
})

const WORDS = new Set([
  "title",
  "name",
  "content",
  "description",
  "text",
  "reason",
  "summary",
  "label",
  "message",
  "words",
])

function ending({ name }: Signature): number {
  return Number(/delete|remove|archive|revoke|withdraw|close|end_|sign_out/.test(name))
}

/** An input whose words say where they are from. */
function marked(input: object): object {
  return JSON.parse(JSON.stringify(input), (key, value: unknown) =>
    typeof value === "string" && (WORDS.has(key) || /^text\.*$/.test(value)) ? `Forbidden ${value}` : value,
  )
}

function kindOf(signature: Signature, path: string): Kind | "words" | "filter" | undefined {
  return FIELDS[`${signature.name} ${path}`] ?? FIELDS[path]
}

function ownId(signature: Signature, path: string): string | undefined {
  return idIn(mine, signature, path)
}

function idIn(furniture: Furniture, signature: Signature, path: string): string | undefined {
  const kind = kindOf(signature, path)
  return kind === undefined || kind === "words" || kind === "filter" ? undefined : furniture[kind]
}

/** Somebody who has every right, so that only reach can stand in the way. */
function callerFor({ needs, name }: Signature): Actor {
  return needs === "person" || needs === "steward" || /_me$|sign_in|notification|mark_acceptance|reopen_task/.test(name)
    ? w.owner
    : w.admin
}

/** An input that no operation takes, save those that take anything: authority is judged before input. */
function emptied({ name }: Signature): object {
  return name === "chorus_update_me" ? { name: 1 } : {}
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await answerTo(call)).code
}

async function answerTo(call: Promise<unknown>): Promise<{ code: string; answer: unknown }> {
  try {
    return { code: "ok", answer: await call }
  } catch (error) {
    if (error instanceof ChorusError) return { code: error.code, answer: [error.message, error.next, error.details] }
    throw error
  }
}

async function position({ project }: Furniture): Promise<number> {
  const row = await w.store.db
    .selectFrom("projects as p")
    .innerJoin("workspaces as s", "s.uuid", "p.workspaceUuid")
    .select("s.lastEvent")
    .where("p.uuid", "=", project)
    .executeTakeFirstOrThrow()
  return row.lastEvent
}
