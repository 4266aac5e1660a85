import { randomUUID } from "node:crypto"
import { ChorusError, type imports, type OutputOf, ProjectId } from "@chorus/contracts"
import type { Schema, Store } from "@chorus/store"
import type { Ask, ForgeIssues } from "@chorus/trackers"
import type { Delivery } from "../deliveries/outbox.ts"
import { type Outcome, subjectOf } from "../deliveries/settle.ts"
import {
  commentKey,
  commentRow,
  fingerprintOf,
  type KnownRow,
  remember,
  rowOf,
  type Source,
} from "../operations/imports/import-items.ts"
import type { TaskRecord } from "../operations/tasks/task-record.ts"
import type { Registry } from "../registry.ts"
import { personActor } from "../sign-in/person-actor.ts"
import type { Resolve } from "../webhooks/address.ts"
import { vettedAsk } from "../webhooks/vetted-request.ts"
import { VERSION } from "../version.ts"
import { type Bridge, bridgeLane, type Crossing } from "./outbox.ts"

const MOST_BYTES = 8 * 1024 * 1024
const WAIT_MS = 15_000
/** What we wrote there, so that it is neither brought back nor written twice. */
const MARK = /<!-- chorus:[\w-]+ -->/

type Refused = Extract<Outcome, { arrived: false }>

/** What both sides know of one issue at this moment. */
interface Standing {
  readonly bridge: Bridge
  readonly issues: ForgeIssues
  readonly there: imports.ForeignItem
  readonly known: Schema["importedItems"]
  readonly task: TaskRecord
}

/**
 * Carries something over a bridge. It looks at both sides first and writes only what differs, so that a second time is
 * no second effect and what came from one side is not sent back to it.
 */
export async function cross(
  store: Store,
  registry: Registry,
  { lane, payload }: Delivery,
  route: { resolve?: Resolve | undefined; signal: AbortSignal },
): Promise<Outcome> {
  const bridge = await store.db.selectFrom("bridges").selectAll().where("uuid", "=", subjectOf(lane)).executeTakeFirst()
  if (bridge === undefined) return { arrived: false, error: "The bridge is gone.", forGood: true }
  const crossing = JSON.parse(payload) as Crossing
  // Only who has a bridge loads what reads trackers.
  const { forgeIssues } = await import("@chorus/trackers")
  const issues = forgeIssues(bridge.origin, askOf(bridge, route))
  try {
    const there = await issues.read(crossing.issue)
    if (there === undefined) return { arrived: true }
    if (crossing.told === "there") return await bring(store, registry, bridge, there)
    const here = await standing(store, bridge, crossing.issue)
    if (here === undefined) return { arrived: true }
    return await tell(store, { bridge, issues, there, ...here }, crossing)
  } catch (error) {
    if (error instanceof ChorusError)
      return { arrived: false, error: error.message, next: error.next, forGood: error.status < 500 }
    return { arrived: false, error: error instanceof Error ? error.message : String(error) }
  }
}

/** Asks the tracker's API with the bridge's token. */
function askOf(
  { origin, api, token, allowPrivate }: Bridge,
  { resolve, signal }: { resolve?: Resolve | undefined; signal: AbortSignal },
): Ask {
  return async (method, path, body) => {
    const { status, text } = await vettedAsk(
      {
        method,
        url: `${api}${path}`,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          "user-agent": `Chorus/${VERSION}`,
          authorization: `Bearer ${token}`,
        },
        allowPrivate: allowPrivate === 1,
        resolve,
        timeoutMs: WAIT_MS,
        signal,
      },
      MOST_BYTES,
    )
    if (method === "GET" && (status === 404 || status === 410)) return undefined
    if (status < 200 || status >= 300) throw refused(origin, status)
    return JSON.parse(text)
  }
}

/** What changed there changes here, in the name of whoever made the bridge, by the rules of every import. */
async function bring(store: Store, registry: Registry, bridge: Bridge, there: imports.ForeignItem): Promise<Outcome> {
  const maker = await store.db
    .selectFrom("users")
    .selectAll()
    .where("uuid", "=", bridge.createdByUuid)
    .where("disabledAt", "is", null)
    .executeTakeFirst()
  if (maker === undefined)
    return {
      arrived: false,
      forGood: true,
      error: "Whoever made this bridge is no longer here.",
      next: "Create it again with `chorus project bridge`.",
    }
  const here = await standing(store, bridge, there.key)
  const clash = here !== undefined && clashes(there, here)
  const { projectUuid, origin } = bridge
  const item = { ...there, comments: there.comments.filter(({ content }) => !MARK.test(content)) }
  const call = { actor: personActor(maker), requestId: randomUUID() }
  const answer = (await registry.execute(
    "chorus_import_items",
    { projectUuid, origin, items: [item] },
    call,
  )) as OutputOf<typeof imports.importItems>
  const [result] = answer.results
  if (result?.outcome !== "kept") return { arrived: true }
  return tellOnce(store, bridge, clash ? clashed(there.key, result.shortId) : kept(there.key, result))
}

