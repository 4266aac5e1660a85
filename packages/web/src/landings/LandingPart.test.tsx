import type { changes, CriterionId, ProjectId, TaskId } from "@chorus/contracts"
import { describe, expect, it, vi } from "vitest"
import { page } from "vitest/browser"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { approvePlan, hire, judgeAll, makeProject, makeTasks } from "../../test/workplace.ts"

const ID = "a".repeat(40)
const PATCH = "diff --git a/door.ts b/door.ts\n--- a/door.ts\n+++ b/door.ts\n@@ -1 +1 @@\n-shut\n+open\n"

const CHANGE: changes.CapturedChange = {
  repository: { roots: [], remotes: [] },
  branch: "chorus/work",
  baseRef: null,
  baseCommit: ID,
  headCommit: ID,
  tree: ID,
  uncommitted: 0,
  files: [],
  warnings: [],
}

/** A file of it whose patch was not sent. */
const FILE = {
  path: "hedge.ts",
  oldPath: null,
  status: "modified",
  oldMode: "100644",
  newMode: "100644",
  additions: 1,
  deletions: 1,
  binary: false,
  size: 5,
  patchSha: null,
  beforeSha: null,
  afterSha: null,
  rows: 2,
  folded: false,
  omitted: "not_kept",
} as const

/** Work that a run on a machine did and handed in, and the machine. */
async function handedIn(title = "Paint the door", change = CHANGE) {
  const projectUuid = await makeProject()
  const [taskUuid = ""] = await makeTasks(projectUuid, { title })
  return carriedOut(projectUuid, taskUuid as TaskId, change)
}

async function carriedOut(projectUuid: string, taskUuid: TaskId, change = CHANGE) {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  await owner.call("chorus_start_run", { taskUuid, program: "codex", machine })
  const programs = [{ program: "codex" as const, version: "1", missing: null }]
  const lease = () => client.call("chorus_lease_run", { machine, programs, folders: ["/shop"], slots: 2, busy: 0 })
  const { run } = await lease()
  const held = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
  await client.call("chorus_report_run", { ...held, state: "running", branch: "chorus/work" })
  await client.call("chorus_send_change", { taskUuid, origin: "run", run: held, change })
  await client.call("chorus_report_run", { ...held, state: "finished", lastWords: "DONE" })
  const report = async (more: object, acts?: ("land" | "propose")[]) => {
    // A click is on its way to the server for a moment before there is anything to lease.
    const landing = await vi.waitUntil(
      async () => (await client.call("chorus_lease_landing", { machine, acts })).landing ?? undefined,
      { timeout: 15_000 },
    )
    const of = { landingUuid: landing.uuid, lease: landing.lease }
    await client.call("chorus_report_landing", { ...of, ...more })
  }
  return { taskUuid, projectUuid, report, client, machine, lease }
}

/** Whole within the window, and what a finger meets there. */
function isInReach(button: Element): boolean {
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const met = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && button.contains(met)
}

