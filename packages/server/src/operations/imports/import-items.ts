import { createHash } from "node:crypto"
import { ChorusError, imports, type ProjectId } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { writeComment } from "../comments/comment-record.ts"
import { addTasks } from "../tasks/create-tasks.ts"
import { addDependencies } from "../tasks/edges.ts"
import { close, finish, reopen } from "../tasks/task-life.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { rewriteTask } from "../tasks/update-task.ts"

type Known = Schema["importedItems"]
export type KnownRow = Pick<Known, "key" | "uuid" | "fingerprint" | "status" | "version">
type Result = imports.ImportResult

export interface Source {
  readonly projectUuid: ProjectId
  readonly origin: string
}

/** What is to become of one item, by what is known of it and how its task stands. */
interface Plan {
  readonly item: imports.ForeignItem
  readonly outcome: Result["outcome"]
  readonly task: TaskRecord | undefined
  /** Whether it was done or closed there when it was last brought. */
  readonly wasFinished: boolean
  readonly comments: readonly imports.ForeignComment[]
  readonly warnings: string[]
}

export const importItems = operation(imports.importItems, async (context, { items, preview, ...source }) => {
  if (!context.actor.permissions.has("task:write"))
    throw forbidden("Bringing work needs task:write.", "Ask somebody who runs this workspace for another role.")
  assertNoneTwice(items)
  // Two who bring the same list at once would both find it new.
  await lock(context, `import:${source.projectUuid}`)
  const plans = await plansFor(context.db, source, items)
  if (preview) return { results: plans.map((plan) => resultOf(plan, plan.task)) }
  const created = await create(context, source, plans)
  for (const plan of plans) if (plan.outcome === "updated") await bringUpToDate(context, source, plan)
  const uuids = new Map([...(await uuidsByKey(context.db, source)), ...created])
  for (const plan of plans) await addComments(context, source, plan, uuids.get(plan.item.key))
  for (const plan of plans) await linkTo(context, plan, uuids)
  return {
    results: await Promise.all(
      plans.map(async (plan) => {
        const uuid = uuids.get(plan.item.key)
        const task = plan.outcome === "gone" || uuid === undefined ? undefined : await findTask(context.db, uuid)
        return resultOf(plan, task)
      }),
    ),
  }
})

async function plansFor(db: Db, source: Source, items: readonly imports.ForeignItem[]): Promise<Plan[]> {
  const keys = items.flatMap(({ key, comments }) => [key, ...comments.map((comment) => commentKey(key, comment))])
  const rows = await known(db, source).selectAll().where("key", "in", keys).execute()
  const brought = new Map(rows.map((row) => [row.key, row]))
  const uuids = rows.map(({ uuid }) => uuid)
  const found = uuids.length === 0 ? [] : await db.selectFrom("tasks").selectAll().where("uuid", "in", uuids).execute()
  const tasks = new Map(found.map((task) => [task.uuid, task]))
  return items.map((item) => {
    const row = brought.get(item.key)
    const task = row && tasks.get(row.uuid)
    const { outcome, warnings } = standingOf(item, row, task)
    const comments =
      outcome === "gone" ? [] : item.comments.filter((comment) => !brought.has(commentKey(item.key, comment)))
    return { item, outcome, task, wasFinished: row?.status === "done" || row?.status === "closed", comments, warnings }
  })
}

function standingOf(
  item: imports.ForeignItem,
  row: Known | undefined,
  task: TaskRecord | undefined,
): Pick<Plan, "outcome" | "warnings"> {
  if (row === undefined) return { outcome: "created", warnings: [] }
  if (task === undefined) return { outcome: "gone", warnings: ["was deleted here after it was brought"] }
  if (row.fingerprint === fingerprintOf(item)) return { outcome: "unchanged", warnings: [] }
  if (task.version !== row.version && !isSameText(item, task))
    return { outcome: "kept", warnings: ["was changed there and here; it stays as here"] }
  if (isFinished(task.status) || (task.status === "open" && task.assigneeUuid === null))
    return { outcome: "updated", warnings: [] }
  const became = item.status === row.status ? "changed" : item.status === "open" ? "was reopened" : `is ${item.status}`
  return { outcome: "kept", warnings: [`${became} there, but is ${task.status.replaceAll("_", " ")} here`] }
}

function isSameText({ title, description, criteria }: imports.ForeignItem, task: TaskRecord): boolean {
  return criteria.length === 0 && title === task.title && description === task.description
}

async function create(context: OperationContext, source: Source, plans: readonly Plan[]): Promise<Map<string, string>> {
  const items = plans.filter(({ outcome }) => outcome === "created").map(({ item }) => item)
  if (items.length === 0) return new Map()
  const { tasks } = await addTasks(
    context,
    {
      projectUuid: source.projectUuid,
      tasks: items.map(({ title, description, priority, storyPoints, labels, dueOn, criteria, url, key }) => ({
        title,
        priority,
        labels,
        acceptanceCriteriaItems: criteria.map((description) => ({ description })),
        references:
          url === null ? [] : [{ type: "issue_pr" as const, url, title: `${source.origin} ${key}`.slice(0, 256) }],
        ...(description === null ? {} : { description }),
        ...(storyPoints === null ? {} : { storyPoints }),
        ...(dueOn === null ? {} : { dueOn }),
      })),
    },
    items.map(({ status }) => (status === "open" ? undefined : status)),
  )
  const uuids = new Map<string, string>()
  for (const [at, item] of items.entries()) {
    const uuid = tasks[at]?.uuid
    if (uuid === undefined) continue
    uuids.set(item.key, uuid)
    await remember(context, source, rowOf(item, uuid, 1))
  }
  return uuids
}

