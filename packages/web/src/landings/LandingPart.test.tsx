import type { TaskId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { page } from "vitest/browser"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

const ID = "a".repeat(40)

/** Work that a run on a machine did and handed in, and the machine. */
async function handedIn() {
  const { client } = await hire("Runner")
  const machine = `machine-${crypto.randomUUID().slice(0, 8)}`
  const projectUuid = await makeProject()
  const [first = ""] = await makeTasks(projectUuid, { title: "Paint the door" })
  const taskUuid = first as TaskId
  await owner.call("chorus_start_run", { taskUuid, program: "codex", machine })
  const programs = [{ program: "codex" as const, version: "1", missing: null }]
  const { run } = await client.call("chorus_lease_run", { machine, programs, folders: ["/shop"], slots: 2, busy: 0 })
  const held = { runUuid: run?.uuid ?? "", lease: run?.lease ?? "" }
  await client.call("chorus_report_run", { ...held, state: "running", branch: "chorus/work" })
  const change = {
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
  await client.call("chorus_send_change", { taskUuid, origin: "run", run: held, change })
  await client.call("chorus_report_run", { ...held, state: "finished", lastWords: "DONE" })
  const report = async (more: object) => {
    const { landing } = await client.call("chorus_lease_landing", { machine })
    const of = { landingUuid: landing?.uuid ?? "", lease: landing?.lease ?? "" }
    await client.call("chorus_report_landing", { ...of, ...more })
  }
  const { screen } = await openPage(`/projects/${projectUuid}/tasks/${taskUuid}`)
  return { taskUuid, projectUuid, screen, report }
}

describe("landing a task's work", () => {
  it("is asked for with the verdict, told as it goes, and taken out again by a new task", async () => {
    const { screen, report, projectUuid } = await handedIn()
    const part = screen.getByRole("region", { name: "Landing" })
    await part.getByRole("button", { name: "Would it merge?" }).click()
    await report({ state: "clean", branch: "main", onto: ID })
    await expect.element(part.getByText("Would merge")).toBeVisible()
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    await page.getByRole("button", { name: "Verify and merge" }).click()
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
    await part.getByRole("button", { name: "Revert" }).click()
    await expect.element(page.getByRole("heading", { name: /Revert .* Paint the door/ })).toBeVisible()
    const { screen: board } = await openPage(`/projects/${projectUuid}/board`)
    await expect.element(board.getByRole("link", { name: /Paint the door/ }).getByText("Landed")).toBeInTheDocument()
  })

  it("names the files that conflict and sends the work back with them; what nobody wants is discarded", async () => {
    const { screen, report, taskUuid } = await handedIn()
    await screen.getByRole("button", { name: "Verify", exact: true }).click()
    await page.getByRole("button", { name: "Verify and merge" }).click()
    await expect.element(screen.getByText("Waits to land")).toBeVisible()
    await report({ state: "conflict", reason: "It conflicts with main in src/door.ts.", files: ["src/door.ts"] })
    await expect
      .element(screen.getByRole("list", { name: "Files that conflict" }).getByText("src/door.ts"))
      .toBeVisible()
    await expect
      .element(screen.getByRole("region", { name: "Sent back" }).getByText("It conflicts with main in src/door.ts."))
      .toBeVisible()
    await screen.getByRole("button", { name: "More" }).first().click()
    await page.getByRole("menuitem", { name: "Discard the work" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Discard the work" }).click()
    await report({ state: "discarded" })
    await expect.element(screen.getByText("Discarded")).toBeVisible()
    expect((await owner.call("chorus_get_task", { taskUuid })).status).toBe("closed")
  })
})
