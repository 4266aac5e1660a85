import type { inbox } from "@chorus/contracts"
import { answerWords, changeAsked, changeDecided } from "@chorus/core"
import type { Db } from "@chorus/store"
import { pendingProposals, workToVerify } from "../attentions/needs-you.ts"
import { wordsOf } from "../elaboration/round-row.ts"
import { findingText, returnedText } from "../hooks/brief-text.ts"
import { type Actor, mayRead, namesOf, type OperationContext } from "../../operation.ts"
import { type Candidate, tasksInOrder } from "../task-work/task-order.ts"
import { FAILED_REVIEW } from "../reviews/review-gate.ts"
import { openFindings, returnedOf } from "../tasks/hand-in.ts"
import { takenBack } from "../tasks/taken-back.ts"
import { reviewers, reviewsFor } from "./review-work.ts"

type Waiting = inbox.Waiting
type Place = Pick<OperationContext, "db" | "engine" | "actor">
type Look = (place: Place, projectUuids: readonly string[], candidates: readonly Candidate[]) => Promise<Waiting[]>

/** Longer queues of one kind are cut here; whoever has worked these off sees the next. */
const MOST_PER_KIND = 50

/** What waits for an agent, or for a person who holds work, in the order in which to take it up. */
export async function workFor(place: Place, projectUuids: readonly string[]): Promise<Waiting[]> {
  const { actor } = place
  const may = (bit: "idea:write" | "task:write" | "proposal:write") => actor.permissions.has(bit)
  const isAgent = actor.type === "agent"
  const looks: readonly (readonly [boolean, Look])[] = [
    [isAgent, answers],
    [may("task:write"), returned],
    [may("task:write"), failedReview],
    [may("proposal:write"), toRevise],
    [isAgent, toDecide],
    [may("idea:write"), toPlan],
    [may("task:write"), held],
    [may("idea:write"), toAsk],
    [isAgent && may("task:write"), toReview],
    [isAgent && may("task:write"), ready],
    [isAgent && may("idea:write"), openIdeas],
  ]
  const candidates = may("task:write") ? await tasksInOrder(place, projectUuids) : []
  const found: Waiting[] = []
  for (const [wanted, look] of looks) if (wanted) found.push(...(await look(place, projectUuids, candidates)))
  return found
}

/** What was answered and has not been read; what waits for its answer by itself, or has a machine's companion bring it, does not read it here. */
const answers: Look = async ({ db, actor }) => {
  const rows = await db
    .selectFrom("attentions")
    .select(["uuid", "kind", "title", "answer", "detail", "projectUuid", "answeredByType", "answeredByUuid"])
    .where("agentUuid", "=", actor.uuid)
    .where("answeredAt", "is not", null)
    .where("deliveredAt", "is", null)
    .where("requestId", "is", null)
    .orderBy("answeredAt")
    .limit(MOST_PER_KIND)
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map(({ answeredByUuid }) => answeredByUuid),
  )
  return rows.flatMap(({ uuid, kind, title, projectUuid, ...row }) => {
    const detail = JSON.parse(row.detail) as Record<string, unknown>
    if ("requestId" in detail) return []
    const answer = JSON.parse(row.answer ?? "{}") as Parameters<typeof answerWords>[0]
    const by = nameOf(row.answeredByType, row.answeredByUuid)?.name ?? "A person"
    const note = kind === "change" ? changeDecided(by, changeAsked(detail), answer) : answerWords(answer)
    return [{ kind: "answer", uuid, title, ...(projectUuid === null ? {} : { projectUuid }), note }]
  })
}

const returned: Look = async ({ db }, _, candidates) =>
  Promise.all(
    listed(candidates, "in_progress").map(async (task) => {
      const why = await returnedOf(db, task)
      return { ...named("returned", task), note: why === null ? "It was sent back." : returnedText(why) }
    }),
  )

/** What it handed in and a reviewer has not let pass: nobody sends that back, so it says how to take it up. */
const failedReview: Look = async ({ db }, _, candidates) =>
  Promise.all(
    listed(candidates, "to_verify").map(async (task) => {
      const note = "It failed a review: take it back with chorus_start_task and takeBack, mend it and hand it in again."
      const findings = (await openFindings(db, task.uuid)).map(findingText)
      return { ...named("returned", task), note: [note, ...findings].join("\n") }
    }),
  )

const toReview: Look = async (place, projectUuids) =>
  Promise.all(
    (await reviewsFor(place, projectUuids)).map(async (task) => {
      const findings = (await openFindings(place.db, task.uuid)).map(findingText)
      const note = "It is to be reviewed before it is verified: chorus_get_task, then chorus_submit_review."
      return { ...named("review", task), note: [note, ...findings].join("\n") }
    }),
  )

