import type { runs } from "@chorus/contracts"
import { type Schema, writtenOften } from "@chorus/store"
import type { Insertable } from "kysely"
import type { OperationContext } from "../../operation.ts"
import type { ShownRun } from "./run-select.ts"

type Grown = Pick<ShownRun, "uuid" | "projectUuid" | "revision">

/** Keeps what the agent said and did, each in its newest form; readers ask for what is newer than they have. */
export async function keepEntries(
  context: OperationContext,
  run: Grown,
  entries: readonly runs.ReportedEntry[],
): Promise<number> {
  let { revision } = run
  for (const { whole, ...entry } of entries) {
    revision += 1
    const kept = { runUuid: run.uuid, id: entry.id, revision, place: entry.place, body: JSON.stringify(entry) }
    await written(context.db, { ...kept, ...(whole === undefined ? {} : { output: whole }) }).execute()
  }
  if (entries.length > 0)
    context.emit({
      kind: "run.grew",
      entityType: "run",
      entityUuid: run.uuid,
      projectUuid: run.projectUuid,
      action: "updated",
      patch: { revision },
    })
  return revision
}

/** What an earlier form printed stays where this one says nothing of it. */
const written = writtenOften((db, entry: Insertable<Schema["runEntries"]>) =>
  db
    .insertInto("runEntries")
    .values(entry)
    .onConflict((conflict) =>
      conflict.columns(["runUuid", "id"]).doUpdateSet(({ ref }) => ({
        revision: ref("excluded.revision"),
        place: ref("excluded.place"),
        body: ref("excluded.body"),
        ...("output" in entry ? { output: ref("excluded.output") } : {}),
      })),
    ),
)

/** A line of Chorus's own after all that was said; a runner that goes on leaves room for some. */
export async function addNote(
  context: OperationContext,
  run: Grown & Pick<ShownRun, "turns">,
  text: string,
): Promise<number> {
  const { last } = await context.db
    .selectFrom("runEntries")
    .select(({ fn }) => fn.max("place").as("last"))
    .where("runUuid", "=", run.uuid)
    .executeTakeFirstOrThrow()
  const place = Number(last ?? 0) + 1
  const said = { kind: "note" as const, child: null, title: null, text, status: null, data: {}, at: context.now }
  return keepEntries(context, run, [{ id: `chorus-${place}`, place, turn: run.turns, ...said }])
}

/** Calls that nobody will tell the end of are over with the process that made them, save those it has just begun. */
export async function closeCalls(
  context: OperationContext,
  run: Grown,
  begun: ReadonlySet<string> = new Set(),
): Promise<number> {
  const rows = await context.db
    .selectFrom("runEntries")
    .select("body")
    .where("runUuid", "=", run.uuid)
    .where(({ or, eb }) => or(UNDER_WAY.map((status) => eb("body", "like", `%"status":"${status}"%`))))
    .execute()
  const open = rows
    .map(({ body }) => JSON.parse(body) as runs.RunEntry)
    .filter(({ id, kind, status }) => kind === "tool" && isUnderWay(status) && !begun.has(id))
  return keepEntries(
    context,
    run,
    open.map((entry) => ({ ...entry, status: "ended" })),
  )
}

const UNDER_WAY = ["pending", "in_progress"] as const

function isUnderWay(status: string | null): boolean {
  return UNDER_WAY.some((one) => one === status)
}
