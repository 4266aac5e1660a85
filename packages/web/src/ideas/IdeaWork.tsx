import type { ideas, OutputOf, proposals, tasks } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { Avatar, Badge, Nothing, Rows, Section, StatusIcon } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { followRows } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { PROPOSAL_LABEL, PROPOSAL_TONE } from "../proposals/proposal-status.ts"
import { TASK_LABEL, TASK_TONE } from "../tasks/task-status.ts"

/** What came of an idea: proposals, and the tasks of those that were approved. */
export function IdeaWork({ idea }: { readonly idea: ideas.IdeaDetail }) {
  const text = useText()
  return (
    <>
      <Section title={text("nav.proposals")} count={idea.proposals.length}>
        {idea.proposals.length === 0 ? (
          <Nothing>{text("ideas.noProposals")}</Nothing>
        ) : (
          <Rows label={text("nav.proposals")}>
            {idea.proposals.map(({ uuid, title, status }) => (
              <li key={uuid} className="hover:bg-hover">
                <Link
                  to="/projects/$projectUuid/proposals/$proposalUuid"
                  params={{ projectUuid: idea.projectUuid, proposalUuid: uuid }}
                  className="flex items-center gap-2 px-3 py-2 text-sm"
                >
                  <span className="min-w-0 flex-1 truncate">{title}</span>
                  <Badge tone={PROPOSAL_TONE[status as proposals.ProposalStatus]}>
                    {text(PROPOSAL_LABEL[status as proposals.ProposalStatus])}
                  </Badge>
                </Link>
              </li>
            ))}
          </Rows>
        )}
      </Section>
      {idea.proposals.some(({ status }) => status === "approved") && (
        <TasksOf projectUuid={idea.projectUuid} proposalUuids={idea.proposals.map(({ uuid }) => uuid)} />
      )}
    </>
  )
}

type TaskList = OutputOf<typeof tasks.listTasks>

interface TasksOfProps {
  readonly projectUuid: string
  readonly proposalUuids: readonly string[]
}

export function TasksOf({ projectUuid, proposalUuids }: TasksOfProps) {
  const text = useText()
  const asked = proposalUuids.join()
  const follow = useMemo(
    () =>
      followRows<TaskList>({
        entity: "task",
        rows: "tasks",
        belongs: (row) => row.proposalUuid !== null && asked.includes(row.proposalUuid),
      }),
    [asked],
  )
  const rows =
    useOperation("chorus_list_tasks", { projectUuid, proposalUuids: [...proposalUuids], pageSize: 100 }, follow).answer
      ?.tasks ?? []
  const done = rows.filter(({ status }) => status === "done" || status === "closed").length
  if (rows.length === 0) return null
  const list = rows.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.uuid.localeCompare(b.uuid))
  return (
    <Section
      title={text("ideas.tasks")}
      count={rows.length}
      actions={
        <span className="text-xs text-faint tabular-nums">{text("ideas.progress", { done, total: rows.length })}</span>
      }
    >
      <div aria-hidden className="mb-2 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className="h-full bg-done transition-[width] duration-200"
          style={{ width: `${(done / rows.length) * 100}%` }}
        />
      </div>
      <Rows label={text("ideas.tasks")}>
        {list.map((task) => (
          <li key={task.uuid} className="hover:bg-hover">
            <Link
              to="/projects/$projectUuid/tasks/$taskUuid"
              params={{ projectUuid, taskUuid: task.uuid }}
              className="flex items-center gap-2 px-3 py-2 text-sm"
            >
              <StatusIcon tone={TASK_TONE[task.status]} />
              <span className="min-w-0 flex-1 truncate">{task.title}</span>
              <span className="text-xs text-faint">{text(TASK_LABEL[task.status])}</span>
              {task.assignee !== null && <Avatar actor={task.assignee} size="sm" />}
            </Link>
          </li>
        ))}
      </Rows>
    </Section>
  )
}