const toRevise: Look = async ({ db, actor }, projectUuids) => {
  const rows = await db
    .selectFrom("proposals")
    .select(["uuid", "title", "projectUuid", "reviewNote"])
    .where("projectUuid", "in", projectUuids)
    .where("createdByUuid", "=", actor.uuid)
    .where("status", "=", "draft")
    .where("reviewedAt", "is not", null)
    .orderBy("reviewedAt")
    .limit(MOST_PER_KIND)
    .execute()
  return Promise.all(
    rows.map(async ({ reviewNote, ...row }) => ({
      kind: "revise" as const,
      ...row,
      note: [
        `Rejected${reviewNote === null ? "" : `: ${reviewNote.replace(/[.\s]+$/, "")}`}. Submit it again with this projectUuid and proposalUuid.`,
        ...(await openFindings(db, row.uuid)).map(findingText),
      ].join("\n"),
    })),
  )
}

/** What others propose and hand in, for an agent that may decide on it; nobody decides on their own. */
const toDecide: Look = async ({ db, actor }, projectUuids) => {
  const may = (bit: "proposal:admin" | "task:admin") => actor.permissions.has(bit)
  const found = [
    ...(may("proposal:admin") ? (await pendingProposals(db, projectUuids)).rows : []),
    ...(may("task:admin") ? (await workToVerify(db, projectUuids)).rows : []),
  ]
  const unread = await reviewers(
    db,
    found.flatMap((item) => (item.kind === "task" ? [{ ...item, submittedAt: item.since }] : [])),
  )
  return found
    .filter(({ uuid, fromUuid }) => fromUuid !== actor.uuid && !unread.has(uuid))
    .slice(0, MOST_PER_KIND)
    .map(({ kind, uuid, title, projectUuid }) => ({
      kind,
      uuid,
      title,
      ...(projectUuid === null ? {} : { projectUuid }),
      note:
        kind === "proposal"
          ? "Decide: chorus_get_proposal, then chorus_admin_approve_proposal or chorus_pm_reject_proposal."
          : "Judge it: chorus_get_task, chorus_mark_acceptance_criteria, then chorus_admin_verify_task or chorus_admin_reopen_task.",
    }))
}

/** Ideas whose questions are settled and that have no proposal, or whose answers ask for more questions. */
const toPlan: Look = async ({ db, actor }, projectUuids) => {
  const rows = await ownIdeas(db, actor, projectUuids)
    .where("i.isContainer", "=", 0)
    .where(({ or, eb }) =>
      or([eb("i.status", "=", "elaborated"), eb("i.elaborationStatus", "in", ["validating", "resolved"])]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("proposalInputs as p")
            .innerJoin("proposals as o", "o.uuid", "p.proposalUuid")
            .select("o.uuid")
            .whereRef("p.ideaUuid", "=", "i.uuid")
            .where("o.status", "<>", "closed"),
        ),
      ),
    )
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb("i.elaborationStatus", "is", null),
        eb("i.elaborationStatus", "<>", "validating"),
        exists(
          selectFrom("elaborationRounds as r")
            .select("r.uuid")
            .whereRef("r.ideaUuid", "=", "i.uuid")
            .where("r.askAgain", "=", 1)
            .where("r.validatedAt", "is", null),
        ),
      ]),
    )
    .orderBy("i.updatedAt")
    .execute()
  const said = await answersTo(
    db,
    rows.map(({ uuid }) => uuid),
  )
  return rows.map(({ elaborationStatus, ...idea }) => ({
    ...named("plan", idea),
    note: [
      elaborationStatus === "validating"
        ? "The answers are there, and another round of questions is wished."
        : "The questions are settled: propose a plan with chorus_submit_plan.",
      ...(said.get(idea.uuid) ?? []),
    ].join("\n"),
  }))
}

/** What was answered about ideas, a line each, as it stands now. */
async function answersTo(db: Db, ideaUuids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom("elaborationQuestions as q")
    .innerJoin("elaborationRounds as r", "r.uuid", "q.roundUuid")
    .select(["r.ideaUuid", "q.text", "q.options", "q.selectedOptionId", "q.customText"])
    .where("r.ideaUuid", "in", ideaUuids)
    .where("q.answeredAt", "is not", null)
    .orderBy("r.roundNumber")
    .orderBy("q.position")
    .execute()
  const lines = new Map<string, string[]>()
  for (const { ideaUuid, text, ...answer } of rows)
    lines.set(ideaUuid, [...(lines.get(ideaUuid) ?? []), `${text} — ${wordsOf(answer)}`])
  return lines
}

/** Whoever holds it knows. */
export const BEGUN = "In progress."

const held: Look = async (place, projectUuids, candidates) => {
  const begun = await ownTasks(place, projectUuids)
    .where("status", "=", "in_progress")
    .where("returnedAt", "is", null)
    .orderBy("updatedAt")
    .execute()
  return [
    ...begun.map((task) => ({ ...named("work", task), note: BEGUN })),
    ...listed(candidates, "assigned").map((task) => ({
      ...named("work", task),
      note: "Assigned to you or your person: begin with chorus_start_task.",
    })),
  ]
}

