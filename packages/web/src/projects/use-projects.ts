import { useOperation } from "../live/use-operation.ts"
import { followProjects } from "./follow-projects.ts"

export function useProjects() {
  return useOperation("chorus_list_projects", { pageSize: 100 }, followProjects)
}
