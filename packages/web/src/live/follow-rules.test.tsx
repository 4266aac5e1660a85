import {
  type InputOf,
  type LogEvent,
  type OperationName,
  type OutputOf,
  type SignatureNamed,
  signatures,
} from "@chorus/contracts"
import { beforeAll, describe, expect, it } from "vitest"
import { ask, makeIdea, question, submitPlan } from "../../test/planning.ts"
import { owner } from "../../test/stage.tsx"
import { approvePlan, handIn, hire, type Hired, judgeAll, makeProject, makeTasks } from "../../test/workplace.ts"
import { followActivity } from "../activity/ActivityPage.tsx"
import { followPresence } from "../agents/presence.ts"
import { followNeedsYou } from "../attention/use-needs-you.ts"
import { followBoard } from "../board/follow-board.ts"
import { followComments } from "../comments/threads.ts"
import { followGraph } from "../graph/graph.ts"
import { followDocuments } from "../documents/DocumentsPage.tsx"
import { followElaboration, followIdea } from "../ideas/follow-idea.ts"
import { followIdeas } from "../ideas/standing.ts"
import { followLabels } from "../items/use-labels.ts"
import { followNotifications, INBOX } from "../notifications/use-notifications.ts"
import { followProjects } from "../projects/follow-projects.ts"
import { followProposals } from "../proposals/follow-proposals.ts"
import { followRuns } from "../runs/run.ts"
import { followKeys } from "../settings/AgentKeys.tsx"
import { followMembers } from "../settings/MembersSection.tsx"
import { followAgents } from "../settings/AgentsSection.tsx"
import { followTask } from "../tasks/follow-task.ts"
import type { Follow } from "./live-store.ts"

interface Case {
  readonly name: OperationName
  readonly follow: Follow<unknown>
  read(): Promise<unknown>
}

interface Reading {
  readonly position: number
  readonly answers: readonly unknown[]
}

function following<Name extends OperationName>(
  name: Name,
  input: InputOf<SignatureNamed<Name>>,
  follow: Follow<OutputOf<SignatureNamed<Name>>>,
): Case {
  return { name, follow: follow as Follow<unknown>, read: () => owner.call(name, input) }
}

/** Exact: what somebody else changes meanwhile would be in an answer and after its position. */
async function readAll(cases: readonly Case[]): Promise<Reading> {
  const position = await endOfLog()
  const answers = await Promise.all(cases.map(({ read }) => read()))
  return (await endOfLog()) === position ? { position, answers } : readAll(cases)
}

async function endOfLog(): Promise<number> {
  return (await owner.callWithPosition("chorus_whoami", {})).position ?? 0
}