const toAsk: Look = async ({ db, actor }, projectUuids) => {
  const rows = await ownIdeas(db, actor, projectUuids)
    .where("i.status", "=", "elaborating")
    .where("i.elaborationStatus", "is", null)
    .orderBy("i.updatedAt")
    .execute()
  return rows.map((idea) => ({
    ...named("ask", idea),
    note: "You hold it: ask with chorus_pm_start_elaboration, or propose a plan with chorus_submit_plan.",
  }))
}

const ready: Look = async ({ db, actor }, _, candidates) => {
  const open = listed(candidates, "open")
  const taken = await takenBack(
    db,
    actor.uuid,
    open.map(({ uuid }) => uuid),
  )
  return open.map((task) => {
    const words = taken.get(task.uuid)
    return {
      ...named("ready", task),
      note:
        words === undefined
          ? "Ready: take it with chorus_start_task, or the first of these with chorus_next_task."
          : `It was ${words}. Anybody may take it; chorus_start_task takes it again.`,
    }
  })
}

const openIdeas: Look = async ({ db }, projectUuids) => {
  const rows = await db
    .selectFrom("ideas")
    .select(["uuid", "shortId", "title", "projectUuid"])
    .where("projectUuid", "in", projectUuids)
    .where("status", "=", "open")
    .orderBy("createdAt")
    .orderBy("uuid")
    .limit(MOST_PER_KIND)
    .execute()
  return rows.map((idea) => ({ ...named("idea", idea), note: "Nobody has it: chorus_claim_idea." }))
}

function listed(candidates: readonly Candidate[], status: Candidate["status"]): Candidate[] {
  return candidates.filter((task) => task.status === status).slice(0, MOST_PER_KIND)
}

function named(
  kind: Waiting["kind"],
  { uuid, shortId, title, projectUuid }: Pick<Candidate, "uuid" | "shortId" | "title" | "projectUuid">,
): Waiting {
  return { kind, uuid, ...(shortId === null ? {} : { shortId }), title, projectUuid }
}

/** Whom the caller waits for, in words. */
export async function waitingFor(
  { db, actor }: Pick<Place, "db" | "actor">,
  projectUuids: readonly string[],
): Promise<string[]> {
  const asked = await db
    .selectFrom("attentions")
    .select(["kind", "title"])
    .where("agentUuid", "=", actor.uuid)
    .where("kind", "in", ["input", "change"])
    .where("answerable", "=", 1)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .orderBy("createdAt")
    .limit(MOST_LINES)
    .execute()
  const rounds = mayRead(actor, "idea")
    ? await ownIdeas(db, actor, projectUuids).where("i.elaborationStatus", "=", "pending_answers").execute()
    : []
  const proposals = await db
    .selectFrom("proposals")
    .select("title")
    .where("projectUuid", "in", projectUuids)
    .where("createdByUuid", "=", actor.uuid)
    .where("status", "=", "pending")
    .limit(MOST_LINES)
    .execute()
  const work = await ownTasks({ db, actor }, projectUuids)
    .where(({ or, and, not, eb }) =>
      or([
        and([eb("status", "=", "to_verify"), not(FAILED_REVIEW)]),
        and([eb("status", "=", "assigned"), eb("openDependencies", ">", 0)]),
      ]),
    )
    .execute()
  const reviewer = await reviewers(
    db,
    work.filter(({ status }) => status === "to_verify"),
  )
  return [
    ...asked.map(({ kind, title }) =>
      kind === "change" ? `a person, to decide on: ${title}` : `a person, to answer "${title}"`,
    ),
    ...rounds.map(({ title }) => `a person, to answer your questions about "${title}"`),
    ...proposals.map(({ title }) => `a person, to decide on the proposal "${title}"`),
    ...work.map(({ uuid, title, status, openDependencies }) =>
      status === "to_verify"
        ? reviewer.has(uuid)
          ? `a review of "${title}", by ${reviewer.get(uuid)}`
          : `a person, to verify "${title}"`
        : `${openDependencies} other ${openDependencies === 1 ? "task" : "tasks"}, before "${title}" can start`,
    ),
  ].slice(0, MOST_LINES)
}

const MOST_LINES = 10

function ownTasks({ db, actor }: Pick<Place, "db" | "actor">, projectUuids: readonly string[]) {
  return db
    .selectFrom("tasks")
    .select(["uuid", "shortId", "title", "projectUuid", "status", "openDependencies", "submittedAt"])
    .where("assigneeUuid", "=", actor.uuid)
    .where("projectUuid", "in", projectUuids)
    .limit(MOST_PER_KIND)
}

function ownIdeas(db: Db, actor: Actor, projectUuids: readonly string[]) {
  return db
    .selectFrom("ideas as i")
    .select(["i.uuid", "i.shortId", "i.title", "i.projectUuid", "i.elaborationStatus"])
    .where("i.assigneeUuid", "=", actor.uuid)
    .where("i.projectUuid", "in", projectUuids)
    .limit(MOST_PER_KIND)
}
