import type { tasks } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { MessageCircleQuestion, OctagonPause } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { useNeedsYou } from "../attention/use-needs-you.ts"
import { PriorityIcon } from "../board/PriorityIcon.tsx"
import { LazyChanges, loadChanges } from "../changes/LazyChanges.tsx"
import { ProjectChecks } from "../checks/Check.tsx"
import { PreviewSection } from "../checks/PreviewSection.tsx"
import { useChecks } from "../checks/use-checks.ts"
import { Comments } from "../comments/Comments.tsx"
import { Badge, Button, Fact, Facts, Nothing, Section, SessionBadge, StatusIcon, Tabs, Who } from "../design/index.ts"
import { TextHistory } from "../documents/Versions.tsx"
import { useFormat, useText } from "../i18n/language.ts"
import { TaskItemFacts } from "../items/ItemFacts.tsx"
import { LandingPart } from "../landings/LandingPart.tsx"
import { useOperation } from "../live/use-operation.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { WorkCost } from "../runs/WorkCost.tsx"
import { WorkRuns } from "../runs/WorkRuns.tsx"
import { History } from "../sections/History.tsx"
import { References } from "../sections/References.tsx"
import { Criteria } from "./Criteria.tsx"
import { followHistory, followTask } from "./follow-task.ts"
import { Reviews } from "./Reviews.tsx"
import { HandIns, Returned } from "./Returned.tsx"
import { Lost, Reservations, Stays } from "./Stays.tsx"
import { TaskLinks } from "./TaskLinks.tsx"
import { TASK_LABEL, TASK_TONE } from "./task-status.ts"
import { useReviews } from "./use-reviews.ts"

export function useTask(taskUuid: string) {
  const follow = useMemo(() => followTask(taskUuid), [taskUuid])
  return useOperation("chorus_get_task", { taskUuid }, follow)
}

type Part = "changes" | "comments" | "sessions" | "reviews" | "versions" | "activity"

/** Everything about one task; `aside` puts the facts beside the text where there is room. */
export function TaskView({ task, aside = false }: { readonly task: tasks.TaskDetail; readonly aside?: boolean }) {
  const text = useText()
  const follow = useMemo(() => followHistory(task.uuid), [task.uuid])
  const history = useOperation("chorus_get_task_history", { taskUuid: task.uuid }, follow).answer
  const reviews = useReviews({ targetType: "task", targetUuid: task.uuid }).answer
  const checks = useChecks(task.uuid)
  // Whoever opens a task opens its changes next.
  useEffect(() => void loadChanges(), [])
  const [part, setPart] = useState<Part>("comments")
  const reports = new Set((history?.reports ?? task.reports).map(({ commentUuid }) => commentUuid))
  const { acceptanceSummary: sum } = task
  return (
    <div className={aside ? "grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_280px]" : "grid grid-cols-1 gap-6"}>
      <div className={aside ? "lg:order-2" : ""}>
        <TaskFacts task={task} working={history?.checkins.filter(({ checkoutAt }) => checkoutAt === null) ?? []} />
      </div>
      <div className="grid min-w-0 grid-cols-1 content-start gap-6">
        <Asked taskUuid={task.uuid} onLook={() => setPart("comments")} />
        {task.returned !== null && <Returned returned={task.returned} />}
        {history !== undefined && <Lost history={history} />}
        <LandingPart task={task} />
        {task.blockers.length > 0 && (
          <p className="flex items-center gap-2 rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
            <OctagonPause aria-hidden className="size-4 shrink-0" />
            {text("tasks.blockedBy", { names: task.blockers.map(({ title }) => title).join(", ") })}
          </p>
        )}
        <Section title={text("tasks.description")}>
          {task.description === null || task.description === "" ? (
            <Nothing>{text("tasks.noDescription")}</Nothing>
          ) : (
            <Markdown source={task.description} />
          )}
        </Section>
        {task.acceptanceCriteriaItems.length > 0 ? (
          <Section
            title={text("tasks.criteria")}
            actions={
              <span className="text-xs text-faint tabular-nums">
                {text("board.criteria", { passed: sum.passed, total: sum.total })}
              </span>
            }
          >
            <Criteria task={task} verdicts={history?.verdicts ?? []} />
          </Section>
        ) : (
          task.acceptanceCriteria !== null && (
            <Section title={text("tasks.criteria")}>
              <Markdown source={task.acceptanceCriteria} />
            </Section>
          )
        )}
        <ProjectChecks taskUuid={task.uuid} answer={checks} />
        <PreviewSection taskUuid={task.uuid} answer={checks} />
        <TaskLinks task={task} />
        <WorkRuns taskUuid={task.uuid} />
        <References targetType="task" targetUuid={task.uuid} references={task.references} />
        {history !== undefined && history.reservations.length > 0 && (
          <Section title={text("tasks.reservations")} count={history.reservations.length}>
            <Reservations history={history} />
          </Section>
        )}
        <Tabs<Part>
          label={text("tasks.parts")}
          value={part}
          onChange={setPart}
          tabs={[
            {
              value: "comments",
              label: text("comments.title"),
              count: task.commentCount,
              content: (
                <>
                  {task.handIns.length > 0 && <HandIns handIns={task.handIns} above={task.returned?.handIn} />}
                  <Comments targetType="task" targetUuid={task.uuid} reports={reports} />
                </>
              ),
            },
            {
              value: "changes",
              label: text("changes.title"),
              content: <LazyChanges taskUuid={task.uuid} />,
            },
            {
              value: "sessions",
              label: text("tasks.sessions"),
              count: history?.checkins.length,
              content: history === undefined ? null : <Stays history={history} />,
            },
            {
              value: "reviews",
              label: text("tasks.reviews"),
              count: reviews?.reviews.length,
              content: <Reviews targetType="task" targetUuid={task.uuid} open={task.status === "to_verify"} />,
            },
            {
              value: "versions",
              label: text("documents.versions"),
              count: task.version,
              content: <TextHistory of={{ targetType: "task", targetUuid: task.uuid }} version={task.version} />,
            },
            {
              value: "activity",
              label: text("nav.activity"),
              content: <History projectUuid={task.projectUuid} entityUuid={task.uuid} />,
            },
          ]}
        />
      </div>
    </div>
  )
}