/** A morning in one project; after each of these steps every answer is read. */
function steps(
  projectUuid: string,
  otherUuid: string,
  ideaUuid: string,
  [first = "", second = ""]: string[],
  ada: Hired,
) {
  const on = { targetType: "task" as const, targetUuid: first }
  let [session, comment, attention, round, child, text, plan, key, run] = ["", "", "", "", "", "", "", "", ""]
  return [
    () => owner.call("chorus_update_task", { taskUuid: first, title: "Renamed" }),
    async () => (session = (await ada.client.call("chorus_create_session", { name: "oven" })).uuid),
    () => ada.client.call("chorus_session_checkin_task", { taskUuid: second, sessionUuid: session }),
    () => ada.client.call("chorus_session_checkin_task", { taskUuid: first, sessionUuid: session }),
    async () => (comment = (await ada.client.call("chorus_add_comment", { ...on, content: "One" })).uuid),
    () => owner.call("chorus_add_comment", { ...on, content: "Two", parentUuid: comment }),
    () => ada.client.call("chorus_edit_comment", { commentUuid: comment, content: "One, better" }),
    () => ada.client.call("chorus_session_checkout_task", { taskUuid: second, sessionUuid: session }),
    () => makeTasks(projectUuid, { title: "Third" }),
    () => handIn(ada, first),
    () => owner.call("chorus_admin_reopen_task", { taskUuid: first, reason: "Not yet." }),
    () => ada.client.call("chorus_submit_for_verify", { taskUuid: first, summary: "Now." }),
    () => judgeAll(first, "passed"),
    () => owner.call("chorus_admin_verify_task", { taskUuid: first }),
    () => ada.client.call("chorus_delete_comment", { commentUuid: comment }),
    async () => {
      attention = (await ada.client.call("chorus_create_attention", { title: "May I?", projectUuid, answerable: true }))
        .uuid
    },
    () => owner.call("chorus_answer_attention", { attentionUuid: attention, answer: { text: "Yes." } }),
    async () => (child = await makeIdea(projectUuid, "Smaller", { parentUuid: ideaUuid })),
    async () => (round = await ask(ada, ideaUuid, question("lamp", "A lamp?"))),
    () =>
      owner.call("chorus_answer_elaboration", {
        ideaUuid,
        roundUuid: round,
        answers: [{ questionId: "lamp", selectedOptionId: "yes" }],
      }),
    () => owner.call("chorus_move_idea", { ideaUuid: child, targetProjectUuid: otherUuid }),
    () => owner.call("chorus_update_project", { projectUuid: otherUuid, status: "archived" }),
    () => owner.call("chorus_update_project", { projectUuid: otherUuid, status: "active" }),
    () => owner.call("chorus_update_task", { taskUuid: first, labels: ["paint"] }),
    () => owner.call("chorus_edit_idea", { ideaUuid, labels: ["paint"] }),
    async () => {
      const { labels } = await owner.call("chorus_list_labels", { projectUuid })
      await owner.call("chorus_update_label", { labelUuid: labels[0]?.uuid ?? "", name: "colour" })
    },
    async () => {
      const { labels } = await owner.call("chorus_list_labels", { projectUuid })
      await owner.call("chorus_delete_label", { labelUuid: labels[0]?.uuid ?? "" })
    },
    async () =>
      (text = (
        await owner.call("chorus_pm_create_document", { projectUuid, type: "guide", title: "Lamps", content: "How." })
      ).uuid),
    () => owner.call("chorus_pm_update_document", { documentUuid: text, title: "Lamps, and how" }),
    async () => (plan = (await submitPlan({ projectUuid })).proposalUuid),
    async () => void (await approvePlan(plan)),
    () => owner.call("chorus_admin_delete_document", { documentUuid: text }),
    async () => (key = (await owner.call("chorus_create_key", { agentUuid: ada.uuid, name: "second" })).uuid),
    () => owner.call("chorus_revoke_key", { keyUuid: key }),
    async () => (run = (await owner.call("chorus_start_run", { ideaUuid, program: "claude" })).uuid),
    () => owner.call("chorus_stop_run", { runUuid: run }),
    () => owner.call("chorus_mark_notification_read", { all: true }),
    () => owner.call("chorus_admin_delete_task", { taskUuid: second }),
    () => ada.client.call("chorus_close_session", { sessionUuid: session }),
  ]
}

/** What the page hears of what came after this position, what only its person may know among it. */
async function eventsAfter(position: number, projectUuid: string): Promise<LogEvent[]> {
  const last = await owner.callWithPosition("chorus_update_project", { projectUuid, name: "The end of the morning" })
  const events: LogEvent[] = []
  for await (const item of owner.events({ lastEventId: position })) {
    if (item.type !== "event") throw new Error("The log has a gap.")
    if (item.event.id >= (last.position ?? 0)) break
    events.push(item.event)
  }
  return events
}

/** The answer after these events; undefined when it would be loaded again. */
function after(follow: Follow<unknown>, answer: unknown, events: readonly LogEvent[]): unknown {
  let now: unknown = answer
  for (const event of events) now = now === undefined ? undefined : follow.apply(now, event)
  return now
}

/**
 * What of an answer the page does not show as it stands: how it was asked for and how far it reaches, what the page works
 * out itself, what a person's lines are called now, and signs of life, which the log does not tell.
 */
const UNSHOWN = [
  /^(position|returned|page|pageSize)$/,
  /^(criticalPath|criticalWeight|critical|waves|wave|targetTitle)$/,
  /^(lastActiveAt|heardAt|lastUsedAt)$/,
]

/** As the contract has it: a patch may say more than a row shows. */
function inWords(name: OperationName | undefined, answer: unknown): string {
  const signature = signatures.find((each) => each.name === name)
  const shown = (key: string, value: unknown) => {
    if (UNSHOWN.some((each) => each.test(key))) return undefined
    if (!Array.isArray(value) || !value.every(isRow)) return value
    // The page puts cards and nodes in order itself, and rows of one moment are in none.
    if (key === "tasks" || key === "nodes") return value.toSorted(byUuid)
    const moments = [...Map.groupBy(value, ({ createdAt = "" }) => createdAt).values()]
    return moments.flatMap((rows) => rows.toSorted(byUuid))
  }
  return JSON.stringify(signature?.output.parse(answer) ?? answer, shown, 1)
}

