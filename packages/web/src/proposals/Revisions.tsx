import { Badge, Nothing, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { OUTCOME_TONE, outcomeOf } from "./proposal-status.ts"

/** What was submitted when, and how it was decided. */
export function Revisions({ proposalUuid }: { readonly proposalUuid: string }) {
  const text = useText()
  const { answer } = useOperation(
    "chorus_get_proposal_revisions",
    { proposalUuid },
    reloadWhen(
      ({ entityType, entityUuid, patch }) =>
        entityType === "proposal" && entityUuid === proposalUuid && (patch.status ?? patch.revision) !== undefined,
    ),
  )
  const all =
    answer?.revisions.map((row, at, rows) => ({ ...row, outcome: outcomeOf(row, rows[at + 1]) })).toReversed() ?? []
  return all.length === 0 ? (
    <Nothing>{text("proposals.noRevisions")}</Nothing>
  ) : (
    <ol className="grid grid-cols-1 gap-3 border-l-2 border-line pl-4 text-sm">
      {all.map((row) => (
        <li key={row.revision} className="grid grid-cols-1 gap-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{text("proposals.revision", { number: row.revision })}</span>
            <Badge tone={OUTCOME_TONE[row.outcome]}>{text(`proposals.outcome.${row.outcome}`)}</Badge>
            <Who actor={row.decidedBy ?? row.submittedBy} />
            <When at={row.decidedAt ?? row.submittedAt} />
          </p>
          {row.note !== null && row.outcome !== "touchedUp" && <p className="break-words text-muted">{row.note}</p>}
        </li>
      ))}
    </ol>
  )
}
