import type { tasks } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { Rows, Section, SessionBadge, StatusIcon, Who } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { TASK_LABEL, TASK_TONE } from "./task-status.ts"

/** What a task waits for and what waits for it. */
export function TaskLinks({ task }: { readonly task: tasks.TaskDetail }) {
  const text = useText()
  const working = new Map(
    task.blockers.flatMap(({ uuid, activeSession }) =>
      activeSession === null ? [] : [[uuid, activeSession] as const],
    ),
  )
  return (
    <>
      {task.dependsOn.length > 0 && (
        <Section title={text("tasks.dependsOn")} count={task.dependsOn.length}>
          <Links
            projectUuid={task.projectUuid}
            label={text("tasks.dependsOn")}
            links={task.dependsOn}
            working={working}
          />
        </Section>
      )}
      {task.dependedBy.length > 0 && (
        <Section title={text("tasks.dependedBy")} count={task.dependedBy.length}>
          <Links
            projectUuid={task.projectUuid}
            label={text("tasks.dependedBy")}
            links={task.dependedBy}
            working={working}
          />
        </Section>
      )}
    </>
  )
}

interface LinksProps {
  readonly projectUuid: string
  readonly label: string
  readonly links: readonly tasks.TaskLink[]
  readonly working: ReadonlyMap<string, { readonly uuid: string; readonly name: string }>
}

function Links({ projectUuid, label, links, working }: LinksProps) {
  const text = useText()
  return (
    <Rows label={label}>
      {links.map(({ uuid, title, status, assignee, contract }) => {
        const session = working.get(uuid)
        return (
          <li key={uuid} className="px-3 py-2 text-sm">
            <div className="flex items-center gap-2">
              <StatusIcon tone={TASK_TONE[status]} />
              <Link
                to="/projects/$projectUuid/tasks/$taskUuid"
                params={{ projectUuid, taskUuid: uuid }}
                className="min-w-0 flex-1 truncate hover:underline"
                title={text(TASK_LABEL[status])}
              >
                {title}
              </Link>
              {session !== undefined && <SessionBadge session={session} agent={assignee ?? undefined} />}
              {assignee !== null && <Who actor={assignee} />}
            </div>
            {contract !== null && <p className="mt-1 pl-5.5 text-xs text-muted">{contract}</p>}
          </li>
        )
      })}
    </Rows>
  )
}
