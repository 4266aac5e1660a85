import type { ideas, OutputOf, ProjectId, projectSettings, tasks, usage } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { Nothing, Rows, Section } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useNewestLanding } from "../landings/landing.ts"
import { usePullRequest } from "../landings/PullRequest.tsx"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { useUsage } from "../sections/Cost.tsx"
import { Decisions } from "./Decisions.tsx"

const followSettings = reloadWhen<projectSettings.ProjectSettings>(({ kind }) => kind === "project.settings_changed")

const AT_ONCE = 100

/**
 * What an idea that is done came to: what was built and where it is, how to run it, what was decided, who did what and
 * what it cost.
 */
export function Closing({ idea }: { readonly idea: ideas.IdeaDetail }) {
  const text = useText()
  const { uuid: ideaUuid, projectUuid } = idea
  const proposalUuids = idea.proposals.map(({ uuid }) => uuid)
  const pages = Math.ceil((useDone(projectUuid, proposalUuids, 1)?.total ?? 0) / AT_ONCE)
  return (
    <section aria-label={text("ideas.closing")} className="grid grid-cols-1 gap-6 rounded-lg border border-line p-4">
      <h2 className="font-medium">{text("ideas.closing")}</h2>
      <Section title={text("ideas.built")}>
        <Rows label={text("ideas.built")}>
          {Array.from({ length: pages }, (_, at) => (
            <BuiltPage key={at} projectUuid={projectUuid} proposalUuids={proposalUuids} page={at + 1} />
          ))}
        </Rows>
      </Section>
      <HowToRun projectUuid={projectUuid as ProjectId} />
      <Spent ideaUuid={ideaUuid} />
      <Section title={text("ideas.decisions")}>
        <Decisions entityType="idea" entityUuid={ideaUuid} />
      </Section>
    </section>
  )
}

function BuiltPage({
  projectUuid,
  proposalUuids,
  page,
}: {
  readonly projectUuid: string
  readonly proposalUuids: readonly string[]
  readonly page: number
}) {
  const done = useDone(projectUuid, proposalUuids, page)
  return done?.tasks.map((task) => <Built key={task.uuid} task={task} />)
}

function Built({ task: { projectUuid, uuid, shortId, title, assignee } }: { readonly task: tasks.TaskRow }) {
  return (
    <li className="hover:bg-hover">
      <Link
        to="/projects/$projectUuid/tasks/$taskUuid"
        params={{ projectUuid, taskUuid: uuid }}
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm"
      >
        <span className="text-faint tabular-nums">{shortId}</span>
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <span className="font-mono text-xs wrap-anywhere text-muted">{useWhereItIs(projectUuid, uuid)}</span>
        <span className="text-xs text-muted">{assignee?.name}</span>
      </Link>
    </li>
  )
}

/** What landed here has a commit; what was merged at a forge has its address. */
function useWhereItIs(projectUuid: string, taskUuid: string): string {
  const text = useText()
  const landing = useNewestLanding(projectUuid, taskUuid)
  const pull = usePullRequest(projectUuid, taskUuid)
  if (landing?.state === "landed") return `${(landing.commit ?? "").slice(0, 12)} → ${landing.branch ?? ""}`
  return pull?.state === "merged" ? `${text("landings.pull.merged")}: ${pull.url}` : text("ideas.notLanded")
}

/** What people said of the project's commands: the one that starts it, then those that prove it. */
function HowToRun({ projectUuid }: { readonly projectUuid: ProjectId }) {
  const text = useText()
  const { answer } = useOperation("chorus_get_project_settings", { projectUuid }, followSettings)
  if (answer === undefined) return null
  const start = answer.preview === null ? [] : [{ name: text("ideas.startsIt"), command: answer.preview }]
  const commands = [...start, ...answer.checks]
  return (
    <Section title={text("ideas.howToRun")}>
      {commands.length === 0 ? (
        <Nothing>{text("ideas.noCommand")}</Nothing>
      ) : (
        <Rows label={text("ideas.howToRun")}>
          {commands.map(({ name, command }) => (
            <li key={name} className="flex flex-wrap gap-3 px-3 py-2 text-sm">
              <span className="text-muted">{name}</span>
              <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{command}</code>
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

/** By task, who did it and with which model: of work that one agent did for all, the agent alone says little. */
function Spent({ ideaUuid }: { readonly ideaUuid: string }) {
  const text = useText()
  const { answer } = useUsage({ ideaUuid })
  return (
    <Section title={text("ideas.whoAndCost")}>
      {answer === undefined || answer.rows.length === 0 ? (
        <Nothing>{text("tasks.noCost")}</Nothing>
      ) : (
        <div className="grid grid-cols-1 gap-3">
          <Shares of={answer.rows} title={text("ideas.cost.task")} others={text("ideas.cost.planning")} />
          <SharesBy by="agent" ideaUuid={ideaUuid} />
          <SharesBy by="model" ideaUuid={ideaUuid} />
        </div>
      )}
    </Section>
  )
}

function SharesBy({ by, ideaUuid }: { readonly by: "agent" | "model"; readonly ideaUuid: string }) {
  const text = useText()
  const rows = useUsage({ by, ideaUuid }).answer?.rows ?? []
  if (rows.every(({ key }) => key === null)) return null
  return <Shares of={rows} title={text(`ideas.cost.${by}`)} others={text("insights.unattributed")} />
}

interface SharesProps {
  readonly of: OutputOf<typeof usage.getUsage>["rows"]
  readonly title: string
  /** What stands for that which has no name. */
  readonly others: string
}

function Shares({ of, title, others }: SharesProps) {
  const text = useText()
  const format = useFormat()
  return (
    <div>
      <h3 className="mb-1 text-xs text-faint">{title}</h3>
      <Rows label={title}>
        {of.map(({ key, name, totalTokens, costUsd }) => (
          <li key={key ?? ""} className="flex gap-3 px-3 py-2 text-sm tabular-nums">
            <span className="min-w-0 flex-1 truncate">{key === null ? others : name}</span>
            <span className="text-muted">{text("tasks.tokens", { count: format.number(totalTokens) })}</span>
            {costUsd !== null && <span className="text-muted">{format.money(costUsd)}</span>}
          </li>
        ))}
      </Rows>
    </div>
  )
}

function useDone(projectUuid: string, proposalUuids: readonly string[], page: number) {
  const follow = useMemo(() => reloadWhen<OutputOf<typeof tasks.listTasks>>((event) => event.entityType === "task"), [])
  const asked = { projectUuid, proposalUuids: [...proposalUuids], status: "done" as const, pageSize: AT_ONCE, page }
  return useOperation("chorus_list_tasks", asked, follow).answer
}
