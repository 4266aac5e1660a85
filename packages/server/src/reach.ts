import { shortIdOf } from "@chorus/core"
import { askedOften, type Db, type Schema } from "@chorus/store"
import { type Actor, notFound, type OperationContext } from "./operation.ts"
import { uuidOfShortId } from "./operations/projects/short-ids.ts"

interface Place {
  workspaceUuid: string
  projectUuid: string | null
  /** Of something that spans several: reaching one of them is enough, and so it is when there is none. */
  projectUuids?: readonly string[]
}

type Find = (db: Db, uuid: string) => Promise<Place | undefined>

/** The project that something is in, with what operations and those who follow them ask of it. */
interface ProjectPlace extends Place {
  projectUuid: string
  name: string
  status: Schema["projects"]["status"]
  settings: string
}

/** Something an input named that the caller can reach. */
export interface Reached {
  readonly noun: string
  readonly uuid: string
  readonly projectUuid: string | null
}

interface Reference {
  noun: string
  find: Find
}

/** Those that ask a single statement, before anything else is asked. */
const AT_ONCE = new Set<Find>()
const PROJECT = ["workspaceUuid", "uuid as projectUuid", "name", "status", "settings"] as const

const project: Reference = {
  noun: "project",
  find: atOnce(askedOften((db, uuid) => db.selectFrom("projects").select(PROJECT).where("uuid", "=", uuid))),
}

const inIdeas = inProject("ideas")
const inTasks = inProject("tasks")
const inReviews = inProject("reviews")
const idea: Reference = { noun: "idea", find: inIdeas }
const proposal: Reference = { noun: "proposal", find: inProject("proposals") }
const document: Reference = { noun: "document", find: inProject("documents") }
const task: Reference = { noun: "task", find: inTasks }
const reservation: Reference = { noun: "reservation", find: inProject("reservations") }
const review: Reference = { noun: "review", find: inReviews }
const finding: Reference = { noun: "finding", find: findingPlace }
const attachment: Reference = { noun: "attachment", find: inProject("attachmentFiles") }
const comment: Reference = { noun: "comment", find: inProject("comments") }
const run: Reference = { noun: "run", find: runPlace }
const check: Reference = { noun: "check", find: (db, uuid) => ofTask(db, "checks", uuid) }
const criterion: Reference = { noun: "criterion", find: (db, uuid) => ofTask(db, "criteria", uuid) }
const runRule: Reference = { noun: "rule", find: inProject("runRules") }
const landing: Reference = { noun: "landing", find: landingPlace }
const session: Reference = { noun: "session", find: sessionPlace }
const attention: Reference = {
  noun: "attention",
  find: (db, uuid) =>
    db.selectFrom("attentions").select(["workspaceUuid", "projectUuid"]).where("uuid", "=", uuid).executeTakeFirst(),
}
const bridge: Reference = {
  noun: "bridge",
  find: (db, uuid) =>
    db.selectFrom("bridges").select(["workspaceUuid", "projectUuid"]).where("uuid", "=", uuid).executeTakeFirst(),
}
const webhook: Reference = {
  noun: "webhook",
  find: (db, uuid) =>
    db.selectFrom("webhooks").select(["workspaceUuid", "projectUuid"]).where("uuid", "=", uuid).executeTakeFirst(),
}

const delivery: Reference = { noun: "delivery", find: (db, uuid) => inWorkspace(db, "deliveries", uuid) }
const group: Reference = { noun: "project group", find: groupPlace }
const label: Reference = { noun: "label", find: inProject("labels") }
const view: Reference = { noun: "view", find: inProject("views") }
const agent: Reference = { noun: "agent", find: (db, uuid) => inWorkspace(db, "agents", uuid) }
const machine: Reference = { noun: "machine", find: machinePlace }
const user: Reference = { noun: "person", find: (db, uuid) => inWorkspace(db, "users", uuid) }

/** Which input fields name something, and how to find where it lives. */
const REFERENCES: Record<string, Reference> = {
  projectUuid: project,
  targetProjectUuid: project,
  ideaUuid: idea,
  ideaUuids: idea,
  proposalUuid: proposal,
  proposalUuids: proposal,
  documentUuid: document,
  taskUuid: task,
  taskUuids: task,
  afterTaskUuid: task,
  dependsOnTaskUuid: task,
  dependsOnTaskUuids: task,
  addDependsOn: task,
  removeDependsOn: task,
  reservationUuid: reservation,
  reviewUuid: review,
  findingUuid: finding,
  attachmentUuid: attachment,
  commentUuid: comment,
  runUuid: run,
  checkUuid: check,
  criterionUuid: criterion,
  ruleUuid: runRule,
  landingUuid: landing,
  sessionUuid: session,
  parentSessionUuid: session,
  attentionUuid: attention,
  attention_uuid: attention,
  bridgeUuid: bridge,
  webhookUuid: webhook,
  deliveryUuid: delivery,
  labelUuid: label,
  viewUuid: view,
  groupUuid: group,
  agentUuid: agent,
  machineUuid: machine,
  userUuid: user,
  ownerUuid: user,
}

