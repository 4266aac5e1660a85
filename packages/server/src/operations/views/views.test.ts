import type { views } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const given = () => ({ projectUuid: w.project, name: "Due soon", layout: "list", query: "label=bug&sort=due" })
const save = (by: Actor, more: object = {}) => w.call<views.ViewRow>(by, "chorus_save_view", { ...given(), ...more })
const seen = async (by: Actor) =>
  (await w.call<{ views: views.ViewRow[] }>(by, "chorus_list_views", { projectUuid: w.project })).views.map(
    ({ name }) => name,
  )

describe("a saved view", () => {
  it("is one's own: nobody else sees it, and the log is silent about it", async () => {
    const events = await w.told(async () => void (await save(w.owner, { name: "Mine" })))
    expect(events).toEqual([])
    expect(await seen(w.owner)).toContain("Mine")
    expect(await seen(w.member)).not.toContain("Mine")
  })

  it("can be shared, changed and kept for oneself again, and readers hear of it", async () => {
    const { uuid: viewUuid } = await save(w.owner, { name: "Ours", shared: true })
    expect(await seen(w.member)).toContain("Ours")
    const kinds = await w.kinds(async () => {
      await w.call(w.owner, "chorus_update_view", { viewUuid, name: "All of ours" })
      await w.call(w.owner, "chorus_update_view", { viewUuid, shared: false })
    })
    expect(kinds).toEqual(["view.shared", "view.removed"])
    expect(await seen(w.member)).not.toContain("All of ours")
  })

  it("is changed by whoever saved it alone; who runs the project may clear a shared one away", async () => {
    const own = await save(w.member, { name: "Mia's" })
    await expect(w.call(w.owner, "chorus_delete_view", { viewUuid: own.uuid })).rejects.toMatchObject({
      code: "not_found",
    })
    const shared = await save(w.member, { name: "Mia's for all", shared: true })
    await expect(w.call(w.owner, "chorus_update_view", { viewUuid: shared.uuid, name: "Taken" })).rejects.toMatchObject(
      { code: "forbidden" },
    )
    await expect(w.call(w.viewer, "chorus_delete_view", { viewUuid: shared.uuid })).rejects.toMatchObject({
      code: "forbidden",
    })
    await w.call(w.owner, "chorus_delete_view", { viewUuid: shared.uuid })
    expect(await seen(w.member)).not.toContain("Mia's for all")
  })
})
