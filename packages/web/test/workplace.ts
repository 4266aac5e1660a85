import { type Client, createClient } from "@chorus/client"
import type { InputOf, tasks } from "@chorus/contracts"
import { owner } from "./stage.tsx"

type NewTask = InputOf<typeof tasks.createTasks>["tasks"][number]

/** What a test says of a task; the title is its key for `dependsOnDraftUuids`. */
export type Wanted = Partial<NewTask> & { readonly title: string }

export interface Hired {
  readonly uuid: string
  readonly name: string
  readonly client: Client
}

/** An agent of its own name that acts through its own key. */
export async function hire(name = "Ada"): Promise<Hired> {
  const unique = `${name} ${crypto.randomUUID().slice(0, 8)}`
  const { uuid } = await owner.call("chorus_create_agent", { name: unique, presets: ["pm"] })
  const { key } = await owner.call("chorus_create_key", { agentUuid: uuid })
  return { uuid, name: unique, client: createClient({ url: location.origin, key }) }
}

/** A project that no other test knows. */
export async function makeProject(name = "Project"): Promise<string> {
  return (await owner.call("chorus_admin_create_project", { name: `${name} ${crypto.randomUUID().slice(0, 8)}` })).uuid
}

/** The uuids of new tasks in the order asked for; each has one criterion unless it names its own. */
export async function makeTasks(projectUuid: string, ...wanted: readonly Wanted[]): Promise<string[]> {
  const drafts = wanted.map((task): NewTask => ({
    draftUuid: task.title,
    acceptanceCriteriaItems: [{ description: "It works" }],
    ...task,
  }))
  const { tasks } = await owner.call("chorus_create_tasks", { projectUuid, tasks: drafts })
  return wanted.map(({ title }) => tasks.find((task) => task.title === title)?.uuid ?? "")
}

export async function statusOf(taskUuid: string): Promise<tasks.TaskStatus> {
  return (await owner.call("chorus_get_task", { taskUuid })).status
}

/** Started by this agent and handed in, so that it waits for a verdict. */
export async function handIn({ client }: Hired, taskUuid: string): Promise<void> {
  await client.call("chorus_start_task", { taskUuid })
  await client.call("chorus_submit_for_verify", { taskUuid, summary: "Built." })
}

/** The verifier's verdict on all of its criteria. */
export async function judgeAll(taskUuid: string, status: "passed" | "failed"): Promise<void> {
  const { acceptanceCriteriaItems } = await owner.call("chorus_get_task", { taskUuid })
  await owner.call("chorus_mark_acceptance_criteria", {
    taskUuid,
    criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status })),
  })
}

/** The uuid of the first task that comes of it. */
export async function approvePlan(proposalUuid: string): Promise<string> {
  const { materializedTasks } = await owner.call("chorus_admin_approve_proposal", { proposalUuid })
  return materializedTasks?.[0]?.taskUuid ?? ""
}