/** `targetType` says what `targetUuid` names; likewise `entityType` and `entityUuid`, `scope` and `scopeUuid`. */
const TYPED: Record<string, Reference> = { idea, proposal, document, task, project, project_group: group }

/** What may be named by its short id as well, and where that is looked up. */
const SHORT: Readonly<Record<string, readonly ("tasks" | "ideas")[]>> = {
  taskUuid: ["tasks"],
  taskUuids: ["tasks"],
  dependsOnTaskUuid: ["tasks"],
  dependsOnTaskUuids: ["tasks"],
  addDependsOn: ["tasks"],
  removeDependsOn: ["tasks"],
  ideaUuid: ["ideas"],
  ideaUuids: ["ideas"],
  parentUuid: ["ideas"],
  targetUuid: ["tasks", "ideas"],
  entityUuid: ["tasks", "ideas"],
}

/** The input with the uuids that short ids such as `SHOP-12` stand for, wherever it names a task or an idea. */
export async function withUuids(db: Db, actor: Actor, input: unknown): Promise<unknown> {
  // Nearly every input names things by uuid; a large report is not taken apart for nothing.
  return namesShort(input, "") ? translated(db, actor, input, "") : input
}

function namesShort(input: unknown, field: string): boolean {
  if (typeof input === "string") return SHORT[field] !== undefined && shortIdOf(input) !== undefined
  if (Array.isArray(input)) return input.some((each) => namesShort(each, field))
  if (typeof input !== "object" || input === null) return false
  return Object.entries(input).some(([name, value]) => namesShort(value, name))
}

async function translated(db: Db, actor: Actor, input: unknown, field: string): Promise<unknown> {
  if (typeof input === "string") {
    const shortId = SHORT[field] === undefined ? undefined : shortIdOf(input)
    if (shortId === undefined) return input
    const uuid = await uuidOfShortId(db, actor, shortId, SHORT[field])
    if (uuid === undefined) throw notFound(SHORT[field]?.[0] === "ideas" ? "idea" : "task", shortId)
    return uuid
  }
  if (Array.isArray(input)) return Promise.all(input.map((each) => translated(db, actor, each, field)))
  if (typeof input !== "object" || input === null) return input
  const fields = Object.entries(input)
  return Object.fromEntries(
    await Promise.all(fields.map(async ([name, value]) => [name, await translated(db, actor, value, name)] as const)),
  )
}

/**
 * Refuses an input that names something in another workspace or outside the caller's projects.
 * Held here, before any operation runs, so that none can forget it; the answer is the same as for an id that does not
 * exist. Tells what was named and reached; whoever works in the context may ask in which project that is.
 */
export async function assertReach(
  db: Db,
  actor: Actor,
  input: unknown,
  context?: OperationContext,
): Promise<Reached[]> {
  const named = namedIn(input)
  const asked = named.map(({ find, uuid }) => ({ uuid, place: find(db, uuid) }))
  if (context !== undefined) found.set(context, new Map(asked.map(({ uuid, place }) => [uuid, place])))
  const places = await Promise.all(asked.map(({ place }) => place))
  return named.map(({ noun, uuid }, at) => {
    const place = places[at]
    if (place === undefined || !withinReach(actor, place)) throw notFound(noun, uuid)
    return { noun, uuid, projectUuid: place.projectUuid }
  })
}

const found = new WeakMap<OperationContext, ReadonlyMap<string, Promise<Place | undefined>>>()

/** The project of something that the input names, as it was found for reach; undefined where it was not asked for. */
export function projectReached(context: OperationContext, uuid: string): Promise<ProjectPlace | undefined> | undefined {
  return found
    .get(context)
    ?.get(uuid)
    ?.then((place) => (place !== undefined && isProject(place) ? place : undefined))
}

function isProject(place: Place): place is ProjectPlace {
  return "settings" in place
}

/**
 * Whether reach is decided by what stands before whatever is asked after it. Where it takes several questions, somebody
 * who already changes things could bring what they named within their reach.
 */
export function reachesAtOnce(input: unknown): boolean {
  return namedIn(input).every(({ find }) => AT_ONCE.has(find))
}

