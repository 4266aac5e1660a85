import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import type { Screen } from "../../test/cards.ts"
import { owner } from "../../test/stage.tsx"
import { letStand } from "../../test/stand.ts"
import { showTask } from "../../test/task-panel.tsx"
import { handIn, hire, makeProject, makeTasks, type Wanted } from "../../test/workplace.ts"

type Items = Wanted["acceptanceCriteriaItems"]

/** Handed in by an agent, unless the test wants it as it was made. */
async function makeJudgeable(items: Items, handedIn = true) {
  const [task = ""] = await makeTasks(await makeProject(), {
    title: "Cake",
    ...(items === undefined ? {} : { acceptanceCriteriaItems: items }),
  })
  const ada = await hire()
  if (handedIn) await handIn(ada, task)
  return { task, ada }
}

function row(screen: Screen, description: string) {
  return screen
    .getByRole("list", { name: "Acceptance criteria" })
    .getByRole("listitem")
    .filter({ hasText: description })
}

async function criteriaOf(taskUuid: string) {
  return (await owner.call("chorus_get_task", { taskUuid })).acceptanceCriteriaItems
}

describe("criteria", () => {
  it("show both tracks, what is optional, and the command that proves them", async () => {
    const { task } = await makeJudgeable(
      [
        { description: "It is sweet", command: "npm run taste" },
        { description: "It is round", required: false },
      ],
      false,
    )
    const { screen } = await showTask(task)
    await expect.element(row(screen, "It is sweet").getByText("npm run taste")).toBeVisible()
    await expect.element(row(screen, "It is sweet").getByText("Builder: pending")).toBeVisible()
    await expect.element(row(screen, "It is sweet").getByText("Verifier: pending")).toBeVisible()
    await expect.element(row(screen, "It is sweet").getByText("optional")).not.toBeInTheDocument()
    await expect.element(row(screen, "It is round").getByText("optional")).toBeVisible()
    await expect.element(screen.getByText("0 of 2 criteria passed")).toBeVisible()
    await expect.element(row(screen, "It is sweet").getByRole("button", { name: "Evidence" })).not.toBeInTheDocument()
    await expect.element(row(screen, "It is sweet").getByRole("button", { name: "Pass" })).not.toBeInTheDocument()
  })

  it("say which proof is of an earlier hand-in", async () => {
    const { task, ada } = await makeJudgeable([{ description: "It is baked" }, { description: "It is cold" }], false)
    await ada.client.call("chorus_start_task", { taskUuid: task })
    const [baked, cold] = await criteriaOf(task)
    const done = (uuid = "") =>
      ada.client.call("chorus_finish_task", {
        taskUuid: task,
        report: "Done.",
        criteria: [{ uuid, devStatus: "passed", exitCode: 0 }],
      })
    await done(baked?.uuid)
    await owner.call("chorus_admin_reopen_task", {
      taskUuid: task,
      reason: "Lukewarm.",
      failed: [{ uuid: cold?.uuid ?? "", evidence: "Lukewarm." }],
    })
    await done(cold?.uuid)
    const { screen } = await showTask(task)
    for (const title of ["It is baked", "It is cold"])
      await row(screen, title).getByRole("button", { name: "Evidence" }).click()
    await expect.element(row(screen, "It is baked").getByText("from hand-in 1")).toBeVisible()
    const again = row(screen, "It is cold").getByRole("listitem").filter({ hasText: "exit code 0" })
    await expect.element(again).toBeVisible()
    await expect.element(again.getByText("from hand-in 1")).not.toBeInTheDocument()
  })

  it("are passed with one press that shows and counts at once", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }, { description: "It is round" }])
    const { screen } = await showTask(task)
    const pass = row(screen, "It is sweet").getByRole("button", { name: "Pass" })
    await expect.element(pass).toHaveAttribute("aria-pressed", "false")
    await pass.click()
    await expect.element(pass).toHaveAttribute("aria-pressed", "true")
    await expect.element(row(screen, "It is sweet").getByText("Verifier: passed")).toBeVisible()
    await expect.element(screen.getByText("1 of 2 criteria passed")).toBeVisible()
    expect((await criteriaOf(task)).map(({ status }) => status)).toEqual(["passed", "pending"])
  })

  it("fail with words that stay as evidence", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }])
    const { screen } = await showTask(task)
    await row(screen, "It is sweet").getByRole("button", { name: "Fail" }).click()
    const dialog = screen.getByRole("dialog", { name: "What is missing?" })
    await expect.element(dialog.getByText("It is sweet")).toBeVisible()
    // A mark alone says enough; work is never sent back without a word.
    await expect.element(dialog.getByRole("button", { name: "Fail", exact: true })).toBeEnabled()
    await expect.element(dialog.getByRole("button", { name: "Fail and send back" })).toBeDisabled()
    await dialog.getByRole("textbox").fill("**Salt** instead of sugar")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(row(screen, "It is sweet").getByText("Verifier: failed")).toBeVisible()
    await row(screen, "It is sweet").getByRole("button", { name: "Evidence" }).click()
    await expect.element(row(screen, "It is sweet").getByRole("strong").getByText("Salt")).toBeVisible()
    expect((await criteriaOf(task))[0]).toMatchObject({ status: "failed", evidence: "**Salt** instead of sugar" })
  })

  it("are failed and sent back in one act, which stands on top of the task until it is handed in again", async () => {
    const { task, ada } = await makeJudgeable([{ description: "It is sweet" }])
    const { screen } = await showTask(task)
    await row(screen, "It is sweet").getByRole("button", { name: "Fail" }).click()
    const dialog = screen.getByRole("dialog", { name: "What is missing?" })
    await dialog.getByRole("textbox").fill("Salt instead of sugar.")
    await dialog.getByRole("button", { name: "Fail and send back" }).click()
    await letStand(/^Sending back: /)
    await expect.element(screen.getByText("Sent back to work")).toBeVisible()
    const back = screen.getByRole("region", { name: "Sent back" })
    await expect.element(back).toMatchTextContent(/Hand-in 1 was sent back.*Salt instead of sugar\./)
    await expect.element(back.getByRole("listitem")).toMatchTextContent(/It is sweet/)
    await handIn(ada, task)
    await expect.element(back).not.toBeInTheDocument()
  })

  it("keep a dialog that is left without a word", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }])
    const { screen } = await showTask(task)
    const fail = row(screen, "It is sweet").getByRole("button", { name: "Fail" })
    await fail.click()
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await expect.element(fail).toHaveFocus()
    expect((await criteriaOf(task))[0]?.status).toBe("pending")
  })

  it("show the developer's proof with what the command printed and how it ended", async () => {
    const { task, ada } = await makeJudgeable([{ description: "It is baked" }, { description: "It is cold" }], false)
    await ada.client.call("chorus_start_task", { taskUuid: task })
    const [baked, cold] = await criteriaOf(task)
    await ada.client.call("chorus_report_criteria_self_check", {
      taskUuid: task,
      criteria: [
        {
          uuid: baked?.uuid ?? "",
          devStatus: "passed",
          devEvidence: "Ran it.",
          exitCode: 0,
          output: "1 passed\n0 failed",
        },
        { uuid: cold?.uuid ?? "", devStatus: "failed", exitCode: 1, output: "too warm" },
      ],
    })
    const { screen } = await showTask(task)
    await expect.element(row(screen, "It is baked").getByText("Builder: passed")).toBeVisible()
    const evidence = row(screen, "It is baked").getByRole("button", { name: "Evidence" })
    await expect.element(evidence).toHaveAttribute("aria-expanded", "false")
    await evidence.click()
    await expect.element(evidence).toHaveAttribute("aria-expanded", "true")
    await expect.element(row(screen, "It is baked").getByText("its builder says: exit code 0")).toBeVisible()
    await expect.element(row(screen, "It is baked").getByText("1 passed 0 failed")).toBeVisible()
    await expect.element(row(screen, "It is baked").getByText(`${ada.name}: passed`)).toBeVisible()
    await row(screen, "It is cold").getByRole("button", { name: "Evidence" }).click()
    await expect.element(row(screen, "It is cold").getByText("its builder says: exit code 1")).toBeVisible()
    await evidence.click()
    await expect.element(row(screen, "It is baked").getByText("its builder says: exit code 0")).not.toBeInTheDocument()
  })

  it("list every mark there was, newest first", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }])
    const mark = async (status: "passed" | "failed", evidence: string) =>
      owner.call("chorus_mark_acceptance_criteria", {
        taskUuid: task,
        criteria: (await criteriaOf(task)).map(({ uuid }) => ({ uuid, status, evidence })),
      })
    await mark("failed", "Bitter")
    await mark("passed", "Sweet now")
    const { screen } = await showTask(task)
    await row(screen, "It is sweet").getByRole("button", { name: "Evidence" }).click()
    await expect.element(screen.getByText("Bitter")).toBeVisible()
    const said = screen
      .getByText(/^(Bitter|Sweet now)$/)
      .elements()
      .map(({ textContent }) => textContent)
    expect(said).toEqual(["Sweet now", "Bitter"])
  })

  it.each(["done", "closed"] as const)("of a task that is %s are over", async (end) => {
    const { task } = await makeJudgeable([{ description: "It is sweet", required: false }])
    if (end === "done") await owner.call("chorus_admin_verify_task", { taskUuid: task })
    else await owner.call("chorus_admin_close_task", { taskUuid: task })
    const { screen } = await showTask(task)
    await expect.element(row(screen, "It is sweet")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Pass" })).not.toBeInTheDocument()
  })

  it("are not to be judged by who may only look", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }])
    const { screen } = await showTask(task, "viewer")
    await expect.element(row(screen, "It is sweet")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Fail" })).not.toBeInTheDocument()
  })

  it("take back what the server refuses", async () => {
    const { task } = await makeJudgeable([{ description: "It is sweet" }])
    const { screen } = await showTask(task)
    const pass = row(screen, "It is sweet").getByRole("button", { name: "Pass" })
    await expect.element(pass).toBeVisible()
    await owner.call("chorus_admin_delete_task", { taskUuid: task })
    await pass.click()
    await expect.element(screen.getByRole("alert").first()).toBeVisible()
    await expect.element(pass).toHaveAttribute("aria-pressed", "false")
  })
})
