import { type IdeaFacts, ideaStanding, type ProposalFacts, type Standing, type WorkState } from "@chorus/core"
import type { Db } from "@chorus/store"
import { type NotNull, type RawBuilder, sql } from "kysely"

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
  const proposals = await proposalsOf(
    db,
    nodes.map((node) => node.uuid),
  )
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
        .union((next) =>
          next
            .selectFrom("ideas as i")
            .innerJoin("above as a", "a.parentUuid", "i.uuid")
            .select(["i.uuid", "i.parentUuid"]),
        ),
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
        .union((next) =>
          next.selectFrom("ideas as i").innerJoin("below as b", "b.uuid", "i.parentUuid").select("i.uuid"),
        ),
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
    .where(({ not, exists, and, eb, selectFrom }) =>
      // A plan that went back and that another one followed is planned no further.
      not(
        and([
          eb("p.status", "=", "draft"),
          exists(
            selectFrom("proposalInputs as j")
              .innerJoin("proposals as q", "q.uuid", "j.proposalUuid")
              .select("q.uuid")
              .whereRef("j.ideaUuid", "=", "i.ideaUuid")
              .where("q.status", "in", ["pending", "approved"])
              .whereRef("q.submittedAt", ">", "p.submittedAt"),
          ),
        ]),
      ),
    )
    .$narrowType<{ ideaUuid: NotNull }>()
    .execute()
  const work = await workOf(db, [
    ...new Set(links.filter((link) => link.status === "approved").map((link) => link.uuid)),
  ])
  const facts = links.map(({ ideaUuid, uuid, status }) => ({
    ideaUuid,
    status,
    work: work.get(uuid) ?? ("none" as const),
  }))
  return Map.groupBy(facts, (fact) => fact.ideaUuid)
}

/** Looks for one task of each kind instead of counting all: a proposal may have thousands, and this runs with every step of each. */
async function workOf(db: Db, proposalUuids: readonly string[]): Promise<Map<string, WorkState>> {
  if (proposalUuids.length === 0) return new Map()
  const any = (condition: RawBuilder<unknown>) =>
    sql`exists (select 1 from tasks t where t."proposalUuid" = p."uuid" and ${condition})`
  const state = sql<WorkState>`case
    when ${any(sql`t."status" in ('open', 'assigned', 'in_progress')`)} then 'unfinished'
    when ${any(sql`t."status" = 'to_verify'`)} then 'to_verify'
    when ${any(sql`true`)} then 'finished'
    else 'none' end`
  const rows = await db
    .selectFrom("proposals as p")
    .select(["p.uuid", state.as("work")])
    .where("p.uuid", "in", [...proposalUuids])
    .execute()
  return new Map(rows.map((row) => [row.uuid, row.work]))
}
