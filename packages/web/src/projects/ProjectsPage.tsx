import { Link } from "@tanstack/react-router"
import { FolderPlus, Plus } from "lucide-react"
import { Button } from "../design/Button.tsx"
import { EmptyState } from "../design/EmptyState.tsx"
import { Page } from "../design/Page.tsx"
import { Problem } from "../design/Problem.tsx"
import { SkeletonRows } from "../design/Skeleton.tsx"
import { useFormat } from "../i18n/format.ts"
import { useText } from "../i18n/language.ts"
import { useShell } from "../shell/shell-context.ts"
import { useProjects } from "./use-projects.ts"

export function ProjectsPage() {
  const text = useText()
  const format = useFormat()
  const { openNewProject } = useShell()
  const { answer, status, error, reload } = useProjects()
  const create = (
    <Button tone="primary" icon={Plus} onClick={openNewProject}>
      {text("nav.newProject")}
    </Button>
  )
  return (
    <Page title={text("nav.projects")} actions={answer !== undefined && answer.projects.length > 0 && create}>
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {answer?.projects.length === 0 && (
        <EmptyState icon={FolderPlus} title={text("project.none")} action={create}>
          {text("project.noneLead")}
        </EmptyState>
      )}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {answer?.projects.map((project) => (
          <li key={project.uuid}>
            <Link
              to="/projects/$projectUuid/board"
              params={{ projectUuid: project.uuid }}
              className="flex h-full flex-col rounded-lg border border-line bg-surface p-4 shadow-(--shadow-card) transition-colors duration-100 hover:border-line-strong"
            >
              <span className="font-medium">{project.name}</span>
              {project.description !== null && <span className="mt-1 line-clamp-2 text-sm text-muted">{project.description}</span>}
              <span className="mt-auto flex flex-wrap gap-x-3 pt-3 text-xs text-faint">
                <span>{text("project.ideas", { count: project._count.ideas })}</span>
                <span>{text("project.openTasks", { count: project._count.openTasks })}</span>
                <span className="ml-auto">{text("project.updated", { when: format.ago(project.updatedAt) })}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
