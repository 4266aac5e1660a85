import {
  type ActorKind,
  type ActorRef,
  ChorusError,
  type Exactly,
  type NewEvent,
  type OutputOf,
  type ParsedInputOf,
  type Permission,
  type Resource,
  type Role,
  type Signature,
} from "@chorus/contracts"
import { askedOften, asUnavailable, type Db, type Engine } from "@chorus/store"
import { type Compilable, type SelectQueryBuilder, type Simplify, sql } from "kysely"
import type { z } from "zod"
import type { Patience } from "./patience.ts"

/** What an operation may touch. Its clock and ids come from here, so a test can hold them. */
export interface OperationContext {
  /** The open transaction of a write; committed data for a read. */
  readonly db: Db
  readonly engine: Engine
  readonly actor: Actor
  /** The time of this call, ISO 8601; the same throughout. */
  readonly now: string
  readonly requestId: string
  /** The projects the caller asked to hear about; undefined is all it can reach. */
  readonly focus: Focus | undefined
  /** What was found broken in the store. */
  damage(): ChorusError | undefined
  newId(): string
  /** Adds to the event log in this change. Reads may not. */
  emit<E extends NewEvent>(event: E & Exactly<E>): void
  /**
   * Writes with the last acts of the change, so that nobody waits for it: for what nothing in this change reads again.
   */
  later(statement: Compilable): void
  /** Writes now, and nobody waits for the answer: the change does so at its end, and fails with it. */
  besides(statement: Compilable): void
  /** Runs after the change is durable; for what must not happen when it was rolled back. */
  afterCommit(run: () => void): void
}

/** What the registry carries out; operations that need one another's work share functions on records instead. */
export interface Operation<S extends Signature = Signature> {
  readonly signature: S
  run(context: OperationContext, input: ParsedInputOf<S>): Promise<OutputOf<S>>
  /** It may read or compute for long: a caller has one such read under way at a time. */
  readonly isCostly?: boolean | undefined
  /** How it waits, where it can. */
  readonly patience?: Patience<S> | undefined
}

/** Binds a signature to the code that carries it out. */
export function operation<S extends Signature>(
  signature: S,
  run: Operation<S>["run"],
  patience?: Patience<S>,
): Operation<S> {
  return { signature, run, patience }
}

/** The same for a read that may take long; it gives others their turn meanwhile. */
export function costly<S extends Signature>(signature: S, run: Operation<S>["run"]): Operation<S> {
  return { signature, run, isCostly: true }
}

/** Who calls, as the doors established it. */
export interface Actor extends ActorRef {
  readonly workspaceUuid: string
  readonly role: Role | null
  readonly permissions: ReadonlySet<Permission>
  /** The only projects this actor may reach; null is all of them. */
  readonly projectUuids: ReadonlySet<string> | null
  /** The person an agent belongs to. */
  readonly ownerUuid: string | null
  /** The key an agent came with. */
  readonly keyUuid?: string
  /** The agent that calls in a person's place, in words; asked of whoever came with what lies in the data directory. */
  readonly below?: () => string | undefined
}

/** Stands in for the caller of an operation that asks for none. */
export const NOBODY: Actor = {
  type: "system",
  uuid: "nobody",
  name: "nobody",
  workspaceUuid: "",
  role: null,
  permissions: new Set(),
  projectUuids: new Set(),
  ownerUuid: null,
}

/** What a machine found is no agent's judgement, though an agent's key brought it. */
export function asChorus(context: OperationContext): OperationContext {
  const { workspaceUuid } = context.actor
  return { ...context, actor: { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid, projectUuids: null } }
}

export function actorRef({ type, uuid, name }: Actor): ActorRef {
  return { type, uuid, name }
}

/** Narrows what an answer is about to some projects; it never widens what the caller can reach. */
export interface Focus {
  readonly projectUuids: readonly string[]
  readonly groupUuid: string | undefined
}

/** Reads the headers by which a client narrows its check-in: `X-Chorus-Project` (one or several, by comma) and `X-Chorus-Project-Group`, which wins. */
export function focusOf(header: (name: string) => string | null | undefined): Focus | undefined {
  const groupUuid = header("x-chorus-project-group")?.trim() || undefined
  const projectUuids = (header("x-chorus-project") ?? "")
    .split(",")
    .map((uuid) => uuid.trim())
    .filter((uuid) => uuid !== "")
  if (groupUuid === undefined && projectUuids.length === 0) return undefined
  return { groupUuid, projectUuids: groupUuid === undefined ? projectUuids : [] }
}

