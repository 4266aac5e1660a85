import { ownerActor } from "../src/index.ts"
import { LONG } from "./plan-fixture.ts"
import { makeKey, runningServer } from "./running-server.ts"

/** What an answer weighs for a client that asked for lean tools, beside what it may weigh. */
export interface Weight {
  readonly name: string
  readonly bytes: number
  readonly atMost: number
}

const TITLES = [
  "Read the flags of the command line",
  "Parse the table of contents",
  "Render one page",
  "Link the pages to each other",
  "Write the search index",
  "Serve what was rendered",
  "Explain it in the handbook",
]

/** A small project from its idea to verified work, over the doors; then what its answers weigh. */
export async function answerWeights(): Promise<Weight[]> {
  const chorus = await runningServer()
  try {
    const owner = await ownerActor(chorus.server.store, new Date())
    const own = async (name: string, input: object = {}) =>
      (await chorus.server.registry.execute(name, input, { actor: owner, requestId: "weight" })) as Answer
    const [planner, builder, idle] = [
      await makeKey(chorus.server, "pm"),
      await makeKey(chorus.server, "developer"),
      await makeKey(chorus.server, "developer"),
    ]
    const call = async (key: string, name: string, input: object = {}, list = "?tools=lean") => {
      const response = await fetch(`${chorus.url}/api/mcp${list}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
      })
      const wire = await response.text()
      const { result } = JSON.parse(/^data: (.*)$/m.exec(wire)?.[1] ?? "{}") as Message
      const text = result.content[0]?.text ?? ""
      if (result.isError === true) throw new Error(`${name}: ${text}`)
      return { answer: JSON.parse(text) as Answer, text, wire }
    }
    const groupUuid = (await own("chorus_admin_create_project_group", { name: "Tools" }))["uuid"]
    const projectUuid = (await own("chorus_admin_create_project", { name: "Handbook", groupUuid }))["uuid"]
    const ideaUuid = (await own("chorus_pm_create_idea", { projectUuid, title: "A handbook people read" }))["uuid"]
    const plan = await call(
      planner,
      "chorus_submit_plan",
      {
        projectUuid,
        title: "The handbook, from its sources to the shelf",
        description: "Why and what",
        ideaUuids: [ideaUuid],
        skipElaboration: "it is clear",
        documents: [{ type: "tech_design", title: "Design", content: LONG }],
        tasks: TITLES.map((title, at) => ({
          key: `t${at}`,
          title,
          description: "As the design says.",
          criteria: ["it works", "it is tested"],
          ...(at === 0 ? {} : { dependsOn: [`t${at - 1}`] }),
        })),
      },
      "",
    )
    const bare = await call(planner, "chorus_submit_plan", {
      projectUuid,
      title: "The handbook once more, with everything left out",
      ideaUuids: [ideaUuid],
      documents: [{ type: "prd", title: "Why", content: LONG }],
      tasks: TITLES.map((title, at) => ({ key: `t${at}`, title, criteria: ["it works"] })),
    })
    await own("chorus_admin_close_proposal", { proposalUuid: bare.answer["uuid"], reviewNote: "no" })
    await own("chorus_admin_approve_proposal", { proposalUuid: plan.answer["uuid"] })
    for (const _ of [1, 2, 3, 4]) {
      const { answer } = await call(builder, "chorus_next_task", { projectUuid })
      const task = answer["task"] as { uuid: string; acceptanceCriteriaItems: { uuid: string }[] }
      const criteria = task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, devStatus: "passed" }))
      await call(builder, "chorus_finish_task", { taskUuid: task.uuid, report: "Built and tested.", criteria })
      await own("chorus_mark_acceptance_criteria", {
        taskUuid: task.uuid,
        criteria: task.acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" })),
      })
      await own("chorus_admin_verify_task", { taskUuid: task.uuid })
    }
    await call(builder, "chorus_next_task", { projectUuid })
    const row = ({ answer }: { answer: Answer }, list: string) =>
      JSON.stringify(answer[list]).length / Number(answer["returned"])
    const activity = await call(builder, "chorus_get_activity", { projectUuid, pageSize: 100 })
    const told = await call(planner, "chorus_get_notifications", { status: "all", autoMarkRead: false })
    const tasks = await call(builder, "chorus_list_tasks", { projectUuid })
    return [
      { name: "check-in, idle", bytes: (await call(idle, "chorus_checkin")).text.length, atMost: 1200 },
      { name: "an activity row", bytes: row(activity, "activities"), atMost: 250 },
      { name: "a notification row", bytes: row(told, "notifications"), atMost: 250 },
      { name: "a task row", bytes: row(tasks, "tasks"), atMost: 220 },
      {
        name: "check-in, idle, at the door of the whole contract",
        bytes: (await call(idle, "chorus_checkin", {}, "")).text.length,
        atMost: 1200,
      },
      { name: "a plan that was submitted, at any door", bytes: plan.text.length, atMost: 600 },
      { name: "a plan with every warning there is", bytes: bare.text.length, atMost: 600 },
      {
        name: "a group's dashboard",
        bytes: (await call(builder, "chorus_get_group_dashboard", { groupUuid })).text.length,
        atMost: 4000,
      },
      {
        name: "on the wire, per 100 B of an answer",
        bytes: (activity.wire.length / activity.text.length) * 100,
        atMost: 130,
      },
    ]
  } finally {
    await chorus.close()
  }
}

type Answer = Record<string, unknown>

interface Message {
  readonly result: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
}
