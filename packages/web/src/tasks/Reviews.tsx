import type { reviews } from "@chorus/contracts"
import { Badge, Button, Nothing, SkeletonRows, When, Who } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { GiveReview } from "./GiveReview.tsx"
import { REVIEW_LABEL, REVIEW_TONE } from "./task-status.ts"
import { type Reviewed, useReviews } from "./use-reviews.ts"

const STATE: Record<reviews.FindingState, TextKey> = {
  open: "tasks.finding.open",
  resolved: "tasks.finding.resolved",
  dismissed: "tasks.finding.dismissed",
}

/** What reviewers found, round by round, and what became of each finding; `open` while a person may add their own. */
export function Reviews({ open = false, ...target }: Reviewed & { readonly open?: boolean }) {
  const text = useText()
  const { answer, status } = useReviews(target)
  if (status === "loading") return <SkeletonRows rows={2} />
  const given = answer?.reviews ?? []
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-3 empty:hidden">
        {given.length === 0 && <Nothing>{text("tasks.noReviews")}</Nothing>}
        {open && <GiveReview {...target} />}
      </div>
      <ol className="grid grid-cols-1 gap-3">
        {given.map((review) => (
          <li key={review.uuid} className="rounded-lg border border-line bg-surface px-4 py-3">
            <header className="flex flex-wrap items-center gap-2 text-sm">
              <Badge tone={REVIEW_TONE[review.verdict]}>{text(REVIEW_LABEL[review.verdict])}</Badge>
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
    </>
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
