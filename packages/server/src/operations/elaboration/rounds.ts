import { ChorusError, elaboration } from "@chorus/contracts"
import { answerFaults, elaborationStatus, MAX_ROUNDS, questionFaults, roundStatus } from "@chorus/core"
import { type Db, lock, type Schema } from "@chorus/store"
import { forbidden, notFound, operation } from "../../operation.ts"
import { assertHoldsIdea, findIdea } from "../ideas/idea-record.ts"
import { tellPlanner } from "../runs/runs.ts"
import { roundsOf, wordsOf } from "./round-row.ts"
import { accept } from "./settle.ts"

export const startElaboration = operation(
  elaboration.startElaboration,
  async ({ db, engine, actor, now, newId, emit }, input) => {
    const faults = questionFaults(input.questions)
    if (faults.length > 0) throw badQuestions(faults)
    await lock({ db, engine }, `idea:${input.ideaUuid}`)
    const idea = await findIdea(db, input.ideaUuid)
    if (idea.status === "open") throw notClaimed(idea)
    await assertHoldsIdea(db, actor, idea)
    const before = await db
      .selectFrom("elaborationRounds")
      .select(["uuid", "roundNumber", "status"])
      .where("ideaUuid", "=", idea.uuid)
      .execute()
    const open = before.find(({ status }) => status === "pending_answers")
    if (open !== undefined) throw roundOpen(idea, open)
    if (before.length >= MAX_ROUNDS) throw tooManyRounds(idea)

    const roundUuid = newId()
    const isAppended = idea.status === "elaborated"
    await db
      .insertInto("elaborationRounds")
      .values({
        uuid: roundUuid,
        ideaUuid: idea.uuid,
        roundNumber: Math.max(0, ...before.map((round) => round.roundNumber)) + 1,
        status: "pending_answers",
        isAppended: isAppended ? 1 : 0,
        depth: input.depth,
        createdByType: actor.type,
        createdByUuid: actor.uuid,
        validatedAt: null,
        askAgain: 0,
        createdAt: now,
      })
      .execute()
    const questions = input.questions.map((question, position): Schema["elaborationQuestions"] => ({
      uuid: newId(),
      roundUuid,
      questionId: question.id,
      position,
      text: question.text,
      category: question.category,
      options: JSON.stringify(question.options),
      required: question.required ? 1 : 0,
      selectedOptionId: null,
      customText: null,
      answeredAt: null,
      answeredByType: null,
      answeredByUuid: null,
    }))
    await db.insertInto("elaborationQuestions").values(questions).execute()
    const changes = isAppended ? {} : ({ elaborationStatus: "pending_answers", elaborationDepth: input.depth } as const)
    await db
      .updateTable("ideas")
      .set({ ...changes, updatedAt: now })
      .where("uuid", "=", idea.uuid)
      .execute()

    const round = (await roundsOf(db, idea.uuid)).find(({ uuid }) => uuid === roundUuid)
    if (round === undefined) throw notFound("round", roundUuid)
    const { projectUuid } = idea
    emit({
      kind: "elaboration.started",
      entityType: "idea",
      entityUuid: idea.uuid,
      projectUuid,
      action: "updated",
      patch: { title: idea.title, ...changes, updatedAt: now },
    })
    emit({
      kind: "round.asked",
      entityType: "round",
      entityUuid: roundUuid,
      projectUuid,
      action: "created",
      patch: round,
    })
    return round
  },
)

function badQuestions(faults: readonly string[]): ChorusError {
  return new ChorusError("invalid_input", `The questions do not fit: ${faults.join("; ")}.`, {
    next: "Give every question and option an id of its own.",
    details: { faults },
  })
}

function notClaimed(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("wrong_status", `"${idea.title}" is open; questions are asked by whoever holds it.`, {
    status: 409,
    next: "Claim the idea first.",
    details: { ideaUuid: idea.uuid, status: idea.status },
  })
}

/** A person answers one list of questions, and it does not grow while they do. */
function roundOpen(
  idea: Schema["ideas"],
  { uuid, roundNumber }: Pick<Schema["elaborationRounds"], "uuid" | "roundNumber">,
) {
  return new ChorusError("round_open", `Round ${roundNumber} of questions about "${idea.title}" waits for answers.`, {
    status: 409,
    next: "Wait for them with chorus_inbox with wait_seconds, then ask what is left in the next round.",
    details: { ideaUuid: idea.uuid, roundUuid: uuid },
  })
}

function tooManyRounds(idea: Schema["ideas"]): ChorusError {
  return new ChorusError("too_many_rounds", `"${idea.title}" has had ${MAX_ROUNDS} rounds of questions.`, {
    status: 409,
    next: "Propose from what was answered; skip the rest with a reason if it is not settled.",
    details: { ideaUuid: idea.uuid },
  })
}

/**
 * Keeps answers. Whoever may accept them accepts by sending the last one, unless they wish to be asked again; they may also change
 * one later, which is told as a change.
 */