/** What stays undelivered for the same reason already is not put before people a second time. */
async function tellOnce({ db }: Store, { uuid }: Bridge, outcome: Refused): Promise<Outcome> {
  const told = await db
    .selectFrom("deliveries")
    .select("uuid")
    .where("lane", "=", bridgeLane(uuid))
    .where("state", "=", "dead")
    .where("lastError", "=", outcome.error)
    .executeTakeFirst()
  return told === undefined ? outcome : { arrived: true }
}

async function tell(store: Store, at: Standing, crossing: Exclude<Crossing, { told: "there" }>): Promise<Outcome> {
  if (crossing.told === "comment") return say(store, at, crossing.commentUuid)
  if (crossing.told === "status") return tellStatus(store, at)
  const { issues, there, task, known } = at
  if (isSameText(at)) return inStep(store, at)
  // What came from there is not sent back, also where it has changed there since.
  if (known.version === task.version) return { arrived: true }
  if (clashes(there, at)) return clashed(there.key, task.shortId)
  const { title, description } = task
  await issues.write(there.key, { title, description: description === null ? null : issues.harmless(description) })
  return inStep(store, at)
}

async function tellStatus(store: Store, at: Standing): Promise<Outcome> {
  const { issues, there, task, known } = at
  const status = task.status === "done" || task.status === "closed" ? task.status : "open"
  const isOpen = status === "open"
  if (known.status !== null && (known.status === "open") === isOpen) return { arrived: true }
  if ((there.status === "open") !== isOpen) await issues.write(there.key, { status })
  // What else changed there has yet to come over.
  return known.fingerprint === fingerprintOf(there) ? inStep(store, at, known.version) : { arrived: true }
}

/** Says there what a person has said here, once. */
async function say(store: Store, { bridge, issues, there }: Standing, commentUuid: string): Promise<Outcome> {
  const comment = await store.db
    .selectFrom("comments as c")
    .innerJoin("users as u", "u.uuid", "c.authorUuid")
    .select(["c.content", "u.name"])
    .where("c.uuid", "=", commentUuid)
    .where("c.deletedAt", "is", null)
    .executeTakeFirst()
  const mark = `<!-- chorus:${commentUuid} -->`
  if (comment === undefined || there.comments.some(({ content }) => content.includes(mark))) return { arrived: true }
  const words = comment.content.replace(/@\[([^\]]*)\]\((?:user|agent):[^)]*\)/g, "$1")
  const key = await issues.comment(there.key, `**${comment.name}** on Chorus:\n\n${issues.harmless(words)}\n\n${mark}`)
  await note(store, bridge, commentRow(commentKey(there.key, { key }), commentUuid))
  return { arrived: true }
}

/** From here on, what is there and what is here count as the same. */
async function inStep(
  store: Store,
  { bridge, issues, there, task }: Standing,
  version = task.version,
): Promise<Outcome> {
  const now = (await issues.read(there.key)) ?? there
  await note(store, bridge, rowOf(now, task.uuid, version))
  return { arrived: true }
}

async function note(store: Store, bridge: Bridge, row: KnownRow): Promise<void> {
  const now = new Date().toISOString()
  await store.write(({ db }) => remember({ db, now }, sourceOf(bridge), row))
}

function sourceOf({ projectUuid, origin }: Bridge): Source {
  return { projectUuid: ProjectId.parse(projectUuid), origin }
}

async function standing(
  { db }: Store,
  { projectUuid, origin }: Bridge,
  key: string,
): Promise<Pick<Standing, "known" | "task"> | undefined> {
  const known = await db
    .selectFrom("importedItems")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .where("origin", "=", origin)
    .where("key", "=", key)
    .executeTakeFirst()
  const task = known && (await db.selectFrom("tasks").selectAll().where("uuid", "=", known.uuid).executeTakeFirst())
  return known === undefined || task === undefined ? undefined : { known, task }
}

/** Somebody rewrote it there, and somebody else here. */
function clashes(there: imports.ForeignItem, { known, task }: Pick<Standing, "known" | "task">): boolean {
  const differs = there.title !== task.title || there.description !== task.description
  return differs && known.fingerprint !== fingerprintOf(there) && known.version !== task.version
}

function isSameText({ there, task, issues }: Standing): boolean {
  const ours = task.description === null ? null : issues.harmless(task.description)
  return there.title === task.title && there.description === ours
}

function kept(key: string, { shortId, warnings }: imports.ImportResult): Refused {
  return {
    arrived: false,
    forGood: true,
    error: `Issue ${key} (${shortId ?? "its task"}) ${warnings.join("; ")}; it stays as it is here.`,
    next: "Tell whoever works on it. Send this again once the task is released or finished, and it follows the issue.",
  }
}

function clashed(key: string, shortId: string | null): Refused {
  return {
    arrived: false,
    forGood: true,
    error: `Issue ${key} was rewritten there, and ${shortId ?? "its task"} here; each stays as it is.`,
    next: "Give both the same title and description; from then on they are kept in step again.",
  }
}

function refused(origin: string, status: number): ChorusError {
  return new ChorusError("tracker_refused", `${origin} answered ${status}.`, {
    status: 502,
    next:
      status === 401 || status === 403
        ? "Run `chorus project bridge` again with a token that may read and write its issues."
        : "It is tried again; if it stays so, look at the tracker.",
  })
}
