import { z } from "zod"
import { foreignItem, type ForeignList, pointsIn } from "./foreign-item.ts"

const Bead = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  design: z.string().nullish(),
  notes: z.string().nullish(),
  acceptance_criteria: z.string().nullish(),
  status: z.string().default("open"),
  priority: z.number().default(2),
  issue_type: z.string().nullish(),
  labels: z.array(z.string()).nullish(),
  due_at: z.string().nullish(),
  estimated_minutes: z.number().nullish(),
  dependencies: z.array(z.object({ depends_on_id: z.string(), type: z.string().default("blocks") })).nullish(),
  comments: z
    .array(
      z.object({
        id: z.coerce.string(),
        author: z.string().nullish(),
        text: z.string(),
        created_at: z.string().nullish(),
      }),
    )
    .nullish(),
})

export function isBeads(line: unknown): boolean {
  return z.object({ id: z.string(), title: z.string(), status: z.string().optional() }).safeParse(line).success
}

/** What is in `.beads/issues.jsonl`; what was deleted there leaves a tombstone. */
export function readBeads(lines: readonly unknown[]): ForeignList {
  const beads = z
    .array(Bead)
    .parse(lines)
    .filter(({ status }) => status !== "tombstone")
  const items = beads.map((bead) => {
    const criteria = bead.acceptance_criteria ?? ""
    const points = pointsIn(criteria)
    return foreignItem({
      key: bead.id,
      title: bead.title,
      description: [bead.description, section("Design", bead.design), section("Notes", bead.notes)]
        .filter((part) => (part ?? "") !== "")
        .join("\n\n"),
      status: bead.status === "closed" ? "done" : "open",
      priority: bead.priority <= 1 ? "high" : bead.priority >= 3 ? "low" : "medium",
      storyPoints:
        typeof bead.estimated_minutes !== "number" ? null : Math.round((bead.estimated_minutes / 60) * 10) / 10,
      labels: [...(bead.labels ?? []), ...[bead.issue_type ?? ""].filter((type) => type !== "task")],
      dueOn: bead.due_at,
      criteria: points.length > 0 ? points : criteria.split("\n"),
      dependsOn: (bead.dependencies ?? [])
        .filter(({ type }) => type === "blocks")
        .map(({ depends_on_id }) => depends_on_id),
      comments: (bead.comments ?? []).map(({ id, author, text, created_at }) => ({
        key: id,
        author: author ?? "",
        at: created_at ?? "",
        content: text,
      })),
    })
  })
  const prefix = /^(.+)-[^-]+$/.exec(items[0]?.key ?? "")?.[1]
  return { origin: `beads:${prefix ?? "issues"}`, items, warnings: [] }
}

function section(heading: string, text: string | null | undefined): string {
  return (text ?? "") === "" ? "" : `## ${heading}\n\n${text}`
}
