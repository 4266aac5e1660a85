import type { criteria, elaboration, versions, work } from "@chorus/contracts"
import { answerWords, clip, closeness, condensed, passagesAbout } from "@chorus/core"
import type { Db } from "@chorus/store"
import { namesOf, type OperationContext } from "../../operation.ts"
import { roundsOf } from "../elaboration/round-row.ts"
import type { SessionRecord } from "../sessions/session-record.ts"
import { foundIn, returnedOf } from "../tasks/hand-in.ts"
import { filesOf, reportsOf } from "../tasks/task-detail.ts"
import { criteriaOf, type TaskRecord } from "../tasks/task-record.ts"

/** How long a brief becomes at most, in characters, where the task's own words leave room: enough to begin, not a book. */
const MOST = 2400
const LEAST_ROOM = 400
const MOST_REPORTS = 20

type Brief = work.TaskBrief

/** Everything needed to begin, so that no further call is; what became different since the last brief is said. */
export async function briefOf(
  context: OperationContext,
  task: TaskRecord,
  session: SessionRecord | null,
): Promise<Brief> {
  const { db } = context
  const since = task.briefedAt ?? task.createdAt
  const own = await ownPart(db, task, since)
  const about = [own.title, own.description ?? "", ...own.acceptanceCriteriaItems.map((item) => item.description)].join(
    "\n",
  )
  // What came back and was reported takes nothing from what the first brief had room for.
  const { returned: _, reports: __, comments: ___, ...asked } = own
  const links = await linksOf(db, task.uuid)
  const forAnswers = Math.max(LEAST_ROOM, MOST - lengthOf(asked)) / 5
  const idea = await ideaOf(db, task, about, forAnswers)
  const questions = idea === undefined ? [] : (await roundsOf(db, idea.uuid)).flatMap((round) => round.questions)
  const answers = answersOn(questions, about, since, forAnswers)
  const documents = await documentsOf(db, task, since, questions)
  const dependencies = await dependenciesOf(db, links.dependsOn)
  const dependents = links.dependedBy.flatMap(({ title, contract }) => (contract === null ? [] : [{ title, contract }]))
  const fixed = [asked, idea ?? {}, ...answers, ...dependents, ...documents.map(bare), ...dependencies.map(bare)]
  const room = Math.max(LEAST_ROOM, MOST - lengthOf(fixed))
  const share = dependencies.length === 0 ? 1 : documents.length === 0 ? 0 : 0.6
  const forDocument = Math.floor((room * share) / documents.length)
  const forDependency = Math.floor((room * (1 - share)) / dependencies.length)
  return {
    task: own,
    ...(idea === undefined ? {} : { idea }),
    ...listed("files", await filesOf(db, [task.uuid, ...(idea === undefined ? [] : [idea.uuid])])),
    ...listed("answers", [...(await askedAbout(db, task, since)), ...answers]),
    ...listed(
      "documents",
      documents.map(({ said, ...row }) => ({ ...row, ...words("parts", passagesAbout(said, about, forDocument)) })),
    ),
    ...listed(
      "dependencies",
      dependencies.map(({ said, ...row }) => ({ ...row, ...words("reports", condensed(said, forDependency)) })),
    ),
    ...listed("dependents", dependents),
    ...listed("reservedByOthers", await reservedByOthers(context, task)),
    ...(session === null ? {} : { session: { uuid: session.uuid, name: session.name } }),
  }
}

/** What an entry takes before a word of what it says is quoted. */
function bare<Row extends { readonly said: unknown }>(row: Row) {
  return { ...row, said: "" }
}

function lengthOf(parts: unknown): number {
  return JSON.stringify(parts).length
}

async function ownPart(db: Db, task: TaskRecord, since: string): Promise<Brief["task"]> {
  const returned = (await returnedOf(db, task)) ?? (await foundIn(db, task))
  const changed = await changedSince(db, "task", task.uuid, task.version, since)
  const reports = (await reportsOf(db, task.uuid, 3)).map((report) => clip(report.content, 300)).toReversed()
  const references = await db
    .selectFrom("referenceLinks")
    .select(["title", "url"])
    .where("targetUuid", "=", task.uuid)
    .orderBy("createdAt")
    .execute()
  const project = await db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("uuid", "=", task.projectUuid)
    .executeTakeFirstOrThrow()
  return {
    uuid: task.uuid,
    shortId: task.shortId ?? task.uuid,
    ...(returned === null ? {} : { returned }),
    title: task.title,
    status: task.status,
    priority: task.priority,
    version: task.version,
    ...(changed === undefined ? {} : { changed }),
    ...words("description", task.description ?? task.acceptanceCriteria),
    acceptanceCriteriaItems: (await criteriaOf(db, task.uuid)).map(briefCriterion),
    project,
    ...listed("reports", reports),
    ...listed("comments", await saidByPeople(db, task.uuid)),
    ...listed("references", references),
  }
}

