import type { attentions, NewEvent } from "@chorus/contracts"
import type { Bond, Party } from "@chorus/core"
import type { Db } from "@chorus/store"
import type { Actor } from "../operation.ts"
import { party, type Subject } from "./subject.ts"

type Look = (event: NewEvent, subject: Subject) => Promise<(Party | undefined)[]> | (Party | undefined)[]

/** Finds who is tied to what changed; what several events of one change share is looked up once. */
export function bondFinder(db: Db, actor: Actor): (bond: Bond, event: NewEvent, subject: Subject) => Promise<Party[]> {
  const owner = actor.type === "agent" ? party("user", actor.ownerUuid) : undefined
  const ideaPeople = once((proposalUuid) => peopleOfIdeas(db, proposalUuid))
  const holders = once((proposalUuid) => holdersOfIdeas(db, proposalUuid))
  const teammates = once((proposalUuid) => agentsOfProposal(db, proposalUuid))
  const author = once((proposalUuid) => authorOf(db, proposalUuid))
  const stewards = once(() => stewardsOf(db, actor.workspaceUuid))
  const look: Record<Bond, Look> = {
    assignee: (_, { assignee }) => [assignee],
    previousAssignee: (event) =>
      event.kind === "task.reclaimed" && event.patch.from ? [party(event.patch.from.type, event.patch.from.uuid)] : [],
    previousOwner: (event) =>
      event.kind === "task.reclaimed" && event.patch.from ? ownerOf(db, event.patch.from.uuid) : [],
    ideaHolder: (_, { proposalUuid }) => (proposalUuid === undefined ? [] : holders(proposalUuid)),
    creator: (_, { creator }) => [creator],
    actorOwner: () => [owner],
    agentOwner: () => [owner],
    author: (_, { entityType, proposalUuid }) =>
      entityType === "task" || proposalUuid === undefined ? [] : author(proposalUuid),
    ideaPeople: (_, { proposalUuid }) => (proposalUuid === undefined ? [] : ideaPeople(proposalUuid)),
    dependents: (_, { entityUuid }) => holdersOfDependents(db, entityUuid),
    builders: (_, subject) => (subject.entityType === "task" ? [] : buildersOf(db, subject)),
    teammates: (_, { proposalUuid }) => (proposalUuid === undefined ? [] : teammates(proposalUuid)),
    threadAuthor: (event) =>
      event.kind === "comment.added" && event.patch.parentUuid !== null
        ? authorOfComment(db, event.patch.parentUuid)
        : [],
    stewards: () => stewards(""),
    wisher: (event) => (event.kind === "attention.created" ? [wisherOf(event.patch)] : []),
    answerer: (event) =>
      event.kind === "attention.unheard" && event.patch.answeredBy
        ? [party(event.patch.answeredBy.type, event.patch.answeredBy.uuid)]
        : [],
    asker: (event) => (event.kind === "attention.answered" ? [party("agent", event.patch.agentUuid)] : []),
  }
  return async (bond, event, subject) => (await look[bond](event, subject)).filter((found) => found !== undefined)
}

function once(find: (key: string) => Promise<(Party | undefined)[]>): (key: string) => Promise<(Party | undefined)[]> {
  const known = new Map<string, Promise<(Party | undefined)[]>>()
  return (key) => {
    const found = known.get(key) ?? find(key)
    known.set(key, found)
    return found
  }
}

/** Whom a notice is for: who wanted the work landed, or started its run. */
export function wisherOf({ notice, detail }: Partial<Pick<attentions.AttentionRow, "notice" | "detail">>) {
  const uuid = detail?.["personUuid"]
  return notice && typeof uuid === "string" ? party("user", uuid) : undefined
}

