import type { attentions, criteria, OutputOf, proposals, tasks, work } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useEffect, useMemo } from "react"
import { Check } from "../checks/Check.tsx"
import { byStanding, type Checks, useChecks } from "../checks/use-checks.ts"
import { Badge, Nothing, Problem, SkeletonRows, StatusIcon, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { Markdown } from "../markdown/Markdown.tsx"
import { After } from "../proposals/After.tsx"
import { AskedBefore } from "../proposals/AskedBefore.tsx"
import { Comparison } from "../proposals/Comparison.tsx"
import { PlanCommands } from "../proposals/PlanCommands.tsx"
import { howMuch } from "../proposals/proposal-status.ts"
import { followTask } from "../tasks/follow-task.ts"
import { GiveReview } from "../tasks/GiveReview.tsx"
import { unjudged, VERDICT_TONE } from "../tasks/task-status.ts"
import { requestedChange } from "./change-request.ts"
import { ChangeRequest } from "./ChangeRequest.tsx"

/** What can be decided after having been read: a plan, work that was handed in, or a change that an agent asks for. */
export interface Subject {
  readonly kind: "proposal" | "task" | "attention"
  readonly uuid: string
  readonly title: string
  readonly projectUuid: string | null
  readonly attention?: attentions.AttentionRow | null
}

/** What a person has been shown: which criteria pass with their yes, and whether a yes is possible at all. */
export interface Seen {
  readonly may: boolean
  readonly passing: readonly string[]
}

interface SummaryProps {
  readonly subject: Subject
  /** Called when everything is on show, and again whenever it changes. */
  onSeen?(seen: Seen): void
}

/** All that is needed to decide, in one place. */
export function Summary({ subject, onSeen }: SummaryProps) {
  const { kind, uuid, attention } = subject
  if (kind === "task") return <TaskSummary taskUuid={uuid} onSeen={onSeen} />
  if (kind === "proposal") return <ProposalSummary proposalUuid={uuid} onSeen={onSeen} />
  const request = attention ? requestedChange(attention) : undefined
  return request === undefined ? null : <ChangeRequest request={request} onSeen={onSeen} />
}

function TaskSummary({ taskUuid, onSeen }: { readonly taskUuid: string; onSeen: SummaryProps["onSeen"] }) {
  const text = useText()
  const follow = useMemo(() => followTask(taskUuid), [taskUuid])
  const { answer: task, error, status, reload } = useOperation("chorus_get_task", { taskUuid }, follow)
  const history = useOperation("chorus_get_task_history", { taskUuid }, useFollowHistory(taskUuid)).answer
  const checks = useChecks(taskUuid)
  const items = task?.acceptanceCriteriaItems
  const unreviewed = task?.reviewMissing === true
  useEffect(() => {
    if (items === undefined) return
    onSeen?.({ may: !hasFailed(items) && !unreviewed, passing: unjudged(items).map(({ uuid }) => uuid) })
  }, [items, unreviewed, onSeen])
  if (task === undefined) return <Missing status={status} error={error} onRetry={reload} />
  const [report] = task.reports
  const before = task.handIns.findLast(({ outcome }) => outcome === "returned")
  return (
    <div className="grid grid-cols-1 gap-3">
      <Standing task={task} />
      {before !== undefined && (
        <p className="text-sm wrap-anywhere text-muted">
          {before.reason === null
            ? text("decide.againWordless", { count: task.handIns.length })
            : text("decide.again", { count: task.handIns.length, reason: before.reason })}
        </p>
      )}
      {report !== undefined && (
        <section aria-label={text("tasks.reports")} className="rounded-md bg-canvas px-3 py-2">
          <p className="mb-1 flex items-center gap-2 text-xs text-faint">
            <Who actor={report.author} />
            <When at={report.createdAt} />
          </p>
          <Markdown source={report.content} className="text-sm [&_p]:whitespace-pre-line" />
        </section>
      )}
      {task.acceptanceCriteriaItems.length > 0 && (
        <ul aria-label={text("tasks.criteria")} className="grid gap-2">
          {task.acceptanceCriteriaItems.map((item) => (
            <Evidence
              key={item.uuid}
              taskUuid={taskUuid}
              item={item}
              checks={checks}
              checked={ownCheck(item, history?.verdicts ?? [])}
              handIn={task.handIns.length}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

function useFollowHistory(taskUuid: string) {
  return useMemo(
    () => reloadWhen<OutputOf<typeof work.getTaskHistory>>(({ entityUuid }) => entityUuid === taskUuid),
    [taskUuid],
  )
}

/** What its builder said of a criterion last. */
function ownCheck(item: criteria.CriterionRow, verdicts: readonly criteria.VerdictRow[]) {
  return verdicts
    .filter(({ criterionUuid, track }) => criterionUuid === item.uuid && track === "dev")
    .toSorted((one, other) => (one.markedAt < other.markedAt ? 1 : -1))
    .at(0)
}

/** Checks that no one goes past by one click. */
export const RED = ["failed", "void", "outdated"] as const

/** What saying yes would mean, and what of it somebody has called a blocker. */
export function Standing({ task }: { readonly task: tasks.TaskDetail }) {
  const text = useText()
  const { openBlockers = [], openFindings = [] } = task
  const blocking = openFindings.flatMap(({ severity, key }) => (severity === "blocker" ? [key] : [])).join(", ")
  const standing = byStanding(useChecks(task.uuid))
  return (
    <>
      {RED.map((each) => {
        const commands = standing[each] ?? []
        if (commands.length === 0) return null
        return (
          <p key={each} className="rounded-md bg-failed-soft px-3 py-2 text-sm wrap-anywhere text-failed">
            {text(`decide.checks.${each}`, { count: commands.length })}{" "}
            <code className="font-mono text-xs">{commands.join(", ")}</code>
          </p>
        )
      })}
      {openBlockers.length > 0 && (
        <section
          aria-label={text("decide.blockers", { count: openBlockers.length })}
          className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed"
        >
          <p>{text("decide.blockers", { count: openBlockers.length })}</p>
          <ul className="ml-4 list-disc">
            {openBlockers.map(({ threadUuid, file, line, outdated, by, text: words }) => (
              <li key={threadUuid} className="wrap-anywhere">
                <code className="font-mono text-xs">{`${file}:${line}`}</code> {by} <span>{words}</span>{" "}
                {outdated !== undefined && <Badge tone="waiting">{text("changes.linesChanged")}</Badge>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {task.reviewMissing === true && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting">
          <p className="min-w-0 flex-1 basis-64">
            {text("decide.reviewMissing")} {blocking !== "" && text("decide.findingsOpen", { keys: blocking })}
          </p>
          <GiveReview targetType="task" targetUuid={task.uuid} />
        </div>
      )}
      <Verdict task={task} />
    </>
  )
}

/** In one sentence. */
function Verdict({ task }: { readonly task: tasks.TaskDetail }) {
  const text = useText()
  const items = task.acceptanceCriteriaItems
  const open = unjudged(items).length
  if (hasFailed(items)) {
    return (
      <p className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed">
        {text("decide.failed")}{" "}
        <Link
          to="/projects/$projectUuid/tasks/$taskUuid"
          params={{ projectUuid: task.projectUuid, taskUuid: task.uuid }}
          className="font-medium underline"
        >
          {text("decide.judge")}
        </Link>
      </p>
    )
  }
  const doubted = unjudged(items).filter(({ devStatus }) => devStatus === "failed").length
  if (doubted > 0)
    return (
      <p className="rounded-md bg-failed-soft px-3 py-2 text-sm text-failed">
        {text("decide.doubted", { count: doubted })}
      </p>
    )
  return (
    <p className={open > 0 ? "rounded-md bg-waiting-soft px-3 py-2 text-sm text-waiting" : "text-sm text-muted"}>
      {open > 0 ? text("decide.open", { count: open }) : text(items.length > 0 ? "decide.passed" : "decide.none")}
    </p>
  )
}

interface EvidenceProps {
  readonly taskUuid: string
  readonly checks: Checks | undefined
  readonly item: criteria.CriterionRow
  readonly checked: criteria.VerdictRow | undefined
  readonly handIn: number
}

function Evidence({ taskUuid, item, checks, checked, handIn }: EvidenceProps) {
  const text = useText()
  const evidence = item.evidence ?? item.devEvidence ?? ""
  const output = checked?.output ?? ""
  return (
    <li className="flex items-start gap-2">
      <StatusIcon tone={VERDICT_TONE[item.status]} className="mt-1" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 wrap-anywhere">
          <span>
            <InlineCode text={item.description} />
          </span>
          {!item.required && <Badge>{text("tasks.optional")}</Badge>}
          {item.status === "pending" && (
            <Badge tone={VERDICT_TONE[item.devStatus]}>{text(`decide.own.${item.devStatus}`)}</Badge>
          )}
          {checked !== undefined && checked.exitCode !== null && (
            <Badge>{text("checks.claimed", { code: checked.exitCode })}</Badge>
          )}
          {checked !== undefined && checked.handIn < handIn && (
            <Badge tone="waiting">{text("tasks.ofHandIn", { number: checked.handIn })}</Badge>
          )}
        </p>
        {item.command !== null && (
          <>
            <code className="block font-mono text-xs wrap-anywhere text-muted">{item.command}</code>
            <Check taskUuid={taskUuid} item={{ criterionUuid: item.uuid, command: item.command }} answer={checks} />
          </>
        )}
        {evidence !== "" && <Markdown source={evidence} className="text-sm text-muted" />}
        {output !== "" && (
          <pre
            tabIndex={0}
            className="max-h-40 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap"
          >
            {output}
          </pre>
        )}
        {evidence === "" && output === "" && (checked?.exitCode ?? null) === null && (
          <Nothing>{text("decide.noEvidence")}</Nothing>
        )}
      </div>
    </li>
  )
}

function ProposalSummary({ proposalUuid, onSeen }: { readonly proposalUuid: string; onSeen: SummaryProps["onSeen"] }) {
  const text = useText()
  const follow = useMemo(
    () =>
      reloadWhen<proposals.ProposalDetail>(
        ({ entityType, entityUuid }) => entityType === "proposal" && entityUuid === proposalUuid,
      ),
    [proposalUuid],
  )
  const {
    answer: proposal,
    status,
    error,
    reload,
  } = useOperation("chorus_get_proposal", { proposalUuid, section: "full" }, follow)
  useEffect(() => {
    if (proposal !== undefined) onSeen?.({ may: true, passing: [] })
  }, [proposal, onSeen])
  if (proposal === undefined) return <Missing status={status} error={error} onRetry={reload} />
  const titles = new Map(proposal.taskDrafts?.map(({ uuid, title }) => [uuid, title]))
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        {proposal.revision > 1 && (
          <span className="font-medium text-ink">{text("proposals.revision", { number: proposal.revision })}</span>
        )}
        <span>{text("decide.makes", howMuch(text, proposal))}</span>
      </p>
      {proposal.askedBefore !== undefined && <AskedBefore asked={proposal.askedBefore} />}
      {proposal.revision > 1 && (
        <section aria-label={text("proposals.changes")} className="rounded-md border border-line px-3 py-2">
          <h3 className="mb-2 text-xs font-medium text-faint">{text("proposals.changes")}</h3>
          <Comparison proposalUuid={proposalUuid} revision={proposal.revision} status={proposal.status} />
        </section>
      )}
      {proposal.description !== null && <Markdown source={proposal.description} className="text-sm" />}
      <PlanCommands tasks={proposal.taskDrafts ?? []} />
      <Part title={text("ideas.tasks")}>
        {proposal.taskDrafts?.map((draft) => (
          <Fold
            key={draft.uuid}
            title={draft.title}
            beside={<After names={draft.dependsOnDraftUuids.flatMap((uuid) => titles.get(uuid) ?? [])} />}
          >
            {draft.description !== null && <Markdown source={draft.description} className="text-sm" />}
            {Object.entries(draft.contracts ?? {}).map(([uuid, contract]) => (
              <p key={uuid} className="text-sm wrap-anywhere text-muted">
                {text("proposals.after", { names: titles.get(uuid) ?? "–" })}: {contract}
              </p>
            ))}
            <ul className="ml-4 list-disc text-sm text-muted">
              {draft.acceptanceCriteriaItems.map(({ description, command }, at) => (
                <li key={at} className="wrap-anywhere">
                  {description}
                  {command !== undefined && <code className="block font-mono text-xs wrap-anywhere">{command}</code>}
                </li>
              ))}
            </ul>
          </Fold>
        ))}
      </Part>
      <Part title={text("nav.documents")}>
        {proposal.documentDrafts?.map((draft) => (
          <Fold key={draft.uuid} title={draft.title}>
            <Markdown source={draft.content} className="text-sm" />
          </Fold>
        ))}
      </Part>
    </div>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: readonly ReactNode[] | undefined }) {
  if (children === undefined || children.length === 0) return null
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-medium text-faint">{title}</h3>
      <ul className="grid gap-1">{children}</ul>
    </section>
  )
}

interface FoldProps {
  readonly title: string
  /** Seen before it is unfolded. */
  readonly beside?: ReactNode
  readonly children: ReactNode
}

function Fold({ title, beside, children }: FoldProps) {
  return (
    <li>
      <details className="rounded-md border border-line px-3 py-1.5 open:pb-3">
        <summary className="cursor-pointer text-sm font-medium wrap-anywhere">
          <span>{title}</span>
          {beside}
        </summary>
        <div className="mt-2 grid grid-cols-1 gap-2">{children}</div>
      </details>
    </li>
  )
}

interface MissingProps {
  readonly status: "loading" | "ready" | "failed"
  readonly error: unknown
  onRetry(): void
}

function Missing({ status, error, onRetry }: MissingProps) {
  return status === "failed" ? <Problem error={error} onRetry={onRetry} /> : <SkeletonRows />
}

function hasFailed(items: readonly criteria.CriterionRow[]): boolean {
  return items.some(({ required, status }) => required && status === "failed")
}
