import { insights } from "@chorus/contracts"
import { operation } from "../../operation.ts"

const HOUR_MS = 60 * 60 * 1000
const DEFAULT_SPAN_MS = 7 * 24 * HOUR_MS
const MOST_STAYS = 5000

export const getSessionTimeline = operation(
  insights.getSessionTimeline,
  async ({ db, now }, { projectUuid, ...span }) => {
    // Times are kept to the millisecond and compared as text.
    const until = new Date(span.until ?? now).toISOString()
    const from = new Date(span.since ?? Date.parse(until) - DEFAULT_SPAN_MS).toISOString()
    const rows = await db
      .selectFrom("checkins as c")
      .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
      .innerJoin("agents as a", "a.uuid", "s.agentUuid")
      .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
      .select([
        "s.uuid as sessionUuid",
        "s.name as sessionName",
        "a.uuid as agentUuid",
        "a.name as agentName",
        "t.uuid as taskUuid",
        "t.title as taskTitle",
        "c.checkinAt",
        "c.checkoutAt",
      ])
      .where("t.projectUuid", "=", projectUuid)
      .where("c.checkinAt", "<", until)
      .where((where) => where.or([where("c.checkoutAt", "is", null), where("c.checkoutAt", ">", from)]))
      .orderBy("c.checkinAt")
      .orderBy("c.uuid")
      .limit(MOST_STAYS)
      .execute()
    const lanes = [...Map.groupBy(rows, (row) => row.sessionUuid).values()].flatMap((stays) => {
      const [first] = stays
      if (first === undefined) return []
      const shown = stays.map((stay) => ({
        taskUuid: stay.taskUuid,
        taskTitle: stay.taskTitle,
        from: stay.checkinAt,
        to: stay.checkoutAt,
        hours: hoursWithin(stay, from, until),
      }))
      const agent = { type: "agent" as const, uuid: first.agentUuid, name: first.agentName }
      return [
        {
          sessionUuid: first.sessionUuid,
          sessionName: first.sessionName,
          agent,
          stays: shown,
          hours: shown.reduce((sum, stay) => sum + stay.hours, 0),
        },
      ]
    })
    return { since: from, until, lanes }
  },
)

/** How much of a stay lies between two times. */
function hoursWithin(
  { checkinAt, checkoutAt }: { checkinAt: string; checkoutAt: string | null },
  from: string,
  until: string,
): number {
  const begin = Math.max(Date.parse(checkinAt), Date.parse(from))
  const end = Math.min(checkoutAt === null ? Date.parse(until) : Date.parse(checkoutAt), Date.parse(until))
  return Math.max(0, end - begin) / HOUR_MS
}