async function peopleOfIdeas(db: Db, proposalUuid: string) {
  const rows = await db
    .selectFrom("proposalInputs as p")
    .innerJoin("ideas as i", "i.uuid", "p.ideaUuid")
    .select(["i.createdByType", "i.createdByUuid", "i.assigneeType", "i.assigneeUuid"])
    .where("p.proposalUuid", "=", proposalUuid)
    .execute()
  return rows
    .flatMap((row) => [party(row.createdByType, row.createdByUuid), party(row.assigneeType, row.assigneeUuid)])
    .filter((found) => found?.type === "user")
}

/** Whoever leads the work: the people and agents that hold the ideas it came from. */
async function holdersOfIdeas(db: Db, proposalUuid: string) {
  const rows = await db
    .selectFrom("proposalInputs as p")
    .innerJoin("ideas as i", "i.uuid", "p.ideaUuid")
    .select(["i.assigneeType", "i.assigneeUuid"])
    .where("p.proposalUuid", "=", proposalUuid)
    .execute()
  return rows.map((row) => party(row.assigneeType, row.assigneeUuid))
}

async function ownerOf(db: Db, agentUuid: string) {
  const row = await db.selectFrom("agents").select("ownerUuid").where("uuid", "=", agentUuid).executeTakeFirst()
  return [party("user", row?.ownerUuid ?? null)]
}

/** The agents that hold tasks of the proposal. Who only planned it does not hear of each task that others may start. */
async function agentsOfProposal(db: Db, proposalUuid: string) {
  const rows = await db
    .selectFrom("tasks")
    .select(["assigneeType", "assigneeUuid"])
    .distinct()
    .where("proposalUuid", "=", proposalUuid)
    .where("assigneeType", "=", "agent")
    .execute()
  return rows.map((row) => party(row.assigneeType, row.assigneeUuid))
}

/** Whoever holds an unfinished task that came of an idea, or of the plan that something belongs to. */
async function buildersOf(db: Db, { entityType, entityUuid, proposalUuid = "" }: Subject) {
  const rows = await db
    .selectFrom("tasks as t")
    .select(["t.assigneeType", "t.assigneeUuid"])
    .distinct()
    .where("t.status", "not in", ["done", "closed"])
    .where(({ eb, selectFrom }) =>
      entityType === "idea"
        ? eb(
            "t.proposalUuid",
            "in",
            selectFrom("proposalInputs as p").select("p.proposalUuid").where("p.ideaUuid", "=", entityUuid),
          )
        : eb("t.proposalUuid", "=", proposalUuid),
    )
    .execute()
  return rows.map((row) => party(row.assigneeType, row.assigneeUuid))
}

/** Whoever holds a task that builds on this one and is not finished. */
async function holdersOfDependents(db: Db, taskUuid: string) {
  const rows = await db
    .selectFrom("taskEdges as e")
    .innerJoin("tasks as t", "t.uuid", "e.taskUuid")
    .select(["t.assigneeType", "t.assigneeUuid"])
    .where("e.dependsOnUuid", "=", taskUuid)
    .where("t.status", "not in", ["done", "closed"])
    .execute()
  return rows.map((row) => party(row.assigneeType, row.assigneeUuid))
}

async function authorOf(db: Db, proposalUuid: string) {
  const row = await db
    .selectFrom("proposals")
    .select(["createdByType", "createdByUuid"])
    .where("uuid", "=", proposalUuid)
    .executeTakeFirst()
  return row === undefined ? [] : [party(row.createdByType, row.createdByUuid)]
}

async function authorOfComment(db: Db, commentUuid: string) {
  const row = await db
    .selectFrom("comments")
    .select(["authorType", "authorUuid"])
    .where("uuid", "=", commentUuid)
    .executeTakeFirst()
  return row === undefined ? [] : [party(row.authorType, row.authorUuid)]
}

async function stewardsOf(db: Db, workspaceUuid: string) {
  const rows = await db
    .selectFrom("users")
    .select("uuid")
    .where("workspaceUuid", "=", workspaceUuid)
    .where("role", "in", ["owner", "admin"])
    .execute()
  return rows.map((row) => party("user", row.uuid))
}
