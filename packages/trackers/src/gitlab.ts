import { z } from "zod"
import { column, columns, type Row } from "./csv-rows.ts"
import { blockersIn, foreignItem, type ForeignList } from "./foreign-item.ts"
import { priorityOf } from "./github.ts"

const Note = z.object({
  id: z.coerce.string(),
  body: z.string(),
  system: z.boolean().default(false),
  author: z.object({ username: z.string() }).nullish(),
  created_at: z.string(),
})

/** An issue as the API has it; `notes` is what is asked for beside it. */
const Issue = z.object({
  iid: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.string()).default([]),
  due_date: z.string().nullish(),
  weight: z.number().nullish(),
  web_url: z.string().optional(),
  milestone: z.object({ due_date: z.string().nullish() }).nullish(),
  notes: z.array(Note).default([]),
})

export function isGitlab(given: unknown): given is unknown[] {
  return Array.isArray(given) && z.object({ iid: z.number(), title: z.string() }).safeParse(given[0]).success
}

export function readGitlab(given: readonly unknown[], origin?: string): ForeignList {
  const items = z
    .array(Issue)
    .parse(given)
    .map((issue) =>
      foreignItem({
        key: String(issue.iid),
        url: issue.web_url,
        title: issue.title,
        description: issue.description,
        status: issue.state === "closed" ? "done" : "open",
        labels: issue.labels,
        priority: priorityOf(issue.labels),
        storyPoints: issue.weight,
        dueOn: issue.due_date ?? issue.milestone?.due_date,
        dependsOn: blockersIn(issue.description ?? ""),
        comments: issue.notes
          .filter(({ system }) => !system)
          .map(({ id, author, created_at, body }) => ({
            key: id,
            author: author?.username ?? "ghost",
            at: created_at,
            content: body,
          })),
      }),
    )
  return { origin: origin ?? originOf(items[0]?.url), items, warnings: [] }
}

/** The file that GitLab sends by e-mail. */
export function readGitlabCsv(rows: readonly Row[]): ForeignList {
  const items = rows.map((row) =>
    foreignItem({
      key: /\/(\d+)$/.exec(column(row, "URL"))?.[1] ?? column(row, "IID", "Issue ID"),
      url: column(row, "URL"),
      title: column(row, "Title"),
      description: column(row, "Description"),
      status: column(row, "State").toLowerCase() === "closed" ? "done" : "open",
      labels: columns(row, "Labels").flatMap((labels) => labels.split(",")),
      priority: priorityOf(columns(row, "Labels")),
      storyPoints: numberIn(column(row, "Weight")),
      dueOn: column(row, "Due Date"),
      dependsOn: blockersIn(column(row, "Description")),
    }),
  )
  return { origin: originOf(items[0]?.url), items, warnings: ["comments are not in this file"] }
}

export function numberIn(text: string): number | null {
  return text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text)
}

function originOf(url: string | null | undefined): string {
  const project = /^https?:\/\/[^/]+\/(.+?)\/-\/(?:issues|work_items)\/\d+$/.exec(url ?? "")?.[1]
  return `gitlab:${project ?? "issues"}`
}
