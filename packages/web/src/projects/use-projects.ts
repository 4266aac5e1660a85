import type { OutputOf, projects } from "@chorus/contracts"
import { useOperation } from "../live/use-operation.ts"
import { followProjects } from "./follow-projects.ts"

type Project = OutputOf<typeof projects.listProjects>["projects"][number]

export function useProjects() {
  return useOperation("chorus_list_projects", { pageSize: 100 }, followProjects)
}

export function useProject(projectUuid: string): Project | undefined {
  return useProjects().answer?.projects.find(({ uuid }) => uuid === projectUuid)
}
