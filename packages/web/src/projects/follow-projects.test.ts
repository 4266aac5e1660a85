import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { followProjects } from "./follow-projects.ts"

type Answer = Parameters<typeof followProjects.apply>[0]
type Project = Answer["projects"][number]

const project = (uuid: string, changes: Partial<Project> = {}) =>
  ({
    uuid,
    name: uuid,
    description: null,
    status: "active",
    groupUuid: null,
    createdAt: "1",
    updatedAt: "1",
    _count: { ideas: 1, tasks: 2, openTasks: 1 },
    ...changes,
  }) as Project
const answer: Answer = { projects: [project("a"), project("b")], total: 2, returned: 2, page: 1, pageSize: 100 }

function after(changes: Parameters<typeof logEvent>[0]): Answer | undefined {
  return followProjects.apply(answer, logEvent({ entityType: "project", ...changes }))
}

describe("the list of projects and the log", () => {
  it("shows a new one first, with nothing in it yet, and counts it", () => {
    const next = after({ entityUuid: "c", action: "created", patch: { name: "New", status: "active" } })
    expect(next?.projects[0]).toMatchObject({ uuid: "c", name: "New", _count: { ideas: 0, tasks: 0, openTasks: 0 } })
    expect(next?.total).toBe(3)
  })

  it("renames in place and keeps the counts", () => {
    const next = after({ entityUuid: "b", patch: { name: "Renamed" } })
    expect(next?.projects.map(({ name }) => name)).toEqual(["a", "Renamed"])
    expect(next?.projects[1]?._count).toEqual({ ideas: 1, tasks: 2, openTasks: 1 })
  })

  it("lets an archived one go and counts it out", () => {
    const next = after({ entityUuid: "a", patch: { status: "archived" } })
    expect(next?.projects.map(({ uuid }) => uuid)).toEqual(["b"])
    expect(next?.total).toBe(1)
  })

  it("is the same object for what concerns other things", () => {
    expect(after({ entityType: "task", entityUuid: "a", patch: { status: "archived" } })).toBe(answer)
    expect(after({ entityUuid: "z", patch: { name: "Unknown" } })).toBe(answer)
  })
})
