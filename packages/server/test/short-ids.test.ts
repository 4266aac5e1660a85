import type { OutputOf, projects, tasks } from "@chorus/contracts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

onEachEngineUnderStress("short ids", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  it("are given once each, whoever makes tasks at the same time", async () => {
    const project = await w.call<projects.ProjectRow>(w.owner, "chorus_admin_create_project", { name: "Race" })
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        w.call<OutputOf<typeof tasks.createTasks>>(w.owner, "chorus_create_tasks", {
          projectUuid: project.uuid,
          tasks: [0, 1].map((half) => ({
            title: `Task ${at}.${half}`,
            acceptanceCriteriaItems: [{ description: "It runs" }],
          })),
        }),
      ),
    )
    const numbers = made.flatMap((answer) => answer.tasks.map(({ shortId }) => Number(shortId.slice("RACE-".length))))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1))
  })

  it("give projects of one name that are made at once different keys", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        w.call<projects.ProjectRow>(w.owner, "chorus_admin_create_project", { name: "Twin" }),
      ),
    )
    expect(new Set(made.map(({ key }) => key)).size).toBe(8)
  })
})
