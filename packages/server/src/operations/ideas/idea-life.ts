import { type ActorRef, ChorusError, ideas } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { type Actor, actorRef, namesOf, notFound, operation, type OperationContext } from "../../operation.ts"
import { permissionsOf, projectsOf } from "../agents/agent-row.ts"
import { askSubjects } from "../../reactors/subject.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { assertMayTakeAway } from "../change-requests/rewrite.ts"
import { assertHoldsIdea, findIdea } from "./idea-record.ts"

export const claimIdea = operation(ideas.claimIdea, (context, { ideaUuid }) => claim(context, ideaUuid))

/** Claims an open idea for the caller; whoever comes second learns who holds it. */
export async function claim({ db, actor, now, emit }: OperationContext, ideaUuid: string) {
  const row = await db
    .updateTable("ideas")
    .set({ status: "elaborating", ...assignment(actor, actor, now), updatedAt: now })
    .where("uuid", "=", ideaUuid)
    .where("status", "=", "open")
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw await alreadyClaimed(db, actor, await findIdea(db, ideaUuid))
  const assignee = actorRef(actor)
  const patch = { title: row.title, status: row.status, assignee, updatedAt: now }
  emit({
    kind: "idea.claimed",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return { uuid: ideaUuid, status: row.status, assignee }
}

export const releaseIdea = operation(ideas.releaseIdea, async (context, { ideaUuid }) => release(context, ideaUuid))

export async function release({ db, engine, actor, now, emit }: OperationContext, ideaUuid: string) {
  await lock({ db, engine }, `idea:${ideaUuid}`)
  const before = await findIdea(db, ideaUuid)
  await assertHoldsIdea(db, actor, before)
  const row = await db
    .updateTable("ideas")
    .set({
      status: "open",
      assigneeType: null,
      assigneeUuid: null,
      assignedAt: null,
      assignedByType: null,
      assignedByUuid: null,
      updatedAt: now,
    })
    .where("uuid", "=", ideaUuid)
    .where("status", "=", "elaborating")
    .where("assigneeUuid", "=", before.assigneeUuid)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notReleasable(await findIdea(db, ideaUuid))
  const patch = { title: row.title, status: row.status, assignee: null, updatedAt: now }
  emit({
    kind: "idea.released",
    entityType: "idea",
    entityUuid: ideaUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return { uuid: ideaUuid, status: row.status, assignee: null }
}

export const assignIdea = operation(
  ideas.assignIdea,
  async ({ db, actor, now, emit }, { ideaUuid, assigneeType, assigneeUuid }) => {
    const { projectUuid } = await findIdea(db, ideaUuid)
    const assignee =
      assigneeType === "agent"
        ? await assignableAgent(db, actor, assigneeUuid, projectUuid)
        : await assignablePerson(db, actor, assigneeUuid)
    const row = await db
      .updateTable("ideas")
      .set({
        status: sql`case when "status" = 'open' then 'elaborating' else "status" end`,
        ...assignment(assignee, actor, now),
        updatedAt: now,
      })
      .where("uuid", "=", ideaUuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    const patch = { title: row.title, status: row.status, assignee, updatedAt: now }
    emit({
      kind: "idea.assigned",
      entityType: "idea",
      entityUuid: ideaUuid,
      projectUuid: row.projectUuid,
      action: "updated",
      patch,
    })
    return { uuid: ideaUuid, status: row.status, assignee, wakeRequested: false, target: null }
  },
)

function assignment(to: ActorRef, by: ActorRef, now: string) {
  return {
    assigneeType: to.type,
    assigneeUuid: to.uuid,
    assignedAt: now,
    assignedByType: by.type,
    assignedByUuid: by.uuid,
  }
}

async function assignableAgent(db: Db, actor: Actor, uuid: string, projectUuid: string): Promise<ActorRef> {
  const agent = await db
    .selectFrom("agents")
    .selectAll()
    .where("uuid", "=", uuid)
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .executeTakeFirst()
  if (agent === undefined || agent.archivedAt !== null) throw notFound("agent", uuid)
  const projects = projectsOf(agent)
  if (permissionsOf(agent).has("idea:write") && (projects === null || projects.includes(projectUuid)))
    return { type: "agent", uuid, name: agent.name }
  throw new ChorusError("assignee_lacks_permission", `${agent.name} may not work on ideas of this project.`, {
    status: 409,
    next: "Choose an agent with idea:write in this project, or grant it.",
    details: { agentUuid: uuid, needs: "idea:write" },
  })
}

async function assignablePerson(db: Db, actor: Actor, uuid: string): Promise<ActorRef> {
  const person = await db
    .selectFrom("users")
    .select(["name", "disabledAt"])
    .where("uuid", "=", uuid)
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .executeTakeFirst()
  if (person === undefined || person.disabledAt !== null) throw notFound("person", uuid)
  return { type: "user", uuid, name: person.name }
}

async function alreadyClaimed(db: Db, actor: Actor, idea: Schema["ideas"]): Promise<ChorusError> {
  const holder = (await namesOf(db, [idea.assigneeUuid]))(idea.assigneeType, idea.assigneeUuid)
  const details = { ideaUuid: idea.uuid, status: idea.status, holder }
  if (holder?.uuid === actor.uuid)
    return new ChorusError("already_claimed", `You hold "${idea.title}" already; it is ${idea.status}.`, {
      status: 409,
      next: "Go on with it: it was assigned to you, or you have claimed it before.",
      details,
    })
  return new ChorusError(
    "already_claimed",
    `"${idea.title}" is ${idea.status}${holder === null ? "" : `, held by ${holder.name}`}.`,
    {
      status: 409,
      next: "List the available ideas and claim another, or ask the holder to release this one.",
      details,
    },
  )
}

function notReleasable(idea: Schema["ideas"]): ChorusError {
  return new ChorusError(
    "wrong_status",
    `"${idea.title}" is ${idea.status}; only an idea being elaborated can be given back.`,
    {
      status: 409,
      next: "Assign it to somebody else instead.",
      details: { ideaUuid: idea.uuid, status: idea.status },
    },
  )
}

export const deleteIdea = operation(ideas.deleteIdea, async (context, { ideaUuid }) => {
  const { db, now, emit } = context
  const { projectUuid } = await findIdea(db, ideaUuid)
  await lock(context, `project:${projectUuid}`)
  const idea = await findIdea(db, ideaUuid)
  await assertUnused(db, idea)
  await assertMayTakeAway(context, { ...idea, targetType: "idea" })
  askSubjects(context, "idea", [ideaUuid])
  const raised = await db
    .updateTable("ideas")
    .set({ parentUuid: idea.parentUuid, updatedAt: now })
    .where("parentUuid", "=", ideaUuid)
    .returning("uuid")
    .execute()
  for (const child of raised) {
    const patch = { parentUuid: idea.parentUuid, updatedAt: now }
    emit({ kind: "idea.updated", entityType: "idea", entityUuid: child.uuid, projectUuid, action: "updated", patch })
  }
  await dropAttached(db, [ideaUuid])
  await db.deleteFrom("ideas").where("uuid", "=", ideaUuid).execute()
  const patch = { title: idea.title, previousParentUuid: idea.parentUuid }
  emit({ kind: "idea.deleted", entityType: "idea", entityUuid: ideaUuid, projectUuid, action: "deleted", patch })
  return { uuid: ideaUuid, deleted: true as const }
})

/** Early clients set statuses by hand. Open and elaborating are still steps; all else follows by itself and is answered, not done. */
export const updateIdeaStatus = operation(ideas.updateIdeaStatus, async (context, { ideaUuid, status }) => {
  const idea = await findIdea(context.db, ideaUuid)
  if (status === "open" && idea.status === "elaborating")
    return { ...(await release(context, ideaUuid)), note: "The idea was released." }
  const claims = status === "assigned" || status === "in_progress" || status === "elaborating"
  if (claims && idea.status === "open") return { ...(await claim(context, ideaUuid)), note: "The idea was claimed." }
  return {
    ...(await asItIs(context.db, idea)),
    note: "Nothing was changed: an idea's status follows its elaboration, proposals and tasks.",
  }
})

export const closeIdea = operation(ideas.closeIdea, async ({ db }, { ideaUuid }) => ({
  ...(await asItIs(db, await findIdea(db, ideaUuid))),
  note: "Nothing was changed: ideas are no longer closed. Close their proposals, or delete the idea.",
}))

async function asItIs(db: Db, idea: Schema["ideas"]) {
  return {
    uuid: idea.uuid,
    status: idea.status,
    assignee: (await namesOf(db, [idea.assigneeUuid]))(idea.assigneeType, idea.assigneeUuid),
  }
}

async function assertUnused(db: Db, idea: Schema["ideas"]): Promise<void> {
  const used = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["p.uuid", "p.title", "p.status"])
    .where("i.ideaUuid", "=", idea.uuid)
    .where("p.status", "in", ["pending", "approved"])
    .execute()
  if (used.length === 0) return
  throw new ChorusError(
    "idea_in_use",
    `"${idea.title}" feeds ${used.length} pending or approved proposal${used.length === 1 ? "" : "s"}.`,
    {
      status: 409,
      next: "Revoke or close these proposals first.",
      details: { proposals: used },
    },
  )
}