function namedIn(input: unknown): (Reference & { readonly uuid: string })[] {
  if (typeof input !== "object" || input === null) return []
  const fields = input as Record<string, unknown>
  return Object.entries(fields).flatMap(([field, value]) => {
    const reference = REFERENCES[field] ?? typedReference(field, fields)
    if (reference === undefined) return []
    const uuids = (Array.isArray(value) ? value : [value]).filter((uuid) => typeof uuid === "string")
    return uuids.map((uuid) => ({ ...reference, uuid }))
  })
}

export function withinReach(actor: Actor, place: Place): boolean {
  if (place.workspaceUuid !== actor.workspaceUuid) return false
  const { projectUuids: reached } = actor
  if (reached !== null && place.projectUuids !== undefined && place.projectUuids.length > 0)
    return place.projectUuids.some((uuid) => reached.has(uuid))
  return place.projectUuid === null || actor.projectUuids === null || actor.projectUuids.has(place.projectUuid)
}

function typedReference(field: string, input: Record<string, unknown>): Reference | undefined {
  if (field === "targetUuid") return TYPED[String(input["targetType"])]
  if (field === "entityUuid") return TYPED[String(input["entityType"])]
  if (field === "scopeUuid") return input["scope"] === "group" ? group : TYPED[String(input["scope"])]
  return undefined
}

type ProjectTable =
  | "ideas"
  | "proposals"
  | "documents"
  | "tasks"
  | "reservations"
  | "reviews"
  | "comments"
  | "runRules"
  | "attachmentFiles"
  | "labels"
  | "views"

function inProject(table: ProjectTable): Find {
  return atOnce(
    askedOften((db, uuid) =>
      db
        .selectFrom("projects")
        .select(PROJECT)
        .where("uuid", "=", (its) => its.selectFrom(table).select("projectUuid").where("uuid", "=", uuid)),
    ),
  )
}

function atOnce(find: (db: Db, uuid: string) => Promise<ProjectPlace | undefined>): Find {
  AT_ONCE.add(find)
  return find
}

async function ofTask(db: Db, table: "checks" | "criteria", uuid: string): Promise<Place | undefined> {
  const row = await db.selectFrom(table).select("taskUuid").where("uuid", "=", uuid).executeTakeFirst()
  return row && inTasks(db, row.taskUuid)
}

async function findingPlace(db: Db, uuid: string): Promise<Place | undefined> {
  const row = await db.selectFrom("findings").select("reviewUuid").where("uuid", "=", uuid).executeTakeFirst()
  return row && inReviews(db, row.reviewUuid)
}

async function runPlace(db: Db, uuid: string): Promise<Place | undefined> {
  const row = await db.selectFrom("runs").select(["taskUuid", "ideaUuid"]).where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined) return undefined
  return row.taskUuid === null ? inIdeas(db, row.ideaUuid ?? "") : inTasks(db, row.taskUuid)
}

async function landingPlace(db: Db, uuid: string): Promise<Place | undefined> {
  const row = await db.selectFrom("landings").select("taskUuid").where("uuid", "=", uuid).executeTakeFirst()
  return row && inTasks(db, row.taskUuid)
}

/** A machine is of the workspace of the agent that reports it. */
async function machinePlace(db: Db, uuid: string): Promise<Place | undefined> {
  const row = await db
    .selectFrom("machines as m")
    .innerJoin("agents as a", "a.uuid", "m.agentUuid")
    .select("a.workspaceUuid")
    .where("m.uuid", "=", uuid)
    .executeTakeFirst()
  return row && { workspaceUuid: row.workspaceUuid, projectUuid: null }
}

async function groupPlace(db: Db, uuid: string): Promise<Place | undefined> {
  const place = await inWorkspace(db, "projectGroups", uuid)
  if (place === undefined) return undefined
  const projects = await db.selectFrom("projects").select("uuid").where("groupUuid", "=", uuid).execute()
  return { ...place, projectUuids: projects.map((row) => row.uuid) }
}

async function sessionPlace(db: Db, uuid: string): Promise<Place | undefined> {
  const row = await db
    .selectFrom("sessions as s")
    .innerJoin("agents as a", "a.uuid", "s.agentUuid")
    .select("a.workspaceUuid")
    .where("s.uuid", "=", uuid)
    .executeTakeFirst()
  return row && { workspaceUuid: row.workspaceUuid, projectUuid: null }
}

async function inWorkspace(
  db: Db,
  table: "projectGroups" | "agents" | "users" | "deliveries",
  uuid: string,
): Promise<Place | undefined> {
  const row = await db.selectFrom(table).select("workspaceUuid").where("uuid", "=", uuid).executeTakeFirst()
  return row && { workspaceUuid: row.workspaceUuid, projectUuid: null }
}
