import { type IdeaFacts, ideaStanding, type ProposalFacts, type Standing, type TaskCounts } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"

interface Node {
  uuid: string
  parentUuid: string | null
  status: IdeaFacts["status"]
  elaborationStatus: IdeaFacts["elaborationStatus"]
  isContainer: number
}

/** Where ideas stand now, in three queries however many they are. */
export async function standingsOf(db: Db, ideaUuids: readonly string[]): Promise<Map<string, Standing>> {
  if (ideaUuids.length === 0) return new Map()
  const nodes = await withDescendants(db, ideaUuids)
  const proposals = await proposalsOf(db, nodes.map((node) => node.uuid))
  const below = Map.groupBy(nodes, (node) => node.parentUuid)
  const facts = (node: Node): IdeaFacts => ({
    status: node.status,
    elaborationStatus: node.elaborationStatus,
    isContainer: node.isContainer === 1,
    proposals: proposals.get(node.uuid) ?? [],
    children: (below.get(node.uuid) ?? []).map(facts),
  })
  const wanted = new Set(ideaUuids)
  return new Map(nodes.filter((node) => wanted.has(node.uuid)).map((node) => [node.uuid, ideaStanding(facts(node))]))
}

/** The ideas and everything above them. */
export async function withAncestors(db: Db, ideaUuids: readonly string[]): Promise<string[]> {
  const rows = await db
    .withRecursive("above(uuid, parentUuid)", (qb) =>
      qb
        .selectFrom("ideas")
        .select(["uuid", "parentUuid"])
        .where("uuid", "in", [...ideaUuids])
        .union((next) => next.selectFrom("ideas as i").innerJoin("above as a", "a.parentUuid", "i.uuid").select(["i.uuid", "i.parentUuid"])),
    )
    .selectFrom("above")
    .select("uuid")
    .execute()
  return rows.map((row) => row.uuid)
}

async function withDescendants(db: Db, ideaUuids: readonly string[]): Promise<Node[]> {
  return db
    .withRecursive("below(uuid)", (qb) =>
      qb
        .selectFrom("ideas")
        .select("uuid")
        .where("uuid", "in", [...ideaUuids])
        .union((next) => next.selectFrom("ideas as i").innerJoin("below as b", "b.uuid", "i.parentUuid").select("i.uuid")),
    )
    .selectFrom("ideas")
    .innerJoin("below", "below.uuid", "ideas.uuid")
    .select(["ideas.uuid", "ideas.parentUuid", "ideas.status", "ideas.elaborationStatus", "ideas.isContainer"])
    .execute()
}

async function proposalsOf(db: Db, ideaUuids: readonly string[]): Promise<Map<string, ProposalFacts[]>> {
  const links = await db
    .selectFrom("proposalInputs as i")
    .innerJoin("proposals as p", "p.uuid", "i.proposalUuid")
    .select(["i.ideaUuid", "p.uuid", "p.status"])
    .where("i.ideaUuid", "in", [...ideaUuids])
    .where("p.status", "<>", "closed")
    .execute()
  const counts = await taskCounts(db, [...new Set(links.filter((link) => link.status === "approved").map((link) => link.uuid))])
  const found = new Map<string, ProposalFacts[]>()
  for (const { ideaUuid, uuid, status } of links) {
    if (ideaUuid === null) continue
    const facts: ProposalFacts = { status, tasks: counts.get(uuid) ?? { unfinished: 0, toVerify: 0, finished: 0 } }
    found.set(ideaUuid, [...(found.get(ideaUuid) ?? []), facts])
  }
  return found
}

async function taskCounts(db: Db, proposalUuids: readonly string[]): Promise<Map<string, TaskCounts>> {
  if (proposalUuids.length === 0) return new Map()
  const rows = await db
    .selectFrom("tasks")
    .select(["proposalUuid", "status", sql<number>`count(*)`.as("count")])
    .where("proposalUuid", "in", [...proposalUuids])
    .groupBy(["proposalUuid", "status"])
    .execute()
  const counts = new Map<string, { unfinished: number; toVerify: number; finished: number }>()
  for (const { proposalUuid, status, count } of rows) {
    const known = counts.get(proposalUuid ?? "") ?? { unfinished: 0, toVerify: 0, finished: 0 }
    if (status === "done" || status === "closed") known.finished += count
    else if (status === "to_verify") known.toVerify += count
    else known.unfinished += count
    counts.set(proposalUuid ?? "", known)
  }
  return counts
}
