import {
  type InputOf,
  type LogEvent,
  type OperationName,
  type OutputOf,
  type SignatureNamed,
  signatures,
} from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { ask, makeIdea, question } from "../../test/planning.ts"
import { owner } from "../../test/stage.tsx"
import { handIn, hire, type Hired, judgeAll, makeProject, makeTasks } from "../../test/workplace.ts"
import { followActivity } from "../activity/ActivityPage.tsx"
import { followPresence } from "../agents/presence.ts"
import { followNeedsYou } from "../attention/use-needs-you.ts"
import { followBoard } from "../board/follow-board.ts"
import { followComments } from "../comments/threads.ts"
import { followGraph } from "../graph/graph.ts"
import { followElaboration, followIdea } from "../ideas/follow-idea.ts"
import { followIdeas } from "../ideas/standing.ts"
import { followNotifications, INBOX } from "../notifications/use-notifications.ts"
import { followProjects } from "../projects/follow-projects.ts"
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
  let [session, comment, attention, round, child] = ["", "", "", "", ""]
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
    () => owner.call("chorus_mark_notification_read", { all: true }),
    () => owner.call("chorus_admin_delete_task", { taskUuid: second }),
    () => ada.client.call("chorus_close_session", { sessionUuid: session }),
  ]
}

async function eventsAfter(position: number): Promise<LogEvent[]> {
  const events: LogEvent[] = []
  for (let before: number | undefined; ; before = events.at(-1)?.id) {
    const page = await owner.call("chorus_list_events", { limit: 100, ...(before === undefined ? {} : { before }) })
    events.push(...page.events.filter(({ id }) => id > position))
    if (page.events.length === 0 || (page.events.at(-1)?.id ?? 0) <= position) return events.toReversed()
  }
}

/** The answer after these events; undefined when it would be loaded again. */
function after(follow: Follow<unknown>, answer: unknown, events: readonly LogEvent[]): unknown {
  let now: unknown = answer
  for (const event of events) now = now === undefined ? undefined : follow.apply(now, event)
  return now
}

/** As the contract has it: a patch may say more than a row shows. */
function inWords(name: OperationName | undefined, answer: unknown): string {
  const signature = signatures.find((each) => each.name === name)
  return JSON.stringify(signature?.output.parse(answer) ?? answer, null, 1)
}

describe("events that are in an answer already", () => {
  it("leave it as it is, or have it loaded again, whatever happened", async () => {
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
    ]
    const readings = [await readAll(cases)]
    for (const step of steps(projectUuid, otherUuid, ideaUuid, [first, second], ada)) {
      await step()
      readings.push(await readAll(cases))
    }
    const log = await eventsAfter(readings[0]?.position ?? 0)
    const changed = cases.flatMap(({ name, follow }, at) =>
      readings.flatMap(({ position, answers }) =>
        readings.flatMap(({ position: from }) => {
          const inside = log.filter(({ id }) => id > from && id <= position)
          const now = after(follow, answers[at], inside)
          if (now === undefined) return []
          const [shown, said] = [now, answers[at]].map((each) => inWords(name, each))
          return shown === said ? [] : [{ name, inside, shown, said }]
        }),
      ),
    )
    for (const name of new Set(changed.map((each) => each.name))) {
      const mine = changed.filter((each) => each.name === name)
      const least = mine.reduce((one, other) => (other.inside.length < one.inside.length ? other : one))
      expect.soft(least.shown, `${name} after ${inWords(undefined, least.inside)}`).toBe(least.said)
    }
  })
})