/** At the head of a task on which an agent waits for an answer: the way to what it asks. */
function Asked({ taskUuid, onLook }: { readonly taskUuid: string; onLook(): void }) {
  const text = useText()
  const { items } = useNeedsYou()
  const asked = items.find(({ kind, attention }) => kind === "attention" && attention?.taskUuid === taskUuid)
  if (asked === undefined) return null
  const look = () => {
    onLook()
    requestAnimationFrame(() => document.getElementById(`asked-${asked.uuid}`)?.scrollIntoView({ block: "center" }))
  }
  return (
    <p className="flex flex-wrap items-center gap-2 rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
      <MessageCircleQuestion aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 font-medium">{text("board.asks")}</span>
      <Button size="sm" onClick={look}>
        {text("tasks.toQuestion")}
      </Button>
    </p>
  )
}

interface TaskFactsProps {
  readonly task: tasks.TaskDetail
  readonly working: readonly {
    readonly uuid: string
    readonly sessionUuid: string
    readonly sessionName: string
    readonly agent: { readonly uuid: string; readonly name: string }
  }[]
}

function TaskFacts({ task, working }: TaskFactsProps) {
  const text = useText()
  const format = useFormat()
  return (
    <Facts>
      <Fact name={text("tasks.statusName")}>
        <Badge tone={TASK_TONE[task.status]}>
          <StatusIcon tone={TASK_TONE[task.status]} className="size-3" />
          {text(TASK_LABEL[task.status])}
        </Badge>
      </Fact>
      <Fact name={text("board.assignee")}>
        <Who actor={task.assignee} />
      </Fact>
      {working.length > 0 && (
        <Fact name={text("tasks.atWork")}>
          {working.map((stay) => (
            <SessionBadge
              key={stay.uuid}
              session={{ uuid: stay.sessionUuid, name: stay.sessionName }}
              agent={stay.agent}
            />
          ))}
        </Fact>
      )}
      <Fact name={text("board.priority")}>
        <PriorityIcon priority={task.priority} />
        {text(`board.priority.${task.priority}`)}
      </Fact>
      {task.storyPoints !== null && (
        <Fact name={text("tasks.points")}>{text("board.pointsLong", { count: task.storyPoints })}</Fact>
      )}
      <TaskItemFacts task={task} />
      <Fact name={text("tasks.cost")}>
        <WorkCost of={{ taskUuid: task.uuid }} />
      </Fact>
      {task.proposalUuid !== null && (
        <Fact name={text("board.proposal")}>
          <Link
            to="/projects/$projectUuid/proposals/$proposalUuid"
            params={{ projectUuid: task.projectUuid, proposalUuid: task.proposalUuid }}
            className="text-accent hover:underline"
          >
            {text("tasks.openProposal")}
          </Link>
        </Fact>
      )}
      <Fact name={text("tasks.created")}>
        <span title={format.dateTime(task.createdAt)}>{format.date(task.createdAt)}</span>
        {task.createdBy !== null && <span className="text-faint">{task.createdBy.name}</span>}
      </Fact>
      {task.calledThere !== undefined && (
        <Fact name={text("tasks.calledThere")}>
          {task.calledThere.map(({ origin, key }) => (
            <span key={`${origin} ${key}`}>
              {key} <span className="text-faint">{origin}</span>
            </span>
          ))}
        </Fact>
      )}
      {task.startedAt !== null && task.doneAt !== null && (
        <Fact name={text("tasks.took")}>{format.duration(Date.parse(task.doneAt) - Date.parse(task.startedAt))}</Fact>
      )}
    </Facts>
  )
}
