import type { criteria, CriterionId, OutputOf, TaskId, tasks, work } from "@chorus/contracts"
import { Check as Tick, GitMerge, Undo2 } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import { LazyChanges } from "../changes/LazyChanges.tsx"
import { ChecksInShort, ProjectChecks } from "../checks/Check.tsx"
import { PreviewSection } from "../checks/PreviewSection.tsx"
import { byStanding, useChecks } from "../checks/use-checks.ts"
import { AskDialog, Button, Nothing, Problem, Section, SkeletonRows, toast, When, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { mergedSoon, useLandings } from "../landings/landing.ts"
import { NotYet } from "../landings/NotYet.tsx"
import { reloadWhen } from "../live/follow.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { WorkCost } from "../runs/WorkCost.tsx"
import { Criteria } from "../tasks/Criteria.tsx"
import { followTask } from "../tasks/follow-task.ts"
import { Reviews } from "../tasks/Reviews.tsx"
import { unjudged } from "../tasks/task-status.ts"
import { RED, Standing } from "./Summary.tsx"

/** What scrolls beside the queue; the decision about work stands below it, where it covers nothing. */
export const PANE = "min-h-0 flex-1 overflow-y-auto px-4 pb-4 lg:p-6"

interface VerifyWorkProps {
  readonly taskUuid: string
  readonly may: boolean
  /** What it is called and where it can be opened, above all else. */
  readonly head: ReactNode
  /** With the criteria that pass by it. */
  onVerify(passing: readonly string[]): void
  onSendBack(): void
}

/** Work that was handed in, on one screen: what was asked, done and checked, what it cost, and the decision. */
export function VerifyWork({ taskUuid, may, head, onVerify, onSendBack }: VerifyWorkProps) {
  const text = useText()
  const follow = useMemo(() => followTask(taskUuid), [taskUuid])
  const followMarks = useMemo(
    () => reloadWhen<OutputOf<typeof work.getTaskHistory>>(({ entityUuid }) => entityUuid === taskUuid),
    [taskUuid],
  )
  const { answer: task, status, error, reload } = useOperation("chorus_get_task", { taskUuid }, follow)
  const history = useOperation("chorus_get_task_history", { taskUuid }, followMarks).answer
  const checks = useChecks(taskUuid)
  const { landable = false, obstacle = null } = useLandings(taskUuid).answer ?? {}
  const land = useAction("chorus_land_change")
  const [asked, setAsked] = useState<"verify" | "merge">()
  if (task === undefined)
    return (
      <div className={PANE}>
        {head}
        {status === "failed" ? <Problem error={error} onRetry={reload} /> : <SkeletonRows rows={4} />}
      </div>
    )
  const items = task.acceptanceCriteriaItems
  const passing = unjudged(items).map(({ uuid }) => uuid)
  const merge = async () => {
    const begun = await land.run({ taskUuid: taskUuid as TaskId, verify: true, passing: passing as CriterionId[] })
    if (begun !== undefined) toast(text(mergedSoon(begun)))
  }
  const held = items.some(isFailed) || task.reviewMissing === true
  /** What is red is shown above; it is no hindrance, but nobody goes past it by one click. */
  const standing = byStanding(checks)
  const doubtful = (task.openBlockers?.length ?? 0) > 0 || RED.some((each) => standing[each] !== undefined)
  const decide = (what: "verify" | "merge") => {
    setAsked(undefined)
    if (what === "verify") onVerify(passing)
    else void merge()
  }
  const before = task.handIns.findLast(({ outcome }) => outcome === "returned")
  return (
    <>
      <div className={PANE}>
        {head}
        <div className="grid grid-cols-1 gap-6">
          <Standing task={task} />
          {before !== undefined && (
            <div className="text-sm text-muted">
              <Markdown
                source={
                  before.reason === null
                    ? text("decide.againWordless", { count: task.handIns.length })
                    : text("decide.again", { count: task.handIns.length, reason: before.reason })
                }
              />
            </div>
          )}
          <Section title={text("verify.asked")}>
            {task.description === null || task.description === "" ? (
              <Nothing>{text("tasks.noDescription")}</Nothing>
            ) : (
              <Markdown source={task.description} className="text-sm" />
            )}
          </Section>
          <Section title={text("verify.checked")}>
            <div className="grid grid-cols-1 gap-3">
              <ChecksInShort answer={checks} />
              {items.length > 0 && <Criteria task={task} verdicts={history?.verdicts ?? []} />}
              <ProjectChecks taskUuid={taskUuid} answer={checks} />
              <Reviews targetType="task" targetUuid={taskUuid} open={may} />
            </div>
          </Section>
          <PreviewSection taskUuid={taskUuid} answer={checks} />
          <Section title={text("verify.done")}>
            <Report task={task} />
            <LazyChanges taskUuid={taskUuid} beside />
          </Section>
          <NotYet obstacle={obstacle} />
          <Section title={text("verify.cost")}>
            <p className="text-sm text-muted">
              <WorkCost of={{ taskUuid }} />
            </p>
          </Section>
        </div>
      </div>
      {may && (
        <div className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line px-6 py-3 max-lg:px-3 max-lg:[&>button]:min-h-11 max-lg:[&>button]:flex-1">
          <Button icon={Undo2} onClick={onSendBack}>
            {text("needsYou.sendBack")}
          </Button>
          {landable && (
            <Button
              icon={GitMerge}
              disabled={held || land.busy}
              onClick={() => (doubtful ? setAsked("merge") : decide("merge"))}
            >
              {text("landings.verifyAndMerge")}
            </Button>
          )}
          <Button
            tone="primary"
            icon={Tick}
            disabled={held}
            onClick={() => (doubtful ? setAsked("verify") : decide("verify"))}
          >
            {text(passing.length > 0 ? "tasks.passAndVerify" : "needsYou.verify")}
          </Button>
        </div>
      )}
      {asked !== undefined && (
        <AskDialog
          open
          title={text("decide.verify")}
          confirm={text("decide.allTheSame")}
          tone="danger"
          onClose={() => setAsked(undefined)}
          onConfirm={() => decide(asked)}
        >
          <Standing task={task} />
        </AskDialog>
      )}
    </>
  )
}

function Report({ task }: { readonly task: tasks.TaskDetail }) {
  const text = useText()
  const [report] = task.reports
  if (report === undefined) return null
  return (
    <section aria-label={text("tasks.reports")} className="mb-3 rounded-md bg-surface px-3 py-2">
      <p className="mb-1 flex items-center gap-2 text-xs text-faint">
        <Who actor={report.author} />
        <When at={report.createdAt} />
      </p>
      <Markdown source={report.content} className="text-sm [&_p]:whitespace-pre-line" />
    </section>
  )
}

function isFailed({ required, status }: criteria.CriterionRow): boolean {
  return required && status === "failed"
}
