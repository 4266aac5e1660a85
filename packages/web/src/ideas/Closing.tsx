import type { ideas, OutputOf, ProjectId, projectSettings, tasks } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { Nothing, Rows, Section } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { followLandings } from "../landings/landing.ts"
import { reloadWhen } from "../live/follow.ts"
import { useOperation } from "../live/use-operation.ts"
import { useUsage } from "../sections/Cost.tsx"
import { Decisions } from "./Decisions.tsx"

const followSettings = reloadWhen<projectSettings.ProjectSettings>(({ kind }) => kind === "project.settings_changed")

/**
 * What an idea that is done came to: what was built and where it is, how to run it, what was decided, who did what and
 * what it cost.
 */
export function Closing({ idea }: { readonly idea: ideas.IdeaDetail }) {
  const text = useText()
  const { uuid: ideaUuid, projectUuid } = idea
  const proposalUuids = idea.proposals.map(({ uuid }) => uuid)
  const done = useDone(projectUuid, proposalUuids)
  const asked = { projectUuid: projectUuid as ProjectId, pageSize: 100 }
  const { answer: landed } = useOperation("chorus_list_landings", asked, followLandings)
  return (
    <section aria-label={text("ideas.closing")} className="grid grid-cols-1 gap-6 rounded-lg border border-line p-4">
      <h2 className="font-medium">{text("ideas.closing")}</h2>
      <Section title={text("ideas.built")}>
        <Rows label={text("ideas.built")}>
          {done.map(({ uuid, shortId, title, assignee }) => {
            const landing = landed?.landings.find(({ taskUuid, state }) => taskUuid === uuid && state === "landed")
            return (
              <li key={uuid} className="hover:bg-hover">
                <Link
                  to="/projects/$projectUuid/tasks/$taskUuid"
                  params={{ projectUuid, taskUuid: uuid }}
                  className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm"
                >
                  <span className="text-faint tabular-nums">{shortId}</span>
                  <span className="min-w-0 flex-1 truncate">{title}</span>
                  <span className="font-mono text-xs text-muted">
                    {landing === undefined
                      ? text("ideas.notLanded")
                      : `${(landing.commit ?? "").slice(0, 12)} → ${landing.branch ?? ""}`}
                  </span>
                  <span className="text-xs text-muted">{assignee?.name}</span>
                </Link>
              </li>
            )
          })}
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
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{command}</code>
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Spent({ ideaUuid }: { readonly ideaUuid: string }) {
  const text = useText()
  const format = useFormat()
  const rows = useUsage({ by: "agent", ideaUuid }).answer?.rows ?? []
  return (
    <Section title={text("ideas.whoAndCost")}>
      {rows.length === 0 ? (
        <Nothing>{text("tasks.noCost")}</Nothing>
      ) : (
        <Rows label={text("ideas.whoAndCost")}>
          {rows.map(({ key, name, totalTokens, costUsd }) => (
            <li key={key ?? name} className="flex gap-3 px-3 py-2 text-sm tabular-nums">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="text-muted">{text("tasks.tokens", { count: format.number(totalTokens) })}</span>
              {costUsd !== null && <span className="text-muted">{format.money(costUsd)}</span>}
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function useDone(projectUuid: string, proposalUuids: readonly string[]): readonly tasks.TaskRow[] {
  const follow = useMemo(() => reloadWhen<OutputOf<typeof tasks.listTasks>>((event) => event.entityType === "task"), [])
  const asked = { projectUuid, proposalUuids: [...proposalUuids], status: "done" as const, pageSize: 100 }
  return useOperation("chorus_list_tasks", asked, follow).answer?.tasks ?? []
}
