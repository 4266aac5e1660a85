import type { proposals } from "@chorus/contracts"
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react"
import { classes } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"

const LOOK: Record<proposals.ProposalIssue["level"], { readonly icon: LucideIcon; readonly colour: string }> = {
  error: { icon: CircleAlert, colour: "text-failed" },
  warning: { icon: TriangleAlert, colour: "text-waiting" },
  info: { icon: Info, colour: "text-faint" },
}

/** What the rules say about a plan; errors keep it from being submitted. */
export function Checklist({ proposalUuid }: { readonly proposalUuid: string }) {
  const text = useText()
  const { answer } = useOperation(
    "chorus_pm_validate_proposal",
    { proposalUuid },
    reloadWhen(
      ({ entityType, entityUuid, patch }) =>
        (entityType === "draft" && patch.proposalUuid === proposalUuid) ||
        (entityType === "proposal" && entityUuid === proposalUuid),
    ),
  )
  if (answer === undefined) return null
  if (answer.issues.length === 0) {
    return (
      <p className="flex items-center gap-2 text-sm text-done">
        <CircleCheck aria-hidden className="size-4" />
        {text("proposals.allGood")}
      </p>
    )
  }
  return (
    <ul className="grid grid-cols-1 gap-1.5 text-sm">
      {[...Map.groupBy(answer.issues, ({ id }) => id)].map(([id, issues]) => (
        <Issues key={id} issues={issues} />
      ))}
    </ul>
  )
}

/** What one rule says, as often as it says it: the first in full, the others on demand. */
function Issues({ issues: [first, ...others] }: { readonly issues: readonly proposals.ProposalIssue[] }) {
  const text = useText()
  if (first === undefined) return null
  const { icon: Icon, colour } = LOOK[first.level]
  return (
    <li className="flex items-start gap-2">
      <Icon aria-label={text(`proposals.level.${first.level}`)} className={classes("mt-0.5 size-4 shrink-0", colour)} />
      <div className="min-w-0 flex-1">
        <p>{first.message}</p>
        {others.length > 0 && (
          <details className="text-muted">
            <summary className="cursor-pointer text-xs text-faint">
              {text("proposals.moreLikeThis", { count: others.length })}
            </summary>
            {others.map(({ message }, at) => (
              <p key={at}>{message}</p>
            ))}
          </details>
        )}
      </div>
    </li>
  )
}
