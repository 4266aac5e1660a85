import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { followProjects } from "./follow-projects.ts"

export function ProjectsPage() {
  const text = useText()
  const { answer } = useOperation("chorus_list_projects", { pageSize: 100 }, followProjects)
  return (
    <main className="mx-auto w-full max-w-4xl p-6">
      <h1 className="mb-4 text-xl font-semibold">{text("nav.projects")}</h1>
      <ul className="grid gap-2">
        {answer?.projects.map((project) => (
          <li key={project.uuid} className="rounded-lg border border-line bg-surface px-4 py-3">
            {project.name}
          </li>
        ))}
      </ul>
    </main>
  )
}