describe("landing a plan's work", () => {
  it("is one click for all that is verified, as it is to be done; what is not stays behind", async () => {
    const { projectUuid, proposalUuid } = await submitPlan({
      tasks: ["lamp", "bulb"].map((key) => ({
        key,
        title: `Hang the ${key}`,
        storyPoints: 1,
        criteria: [{ description: key }],
      })),
    })
    const taskUuid = (await approvePlan(proposalUuid)) as TaskId
    const { report } = await carriedOut(projectUuid, taskUuid)
    await judgeAll(taskUuid, "passed")
    const { screen } = await openPage(`/projects/${projectUuid}/proposals/${proposalUuid}`)
    const mergeAll = screen.getByRole("main").getByRole("button", { name: "Merge all" })
    await owner.call("chorus_admin_verify_task", { taskUuid })
    await mergeAll.click()
    const dialog = page.getByRole("dialog", { name: "Merge all" })
    await dialog.getByRole("combobox").selectOptions("rebase")
    await dialog.getByRole("textbox").fill("release")
    await dialog.getByRole("button", { name: "Merge", exact: true }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    const asked = await owner.call("chorus_list_landings", { projectUuid: projectUuid as ProjectId })
    expect(asked.landings).toMatchObject([{ taskUuid, how: "rebase", branch: "release", state: "queued" }])
    await expect.element(mergeAll).not.toBeInTheDocument()
    await report({ state: "landed", branch: "release", onto: ID, commit: "b".repeat(40) })
    await expect.element(mergeAll).not.toBeInTheDocument()
  })
})

describe("landing a task's work", () => {
  it("is asked for with the verdict, told as it goes, and taken out again by a new task", async () => {
    const { report, projectUuid, taskUuid, client } = await handedIn()
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await client.call("chorus_push_change", { taskUuid, patch: PATCH })
    const blocker = { file: "door.ts", line: 1, severity: "blocker" as const, text: "It sticks." }
    await owner.call("chorus_comment_on_change", { taskUuid, comments: [blocker] })
    const part = screen.getByRole("region", { name: "Landing" })
    await part.getByRole("button", { name: "Would it merge?" }).click()
    await report({ state: "clean", branch: "main", onto: ID, reason: "`a.ts` is not committed." })
    await expect.element(part.getByText("Would merge")).toBeVisible()
    await expect.element(part.getByText("This is still in the way: a.ts is not committed.")).toBeVisible()
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    const unresolved = page.getByRole("dialog").getByRole("region", { name: "1 blocker is not resolved." })
    await expect.element(unresolved.getByText("It sticks.")).toBeVisible()
    await page.getByRole("button", { name: "Verify and merge" }).click()
    await expect.element(page.getByText(/^Verified, and being merged/)).toBeVisible()
    await expect.element(part.getByText("Waits to land")).toBeVisible()
    await report({ state: "refused", reason: "main has changes that are not committed: a.ts." })
    await expect.element(part.getByText("main has changes that are not committed: a.ts.")).toBeVisible()
    await part.getByRole("button", { name: "Merge", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabelText("How").selectOptions("by a merge commit")
    await dialog.getByLabelText("Into").fill("main")
    await dialog.getByRole("button", { name: "Merge", exact: true }).click()
    await report({ state: "landed", branch: "main", onto: ID, commit: "b".repeat(40) })
    await expect.element(part.getByText(`${"b".repeat(12)} → main`)).toBeVisible()
    const pullRequest = { url: "https://forge.test/shop/1", state: "open" as const, checks: "failed" as const }
    const seen = [{ taskUuid, pullRequest, ahead: 2, behind: 1 }]
    await owner.call("chorus_report_pull_requests", { machine: "desk", seen })
    await expect.element(part.getByText("CI failed")).toBeVisible()
    await expect.element(part.getByText("branch 2 ahead, 1 behind")).toBeVisible()
    await expect.element(part.getByRole("link", { name: pullRequest.url })).toBeVisible()
    await part.getByRole("button", { name: "Revert" }).click()
    await expect.element(page.getByRole("heading", { name: /Revert .* Paint the door/ })).toBeVisible()
    const { screen: board } = await openPage(`/projects/${projectUuid}/board`)
    await expect.element(board.getByRole("link", { name: /Paint the door/ }).getByText("Landed")).toBeInTheDocument()
    const mark = board.getByRole("link", { name: /Paint the door/ }).getByText("Pull request open, CI failed")
    await expect.element(mark.first()).toBeInTheDocument()
  })

  it("may go by a pull request: it is opened with one click, and what speaks against that is said", async () => {
    const remotes = ["git@forge.test:shop.git"]
    const repository = { ...CHANGE.repository, remotes }
    const { report, projectUuid, taskUuid } = await handedIn("Oil the gate", { ...CHANGE, repository })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    const part = screen.getByRole("region", { name: "Landing" })
    await part.getByRole("button", { name: "Open a pull request" }).click()
    await expect.element(part.getByText(/runner allow DIR --push/)).toBeVisible()
    const refusal = "gh is not installed, so no pull request can be opened."
    await report({ state: "refused", reason: refusal }, ["propose"])
    await expect.element(part.getByText(refusal)).toBeVisible()
    await part.getByRole("button", { name: "Open a pull request" }).click()
    const pullRequest = { url: "https://forge.test/shop/3", state: "open", checks: "running" }
    await report({ state: "proposed", pushed: true, pullRequest }, ["propose"])
    await expect.element(part.getByRole("link", { name: pullRequest.url })).toBeVisible()
    await expect.element(part.getByText("CI running")).toBeVisible()
    await expect.element(part.getByText(refusal)).not.toBeInTheDocument()
    await expect.element(part.getByRole("button", { name: "Push to the pull request" })).toBeVisible()
    const { screen: board } = await openPage(`/projects/${projectUuid}/board`)
    const mark = board.getByRole("link", { name: /Oil the gate/ }).getByText("Pull request open, CI running")
    await expect.element(mark.first()).toBeInTheDocument()
  })

  it("that was taken out again names the task that did that, and does not offer it twice", async () => {
    const first = await handedIn("Hang the lamp")
    const { projectUuid, taskUuid } = first
    const lands = async ({ taskUuid: of, report }: typeof first, commit: string) => {
      const { acceptanceCriteriaItems } = await owner.call("chorus_get_task", { taskUuid: of })
      const passing = acceptanceCriteriaItems.map(({ uuid }) => uuid as CriterionId)
      await owner.call("chorus_land_change", { taskUuid: of, verify: true, passing })
      await report({ state: "landed", branch: "main", onto: ID, commit })
    }
    await lands(first, "c".repeat(40))
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    const part = screen.getByRole("region", { name: "Landing" })
    await expect.element(part.getByRole("button", { name: "Revert" })).toBeVisible()
    const { landings } = await owner.call("chorus_get_landing", { taskUuid })
    const made = await owner.call("chorus_revert_landing", { landingUuid: landings[0]?.uuid ?? "" })
    await lands(await carriedOut(projectUuid, made.uuid as TaskId), "d".repeat(40))
    await expect.element(part.getByText(/^Reverted by/)).toBeVisible()
    await expect.element(part.getByRole("button", { name: "Revert" })).not.toBeInTheDocument()
  })

  it("is not asked for by one click past a blocker, nor before the review that the project asks for", async () => {
    const { projectUuid, taskUuid, client } = await handedIn("Oil the hinge")
    await client.call("chorus_push_change", { taskUuid, patch: PATCH })
    const blocker = { file: "door.ts", line: 1, severity: "blocker" as const, text: "It creaks." }
    await owner.call("chorus_comment_on_change", { taskUuid, comments: [blocker] })
    await owner.call("chorus_update_project_settings", { projectUuid, requireTaskReview: true })
    const { screen } = await openPage("/")
    await screen.getByRole("main").getByRole("listitem").filter({ hasText: "Oil the hinge" }).click()
    const preview = screen.getByRole("region", { name: "Preview" })
    const merge = preview.getByRole("button", { name: "Verify and merge" })
    await expect.element(preview.getByText(/asks for a passing review/)).toBeVisible()
    await expect.element(merge).toBeDisabled()
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: "Oil the hinge" })
    await card.getByRole("button", { name: "Verify", exact: true }).click()
    const asking = page.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(asking.getByText(/asks for a passing review/)).toBeVisible()
    await expect.element(asking.getByRole("button", { name: /verify/i })).toBeDisabled()
    await asking.getByRole("button", { name: "Cancel" }).click()
    const { client: reviewer } = await hire("Reader")
    const review = { targetType: "task" as const, targetUuid: taskUuid, verdict: "pass" as const, summary: "Read it." }
    await reviewer.call("chorus_submit_review", review)
    await merge.click()
    const dialog = page.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(dialog.getByText("It creaks.")).toBeVisible()
    expect((await owner.call("chorus_get_task", { taskUuid })).status).toBe("to_verify")
    await dialog.getByRole("button", { name: "Verify anyway" }).click()
    await expect.poll(async () => (await owner.call("chorus_get_task", { taskUuid })).status).toBe("done")
  })

  it("is asked for with a thumb, on the task as in the preview, also while it is being looked whether it would go", async () => {
    const { projectUuid, taskUuid } = await handedIn("Grease the lock")
    await owner.call("chorus_land_change", { taskUuid, act: "preview" })
    await page.viewport(390, 800)
    try {
      const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
      await screen.getByRole("button", { name: "Verify", exact: true }).click()
      const dialog = page.getByRole("dialog", { name: "Verify this work?" })
      const both = dialog.getByRole("button", { name: "Verify and merge" })
      await expect.poll(() => isInReach(both.element())).toBe(true)
      await dialog.getByRole("button", { name: "Cancel" }).click()
      await router.navigate({ to: "/" })
      await screen.getByRole("main").getByRole("button", { name: "Grease the lock" }).click()
      const sheet = page.getByRole("dialog", { name: "Preview" })
      const merge = sheet.getByRole("button", { name: "Verify and merge" })
      await expect.poll(() => isInReach(merge.element())).toBe(true)
      await merge.click()
      await expect.poll(async () => (await owner.call("chorus_get_task", { taskUuid })).status).toBe("done")
      const { landings } = await owner.call("chorus_get_landing", { taskUuid })
      expect(landings.map(({ act, state }) => [act, state])).toEqual([
        ["land", "queued"],
        ["preview", "withdrawn"],
      ])
    } finally {
      await page.viewport(1280, 800)
    }
  })

  it("that the machine does not allow says so before, and stands in Needs you until it does", async () => {
    const { projectUuid, taskUuid, client, machine } = await handedIn("Varnish the frame")
    const { screen, router } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    await expect.element(page.getByRole("dialog").getByText(/^It would not be merged yet/)).toBeVisible()
    await expect.element(page.getByRole("dialog").getByText("chorus runner allow DIR --land")).toBeVisible()
    await page.getByRole("button", { name: "Verify and merge" }).click()
    await expect.element(page.getByText(/^Verified. It is not merged yet/)).toBeVisible()
    await router.navigate({ to: "/" })
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: "Varnish the frame" })
    await expect.element(card.getByText("chorus runner allow DIR --land")).toBeVisible()
    await expect.element(card.getByText(/lands by itself once that is allowed/)).toBeVisible()
    await client.call("chorus_lease_landing", { machine })
    await expect.element(card).not.toBeInTheDocument()
  })

  it("of work by hand that no runner has is not offered; the page names the command that does it", async () => {
    const { client } = await hire("Builder")
    const projectUuid = await makeProject()
    const [first = ""] = await makeTasks(projectUuid, { title: "Clip the hedge" })
    const taskUuid = first as TaskId
    await client.call("chorus_claim_task", { taskUuid })
    await client.call("chorus_update_task", { taskUuid, status: "in_progress" })
    await client.call("chorus_submit_for_verify", { taskUuid, insist: true })
    await client.call("chorus_send_change", { taskUuid, origin: "hook", change: { ...CHANGE, files: [FILE] } })
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    const part = screen.getByRole("region", { name: "Landing" })
    await expect.element(part.getByText(/^chorus change land [A-Z0-9]+-\d+$/)).toBeVisible()
    await expect.element(part.getByRole("button", { name: "Would it merge?" })).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    await expect.element(page.getByRole("dialog").getByText(/^chorus change land/)).toBeVisible()
    await expect.element(page.getByRole("button", { name: "Verify and merge" })).not.toBeInTheDocument()
  })

  it("that has not happened is in Needs you, with what is in the way and what to do", async () => {
    const { report, taskUuid, projectUuid, lease, client, machine } = await handedIn("Hang the gate")
    const { acceptanceCriteriaItems } = await owner.call("chorus_get_task", { taskUuid })
    const passing = acceptanceCriteriaItems.map(({ uuid }) => uuid as CriterionId)
    await owner.call("chorus_land_change", { taskUuid, verify: true, passing })
    await report({ state: "refused", reason: "main has changes that are not committed: a.ts." })
    const { screen, router } = await openPage("/")
    const card = screen.getByRole("region", { name: "Stalled work" }).getByRole("listitem").filter({ hasText: machine })
    await expect.element(card.getByText("main has changes that are not committed: a.ts.")).toBeVisible()
    await expect.element(card.getByText("Settle what is in the way, then press Merge on the task.")).toBeVisible()
    await card.getByRole("button", { name: "Open the task" }).click()
    await expect.poll(() => router.state.location.pathname).toContain(taskUuid)
    await owner.call("chorus_land_change", { taskUuid })
    // Where nothing goes back by itself, a person lets it.
    await owner.call("chorus_update_project_settings", {
      projectUuid: projectUuid as ProjectId,
      returnFailedChecks: false,
    })
    await report({ state: "conflict", reason: "It conflicts with main in src/door.ts.", files: ["src/door.ts"] })
    await router.navigate({ to: "/" })
    await expect.element(card.getByText("src/door.ts", { exact: true })).toBeVisible()
    await card.getByRole("button", { name: "Send back with the conflict" }).click()
    await expect.element(card).not.toBeInTheDocument()
    // The agent goes on, hands in, and what is sent back once more goes straight to it.
    const { run } = await lease()
    const held = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
    await client.call("chorus_report_run", { ...held, state: "running", sessionId: "conversation" })
    await client.call("chorus_report_run", { ...held, state: "finished", lastWords: "DONE" })
    const handedInAgain = screen.getByRole("main").getByRole("listitem").filter({ hasText: "Hang the gate" })
    await handedInAgain.getByRole("button", { name: "Send back" }).click()
    const dialog = page.getByRole("dialog")
    await expect.element(dialog.getByRole("checkbox", { name: `Let Codex on ${machine} go on with it` })).toBeChecked()
    await dialog.getByRole("textbox", { name: "Reason" }).fill("It is green.")
    await dialog.getByRole("button", { name: "Send back" }).click()
    await letStand(/^Sending back: /)
    await expect.poll(async () => (await lease()).run?.prompt).toContain("It is green.")
  })

  it("names the files that conflict and sends the work back with them; what nobody wants is discarded", async () => {
    const { report, projectUuid, taskUuid, lease, client } = await handedIn()
    const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
    const next = "Merge main into the work, settle what conflicts, and hand it in again."
    const conflict = {
      state: "conflict" as const,
      reason: `It conflicts with main (aaaaaaaaaaaa) in src/door.ts. ${next}\n\nsrc/door.ts, line 7:\n\n    <<<<<<< main`,
      files: ["src/door.ts"],
    }
    await screen.getByRole("button", { name: "Would it merge?" }).click()
    await expect.element(screen.getByText("preview only")).toBeVisible()
    await report(conflict)
    const wouldGo = screen.getByText(/^If you merge it anyway, it goes back to its agent with these files/)
    await expect.element(wouldGo).toBeVisible()
    // It is sent back with that by one click, and its run goes on with it.
    const mends = async () => {
      const { run } = await vi.waitUntil(
        async () => {
          const leased = await lease()
          return leased.run === null ? undefined : leased
        },
        { timeout: 15_000 },
      )
      expect(run?.prompt).toContain("src/door.ts, line 7:")
      const held = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
      await client.call("chorus_report_run", { ...held, state: "running", sessionId: "conversation" })
      return () => client.call("chorus_report_run", { ...held, state: "finished", lastWords: "DONE" })
    }
    await screen.getByRole("button", { name: "Send back with the conflict" }).click()
    await (
      await mends()
    )()
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    await page.getByRole("button", { name: "Verify and merge" }).click()
    await expect.element(screen.getByText("Waits to land")).toBeVisible()
    await report(conflict)
    await expect.element(wouldGo).not.toBeInTheDocument()
    await expect
      .element(screen.getByRole("list", { name: "Files that conflict" }).getByText("src/door.ts"))
      .toBeVisible()
    await expect
      .element(
        screen.getByRole("region", { name: "Sent back" }).getByText(/^It conflicts with main .* in src\/door\.ts\./),
      )
      .toBeVisible()
    // This time nobody had to click for that.
    await (
      await mends()
    )()
    await screen.getByRole("button", { name: "More" }).first().click()
    await page.getByRole("menuitem", { name: "Discard the work" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Discard the work" }).click()
    await report({ state: "discarded" })
    await expect.element(screen.getByText("Discarded")).toBeVisible()
    expect((await owner.call("chorus_get_task", { taskUuid })).status).toBe("closed")
  })
})
