import { groups } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { operation } from "../../operation.ts"
import { activityRows, linesFor } from "../activity/activity.ts"
import { groupRow, projectRow } from "./project-row.ts"

const RECENT = 20

export const getGroupDashboard = operation(groups.getGroupDashboard, async ({ db, actor }, { groupUuid }) => {
  let members = db.selectFrom("projects").selectAll().where("groupUuid", "=", groupUuid)
  if (actor.projectUuids !== null) members = members.where("uuid", "in", [...actor.projectUuids])
  const rows = await members.orderBy("name").orderBy("uuid").execute()
  const uuids = rows.map((row) => row.uuid)
  const numbers = await numbersOf(db, uuids)
  const projects = rows.map((row) => ({ ...projectRow(row), ...statsOf([numbers(row.uuid)]) }))
  const recent = await linesFor(db, actor)
    .selectAll()
    .where("projectUuid", "in", uuids)
    .orderBy("id", "desc")
    .limit(RECENT)
    .execute()
  return {
    group: await groupRow(db, groupUuid, actor),
    stats: { projectCount: rows.length, ...statsOf(uuids.map(numbers)) },
    projects,
    recentActivity: await activityRows(db, recent),
  }
})

interface Numbers {
  totalTasks: number
  completedTasks: number
  openIdeas: number
  activeProposals: number
}

function statsOf(parts: readonly Numbers[]) {
  const sum = (field: keyof Numbers) => parts.reduce((total, part) => total + part[field], 0)
  const [totalTasks, completedTasks] = [sum("totalTasks"), sum("completedTasks")]
  const completionRate = totalTasks === 0 ? 0 : Math.round((completedTasks / totalTasks) * 1000) / 10
  return {
    totalTasks,
    completedTasks,
    completionRate,
    openIdeas: sum("openIdeas"),
    activeProposals: sum("activeProposals"),
  }
}

/** Closed tasks count neither as work to do nor as work done. */
async function numbersOf(db: Db, within: readonly string[]): Promise<(projectUuid: string) => Numbers> {
  const tasks = await db
    .selectFrom("tasks")
    .select([
      "projectUuid",
      sql<number>`count(*)`.as("total"),
      sql<number>`sum(case when "status" = 'done' then 1 else 0 end)`.as("done"),
    ])
    .where("projectUuid", "in", within)
    .where("status", "<>", "closed")
    .groupBy("projectUuid")
    .execute()
  const ideas = await db
    .selectFrom("ideas as i")
    .leftJoin("ideaStandings as s", "s.ideaUuid", "i.uuid")
    .select(["i.projectUuid", sql<number>`count(*)`.as("total")])
    .where("i.projectUuid", "in", within)
    .where((where) => where.or([where("s.derivedStatus", "is", null), where("s.derivedStatus", "<>", "done")]))
    .groupBy("i.projectUuid")
    .execute()
  const proposals = await db
    .selectFrom("proposals")
    .select(["projectUuid", sql<number>`count(*)`.as("total")])
    .where("projectUuid", "in", within)
    .where("status", "in", ["draft", "pending"])
    .groupBy("projectUuid")
    .execute()
  return (projectUuid) => {
    const task = tasks.find((row) => row.projectUuid === projectUuid)
    return {
      totalTasks: task?.total ?? 0,
      completedTasks: Number(task?.done ?? 0),
      openIdeas: ideas.find((row) => row.projectUuid === projectUuid)?.total ?? 0,
      activeProposals: proposals.find((row) => row.projectUuid === projectUuid)?.total ?? 0,
    }
  }
}
