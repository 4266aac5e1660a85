import type { ProjectId, TaskId } from "@chorus/contracts"
import { expect, it } from "vitest"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { approvePlan, hire, judgeAll } from "../../test/workplace.ts"

const ID = "c".repeat(40)

it("closes an idea that is done with what was built, where it is, how to run it, who did it and what it cost", async () => {
  const { projectUuid, ideaUuid, proposalUuid } = await submitPlan({
    tasks: [{ key: "lamp", title: "Hang the lamp", storyPoints: 1, criteria: [{ description: "It shines" }] }],
  })
  const taskUuid = (await approvePlan(proposalUuid)) as TaskId
  const ada = await hire()
  await ada.client.call("chorus_start_task", { taskUuid })
  const change = {
    repository: { roots: [], remotes: [] },
    branch: "work",
    baseRef: "main",
    baseCommit: ID,
    headCommit: ID,
    tree: ID,
    uncommitted: 0,
    files: [],
    warnings: [],
  }
  await ada.client.call("chorus_send_change", { taskUuid, origin: "command", change })
  await ada.client.call("chorus_report_usage", { taskUuid, inputTokens: 1200, costUsd: 0.5 })
  await ada.client.call("chorus_submit_for_verify", { taskUuid })
  await judgeAll(taskUuid, "passed")
  const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
  const { leased } = await owner.call("chorus_land_change", { taskUuid, verify: true, here: "desk" })
  const part = screen.getByRole("region", { name: "What came of it" })
  await expect.element(part.getByText("not landed")).toBeVisible()
  await expect.element(part.getByText(/names no command that starts or checks it/)).toBeVisible()
  await owner.call("chorus_update_project_settings", { projectUuid: projectUuid as ProjectId, preview: "npm run lamp" })
  await expect.element(part.getByText("npm run lamp")).toBeVisible()
  const held = { landingUuid: leased?.uuid ?? "", lease: leased?.lease ?? "" }
  await owner.call("chorus_report_landing", { ...held, state: "landed", branch: "main", onto: ID, commit: ID })
  await expect.element(part.getByText(`${"c".repeat(12)} → main`)).toBeVisible()
  await expect.element(part.getByText("$0.50")).toBeVisible()
  await expect.element(part.getByText(ada.name).first()).toBeVisible()
})