async function bringUpToDate(
  context: OperationContext,
  source: Source,
  { item, task, wasFinished }: Plan,
): Promise<void> {
  if (task === undefined) return
  const { title, description, priority, storyPoints, labels, dueOn } = item
  // What was judged stays as it was judged.
  const isMeasured = item.criteria.length === 0 || isFinished(task.status)
  const criteria = isMeasured ? undefined : item.criteria.map((description) => ({ description }))
  await rewriteTask(context, task.uuid, { title, description, priority, storyPoints, labels, dueOn, criteria })
  const rewritten = await findTask(context.db, task.uuid)
  const settled = isFinished(task.status)
  if (!settled && item.status === "done") await finish(context, rewritten)
  if (!settled && item.status === "closed") await close(context, rewritten)
  if (settled && wasFinished && item.status === "open")
    await reopen(context, rewritten, { force: true, reason: `It was reopened in ${source.origin}.` })
  const { uuid, version } = rewritten
  await remember(context, source, rowOf(item, uuid, version))
}

async function addComments(
  context: OperationContext,
  source: Source,
  { item, comments }: Plan,
  taskUuid: string | undefined,
): Promise<void> {
  if (taskUuid === undefined) return
  for (const comment of comments) {
    const { uuid } = await writeComment(context, {
      projectUuid: source.projectUuid,
      targetType: "task",
      targetUuid: taskUuid,
      parentUuid: null,
      content: `**${comment.author}**, ${comment.at} (${source.origin}):\n\n${comment.content}`,
    })
    await remember(context, source, commentRow(commentKey(item.key, comment), uuid))
  }
}

/** Dependencies there are dependencies here, as far as both ends were brought; a circle there loses its last edge. */
async function linkTo(context: OperationContext, plan: Plan, uuids: ReadonlyMap<string, string>): Promise<void> {
  const uuid = uuids.get(plan.item.key)
  if (uuid === undefined || plan.outcome === "gone" || plan.outcome === "kept") return
  const task = await findTask(context.db, uuid)
  if (isFinished(task.status)) return
  const edges = await context.db.selectFrom("taskEdges").select("dependsOnUuid").where("taskUuid", "=", uuid).execute()
  const linked = new Set(edges.map(({ dependsOnUuid }) => dependsOnUuid))
  for (const key of new Set(plan.item.dependsOn)) {
    const other = uuids.get(key)
    if (other === undefined) plan.warnings.push(`waits for ${key} there, which was not brought`)
    else if (!linked.has(other)) await link(context, plan, task, key, other)
  }
}

async function link(
  context: OperationContext,
  plan: Plan,
  task: TaskRecord,
  key: string,
  other: string,
): Promise<void> {
  try {
    await addDependencies(context, task, [other])
  } catch (error) {
    if (!(error instanceof ChorusError) || !["dependency_cycle", "not_found"].includes(error.code)) throw error
    plan.warnings.push(
      error.code === "not_found"
        ? `waits for ${key} there, which was deleted here`
        : `waits for ${key} there, and ${key} for it: left out`,
    )
  }
}

function known(db: Db, { projectUuid, origin }: Source) {
  return db.selectFrom("importedItems").where("projectUuid", "=", projectUuid).where("origin", "=", origin)
}

async function uuidsByKey(db: Db, source: Source): Promise<Map<string, string>> {
  const rows = await known(db, source).select(["key", "uuid"]).execute()
  return new Map(rows.map(({ key, uuid }) => [key, uuid]))
}

/** Notes what is known of an item: how it stands there, and which version of the task that is. */
export async function remember(
  { db, now }: Pick<OperationContext, "db" | "now">,
  { projectUuid, origin }: Source,
  row: KnownRow,
): Promise<void> {
  await db
    .insertInto("importedItems")
    .values({ projectUuid, origin, importedAt: now, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(["projectUuid", "origin", "key"])
        .doUpdateSet({ fingerprint: row.fingerprint, status: row.status, version: row.version, importedAt: now }),
    )
    .execute()
}

/** An item as it stands there now, and the version of its task that this counts as the same as. */
export function rowOf(item: imports.ForeignItem, uuid: string, version: number): KnownRow {
  return { key: item.key, uuid, fingerprint: fingerprintOf(item), status: item.status, version }
}

/** A comment is known by its key alone. */
export function commentRow(key: string, uuid: string): KnownRow {
  return { key, uuid, fingerprint: "", status: null, version: 0 }
}

/** Comments and dependencies are looked at one by one; everything else says whether the item changed. */
export function fingerprintOf({ comments: _comments, dependsOn: _dependsOn, ...item }: imports.ForeignItem): string {
  return createHash("sha256").update(JSON.stringify(item)).digest("hex")
}

export function commentKey(key: string, comment: Pick<imports.ForeignComment, "key">): string {
  return `${key}\n${comment.key}`
}

function resultOf({ item, outcome, comments, warnings }: Plan, task: TaskRecord | undefined): Result {
  return {
    key: item.key,
    title: item.title,
    outcome,
    taskUuid: task?.uuid ?? null,
    shortId: task?.shortId ?? null,
    newComments: comments.length,
    warnings,
  }
}

function assertNoneTwice(items: readonly imports.ForeignItem[]): void {
  const keys = items.map(({ key }) => key)
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice === undefined) return
  throw new ChorusError("invalid_input", `${twice} is in this list twice.`, {
    next: "Give each item its own key.",
    details: { key: twice },
  })
}
