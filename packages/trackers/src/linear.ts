import { column, type Row } from "./csv-rows.ts"
import { foreignItem, type ForeignList } from "./foreign-item.ts"
import { numberIn } from "./gitlab.ts"

export function isLinear(header: readonly string[]): boolean {
  return ["ID", "Team", "Title", "Status"].every((name) => header.includes(name))
}

export function readLinear(rows: readonly Row[]): ForeignList {
  const items = rows.map((row) =>
    foreignItem({
      key: column(row, "ID"),
      url: column(row, "URL"),
      title: column(row, "Title"),
      description: column(row, "Description"),
      status: statusOf(row),
      priority: PRIORITIES[column(row, "Priority").toLowerCase()] ?? "medium",
      storyPoints: numberIn(column(row, "Estimate")),
      labels: column(row, "Labels").split(","),
      dueOn: column(row, "Due Date"),
      dependsOn: column(row, "Blocked by").split(/[,;]\s*/),
    }),
  )
  const team = rows[0] === undefined ? "" : column(rows[0], "Team")
  return { origin: `linear:${team || "issues"}`, items, warnings: ["comments are not in this file"] }
}

const PRIORITIES: Readonly<Record<string, "low" | "medium" | "high">> = {
  urgent: "high",
  high: "high",
  medium: "medium",
  low: "low",
  "1": "high",
  "2": "high",
  "3": "medium",
  "4": "low",
}

function statusOf(row: Row): "open" | "done" | "closed" {
  if (column(row, "Canceled") !== "" || /cancel|duplicate/i.test(column(row, "Status"))) return "closed"
  return column(row, "Completed") !== "" || /^done|^completed/i.test(column(row, "Status")) ? "done" : "open"
}
