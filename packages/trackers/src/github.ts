import { z } from "zod"
import { blockersIn, foreignItem, type ForeignList } from "./foreign-item.ts"

const Id = z.union([z.string(), z.number()]).transform(String)
const Login = z.object({ login: z.string() }).nullish()
const Labels = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]))

/** An issue as the REST API has it and as `gh issue list --json` writes it. */
const Issue = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  state_reason: z.string().nullish(),
  stateReason: z.string().nullish(),
  html_url: z.string().optional(),
  url: z.string().optional(),
  labels: Labels.default([]),
  milestone: z.object({ due_on: z.string().nullish(), dueOn: z.string().nullish() }).nullish(),
  pull_request: z.unknown().optional(),
  comments: z
    .union([
      z.number().transform(() => []),
      z.array(z.object({ id: Id.optional(), author: Login, body: z.string(), createdAt: z.string().optional() })),
    ])
    .default([]),
})

/** A comment of the list that the API gives for a whole repository. */
export const RepositoryComment = z.object({
  id: z.number(),
  issue_url: z.string(),
  body: z.string().nullish(),
  user: Login,
  created_at: z.string(),
})
export type RepositoryComment = z.infer<typeof RepositoryComment>

export function isGithub(given: unknown): given is unknown[] {
  return Array.isArray(given) && z.object({ number: z.number(), title: z.string() }).safeParse(given[0]).success
}

export function readGithub(
  given: readonly unknown[],
  origin?: string,
  comments: readonly RepositoryComment[] = [],
): ForeignList {
  const said = Map.groupBy(comments, ({ issue_url }) => Number(issue_url.split("/").at(-1)))
  const issues = z
    .array(Issue)
    .parse(given)
    .filter(({ pull_request }) => (pull_request ?? null) === null)
  const items = issues.map((issue) =>
    foreignItem({
      key: String(issue.number),
      url: issue.html_url ?? issue.url,
      title: issue.title,
      description: issue.body,
      status: statusOf(issue.state, issue.state_reason ?? issue.stateReason ?? ""),
      labels: issue.labels,
      priority: priorityOf(issue.labels),
      dueOn: issue.milestone?.due_on ?? issue.milestone?.dueOn,
      dependsOn: blockersIn(issue.body ?? ""),
      comments: [
        ...issue.comments.map(({ id, author, body, createdAt }, at) => ({
          key: id ?? String(at + 1),
          author: author?.login,
          at: createdAt,
          content: body,
        })),
        ...(said.get(issue.number) ?? []).map(({ id, user, body, created_at }) => ({
          key: String(id),
          author: user?.login,
          at: created_at,
          content: body ?? "",
        })),
      ].map((comment) => ({ ...comment, at: comment.at ?? "", author: comment.author ?? "ghost" })),
    }),
  )
  const left = given.length - issues.length
  return {
    origin: origin ?? `github:${repositoryOf(items[0]?.url) ?? "issues"}`,
    items,
    warnings: left === 0 ? [] : [`${left} pull request${left === 1 ? "" : "s"} left out`],
  }
}

function statusOf(state: string, reason: string): "open" | "done" | "closed" {
  if (state.toLowerCase() !== "closed") return "open"
  return ["not_planned", "duplicate"].includes(reason.toLowerCase()) ? "closed" : "done"
}

/** Trackers without a priority of their own say it by label. */
export function priorityOf(labels: readonly string[]): "low" | "medium" | "high" {
  const said = labels.map((label) => label.toLowerCase())
  if (said.some((label) => /\b(p0|p1|urgent|critical|high|highest)\b/.test(label))) return "high"
  return said.some((label) => /\b(p3|p4|low|lowest|minor|trivial)\b/.test(label)) ? "low" : "medium"
}

function repositoryOf(url: string | null | undefined): string | undefined {
  return /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\/\d+$/.exec(url ?? "")?.[1]
}