/** The newest of people's comments, the oldest of them first. */
async function saidByPeople(db: Db, taskUuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom("comments")
    .select(["authorType", "authorUuid", "content"])
    .where("targetType", "=", "task")
    .where("targetUuid", "=", taskUuid)
    .where("authorType", "=", "user")
    .where("deletedAt", "is", null)
    .orderBy("createdAt", "desc")
    .orderBy("uuid", "desc")
    .limit(3)
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map(({ authorUuid }) => authorUuid),
  )
  return rows
    .map(({ authorType, authorUuid, content }) => {
      const name = nameOf(authorType, authorUuid)?.name ?? "Somebody"
      return `${name}: ${clip(content, 300)}`
    })
    .toReversed()
}

function briefCriterion(item: criteria.CriterionRow): Brief["task"]["acceptanceCriteriaItems"][number] {
  return {
    uuid: item.uuid,
    description: item.description,
    ...(item.required ? {} : { required: false as const }),
    ...words("command", item.command),
    ...(item.devStatus === "pending" ? {} : { devStatus: item.devStatus }),
    ...words("devEvidence", item.devEvidence),
    ...(item.status === "pending" ? {} : { status: item.status }),
  }
}

async function ideaOf(db: Db, { proposalUuid }: TaskRecord, about: string, room: number): Promise<Brief["idea"]> {
  if (proposalUuid === null) return undefined
  const idea = await db
    .selectFrom("proposalInputs as p")
    .innerJoin("ideas as i", "i.uuid", "p.ideaUuid")
    .select(["i.uuid", "i.title", "i.content"])
    .where("p.proposalUuid", "=", proposalUuid)
    .orderBy("p.position")
    .executeTakeFirst()
  if (idea === undefined) return undefined
  const { content, ...row } = idea
  return { ...row, ...words("words", passagesAbout(content ?? "", about, room)) }
}

/** What was asked while the task was built, and answered: whoever mends it must not ask again. */
async function askedAbout(db: Db, task: TaskRecord, since: string): Promise<NonNullable<Brief["answers"]>> {
  const rows = await db
    .selectFrom("attentions")
    .select(["title", "answer", "answeredAt"])
    .where("taskUuid", "=", task.uuid)
    .where("kind", "=", "input")
    .where("answeredAt", "is not", null)
    .orderBy("answeredAt", "desc")
    .limit(MOST_REPORTS)
    .execute()
  return rows.map(({ title, answer, answeredAt }) => ({
    question: clip(title, 160),
    answer: clip(answerWords(JSON.parse(answer ?? "{}") as Parameters<typeof answerWords>[0]), 600),
    ...((answeredAt ?? "") > since ? { changed: "new" } : {}),
  }))
}

/** What people answered that has most to do with the task; an answer given or changed since the last brief always. */
function answersOn(questions: readonly Question[], about: string, since: string, room: number) {
  const answers = questions.flatMap(({ text, answer, options, earlier }) => {
    if (answer === null) return []
    const said = partsOf(answer, options)
    const isNew = answer.answeredAt > since
    const row = { question: clip(text, 160), answer: clip(said.join(" — "), 240) }
    const changed = isNew ? { changed: earlier.length > 0 ? "another answer since the last brief" : "new" } : {}
    return [{ ...row, ...changed, weight: (isNew ? 1000 : 0) + closeness(`${text} ${said.join(" ")}`, about) }]
  })
  const kept: NonNullable<Brief["answers"]> = []
  let left = room
  for (const { weight, ...row } of answers.toSorted((a, b) => b.weight - a.weight)) {
    const size = row.question.length + row.answer.length
    if (kept.length > 0 && weight < 1000 && size > left) continue
    kept.push(row)
    left -= size
  }
  return kept
}

type Question = elaboration.Round["questions"][number]

function partsOf(
  { selectedOptionId, customText }: Pick<NonNullable<Question["answer"]>, "selectedOptionId" | "customText">,
  options: Question["options"],
): string[] {
  const label = options.find((option) => option.id === selectedOptionId)?.label
  return [label ?? "", customText ?? ""].filter((part) => part !== "")
}

