import { z } from "zod"
import { foreignItem, type Found, type ForeignList } from "./foreign-item.ts"

const Id = z.union([z.number(), z.string()]).transform(String)

const Step = z.object({
  id: Id,
  title: z.string(),
  description: z.string().nullish(),
  details: z.string().nullish(),
  testStrategy: z.string().nullish(),
  status: z.string().default("pending"),
  priority: z.string().nullish(),
  dependencies: z.array(Id).nullish(),
})
const Task = Step.extend({ subtasks: z.array(Step).nullish() })
const Tasks = z.object({ tasks: z.array(Task) })

export function isTaskMaster(given: unknown): boolean {
  return tagsOf(given).length > 0
}

/** `tasks.json` with one list, or one list for each tag; subtasks are tasks that theirs waits for. */
export function readTaskMaster(given: unknown): ForeignList {
  const tags = tagsOf(given)
  const items = tags.flatMap(([tag, { tasks }]) => {
    const keyOf = (id: string) => (tags.length === 1 ? id : `${tag}/${id}`)
    return tasks.flatMap((task) => {
      const steps = (task.subtasks ?? []).map((step) =>
        itemOf(step, {
          key: keyOf(`${task.id}.${step.id}`),
          title: step.title,
          // Within its task a subtask names its siblings by their own number.
          dependsOn: (step.dependencies ?? []).map((id) => keyOf(id.includes(".") ? id : `${task.id}.${id}`)),
        }),
      )
      const dependsOn = [...(task.dependencies ?? []).map(keyOf), ...steps.map(({ key }) => key)]
      return [...steps, itemOf(task, { key: keyOf(task.id), title: task.title, dependsOn })]
    })
  })
  return { origin: "task-master:tasks", items, warnings: [] }
}

function itemOf(step: z.infer<typeof Step>, found: Found) {
  return foreignItem({
    ...found,
    description: [step.description, step.details].filter((text) => (text ?? "") !== "").join("\n\n"),
    status: STATUSES[step.status] ?? "open",
    priority:
      step.priority === "high" || step.priority === "critical" ? "high" : step.priority === "low" ? "low" : "medium",
    criteria: [step.testStrategy ?? ""],
  })
}

const STATUSES: Readonly<Record<string, "open" | "done" | "closed">> = {
  done: "done",
  completed: "done",
  cancelled: "closed",
}

function tagsOf(given: unknown): [string, z.infer<typeof Tasks>][] {
  const whole = Tasks.safeParse(given)
  if (whole.success) return [["master", whole.data]]
  const tagged = z.record(z.string(), z.unknown()).safeParse(given)
  if (!tagged.success) return []
  return Object.entries(tagged.data).flatMap(([tag, list]): [string, z.infer<typeof Tasks>][] => {
    const tasks = Tasks.safeParse(list)
    return tasks.success ? [[tag, tasks.data]] : []
  })
}
