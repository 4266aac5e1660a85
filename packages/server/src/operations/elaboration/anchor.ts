import { elaboration } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, operation } from "../../operation.ts"
import { findIdea } from "../ideas/idea-record.ts"
import { roundsOf } from "./round-row.ts"

const MOST_COMMENTS = 50

/** What people asked for, from the root idea down, so that a reviewer can hold the work against it. */
export const getAlignmentAnchor = operation(
  elaboration.getAlignmentAnchor,
  async ({ db }, { entityType, entityUuid }) => {
    const directIdeaUuid = await ideaBehind(db, entityType, entityUuid)
    if (directIdeaUuid === null)
      return { anchorAvailable: false, directIdeaUuid: null, rootIdeaUuid: null, lineageTitles: [], ideas: [] }
    const lineage = await lineageOf(db, directIdeaUuid)
    return {
      anchorAvailable: true,
      directIdeaUuid,
      rootIdeaUuid: lineage[0]?.uuid ?? directIdeaUuid,
      lineageTitles: lineage.map((idea) => idea.title),
      ideas: await Promise.all(lineage.map((idea) => anchorOf(db, idea))),
    }
  },
)

async function ideaBehind(
  db: Db,
  type: "idea" | "proposal" | "task" | "document",
  uuid: string,
): Promise<string | null> {
  if (type === "idea") return uuid
  const proposalUuid = type === "proposal" ? uuid : await proposalBehind(db, type, uuid)
  if (proposalUuid === null) return null
  const inputs = await db
    .selectFrom("proposalInputs")
    .selectAll()
    .where("proposalUuid", "=", proposalUuid)
    .orderBy("position")
    .execute()
  const idea = inputs.find((input) => input.ideaUuid !== null)?.ideaUuid
  if (idea !== undefined && idea !== null) return idea
  const document = inputs.find((input) => input.documentUuid !== null)?.documentUuid
  // A document that came from a proposal leads further back; a proposal cannot lead to itself, as its documents come after it.
  return document === undefined || document === null ? null : ideaBehind(db, "document", document)
}

async function proposalBehind(db: Db, type: "task" | "document", uuid: string): Promise<string | null> {
  const row = await db
    .selectFrom(type === "task" ? "tasks" : "documents")
    .select("proposalUuid")
    .where("uuid", "=", uuid)
    .executeTakeFirst()
  return row?.proposalUuid ?? null
}

async function lineageOf(db: Db, ideaUuid: string): Promise<Schema["ideas"][]> {
  const lineage: Schema["ideas"][] = []
  for (let at: string | null = ideaUuid; at !== null; at = lineage[0]?.parentUuid ?? null)
    lineage.unshift(await findIdea(db, at))
  return lineage
}

async function anchorOf(db: Db, idea: Schema["ideas"]) {
  const comments = await db
    .selectFrom("comments")
    .selectAll()
    .where("targetUuid", "=", idea.uuid)
    .where("deletedAt", "is", null)
    .orderBy("createdAt", "desc")
    .limit(MOST_COMMENTS)
    .execute()
  const nameOf = await namesOf(db, [idea.createdByUuid, ...comments.map((comment) => comment.authorUuid)])
  const questions = (await roundsOf(db, idea.uuid)).flatMap((round) => round.questions)
  return {
    uuid: idea.uuid,
    title: idea.title,
    content: idea.content,
    createdBy: nameOf(idea.createdByType, idea.createdByUuid),
    words: await wordsOf(db, idea),
    decisions: questions.flatMap(({ text, answer, options }) => {
      if (answer === null) return []
      const label = options.find((option) => option.id === answer.selectedOptionId)?.label
      const said = [label, answer.customText]
        .filter((part) => part !== undefined && part !== null && part !== "")
        .join(" — ")
      return [{ question: text, answer: said, answeredBy: answer.answeredBy, answeredAt: answer.answeredAt }]
    }),
    comments: comments.reverse().map((comment) => ({
      content: comment.content,
      authorType: comment.authorType,
      author: nameOf(comment.authorType, comment.authorUuid),
      createdAt: comment.createdAt,
    })),
  }
}

/** What each author wrote of an idea, in their own name: the last version of each, oldest first. */
async function wordsOf(db: Db, idea: Schema["ideas"]) {
  const { title, content, createdByType, createdByUuid, createdAt } = idea
  const kept = await db
    .selectFrom("textVersions")
    .selectAll()
    .where("targetUuid", "=", idea.uuid)
    .orderBy("version")
    .execute()
  const first = { title, content: content ?? "", changedByType: createdByType, changedByUuid: createdByUuid }
  const versions = kept.length === 0 ? [{ ...first, changedAt: createdAt }] : kept
  const nameOf = await namesOf(
    db,
    versions.map((version) => version.changedByUuid),
  )
  const last = new Map(versions.map((version) => [version.changedByUuid, version]))
  return [...last.values()]
    .toSorted((a, b) => (a.changedAt < b.changedAt ? -1 : 1))
    .map((version) => ({
      by: nameOf(version.changedByType, version.changedByUuid),
      at: version.changedAt,
      title: version.title,
      content: version.content,
    }))
}
