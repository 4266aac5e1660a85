import { type OutputOf, type tasks, work } from "@chorus/contracts"
import { type Db, lastPosition } from "@chorus/store"
import { costly, type OperationContext } from "../../operation.ts"
import { checkinRow, LOST, selectCheckins } from "../sessions/session-record.ts"
import { allTasks } from "./all-tasks.ts"
import { KeptAnswers } from "./kept-answers.ts"

// The place in the log is read first: what happens after it comes as events, and merging one twice does no harm.

/** A board of before is brought up to date by so many events at most; beyond, reading it anew is quicker. */
const MOST_FOLLOWED = 500

type Board = OutputOf<typeof work.getBoard>

interface KeptBoard {
  readonly board: Board
  /** Where each task stands among them. */
  readonly places: Map<string, number>
}

const boards = new KeptAnswers<KeptBoard>()

export const getBoard = costly(work.getBoard, async (context, { projectUuid }) => {
  const { db, actor } = context
  const position = await lastPosition(db, actor.workspaceUuid)
  const { board } = await boards.get(db, projectUuid, position, async (before) => {
    const changed = before && (await changedSince(context, projectUuid, before.position))
    const [tasks, checkins, returned] = await Promise.all([
      allTasks(context, { projectUuid, uuids: changed }),
      openCheckins(db, projectUuid),
      returnedTasks(db, projectUuid),
    ])
    if (before === undefined || changed === undefined)
      return {
        board: { tasks, checkins, returned, position },
        places: new Map(tasks.map(({ uuid }, place) => [uuid, place])),
      }
    const { places } = before.answer
    return { board: { tasks: merged(before.answer, changed, tasks), checkins, returned, position }, places }
  })
  return board
})

/**
 * The tasks of the project of which the log has told since; undefined when that is not all that can have changed a row.
 */
async function changedSince(
  { db, actor }: OperationContext,
  projectUuid: string,
  position: number,
): Promise<string[] | undefined> {
  const events = await db
    .selectFrom("events")
    .select(["kind", "entityType", "entityUuid", "projectUuid"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("id", ">", position)
    .limit(MOST_FOLLOWED + 1)
    .execute()
  const renames = ({ kind, entityType }: (typeof events)[number]) =>
    kind === "agent.updated" || entityType === "member" || entityType === "label"
  if (events.length > MOST_FOLLOWED || events.some(renames)) return undefined
  const theirs = events.filter((event) => event.entityType === "task" && event.projectUuid === projectUuid)
  return [...new Set(theirs.map(({ entityUuid }) => entityUuid))]
}

/** The tasks with these as they are now; those of the changed that are not there any more are gone. */
function merged({ board, places }: KeptBoard, changed: readonly string[], now: readonly tasks.TaskRow[]) {
  const rows = [...board.tasks]
  const there = new Map(now.map((row) => [row.uuid, row]))
  for (const uuid of changed) {
    const row = there.get(uuid)
    const place = places.get(uuid)
    if (row !== undefined) {
      places.set(uuid, place ?? rows.length)
      rows[place ?? rows.length] = row
      continue
    }
    if (place === undefined) continue
    places.delete(uuid)
    const last = rows.pop()
    if (last === undefined || last.uuid === uuid) continue
    rows[place] = last
    places.set(last.uuid, place)
  }
  return rows
}

async function returnedTasks(db: Db, projectUuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom("tasks")
    .select("uuid")
    .where("projectUuid", "=", projectUuid)
    .where("returnedAt", "is not", null)
    .orderBy("uuid")
    .execute()
  return rows.map(({ uuid }) => uuid)
}

async function openCheckins(db: Db, projectUuid: string): Promise<Board["checkins"]> {
  const stays = await selectCheckins(db)
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .select("s.lastActiveAt as heardAt")
    .where("t.projectUuid", "=", projectUuid)
    .where(({ or, and, eb, not, exists, ref, selectFrom }) =>
      or([
        eb("c.checkoutAt", "is", null),
        and([
          eb("c.checkoutReason", "=", LOST),
          eb("t.status", "=", "in_progress"),
          // Not of work that was given back and begun again.
          eb("c.checkoutAt", ">=", ref("t.startedAt")),
          not(
            exists(
              selectFrom("checkins as later")
                .select("later.uuid")
                .whereRef("later.taskUuid", "=", "c.taskUuid")
                .whereRef("later.checkinAt", ">", "c.checkinAt"),
            ),
          ),
        ]),
      ]),
    )
    .orderBy("c.checkinAt")
    .orderBy("c.uuid")
    .execute()
  return stays.map((stay) => ({ ...checkinRow(stay), heardAt: stay.heardAt }))
}