export const answerElaboration = operation(elaboration.answerElaboration, async (context, input) => {
  const { db, actor, now, newId, emit } = context
  if (actor.role === "viewer")
    throw forbidden(
      "A viewer may read the questions, not answer them.",
      "Ask somebody who runs this workspace for another role.",
    )
  const mayAccept = actor.permissions.has("idea:admin")
  await lock(context, `idea:${input.ideaUuid}`)
  const idea = await findIdea(db, input.ideaUuid)
  const round = await openRound(db, idea, input.roundUuid, mayAccept)
  const questions = await db
    .selectFrom("elaborationQuestions")
    .selectAll()
    .where("roundUuid", "=", round.uuid)
    .orderBy("position")
    .execute()
  const faults = answerFaults(questions.map(asked), input.answers)
  if (faults.length > 0) throw badAnswers(faults)

  const by = { answeredAt: now, answeredByType: actor.type, answeredByUuid: actor.uuid }
  const said: string[] = []
  let changed = false
  for (const { questionId, selectedOptionId, customText } of input.answers) {
    const question = questions.find((candidate) => candidate.questionId === questionId)
    if (question === undefined) continue
    const answer = { selectedOptionId, customText, ...by }
    const before = question.answeredAt === null ? undefined : wordsOf(question)
    await db.updateTable("elaborationQuestions").set(answer).where("uuid", "=", question.uuid).execute()
    await db
      .insertInto("elaborationAnswers")
      .values({ uuid: newId(), questionUuid: question.uuid, ...answer })
      .execute()
    Object.assign(question, answer)
    changed ||= before !== undefined
    said.push(`${question.text} — ${wordsOf(question)}${before === undefined ? "" : ` (before: ${before})`}`)
  }
  await db
    .updateTable("elaborationRounds")
    .set({ status: roundStatus(questions.map(asked)), askAgain: input.askAgain === true ? 1 : 0 })
    .where("uuid", "=", round.uuid)
    .execute()

  const status = elaborationStatus(idea.elaborationStatus, await roundsOf(db, idea.uuid))
  await db
    .updateTable("ideas")
    .set({ elaborationStatus: status, updatedAt: now })
    .where("uuid", "=", idea.uuid)
    .execute()
  emit({
    kind: "elaboration.answered",
    entityType: "idea",
    entityUuid: idea.uuid,
    projectUuid: idea.projectUuid,
    action: "updated",
    patch: {
      title: idea.title,
      elaborationStatus: status,
      updatedAt: now,
      said: said.join("\n"),
      ...(changed ? { changed } : {}),
      ...(input.askAgain === true ? { askAgain: true } : {}),
    },
  })
  const settled = idea.status !== "open" && input.askAgain !== true && mayAccept && (await allAnswered(db, idea))
  if (settled && round.validatedAt === null) await accept(context, idea, { bySending: true })
  if (await allAnswered(db, idea))
    await tellPlanner(context, idea.uuid, { askedAt: round.createdAt, words: answeredWords(questions) })
  const answered = (await roundsOf(db, idea.uuid)).find(({ uuid }) => uuid === round.uuid)
  if (answered === undefined) throw notFound("round", round.uuid)
  emit({
    kind: "round.answered",
    entityType: "round",
    entityUuid: round.uuid,
    projectUuid: idea.projectUuid,
    action: "updated",
    patch: answered,
  })
  return answered
})

function answeredWords(questions: readonly Schema["elaborationQuestions"][]): string {
  const answers = questions.flatMap((question) =>
    question.answeredAt === null ? [] : `- ${question.text} ${wordsOf(question)}`,
  )
  return ["What you asked has been answered:", ...answers, "Go on with the plan."].join("\n")
}

async function allAnswered(db: Db, idea: Schema["ideas"]): Promise<boolean> {
  const waiting = await db
    .selectFrom("elaborationRounds")
    .select("uuid")
    .where("ideaUuid", "=", idea.uuid)
    .where("status", "=", "pending_answers")
    .executeTakeFirst()
  return waiting === undefined
}

function asked(question: Schema["elaborationQuestions"]) {
  const options = JSON.parse(question.options) as { id: string }[]
  return {
    questionId: question.questionId,
    required: question.required === 1,
    options,
    answered: question.answeredAt !== null,
  }
}

/** The round that is meant: the named one, or the only one that waits. */
async function openRound(
  db: Db,
  idea: Schema["ideas"],
  roundUuid: string | undefined,
  mayAccept: boolean,
): Promise<Schema["elaborationRounds"]> {
  const rounds = await db
    .selectFrom("elaborationRounds")
    .selectAll()
    .where("ideaUuid", "=", idea.uuid)
    .orderBy("roundNumber")
    .execute()
  if (roundUuid !== undefined) {
    const named = rounds.find((round) => round.uuid === roundUuid)
    if (named === undefined) throw notFound("round", roundUuid)
    if (named.validatedAt !== null && !mayAccept) throw roundClosed(named)
    return named
  }
  const waiting = rounds.filter((round) => round.status === "pending_answers")
  const [only] = waiting
  if (only === undefined || waiting.length > 1) throw whichRound(idea, waiting)
  return only
}

function roundClosed(round: Schema["elaborationRounds"]): ChorusError {
  return new ChorusError("round_closed", `Round ${round.roundNumber} was validated; its answers stand.`, {
    status: 409,
    next: "Write a comment, have another round asked, or let a person change the answer.",
    details: { roundUuid: round.uuid },
  })
}

function whichRound(idea: Schema["ideas"], waiting: readonly Schema["elaborationRounds"][]): ChorusError {
  const none = waiting.length === 0
  return new ChorusError(
    none ? "no_pending_round" : "several_pending_rounds",
    `"${idea.title}" has ${none ? "no round" : `${waiting.length} rounds`} waiting for answers.`,
    {
      status: 409,
      next: none
        ? "Get the elaboration to see what was answered; name a roundUuid to change an answer."
        : "Name the roundUuid you answer.",
      details: { ideaUuid: idea.uuid, roundUuids: waiting.map((round) => round.uuid) },
    },
  )
}

function badAnswers(faults: readonly string[]): ChorusError {
  return new ChorusError("invalid_answers", `The answers do not fit: ${faults.join("; ")}.`, {
    next: "Answer with one of the option ids, or with selectedOptionId null and customText. Nothing was changed.",
    details: { faults },
  })
}
