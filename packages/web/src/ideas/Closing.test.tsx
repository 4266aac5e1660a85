import type { IdeaId, ProjectId, TaskId } from "@chorus/contracts"
import { expect, it } from "vitest"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { approvePlan, hire, judgeAll, makeTasks } from "../../test/workplace.ts"

const ID = "c".repeat(40)

const CHANGE = {
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

it("closes an idea that is done with what was built, where it is, how to run it, who did it and what it cost", async () => {
  const { projectUuid, ideaUuid, proposalUuid } = await submitPlan({
    tasks: [{ key: "lamp", title: "Hang the lamp", storyPoints: 1, criteria: [{ description: "It shines" }] }],
  })
  const taskUuid = (await approvePlan(proposalUuid)) as TaskId
  const ada = await hire()
  await ada.client.call("chorus_start_task", { taskUuid })
  await ada.client.call("chorus_send_change", { taskUuid, origin: "command", change: CHANGE })
  await ada.client.call("chorus_report_usage", { taskUuid, inputTokens: 1200, costUsd: 0.5 })
  const program = "codex" as const
  const run = await owner.call("chorus_start_run", { ideaUuid: ideaUuid as IdeaId, program, machine: "closing" })
  const { client: runner, name: runnerName } = await hire("Runner")
  const programs = [{ program, version: "1", missing: null }]
  const able = { machine: "closing", programs, folders: ["/shop"], slots: 1, busy: 0 }
  const { lease = "" } = (await runner.call("chorus_lease_run", able)).run ?? {}
  const usage = { inputTokens: 4500, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 1.25 }
  await runner.call("chorus_report_run", { runUuid: run.uuid, lease, state: "running", turns: 1 })
  await runner.call("chorus_report_run", { runUuid: run.uuid, lease, state: "finished", usage })
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
  const cost = (by: string) => part.getByRole("list", { name: by }).getByRole("listitem")
  await expect.element(cost("By agent").filter({ hasText: ada.name }).getByText("$0.50")).toBeVisible()
  // What runs used counts as well, and they are listed on the page of their idea.
  await expect.element(cost("By agent").filter({ hasText: runnerName })).toBeVisible()
  await expect.element(screen.getByText("5,700 tokens · $1.75")).toBeVisible()
  await expect.element(cost("By task").filter({ hasText: "Hang the lamp" }).getByText("1,200 tokens")).toBeVisible()
  await expect.element(cost("By task").filter({ hasText: "Planning and questions" }).getByText("$1.25")).toBeVisible()
  await screen.getByRole("region", { name: "Runs" }).getByRole("link").click()
  await expect.element(screen.getByText("Plan", { exact: true }).first()).toBeVisible()
})

it("says where everything is, also in a project where much has landed, and of what was merged at its forge", async () => {
  const keys = ["lamp", "shade", "bulb"]
  const { projectUuid, ideaUuid, proposalUuid } = await submitPlan({
    tasks: keys.map((key) => ({ key, title: `Hang the ${key}`, storyPoints: 1, criteria: [{ description: key }] })),
  })
  await approvePlan(proposalUuid)
  const { tasks } = await owner.call("chorus_list_tasks", { projectUuid, pageSize: 100 })
  const uuidOf = (key: string) => tasks.find(({ title }) => title.endsWith(key))?.uuid as TaskId
  const ada = await hire()
  const handIn = async (taskUuid: TaskId) => {
    await ada.client.call("chorus_start_task", { taskUuid })
    await ada.client.call("chorus_send_change", { taskUuid, origin: "command", change: CHANGE })
    await ada.client.call("chorus_submit_for_verify", { taskUuid, insist: true })
  }
  const land = async (taskUuid: TaskId, commit: string) => {
    const { leased } = await owner.call("chorus_land_change", { taskUuid, verify: true, here: "desk" })
    const held = { landingUuid: leased?.uuid ?? "", lease: leased?.lease ?? "" }
    await owner.call("chorus_report_landing", { ...held, state: "landed", branch: "main", onto: ID, commit })
  }
  const url = "https://forge.test/shop/7"
  const pullRequest = { url, state: "merged" as const, checks: null }
  for (const key of keys) {
    await handIn(uuidOf(key))
    await judgeAll(uuidOf(key), "passed")
  }
  await land(uuidOf("lamp"), "1".repeat(40))
  await owner.call("chorus_report_pull_requests", {
    machine: "desk",
    seen: [{ taskUuid: uuidOf("shade"), pullRequest }],
  })
  for (const key of ["shade", "bulb"]) await owner.call("chorus_admin_verify_task", { taskUuid: uuidOf(key) })
  const later = Array.from({ length: 100 }, (_, at) => ({
    title: `Later ${at}`,
    acceptanceCriteriaItems: [{ description: "It works", required: false }],
  }))
  const made = (await makeTasks(projectUuid, ...later)) as TaskId[]
  for (const uuid of made) {
    await handIn(uuid)
    await land(uuid, ID)
  }
  const seen = made.map((taskUuid) => ({ taskUuid, pullRequest: { ...pullRequest, url: `${url}${taskUuid}` } }))
  await owner.call("chorus_report_pull_requests", { machine: "desk", seen })
  const { screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`)
  const built = screen.getByRole("region", { name: "What came of it" }).getByRole("list", { name: /^What was built/ })
  const row = (key: string) => built.getByRole("listitem").filter({ hasText: `Hang the ${key}` })
  await expect.element(row("lamp").getByText(`${"1".repeat(12)} → main`)).toBeVisible()
  await expect.element(row("shade").getByText(`Pull request merged: ${url}`)).toBeVisible()
  await expect.element(row("bulb").getByText("not landed")).toBeVisible()
})