/** A morning as every reading of these answers saw it, and the log of it. */
async function aMorning() {
  const [projectUuid, otherUuid] = [await makeProject(), await makeProject()]
  const [first = "", second = ""] = await makeTasks(projectUuid, { title: "First" }, { title: "Second" })
  const ideaUuid = await makeIdea(projectUuid)
  const ada = await hire()
  const cases = [
    following("chorus_get_board", { projectUuid }, followBoard(projectUuid)),
    following("chorus_get_task_graph", { projectUuid }, followGraph(projectUuid)),
    following("chorus_get_task", { taskUuid: first }, followTask(first)),
    following("chorus_get_idea_tree", { projectUuid }, followIdeas(projectUuid)),
    following("chorus_get_idea", { ideaUuid }, followIdea(ideaUuid)),
    following("chorus_get_elaboration", { ideaUuid }, followElaboration(ideaUuid)),
    following("chorus_get_comments", { targetType: "task", targetUuid: first }, followComments(first)),
    following("chorus_get_activity", { projectUuid, pageSize: 100 }, followActivity(projectUuid)),
    following("chorus_get_notifications", INBOX, followNotifications),
    following("chorus_list_projects", { pageSize: 100 }, followProjects),
    following("chorus_get_presence", {}, followPresence),
    following("chorus_needs_you", {}, followNeedsYou),
    following("chorus_list_agents", { pageSize: 100 }, followAgents),
    following("chorus_list_keys", { agentUuid: ada.uuid, pageSize: 100 }, followKeys(ada.uuid)),
    following("chorus_list_members", { pageSize: 100 }, followMembers),
    following("chorus_list_labels", { projectUuid, pageSize: 200 }, followLabels(projectUuid)),
    following("chorus_get_documents", { projectUuid, pageSize: 100 }, followDocuments(projectUuid)),
    following("chorus_get_proposals", { projectUuid, pageSize: 100 }, followProposals(projectUuid)),
    following("chorus_list_runs", { pageSize: 100 }, followRuns),
  ]
  const readings = [await readAll(cases)]
  for (const step of steps(projectUuid, otherUuid, ideaUuid, [first, second], ada)) {
    await step()
    readings.push(await readAll(cases))
  }
  return { cases, readings, log: await eventsAfter(readings[0]?.position ?? 0, projectUuid) }
}

interface Contradiction {
  readonly name: OperationName
  readonly events: readonly LogEvent[]
  readonly shown: string
  readonly said: string
}

/** The shortest way to each contradiction says most about it. */
function expectNone(found: readonly Contradiction[]): void {
  for (const mine of Map.groupBy(found, ({ name }) => name).values()) {
    const least = mine.reduce((one, other) => (other.events.length < one.events.length ? other : one))
    expect.soft(least.shown, `${least.name} after ${inWords(undefined, least.events)}`).toBe(least.said)
  }
}

interface Row {
  readonly uuid: string
  readonly createdAt?: string
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && "uuid" in value
}

function byUuid(one: Row, other: Row): number {
  return one.uuid < other.uuid ? -1 : 1
}

describe("an answer that follows the log", () => {
  let morning: Awaited<ReturnType<typeof aMorning>>
  beforeAll(async () => void (morning = await aMorning()))

  it("is left as it is by events that it holds already, or loaded again, whatever happened", () => {
    const { cases, readings, log } = morning
    expectNone(
      cases.flatMap(({ name, follow }, at) =>
        readings.flatMap(({ position, answers }) =>
          readings.flatMap(({ position: from }) => {
            const events = log.filter(({ id }) => id > from && id <= position)
            const now = after(follow, answers[at], events)
            if (now === undefined) return []
            const [shown, said] = [inWords(name, now), inWords(name, answers[at])]
            return shown === said ? [] : [{ name, events, shown, said }]
          }),
        ),
      ),
    )
  })

  it("says what a fresh one says, or is loaded again, whatever happened", () => {
    const { cases, readings, log } = morning
    expectNone(
      cases.flatMap(({ name, follow }, at) =>
        readings.flatMap(({ position: from, answers: before }, index) =>
          readings.slice(index + 1).flatMap(({ position, answers }) => {
            const events = log.filter(({ id }) => id > from && id <= position)
            const now = after(follow, before[at], events)
            if (now === undefined) return []
            const [shown, said] = [inWords(name, now), inWords(name, answers[at])]
            return shown === said ? [] : [{ name, events, shown, said }]
          }),
        ),
      ),
    )
  })
})
