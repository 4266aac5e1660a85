import { z } from "zod"
import { foreignItem, type ForeignList } from "./foreign-item.ts"

const Task = z.object({
  id: z.string(),
  simple_id: z.string().nullish(),
  project_id: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  status: z.string().default("todo"),
  priority: z.string().nullish(),
  parent_task_id: z.string().nullish(),
})
const List = z.array(Task).min(1)

export function isVibeKanban(given: unknown): boolean {
  return List.safeParse(listIn(given)).success
}

export function readVibeKanban(given: unknown): ForeignList {
  const tasks = List.parse(listIn(given))
  const items = tasks.map((task) =>
    foreignItem({
      key: task.simple_id ?? task.id,
      title: task.title,
      description: task.description,
      status: STATUSES[task.status.toLowerCase().replaceAll(/[\s_-]/g, "")] ?? "open",
      priority:
        task.priority === "urgent" || task.priority === "high" ? "high" : task.priority === "low" ? "low" : "medium",
    }),
  )
  return { origin: `vibe-kanban:${tasks[0]?.project_id ?? "tasks"}`, items, warnings: [] }
}

const STATUSES: Readonly<Record<string, "open" | "done" | "closed">> = {
  done: "done",
  cancelled: "closed",
  canceled: "closed",
}

/** A list, or the answer of its API with one in it. */
function listIn(given: unknown): unknown {
  const within = z.union([
    z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
    z.object({ issues: z.array(z.unknown()) }).transform(({ issues }) => issues),
    z.object({ tasks: z.array(z.unknown()) }).transform(({ tasks }) => tasks),
  ])
  return within.safeParse(given).data ?? given
}
