import type { reviews } from "@chorus/contracts"
import { useMemo } from "react"
import { Badge, Button, Nothing, SkeletonRows, When, Who } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { followReviews } from "./follow-task.ts"
import { REVIEW_TONE } from "./task-status.ts"

const VERDICT: Record<reviews.ReviewVerdict, TextKey> = {
  pass: "tasks.review.pass",
  pass_with_notes: "tasks.review.notes",
  fail: "tasks.review.fail",
}
const STATE: Record<reviews.FindingState, TextKey> = {
  open: "tasks.finding.open",
  resolved: "tasks.finding.resolved",
  dismissed: "tasks.finding.dismissed",
}

interface ReviewsProps {
  readonly targetType: "idea" | "proposal" | "task"
  readonly targetUuid: string
}

export function useReviews({ targetType, targetUuid }: ReviewsProps) {
  const follow = useMemo(() => followReviews(targetUuid), [targetUuid])
  return useOperation("chorus_get_reviews", { targetType, targetUuid }, follow)
}

/** What reviewers found, round by round, and what became of each finding. */
export function Reviews(target: ReviewsProps) {
  const text = useText()
  const { answer, status } = useReviews(target)
  if (status === "loading") return <SkeletonRows rows={2} />
  if (answer === undefined || answer.reviews.length === 0) return <Nothing>{text("tasks.noReviews")}</Nothing>
  return (
    <ol className="grid grid-cols-1 gap-3">
      {answer.reviews.map((review) => (
        <li key={review.uuid} className="rounded-lg border border-line bg-surface px-4 py-3">
          <header className="flex flex-wrap items-center gap-2 text-sm">
            <Badge tone={REVIEW_TONE[review.verdict]}>{text(VERDICT[review.verdict])}</Badge>
            <span className="text-muted">{text("tasks.review.round", { round: review.round })}</span>
            <Who actor={review.reviewer} />
            <When at={review.createdAt} className="ml-auto text-xs text-faint" />
          </header>
          <Markdown source={review.summary} className="mt-2 text-sm" />
          {review.findings.length > 0 && (
            <ul className="mt-3 grid gap-2">
              {review.findings.map((finding) => (
                <Finding key={finding.uuid} finding={finding} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  )
}

function Finding({ finding }: { readonly finding: reviews.FindingRow }) {
  const text = useText()
  const { person } = useSignedIn()
  const update = useAction("chorus_update_finding")
  const open = finding.state === "open"
  return (
    <li className="flex flex-wrap items-start gap-2 rounded-md bg-canvas px-3 py-2 text-sm">
      <Badge tone={open && finding.severity === "blocker" ? "failed" : "todo"}>{finding.key}</Badge>
      <div className="min-w-0 flex-1 basis-48">
        <Markdown source={finding.text} />
        {!open && (
          <p className="mt-1 text-xs text-faint">
            {text(STATE[finding.state])}
            {finding.stateBy !== null && ` · ${finding.stateBy.name}`}
            {finding.stateNote !== null && ` · ${finding.stateNote}`}
          </p>
        )}
      </div>
      {mayChange(person) && (
        <span className="flex gap-1">
          {open ? (
            <>
              <Button
                size="sm"
                disabled={update.busy}
                onClick={() => void update.run({ findingUuid: finding.uuid, state: "resolved" })}
              >
                {text("tasks.finding.resolve")}
              </Button>
              <Button
                size="sm"
                tone="ghost"
                disabled={update.busy}
                onClick={() => void update.run({ findingUuid: finding.uuid, state: "dismissed" })}
              >
                {text("tasks.finding.dismiss")}
              </Button>
            </>
          ) : (
            <Button
              size="sm"
              tone="ghost"
              disabled={update.busy}
              onClick={() => void update.run({ findingUuid: finding.uuid, state: "open" })}
            >
              {text("tasks.finding.reopen")}
            </Button>
          )}
        </span>
      )}
    </li>
  )
}
