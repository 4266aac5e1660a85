import { ChorusError, type TeamOrder, teamRoom } from "@chorus/contracts"
import { notFound, operation, type OperationContext, pageIn } from "../../operation.ts"
import { sendToMachine } from "../machines/machine-lane.ts"
import { machinesFor } from "../machines/machine-row.ts"
import { dismissFailedLandings } from "./failed-landings.ts"
import { memberRow, messageRow, orderRow, teamRow, teamTask } from "./team-row.ts"

export const listTeams = operation(teamRoom.listTeams, async (context, { includeGone, ...page }) => {
  let query = teams(context)
  if (!includeGone) query = query.where("t.goneAt", "is", null)
  const shown = pageIn(await query.orderBy("t.createdAt", "desc").execute(), page)
  const records = shown.rows
  const members = await context.db
    .selectFrom("teamMembers")
    .selectAll()
    .where(
      "teamUuid",
      "in",
      records.map(({ uuid }) => uuid),
    )
    .execute()
  return {
    teams: records.map((record) => ({
      ...teamRow(record),
      members: members.filter(({ teamUuid }) => teamUuid === record.uuid).map(memberRow),
    })),
    ...shown.page,
  }
})

export const getTeam = operation(teamRoom.getTeam, async (context, { teamUuid, messages }) => {
  const { db } = context
  const team = await findTeam(context, teamUuid)
  const members = await db
    .selectFrom("teamMembers")
    .selectAll()
    .where("teamUuid", "=", teamUuid)
    .orderBy("lead", "desc")
    .orderBy("name")
    .execute()
  const latest = await db
    .selectFrom("teamMessages")
    .selectAll()
    .where("teamUuid", "=", teamUuid)
    .orderBy("sentAt", "desc")
    .orderBy("id")
    .limit(messages)
    .execute()
  const tasks = await db.selectFrom("teamTasks").selectAll().where("teamUuid", "=", teamUuid).execute()
  const orders = await db
    .selectFrom("deliveries")
    .selectAll()
    .where("tag", "=", `team:${teamUuid}`)
    .orderBy("createdAt", "desc")
    .orderBy("place", "desc")
    .limit(20)
    .execute()
  return {
    ...teamRow(team),
    members: members.map(memberRow),
    messages: latest.map(messageRow).reverse(),
    tasks: tasks.map(teamTask).sort((one, other) => Number(one.task.id) - Number(other.task.id)),
    orders: orders.map(orderRow),
  }
})

export const writeToMember = operation(teamRoom.writeToMember, async (context, { teamUuid, to, text }) => {
  const team = await findTeam(context, teamUuid)
  return order(context, team, { decision: "message", team: team.name, by: context.actor.name, to, text })
})

export const askShutdown = operation(teamRoom.askShutdown, async (context, { teamUuid, member, reason }) => {
  const team = await findTeam(context, teamUuid)
  return order(context, team, {
    decision: "shutdown",
    team: team.name,
    by: context.actor.name,
    member,
    ...(reason === undefined ? {} : { reason }),
  })
})

export const landMember = operation(teamRoom.landMember, async (context, { teamUuid, member, how }) => {
  const team = await findTeam(context, teamUuid)
  const known = await context.db
    .selectFrom("teamMembers")
    .select("branch")
    .where("teamUuid", "=", teamUuid)
    .where("name", "=", member)
    .executeTakeFirst()
  if (known === undefined) throw notFound("member", member)
  if (known.branch === null)
    throw new ChorusError("no_branch", `${member} has no branch of its own.`, {
      status: 409,
      next: "Make a team with `chorus team create NAME --worktrees`: each member then works on one.",
    })
  await dismissFailedLandings(context, teamUuid, member)
  return order(context, team, { decision: "land", team: team.name, by: context.actor.name, member, how })
})

type FoundTeam = Awaited<ReturnType<typeof findTeam>>
type OrderDecision = Extract<TeamOrder, { decision: "land" | "message" | "shutdown" }>

/** Leaves the order for the companion of the team's machine, which hears of it on the event stream. */
async function order(
  context: OperationContext,
  team: FoundTeam,
  decision: OrderDecision,
): Promise<{ orderUuid: string }> {
  const { now, emit } = context
  if (team.goneAt !== null)
    throw new ChorusError("team_gone", `The team ${team.name} is gone.`, {
      status: 409,
      next: "Choose a team that is still there.",
    })
  const words =
    decision.decision === "message" ? `${decision.to}: ${decision.text}` : `${decision.member}: ${decision.decision}`
  const title = words.replaceAll(/\s+/g, " ").slice(0, 300)
  const about = { kind: "order", title, tag: `team:${team.uuid}` } as const
  const uuid = await sendToMachine(context, team.machineUuid, decision, about)
  emit({
    kind: "order.given",
    entityType: "team_order",
    entityUuid: uuid,
    projectUuid: null,
    action: "created",
    patch: { uuid, teamUuid: team.uuid, machineUuid: team.machineUuid, decision, createdAt: now },
  })
  return { orderUuid: uuid }
}

async function findTeam(context: OperationContext, teamUuid: string) {
  const team = await teams(context).where("t.uuid", "=", teamUuid).executeTakeFirst()
  if (team === undefined) throw notFound("team", teamUuid)
  return team
}

function teams({ db, actor }: OperationContext) {
  return machinesFor(db, actor)
    .innerJoin("teams as t", "t.machineUuid", "m.uuid")
    .selectAll("t")
    .select("m.name as machine")
}
