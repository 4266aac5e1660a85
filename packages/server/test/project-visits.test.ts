import { afterEach, beforeEach, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Visits {
  visits: { projectUuid: string; lastVisitedAt: string; pinnedAt: string | null }[]
}

onEachEngineUnderStress("projects at hand", (engine) => {
  let w: Workspace
  beforeEach(async () => {
    w = await openWorkspace({ engine })
  })
  afterEach(() => w.close())

  const pin = (projectUuid: string, pinned: boolean) => w.call(w.owner, "chorus_pin_project", { projectUuid, pinned })
  const visit = (projectUuid: string) => w.call(w.owner, "chorus_visit_project", { projectUuid })
  const atHand = async (person: Actor) =>
    (await w.call<Visits>(person, "chorus_get_my_projects")).visits.map(({ projectUuid }) => projectUuid)

  it("come in the order of the last visit, what is pinned first, for each person their own", async () => {
    await pin(w.project, true)
    w.clock.advance(1000)
    await visit(w.otherProject)
    expect(await atHand(w.owner)).toEqual([w.project, w.otherProject])
    await pin(w.project, false)
    w.clock.advance(1000)
    await visit(w.otherProject)
    expect(await atHand(w.owner)).toEqual([w.otherProject, w.project])
    expect(await atHand(w.member)).toEqual([])
  })

  it("keep their pin when they are visited, and are no longer offered once archived", async () => {
    await pin(w.project, true)
    await expect(visit(w.project)).resolves.toMatchObject({ pinnedAt: expect.any(String) })
    await w.call(w.owner, "chorus_update_project", { projectUuid: w.project, status: "archived" })
    expect(await atHand(w.owner)).toEqual([])
  })

  it("are never another workspace's", async () => {
    await expect(pin(w.strangersProject, true)).rejects.toMatchObject({ code: "not_found" })
  })
})
