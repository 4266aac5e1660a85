import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { submittedPlan } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Review {
  uuid: string
  round: number
  findings: { uuid: string; key: string; state: string }[]
}

onEachEngineUnderStress("reviews", (engine) => {
  let workspace: Workspace
  let targetUuid: string
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
    targetUuid = (await submittedPlan(workspace, workspace.pm)).uuid
  })
  afterAll(() => workspace.close())

  const review = (actor: Workspace["owner"], verdict: string, extra: object = {}) =>
    workspace.call<Review>(actor, "chorus_submit_review", {
      targetType: "proposal",
      targetUuid,
      verdict,
      summary: "looked at it",
      ...extra,
    })
  const blocker = (text: string, extra: object = {}) => ({ severity: "blocker", text, ...extra })
  const all = () =>
    workspace.call<{ reviews: Review[]; openBlockers: number }>(workspace.viewer, "chorus_get_reviews", {
      targetType: "proposal",
      targetUuid,
    })

  it("count rounds per reviewer and keep each finding's key across them", async () => {
    const first = await review(workspace.developer, "fail", {
      findings: [blocker("no rollback"), blocker("no limit"), { severity: "note", text: "typo" }],
    })
    expect(first).toMatchObject({ round: 1, findings: [{ key: "B1" }, { key: "B2" }, { key: "N1" }] })
    expect(await all()).toMatchObject({ openBlockers: 2 })
    const second = await review(workspace.developer, "fail", {
      resolvedKeys: ["B1"],
      findings: [blocker("still no limit", { key: "B2" }), blocker("new one")],
    })
    expect(second).toMatchObject({ round: 2, findings: [{ key: "B3" }] })
    const { reviews } = await all()
    expect(reviews.map(({ round }) => round)).toEqual([2, 1])
    expect(reviews[1]?.findings).toMatchObject([
      { key: "B1", state: "resolved", stateBy: { name: "Dev" } },
      { key: "B2", state: "open", text: "still no limit" },
      { key: "N1" },
    ])
    expect(
      await review(workspace.rival, "pass_with_notes", { findings: [{ severity: "note", text: "fine by me" }] }),
    ).toMatchObject({ round: 1, findings: [{ key: "N2" }] })
  })

  it("refuse a verdict that its findings contradict, and keep nothing of it", async () => {
    const before = await all()
    await expect(review(workspace.developer, "pass")).rejects.toMatchObject({ code: "verdict_contradicts_findings" })
    await expect(review(workspace.rival, "pass", { findings: [blocker("but")] })).rejects.toMatchObject({
      code: "verdict_contradicts_findings",
    })
    await expect(review(workspace.rival, "pass", { resolvedKeys: ["B99"] })).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await all()).toEqual(before)
  })

  it("are not of one's own work", async () => {
    await expect(review(workspace.pm, "pass")).rejects.toMatchObject({ code: "self_review" })
    await expect(review(workspace.viewer, "pass")).rejects.toMatchObject({ code: "forbidden" })
    await expect(review(workspace.stranger, "pass")).rejects.toMatchObject({ code: "not_found" })
  })

  it("have findings that their reviewer or a person settles, never the author", async () => {
    const finding = (await all()).reviews.flatMap(({ findings }) => findings).find(({ key }) => key === "B3")
    const settle = (actor: Workspace["owner"], state: string) =>
      workspace.call(actor, "chorus_update_finding", { findingUuid: finding?.uuid, state, note: "because" })
    await expect(settle(workspace.pm, "resolved")).rejects.toMatchObject({ code: "forbidden" })
    await expect(settle(workspace.rival, "resolved")).rejects.toMatchObject({ code: "forbidden" })
    await expect(settle(workspace.stranger, "resolved")).rejects.toMatchObject({ code: "not_found" })
    expect(await settle(workspace.developer, "resolved")).toMatchObject({ state: "resolved", stateBy: { name: "Dev" } })
    expect(await settle(workspace.owner, "dismissed")).toMatchObject({
      state: "dismissed",
      stateNote: "because",
      stateBy: { name: "Olive" },
    })
    expect(await settle(workspace.developer, "open")).toMatchObject({ state: "open" })
  })
})
