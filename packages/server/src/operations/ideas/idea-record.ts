import { ChorusError, type ideas } from "@chorus/contracts"
import { type Holder, holds } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { type NotNull, sql } from "kysely"
import { type Actor, type NameOf, namesOf, notFound } from "../../operation.ts"
import { labelsIn } from "../labels/labels.ts"
import { standingsOf } from "./standings.ts"

/** Ideas as lists and events carry them. */
export async function ideaRows(db: Db, rows: readonly Schema["ideas"][]): Promise<ideas.IdeaRow[]> {
  const uuids = rows.map((row) => row.uuid)
  const standings = await standingsOf(db, uuids)
  const reports = await reportCounts(db, uuids)
  const nameOf = await namesOf(
    db,
    rows.flatMap((row) => [row.assigneeUuid, row.createdByUuid]),
  )
  return rows.map((row) => ({
    ...ideaFields(row, nameOf),
    ...(standings.get(row.uuid) ?? { derivedStatus: "todo" as const, badgeHint: "open" as const }),
    reportCount: reports.get(row.uuid) ?? 0,
  }))
}

export async function ideaRow(db: Db, row: Schema["ideas"]): Promise<ideas.IdeaRow> {
  const [one] = await ideaRows(db, [row])
  if (one === undefined) throw notFound("idea", row.uuid)
  return one
}

export async function findIdea(db: Db, ideaUuid: string): Promise<Schema["ideas"]> {
  const row = await db.selectFrom("ideas").selectAll().where("uuid", "=", ideaUuid).executeTakeFirst()
  if (row === undefined) throw notFound("idea", ideaUuid)
  return row
}

function ideaFields(
  row: Schema["ideas"],
  nameOf: NameOf,
): Omit<ideas.IdeaRow, "derivedStatus" | "badgeHint" | "reportCount"> {
  return {
    uuid: row.uuid,
    projectUuid: row.projectUuid,
    shortId: row.shortId ?? row.uuid,
    title: row.title,
    status: row.status,
    isContainer: row.isContainer === 1,
    parentUuid: row.parentUuid,
    labels: labelsIn(row.labels),
    assignee: nameOf(row.assigneeType, row.assigneeUuid),
    elaborationStatus: row.elaborationStatus,
    elaborationDepth: row.elaborationDepth,
    createdBy: nameOf(row.createdByType, row.createdByUuid),
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

async function reportCounts(db: Db, ideaUuids: readonly string[]): Promise<Map<string, number>> {
  if (ideaUuids.length === 0) return new Map()
  const rows = await db
    .selectFrom("documents as d")
    .innerJoin("proposalInputs as i", "i.proposalUuid", "d.proposalUuid")
    .select(["i.ideaUuid", sql<number>`count(*)`.as("count")])
    .where("d.type", "=", "report")
    .where("i.ideaUuid", "in", [...ideaUuids])
    .groupBy("i.ideaUuid")
    .$narrowType<{ ideaUuid: NotNull }>()
    .execute()
  return new Map(rows.map((row) => [row.ideaUuid, row.count]))
}

/** Whether the caller may act as the holder: the holder itself, an agent of the person who holds it, or the person who owns the holding agent. */
export async function actsAsHolder(db: Db, actor: Actor, holder: Holder): Promise<boolean> {
  if (actor.type === "system" || holds(actor, holder)) return true
  if (actor.type !== "user" || holder.assigneeType !== "agent" || holder.assigneeUuid === null) return false
  const agent = await db
    .selectFrom("agents")
    .select("ownerUuid")
    .where("uuid", "=", holder.assigneeUuid)
    .executeTakeFirst()
  return agent?.ownerUuid === actor.uuid
}

/** Refuses whoever does not hold the idea, naming who does. */
export async function assertHoldsIdea(db: Db, actor: Actor, idea: Schema["ideas"]): Promise<void> {
  if (await actsAsHolder(db, actor, idea)) return
  const holder = (await namesOf(db, [idea.assigneeUuid]))(idea.assigneeType, idea.assigneeUuid)
  throw new ChorusError(
    "not_holder",
    holder === null ? `Nobody holds "${idea.title}" yet.` : `"${idea.title}" is held by ${holder.name}, not by you.`,
    {
      status: 403,
      next: holder === null ? "Claim the idea first." : "Let its holder do this, or have the idea assigned to you.",
      details: { ideaUuid: idea.uuid, holder },
    },
  )
}
