import { column, columns, type Row } from "./csv-rows.ts"
import { foreignItem, type ForeignList } from "./foreign-item.ts"
import { numberIn } from "./gitlab.ts"

export function isJira(header: readonly string[]): boolean {
  return ["Summary", "Issue key", "Status"].every((name) => header.includes(name))
}

export function readJira(rows: readonly Row[]): ForeignList {
  // "A blocks B" stands with A as an outward link and with B as an inward one; either file may lack the other.
  const blocks = rows.flatMap((row) =>
    columns(row, "Outward issue link (Blocks)").map((later) => [later, column(row, "Issue key")] as const),
  )
  const items = rows.map((row) => {
    const key = column(row, "Issue key")
    return foreignItem({
      key,
      title: column(row, "Summary"),
      description: column(row, "Description"),
      status: statusOf(row),
      priority: priorityOf(column(row, "Priority")),
      storyPoints: numberIn(
        column(row, "Custom field (Story Points)", "Custom field (Story point estimate)", "Story Points"),
      ),
      labels: columns(row, "Labels").flatMap((labels) => labels.split(/[\s,]+/)),
      dueOn: column(row, "Due date", "Due Date"),
      dependsOn: [
        ...columns(row, "Inward issue link (Blocks)"),
        ...blocks.filter(([later]) => later === key).map(([, earlier]) => earlier),
      ],
      comments: columns(row, "Comment").map(commentOf),
    })
  })
  const project = rows[0] === undefined ? "" : column(rows[0], "Project key", "Project")
  return { origin: `jira:${project || "issues"}`, items, warnings: [] }
}

/** `16/Nov/26 9:00 AM;ada;The words; and more of them` */
function commentOf(text: string, at: number) {
  const [, when, author, content] = /^([^;]{4,40});([^;]*);([\s\S]*)$/.exec(text) ?? []
  return content === undefined
    ? { key: String(at + 1), content: text }
    : { key: `${when} ${author}`, at: when ?? "", author: author ?? "", content }
}

function statusOf(row: Row): "open" | "done" | "closed" {
  const finished =
    /^done$/i.test(column(row, "Status Category")) || /^(done|closed|resolved)$/i.test(column(row, "Status"))
  if (!finished) return "open"
  return /won'?t|duplicate|cannot reproduce|declined|cancel/i.test(column(row, "Resolution")) ? "closed" : "done"
}

function priorityOf(name: string): "low" | "medium" | "high" {
  if (/highest|high|critical|blocker|urgent/i.test(name)) return "high"
  return /low|minor|trivial/i.test(name) ? "low" : "medium"
}
