import { proposals, TaskId, tasks } from "@chorus/contracts"
import { shortIdOf } from "@chorus/core"
import { z } from "zod"
import { invalidInput, notFound, type OperationContext } from "../../operation.ts"
import { unknownField, unknownFields } from "../../unknown-fields.ts"
import { uuidOfShortId } from "../projects/short-ids.ts"

type NewTask = z.infer<typeof tasks.NewTask>
type Given = Readonly<Record<string, unknown>>

const Planned = proposals.PlannedTask.partial({ key: true })

/** Tasks to be added to a plan, in the words of chorus_submit_plan or of chorus_create_tasks; kept in the latter's. */
export async function requestedTasks(context: OperationContext, given: readonly Given[]): Promise<NewTask[]> {
  const keys = new Set(given.map(({ key }) => key))
  return Promise.all(
    given.map(async (task, at) => {
      if (!isPlanned(task)) return read(tasks.NewTask, task, at)
      const { key, criteria, dependsOn = [], ...words } = read(Planned, task, at)
      const links = await Promise.all(
        dependsOn.map(async (link) => {
          const { key: id, contract } = typeof link === "string" ? { key: link, contract: undefined } : link
          return { id: keys.has(id) ? id : await taskCalled(context, id), contract }
        }),
      )
      const [drafts, others] = [links.filter(({ id }) => keys.has(id)), links.filter(({ id }) => !keys.has(id))]
      const relied = links.flatMap(({ id, contract }) => (contract === undefined ? [] : [[id, contract] as const]))
      return {
        ...words,
        acceptanceCriteriaItems: criteria.map((item) => (typeof item === "string" ? { description: item } : item)),
        ...(key === undefined ? {} : { draftUuid: key }),
        ...(drafts.length === 0 ? {} : { dependsOnDraftUuids: drafts.map(({ id }) => id) }),
        ...(others.length === 0 ? {} : { dependsOnTaskUuids: others.map(({ id }) => TaskId.parse(id)) }),
        ...(relied.length === 0 ? {} : { contracts: Object.fromEntries(relied) }),
      }
    }),
  )
}

function isPlanned(task: Given): boolean {
  return "criteria" in task || "dependsOn" in task || "key" in task
}

function read<Schema extends z.ZodType>(schema: Schema, task: Given, at: number): z.infer<Schema> {
  const read = schema.safeParse(task)
  const wrong = read.error && new z.ZodError(read.error.issues.map((issue) => inTask(issue, at)))
  const unknown = unknownFields(schema, task, `tasks.${at}`)
  if (unknown.length > 0) throw unknownField("chorus_request_change", unknown, wrong)
  if (wrong !== undefined) throw invalidInput(wrong)
  return read.data as z.infer<Schema>
}

function inTask(issue: z.core.$ZodIssue, at: number): z.core.$ZodIssue {
  return { ...issue, path: ["tasks", at, ...issue.path] }
}

/** A task that is there already, by its short id or uuid. */
async function taskCalled({ db, actor }: OperationContext, id: string): Promise<string> {
  const shortId = shortIdOf(id)
  const uuid = shortId === undefined ? id : await uuidOfShortId(db, actor, shortId, ["tasks"])
  if (uuid === undefined || !TaskId.safeParse(uuid).success) throw notFound("task", id)
  return uuid
}
