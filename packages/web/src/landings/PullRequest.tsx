import type { OutputOf, ProjectId, pullRequests, TaskId } from "@chorus/contracts"
import { ExternalLink, GitPullRequest } from "lucide-react"
import { useMemo } from "react"
import { Badge } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { isPartOf } from "./landing.ts"

type Row = pullRequests.PullRequestRow

const followPullRequests = followRows<OutputOf<typeof pullRequests.listPullRequests>>({
  entity: "pull_request",
  rows: "pullRequests",
})

/** The pull request of a task's work, where a machine has seen one. */
export function usePullRequest(projectUuid: string, taskUuid: string): Row | undefined {
  const input = { projectUuid: projectUuid as ProjectId, pageSize: 100 }
  const { answer } = useOperation("chorus_list_pull_requests", input, followPullRequests)
  const among = answer?.pullRequests.find((row) => row.taskUuid === taskUuid)
  const follow = useMemo(
    () =>
      followRows<OutputOf<typeof pullRequests.listPullRequests>>({
        entity: "pull_request",
        rows: "pullRequests",
        belongs: (row) => row.taskUuid === taskUuid,
      }),
    [taskUuid],
  )
  const alone = among === undefined && isPartOf(answer) ? { ...input, taskUuid: taskUuid as TaskId, pageSize: 1 } : null
  const own = useOperation("chorus_list_pull_requests", alone, follow).answer
  return among ?? own?.pullRequests[0]
}

/** On a card: that there is one, and what CI says of it. */
export function PullRequestMark({
  projectUuid,
  taskUuid,
}: {
  readonly projectUuid: string
  readonly taskUuid: string
}) {
  const text = useText()
  const row = usePullRequest(projectUuid, taskUuid)
  if (row === undefined) return null
  const said = row.checks === null ? [] : [text(`landings.checks.${row.checks}`)]
  const label = [text(`landings.pull.${row.state}`), ...said].join(", ")
  return (
    <span className={`inline-flex items-center gap-1 ${COLOUR[toneOf(row)]}`} title={label}>
      <GitPullRequest aria-hidden className="size-3" />
      <span className="sr-only">{label}</span>
    </span>
  )
}

/** On a task: the same with its address, and where its branch stands. */
export function PullRequest({ row }: { readonly row: Row }) {
  const text = useText()
  const { url, state, checks, ahead, behind } = row
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <Badge tone={toneOf(row)}>{text(`landings.pull.${state}`)}</Badge>
      {checks !== null && <span>{text(`landings.checks.${checks}`)}</span>}
      {ahead !== null && behind !== null && (
        <span className="text-muted">{text("landings.branchStands", { ahead, behind })}</span>
      )}
      <a href={url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 break-all text-accent">
        {url}
        <ExternalLink aria-hidden className="size-3 shrink-0" />
      </a>
    </p>
  )
}

const COLOUR = { done: "text-done", failed: "text-failed", progress: "text-progress", todo: "" }

function toneOf({ state, checks }: Row): keyof typeof COLOUR {
  if (state === "closed" || checks === "failed") return state === "merged" ? "done" : "failed"
  if (state === "merged" || checks === "passed") return "done"
  return checks === "running" ? "progress" : "todo"
}
