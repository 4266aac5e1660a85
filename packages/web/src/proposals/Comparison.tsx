import type { revisions } from "@chorus/contracts"
import { useMemo, useState } from "react"
import { Badge, Nothing, Select, SkeletonRows, type Tone } from "../design/index.ts"
import { DiffView } from "../diff/DiffView.tsx"
import { type TextKey, useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { firstComparison, linesOfField } from "./revision-diff.ts"

interface ComparisonProps {
  readonly proposalUuid: string
  readonly revision: number
  readonly status: string
}

const CHANGE_TONE: Record<revisions.DraftChange["change"], Tone> = {
  added: "done",
  removed: "failed",
  changed: "progress",
  same: "todo",
}

/** What is different from the submission before: the first thing a reviewer wants to know. */
export function Comparison({ proposalUuid, revision, status }: ComparisonProps) {
  const text = useText()
  const first = useMemo(() => firstComparison(revision, status), [revision, status])
  const [chosen, setChosen] = useState<number>()
  const from = chosen ?? first?.from
  const to = first?.to
  const { answer, status: state } = useOperation(
    "chorus_compare_proposal_revisions",
    from === undefined ? null : { proposalUuid, from, ...(to === undefined ? {} : { to }) },
    reloadWhen(({ entityType, patch }) => entityType === "draft" && patch.proposalUuid === proposalUuid),
  )
  if (first === undefined || from === undefined) return null
  const titles = new Map(answer?.drafts.map(({ draftUuid, title }) => [draftUuid, title]))
  const titleOf = (uuid: string) => titles.get(uuid) ?? uuid.slice(0, 8)
  const changed = answer?.drafts.filter(({ change }) => change !== "same") ?? []
  const earlier = Array.from({ length: first.from }, (_, at) => at + 1)
  return (
    <div className="grid grid-cols-1 gap-4">
      {earlier.length > 1 && (
        <label className="flex items-center gap-2 text-sm text-muted">
          {text("proposals.compareWith")}
          <Select className="w-40" value={String(from)} onChange={(event) => setChosen(Number(event.target.value))}>
            {earlier.map((number) => (
              <option key={number} value={number}>
                {text("proposals.revision", { number })}
              </option>
            ))}
          </Select>
        </label>
      )}
      {state === "loading" && <SkeletonRows rows={2} />}
      {answer !== undefined && changed.length === 0 && answer.proposal.length === 0 && (
        <Nothing>{text("proposals.noChanges")}</Nothing>
      )}
      {answer !== undefined && answer.proposal.length > 0 && (
        <Changes title={text("proposals.itself")} change="changed" fields={answer.proposal} titleOf={titleOf} />
      )}
      {changed.map(({ draftUuid, title, change, fields }) => (
        <Changes key={draftUuid} title={title} change={change} fields={fields} titleOf={titleOf} />
      ))}
    </div>
  )
}

interface ChangesProps {
  readonly title: string
  readonly change: revisions.DraftChange["change"]
  readonly fields: readonly revisions.DraftChange["fields"][number][]
  titleOf(uuid: string): string
}

const FIELDS: Readonly<Record<string, TextKey>> = {
  title: "tasks.title",
  content: "proposals.field.content",
  description: "tasks.description",
  type: "tasks.kind",
  priority: "board.priority",
  storyPoints: "tasks.points",
  acceptanceCriteriaItems: "tasks.criteria",
  dependsOnDraftUuids: "tasks.dependsOn",
}

/** One thing that changes, field by field. */
export function Changes({ title, change, fields, titleOf }: ChangesProps) {
  const text = useText()
  return (
    <section className="grid grid-cols-1 gap-2">
      <h3 className="flex items-center gap-2 text-sm font-medium">
        <Badge tone={CHANGE_TONE[change]}>{text(`proposals.change.${change}`)}</Badge>
        <span>
          <InlineCode text={title} />
        </span>
      </h3>
      {change !== "removed" &&
        fields.map((field) => {
          const name = FIELDS[field.field]
          const label = name === undefined ? field.field : text(name)
          return (
            <div key={field.field}>
              <p className="mb-1 text-xs text-faint">{label}</p>
              <DiffView
                label={`${title}: ${label}`}
                lines={linesOfField(field, { titleOf, optional: text("tasks.optional") })}
                numbers={false}
              />
            </div>
          )
        })}
    </section>
  )
}