/** Whether the caller may read this kind of thing; for operations whose input says which kind it is. */
export function mayRead(actor: Actor, resource: Resource): boolean {
  return actor.type === "system" || actor.permissions.has(`${resource}:read` satisfies Permission)
}

export function assertMayRead(actor: Actor, resource: Resource): void {
  if (mayRead(actor, resource)) return
  throw forbidden(
    `${actor.name} may not read ${resource}s; it needs ${resource}:read.`,
    `Ask a person who runs this workspace to grant ${resource}:read.`,
  )
}

export type NameOf = (type: ActorKind | null, uuid: string | null) => ActorRef | null

/** Looks up the names of everybody named by some rows at once, however many rows there are. */
export async function namesOf(db: Db, uuids: Iterable<string | null>): Promise<NameOf> {
  const wanted = [...new Set([...uuids].filter((uuid) => uuid !== null))]
  const names = new Map<string, string>()
  if (wanted.length > 0) for (const { uuid, name } of await named.all(db, ...wanted)) names.set(uuid, name)
  return (type, uuid) =>
    type === null || uuid === null
      ? null
      : { type, uuid, name: names.get(uuid) ?? (type === "system" ? "Chorus" : "unknown") }
}

const named = askedOften((db, ...uuids) => {
  const people = db.selectFrom("users").select(["uuid", "name"]).where("uuid", "in", uuids)
  const agents = db.selectFrom("agents").select(["uuid", "name"]).where("uuid", "in", uuids)
  return agents.unionAll(people)
})

export interface PageInput {
  readonly page: number
  readonly pageSize: number
}

export function offsetOf({ page, pageSize }: PageInput): number {
  return (page - 1) * pageSize
}

/** The paging fields of a list's answer. */
export function pageOf(input: PageInput, returned: number, total: number) {
  return { returned, page: input.page, pageSize: input.pageSize, total }
}

/** A page of a query's rows, in the order that it has, and of how many it is one. */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  input: PageInput,
): Promise<{ rows: Simplify<Row>[]; page: ReturnType<typeof pageOf> }> {
  const rows = await query.offset(offsetOf(input)).limit(input.pageSize).execute()
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<number>`count(*)`.as("total"))
  const { total } = await counted.$castTo<{ total: number }>().executeTakeFirstOrThrow()
  return { rows, page: pageOf(input, rows.length, total) }
}

/** A page of what was read whole. */
export function pageIn<Row>(rows: readonly Row[], input: PageInput) {
  const shown = rows.slice(offsetOf(input), offsetOf(input) + input.pageSize)
  return { rows: shown, page: pageOf(input, shown.length, rows.length) }
}

export function notFound(noun: string, uuid: string): ChorusError {
  return new ChorusError("not_found", `There is no ${noun} ${uuid} that you can see.`, {
    status: 404,
    next: `Check the id; list the ${noun}s you can see to find the right one.`,
  })
}

export function forbidden(message: string, next: string): ChorusError {
  return new ChorusError("forbidden", message, { status: 403, next })
}

export function invalidInput(error: z.ZodError): ChorusError {
  const { issues, text } = issuesOf(error)
  return new ChorusError("invalid_input", `The input does not fit: ${text}.`, {
    status: 400,
    next: "Correct the named fields and call again; nothing was changed.",
    details: { issues },
  })
}

export function issuesOf(error: z.ZodError) {
  const issues = error.issues
    .slice(0, 20)
    .map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message }))
  return { issues, text: issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ") }
}

/** Anything that is not a ChorusError is our fault: the caller learns the request id, the log the rest. */
export function asChorusError(error: unknown, requestId: string): ChorusError {
  const fault = asUnavailable(error)
  if (fault instanceof ChorusError) return fault
  return new ChorusError("internal", `Something went wrong on the server (request ${requestId}).`, {
    status: 500,
    next: "Try again; if it stays, look for this request id in the server's log.",
    cause: error,
  })
}

const TABLES = { idea: "ideas", proposal: "proposals", task: "tasks", document: "documents" } as const

/** The project that something commentable lives in. Whether the caller may reach it was decided before the operation ran. */
export async function projectOf(db: Db, type: keyof typeof TABLES, uuid: string): Promise<string> {
  const row = await db.selectFrom(TABLES[type]).select("projectUuid").where("uuid", "=", uuid).executeTakeFirst()
  if (row === undefined) throw notFound(type, uuid)
  return row.projectUuid
}
