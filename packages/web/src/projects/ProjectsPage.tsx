import { Link } from "@tanstack/react-router"
import { FolderPlus, Pin, PinOff, Plus } from "lucide-react"
import { Button, EmptyState, IconButton, Page, Problem, SkeletonRows } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { mayChange } from "../shell/rights.ts"
import { useShell } from "../shell/shell-context.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { usePin, useVisits } from "./at-hand.ts"
import { useProjects } from "./use-projects.ts"

export function ProjectsPage() {
  const text = useText()
  const format = useFormat()
  const { openNewProject } = useShell()
  const { answer, status, error, reload } = useProjects()
  const pinned = new Set(useVisits().flatMap(({ projectUuid, pinnedAt }) => (pinnedAt === null ? [] : projectUuid)))
  const pin = usePin()
  const create = mayChange(useSignedIn().person) && (
    <Button tone="primary" icon={Plus} onClick={openNewProject}>
      {text("nav.newProject")}
    </Button>
  )
  return (
    <Page title={text("nav.projects")} actions={answer !== undefined && answer.projects.length > 0 && create}>
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer?.projects.length === 0 && (
        <EmptyState icon={FolderPlus} title={text("project.none")} action={create || undefined}>
          {text("project.noneLead")}
        </EmptyState>
      )}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {answer?.projects.map((project) => (
          <li key={project.uuid} className="relative">
            <Link
              to="/projects/$projectUuid/board"
              params={{ projectUuid: project.uuid }}
              className="flex h-full flex-col rounded-lg border border-line bg-surface p-4 shadow-(--shadow-card) transition-colors duration-100 hover:border-line-strong"
            >
              <span className="pr-8 font-medium">{project.name}</span>
              {project.description !== null && (
                <span className="mt-1 line-clamp-2 text-sm text-muted">{project.description}</span>
              )}
              <span className="mt-auto flex flex-wrap gap-x-3 pt-3 text-xs text-faint">
                <span>{text("project.ideas", { count: project._count.ideas })}</span>
                <span>{text("project.openTasks", { count: project._count.openTasks })}</span>
                <span className="ml-auto">{text("project.updated", { when: format.ago(project.updatedAt) })}</span>
              </span>
            </Link>
            <IconButton
              icon={pinned.has(project.uuid) ? PinOff : Pin}
              label={text(pinned.has(project.uuid) ? "project.unpin" : "project.pin", { name: project.name })}
              aria-pressed={pinned.has(project.uuid)}
              size="sm"
              className="absolute top-3 right-3 aria-pressed:text-accent"
              onClick={() => pin(project.uuid, !pinned.has(project.uuid))}
            />
          </li>
        ))}
      </ul>
    </Page>
  )
}
