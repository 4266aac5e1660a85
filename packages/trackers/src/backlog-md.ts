import { parse } from "yaml"
import { z } from "zod"
import { foreignItem, type ForeignList } from "./foreign-item.ts"

const Names = z
  .union([z.array(z.coerce.string()), z.string().transform((name) => [name])])
  .nullish()
  .transform((names) => names ?? [])

const FrontMatter = z.object({
  id: z.coerce.string(),
  title: z.coerce.string(),
  status: z.string().default("To Do"),
  labels: Names,
  dependencies: Names,
  priority: z.string().nullish(),
  due_date: z.coerce.string().nullish(),
})

export interface MarkdownFile {
  readonly name: string
  readonly text: string
  /** Whether it lies among what is finished or was given up. */
  readonly shelf: "tasks" | "completed" | "archive"
}

/** The files below `backlog/tasks`, one for each task. */
export function readBacklog(files: readonly MarkdownFile[]): ForeignList {
  const warnings: string[] = []
  const items = files.flatMap(({ name, text, shelf }) => {
    const [, head, body = ""] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? []
    const front = FrontMatter.safeParse(head === undefined ? undefined : yamlIn(head))
    if (!front.success) {
      warnings.push(`${name} has no front matter with id and title; left out`)
      return []
    }
    const { id, title, status, labels, dependencies, priority, due_date } = front.data
    return [
      foreignItem({
        key: id,
        title,
        description: body.replaceAll(/<!--[\s\S]*?-->\n?/g, ""),
        status: shelf === "archive" ? "closed" : shelf === "completed" || /^done$/i.test(status) ? "done" : "open",
        labels,
        dependsOn: dependencies,
        priority: priority === "high" || priority === "low" ? priority : "medium",
        dueOn: due_date,
      }),
    ]
  })
  return { origin: "backlog-md:tasks", items, warnings }
}

function yamlIn(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}
