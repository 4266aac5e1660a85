import { ChorusError, EVENT_KINDS, type Need, type NewEvent, type Signature } from "@chorus/contracts"
import { meets } from "@chorus/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventsAfter } from "@chorus/store"
import { type Actor, operations } from "../src/index.ts"
import { maySee } from "../src/operation.ts"
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

/**
 * As many kinds of events come of calling each operation with the least that it takes; the rest need a longer story.
 */
const KINDS_BY_SAMPLES = 60

const signatures: readonly Signature[] = operations.map(({ signature }) => signature)
const needOf = new Map(
  Object.entries(DECISIONS).flatMap(([need, names]) => names.map((name) => [name, need as Need] as const)),
)

let w: Workspace
let mine: Furniture
let other: Furniture
let theirs: Furniture
let confined: Actor
let nothing: Actor

beforeAll(async () => {
  w = await openWorkspace()
  const stranger = await w.agent("Strange admin", { presets: ["admin"], owner: w.stranger })
  theirs = await furnish(w, w.stranger, stranger, w.strangersProject, "Contraband")
  other = await furnish(w, w.owner, await w.agent("Neighbour", { presets: ["admin"] }), w.otherProject, "Forbidden")
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
      const seen = await w.call(callerFor(signature), signature.name, input).catch((error: unknown) => error)
      expect(JSON.stringify(seen)).not.toContain("Contraband")
      if (["person", "steward"].includes(signature.needs)) return
      const inside = await w.call(confined, signature.name, input).catch((error: unknown) => error)
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
    const before = await w.store.position(w.workspaceUuid)
    const neighbour = await w.agent("Other neighbour", { presets: ["admin"], projectUuids: [w.otherProject] })
    const writes = signatures.filter(({ kind, needs }) => kind === "write" && needs !== "nobody")
    // What goes away goes last.
    const ending = ({ name }: Signature) =>
      Number(/delete|remove|archive|revoke|withdraw|close|end_|sign_out/.test(name))
    for (const signature of writes.toSorted((a, b) => ending(a) - ending(b)))
      for (const caller of [w.owner, neighbour]) {
        const input = {
          ...(sample(inputSchema(signature), (path) => idIn(other, signature, path)) as object),
          ...BESIDES[signature.name],
        }
        const forbidden: object = JSON.parse(
          JSON.stringify(input).replaceAll(/"text\.*"/g, `"Forbidden text of some length"`),
        )
        await codeOf(w.call(caller, signature.name, forbidden))
      }
    const log = await eventsAfter(w.store.db, w.workspaceUuid, before, 100_000)
    expect(new Set(log.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(KINDS_BY_SAMPLES)
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

  it("an agent learns no person's address", async () => {
    const { members } = await w.call<{ members: { name: string; email: string | null }[] }>(
      w.admin,
      "chorus_list_members",
    )
    expect(members.length).toBeGreaterThan(1)
    expect(members.filter(({ email }) => email !== null)).toEqual([])
  })

  function inputWith(signature: Signature, path: string, foreign: string): object {
    const schema = inputSchema(signature)
    const idAt = (at: string) => ownId(signature, at)
    const input = { ...(sample(schema, idAt) as object), ...BESIDES[signature.name] }
    return withAt(input, schema, path, foreign, idAt) as object
  }
})

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
  try {
    await call
    return "ok"
  } catch (error) {
    if (error instanceof ChorusError) return error.code
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