/** An answer that a text quotes and that somebody changed after the text was last written. */
function outdatedIn(content: string, writtenAt: string, questions: readonly Question[]): string | undefined {
  for (const { text, answer, options, earlier } of questions) {
    if (answer === null || answer.answeredAt <= writtenAt) continue
    const now = partsOf(answer, options)
    const before = earlier.flatMap((each) => partsOf(each, options)).filter((words) => !now.includes(words))
    const quoted = before.find((words) => words.length >= LEAST_QUOTED && content.includes(words))
    if (quoted !== undefined)
      return `quotes "${clip(quoted, 80)}", now answered "${clip(now.join(" — "), 80)}": ${clip(text, 80)}`
  }
  return undefined
}

/** Shorter words stand in a text for other reasons. */
const LEAST_QUOTED = 4

async function documentsOf(db: Db, { proposalUuid }: TaskRecord, since: string, questions: readonly Question[]) {
  if (proposalUuid === null) return []
  const rows = await db
    .selectFrom("documents")
    .select(["uuid", "type", "title", "version", "content", "updatedAt"])
    .where("proposalUuid", "=", proposalUuid)
    .where("type", "<>", "report")
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  return Promise.all(
    rows.map(async ({ content, updatedAt, ...row }) => {
      const changes = [
        await changedSince(db, "document", row.uuid, row.version, since),
        outdatedIn(content, updatedAt, questions),
      ].filter((each) => each !== undefined)
      return { ...row, ...words("changed", changes.join("; ")), said: content }
    }),
  )
}

/** "version 2 → 3, by Ada", where something was rewritten after a moment. */
async function changedSince(
  db: Db,
  targetType: versions.VersionTarget,
  targetUuid: string,
  version: number,
  since: string,
): Promise<string | undefined> {
  if (version === 1) return undefined
  const later = await db
    .selectFrom("textVersions")
    .select(["version", "changedByType", "changedByUuid"])
    .where("targetType", "=", targetType)
    .where("targetUuid", "=", targetUuid)
    .where("changedAt", ">", since)
    .where("version", ">", 1)
    .orderBy("version")
    .execute()
  const [first] = later
  const last = later.at(-1)
  if (first === undefined || last === undefined) return undefined
  const by = (await namesOf(db, [last.changedByUuid]))(last.changedByType, last.changedByUuid)
  return `version ${first.version - 1} → ${last.version}, by ${by?.name ?? "somebody"}`
}

async function dependenciesOf(db: Db, links: readonly Link[]) {
  return Promise.all(
    links.map(async ({ uuid, title, status, contract }) => {
      const reports = await reportsOf(db, uuid, MOST_REPORTS)
      return {
        uuid,
        title,
        status,
        ...words("contract", contract),
        said: reports.map((report) => report.content).toReversed(),
      }
    }),
  )
}

interface Link {
  readonly uuid: string
  readonly title: string
  readonly status: TaskRecord["status"]
  readonly contract: string | null
}

async function linksOf(db: Db, taskUuid: string): Promise<{ dependsOn: Link[]; dependedBy: Link[] }> {
  const around = (own: "e.taskUuid" | "e.dependsOnUuid", other: "e.taskUuid" | "e.dependsOnUuid") =>
    db
      .selectFrom("taskEdges as e")
      .innerJoin("tasks as t", "t.uuid", other)
      .select(["t.uuid", "t.title", "t.status", "e.contract"])
      .where(own, "=", taskUuid)
      .orderBy("t.createdAt")
      .orderBy("t.uuid")
      .execute()
  return {
    dependsOn: await around("e.taskUuid", "e.dependsOnUuid"),
    dependedBy: await around("e.dependsOnUuid", "e.taskUuid"),
  }
}

/** Paths that others say they are changing now. */
export async function reservedByOthers({ db, now }: OperationContext, task: TaskRecord) {
  const rows = await db
    .selectFrom("reservations")
    .select(["glob", "agentUuid"])
    .where("projectUuid", "=", task.projectUuid)
    .where("releasedAt", "is", null)
    .where("expiresAt", ">", now)
    .where("taskUuid", "<>", task.uuid)
    .orderBy("glob")
    .limit(100)
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.agentUuid),
  )
  return rows.map(({ glob, agentUuid }) => ({ glob, agent: nameOf("agent", agentUuid)?.name ?? "unknown" }))
}

/** A list that is left out when it is empty. */
function listed<Name extends string, Row>(name: Name, rows: readonly Row[]): { [N in Name]?: Row[] } {
  return (rows.length === 0 ? {} : { [name]: rows }) as { [N in Name]?: Row[] }
}

/** Words that are left out when there are none. */
function words<Name extends string>(name: Name, said: string | null): { [N in Name]?: string } {
  return (said === null || said === "" ? {} : { [name]: said }) as { [N in Name]?: string }
}
