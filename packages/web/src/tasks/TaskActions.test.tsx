import type { tasks } from "@chorus/contracts"
import { describe, expect, it, vi } from "vitest"
import { userEvent } from "vitest/browser"
import { enterHouse, leaveHouse } from "../../test/house.ts"
import { owner, showRouted } from "../../test/stage.tsx"
import { letStand, takeBack } from "../../test/stand.ts"
import {
  handIn,
  type Hired,
  hire,
  judgeAll,
  makeProject,
  makeTasks,
  statusOf,
  type Wanted,
} from "../../test/workplace.ts"
import { TaskActions } from "./TaskActions.tsx"
import { useTask } from "./TaskView.tsx"

interface ActionsOfProps {
  readonly taskUuid: string
  onDeleted(): void
}

function ActionsOf({ taskUuid, onDeleted }: ActionsOfProps) {
  const { answer } = useTask(taskUuid)
  if (answer === undefined) return null
  return (
    <>
      <h1>{answer.title}</h1>
      <TaskActions task={answer} onEdit={() => undefined} onDeleted={onDeleted} />
    </>
  )
}

async function showActions(taskUuid: string, role: "owner" | "viewer" = "owner") {
  const onDeleted = vi.fn()
  const { screen } = await showRouted(<ActionsOf taskUuid={taskUuid} onDeleted={onDeleted} />, { role })
  const button = (name: string) => screen.getByRole("button", { name, exact: true })
  const fromMenu = async (name: string) => {
    await button("More").click()
    await screen.getByRole("menuitem", { name }).click()
  }
  return { screen, button, fromMenu, onDeleted }
}

async function makeTask(wanted: Partial<Wanted> = {}): Promise<string> {
  const [task = ""] = await makeTasks(await makeProject(), { title: "Sow the field", ...wanted })
  return task
}

/** What can be done with a task in each state: as buttons, and in the menu. */
const OFFERED: readonly [tasks.TaskStatus, readonly string[], readonly string[]][] = [
  ["open", ["Assign", "Start an agent"], ["Edit", "Split off a part…", "Close without verifying", "Delete"]],
  [
    "assigned",
    ["Start an agent", "Start"],
    ["Edit", "Split off a part…", "Give back", "Close without verifying", "Delete"],
  ],
  [
    "in_progress",
    ["Start an agent", "Hand in"],
    ["Edit", "Split off a part…", "Give back", "Close without verifying", "Delete"],
  ],
  ["to_verify", ["Send back", "Verify"], ["Edit", "Close without verifying", "Delete"]],
  ["done", [], ["Edit", "Reopen", "Delete"]],
  ["closed", [], ["Edit", "Reopen", "Delete"]],
]

async function bringTo(status: tasks.TaskStatus, taskUuid: string, ada: Hired): Promise<void> {
  if (status === "assigned") await ada.client.call("chorus_claim_task", { taskUuid })
  if (status === "in_progress") await ada.client.call("chorus_start_task", { taskUuid })
  if (status === "to_verify" || status === "done") await handIn(ada, taskUuid)
  if (status === "closed") await owner.call("chorus_admin_close_task", { taskUuid })
  if (status !== "done") return
  await judgeAll(taskUuid, "passed")
  await owner.call("chorus_admin_verify_task", { taskUuid })
}

describe("what a task offers", () => {
  it.each(OFFERED)("when %s", async (status, buttons, items) => {
    const task = await makeTask()
    await bringTo(status, task, await hire())
    const { screen, button } = await showActions(task)
    await button("More").click()
    await expect.element(screen.getByRole("menuitem", { name: "Edit" })).toBeVisible()
    expect(
      screen
        .getByRole("menuitem")
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(items)
    await userEvent.keyboard("{Escape}")
    await expect.element(screen.getByRole("menu")).not.toBeInTheDocument()
    expect(
      screen
        .getByRole("button")
        .elements()
        .map((each) => each.textContent || each.getAttribute("aria-label")),
    ).toEqual([...buttons, "More"])
  })

  it("is nothing to who may only look", async () => {
    const { screen } = await showActions(await makeTask(), "viewer")
    await expect.element(screen.getByRole("heading", { name: "Sow the field" })).toBeVisible()
    expect(screen.getByRole("button").elements()).toEqual([])
  })

  it("follows what agents do with it", async () => {
    const task = await makeTask()
    const ada = await hire()
    const { button } = await showActions(task)
    await expect.element(button("Assign")).toBeVisible()
    await ada.client.call("chorus_start_task", { taskUuid: task })
    await expect.element(button("Hand in")).toBeVisible()
    await expect.element(button("Assign")).not.toBeInTheDocument()
  })
})

describe("taking a task on", () => {
  it("is done for oneself, from where it leads to handing it in", async () => {
    const task = await makeTask()
    const { screen, button } = await showActions(task)
    await button("Assign").click()
    await screen.getByRole("menuitem", { name: "Take it myself" }).click()
    await button("Start").click()
    await button("Hand in").click()
    await expect.element(button("Send back")).toBeVisible()
    await expect.poll(() => statusOf(task)).toBe("to_verify")
    const { assignee } = await owner.call("chorus_get_task", { taskUuid: task })
    expect(assignee?.type).toBe("user")
  })

  it("is given to an agent by name", async () => {
    const task = await makeTask()
    const ada = await hire("Ada")
    const { screen, button } = await showActions(task)
    await button("Assign").click()
    await screen.getByRole("menuitem", { name: ada.name }).click()
    await expect.element(button("Start")).toBeVisible()
    const { assignee } = await owner.call("chorus_get_task", { taskUuid: task })
    expect(assignee).toMatchObject({ uuid: ada.uuid, name: ada.name })
  })

  it("is suggested to whoever is there and has least to do, before the names of all", async () => {
    await leaveHouse()
    enterHouse()
    const task = await makeTask()
    const [busy, free] = [await hire("Busy"), await hire("Free"), await hire("Away"), await hire("Absent")]
    for (const name of ["barn", "field"]) await busy.client.call("chorus_create_session", { name })
    await free.client.call("chorus_create_session", { name: "yard" })
    const { screen, button } = await showActions(task)
    await button("Assign").click()
    await expect.element(screen.getByText("Suggested")).toBeVisible()
    const suggested = screen.getByRole("menuitem", { name: /online/ })
    await expect
      .poll(() => suggested.elements().map(({ textContent }) => textContent))
      .toEqual([`${free.name} · online, 1 session`, `${busy.name} · online, 2 sessions`])
    await suggested.first().click()
    await expect
      .poll(async () => (await owner.call("chorus_get_task", { taskUuid: task })).assignee?.uuid)
      .toBe(free.uuid)
  })

  it("is given to a person, but not to one who has left", async () => {
    const task = await makeTask()
    const name = `Grace ${crypto.randomUUID().slice(0, 8)}`
    const left = `Gone ${crypto.randomUUID().slice(0, 8)}`
    await owner.call("chorus_invite_member", { name, role: "member" })
    const gone = await owner.call("chorus_invite_member", { name: left, role: "member" })
    await owner.call("chorus_update_member", { userUuid: gone.member.uuid, disabled: true })
    const { screen, button } = await showActions(task)
    await button("Assign").click()
    await expect.element(screen.getByRole("menuitem", { name })).toBeVisible()
    await expect.element(screen.getByRole("menuitem", { name: left })).not.toBeInTheDocument()
    await screen.getByRole("menuitem", { name }).click()
    await expect.poll(async () => (await owner.call("chorus_get_task", { taskUuid: task })).assignee?.name).toBe(name)
  })

  it("cannot start before what it waits for", async () => {
    const project = await makeProject()
    const [, second = ""] = await makeTasks(
      project,
      { title: "First" },
      { title: "Second", dependsOnDraftUuids: ["First"] },
    )
    await owner.call("chorus_claim_task", { taskUuid: second })
    const { button } = await showActions(second)
    await expect.element(button("Start")).toBeDisabled()
  })

  it("is given back", async () => {
    const task = await makeTask()
    await owner.call("chorus_claim_task", { taskUuid: task })
    const { fromMenu, button } = await showActions(task)
    await fromMenu("Give back")
    await expect.element(button("Assign")).toBeVisible()
    expect(await statusOf(task)).toBe("open")
  })
})

describe("giving back what an agent holds", () => {
  it("takes a reason, or none, and tells the agent", async () => {
    const task = await makeTask({ title: "Paint" })
    const ada = await hire("Ada")
    await ada.client.call("chorus_start_task", { taskUuid: task })
    const { screen, fromMenu, button } = await showActions(task)
    await fromMenu("Give back")
    await screen.getByRole("dialog").getByRole("textbox").fill("Wrong colour.")
    await screen.getByRole("dialog").getByRole("button", { name: "Give back" }).click()
    await expect.element(button("Assign")).toBeVisible()
    const { news } = await ada.client.call("chorus_inbox", {})
    expect(news.at(-1)?.message).toMatch(/took "Paint" back from Ada .*: Wrong colour\.$/)
  })
})

describe("judging a task", () => {
  it("passes what nobody has judged and verifies in one go", async () => {
    const task = await makeTask({
      acceptanceCriteriaItems: [
        { description: "Grows" },
        { description: "Smells" },
        { description: "Sings", required: false },
      ],
    })
    await handIn(await hire(), task)
    const { screen, button } = await showActions(task)
    await button("Verify").click()
    const dialog = screen.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(dialog.getByText(/^2 criteria have not been judged yet\./)).toBeVisible()
    await dialog.getByRole("button", { name: "Pass all and verify" }).click()
    await takeBack(/^Verifying: /)
    await expect.element(button("Verify")).toBeVisible()
    expect(await statusOf(task)).toBe("to_verify")
    await button("Verify").click()
    await dialog.getByRole("button", { name: "Pass all and verify" }).click()
    await letStand(/^Verifying: /)
    await expect.element(screen.getByText("Verified")).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    const now = await owner.call("chorus_get_task", { taskUuid: task })
    expect(now.status).toBe("done")
    expect(now.acceptanceCriteriaItems.map(({ description, status }) => [description, status])).toEqual([
      ["Grows", "passed"],
      ["Smells", "passed"],
      ["Sings", "pending"],
    ])
  })

  it("only verifies when everything is judged already", async () => {
    const task = await makeTask()
    await handIn(await hire(), task)
    await judgeAll(task, "passed")
    const { screen, button } = await showActions(task)
    await button("Verify").click()
    await screen.getByRole("dialog").getByRole("button", { name: "Verify" }).click()
    await letStand(/^Verifying: /)
    await expect.poll(() => statusOf(task)).toBe("done")
  })

  it("does not verify over a failed criterion, and says what to do", async () => {
    const task = await makeTask()
    await handIn(await hire(), task)
    await judgeAll(task, "failed")
    const { screen, button } = await showActions(task)
    await button("Verify").click()
    const dialog = screen.getByRole("dialog", { name: "Verify this work?" })
    await expect.element(dialog.getByText(/^A required criterion has failed/)).toBeVisible()
    await expect.element(dialog.getByRole("button", { name: "Verify" })).toBeDisabled()
    await expect.element(dialog.getByRole("link", { name: "Judge one by one" })).toBeVisible()
  })

  it("sends back with the words of the person, which the log keeps for whoever did it", async () => {
    const projectUuid = await makeProject()
    const [task = ""] = await makeTasks(projectUuid, { title: "Sow the field" })
    await handIn(await hire(), task)
    const { screen, button } = await showActions(task)
    await button("Send back").click()
    const dialog = screen.getByRole("dialog", { name: "Why are you sending it back?" })
    await expect.element(dialog.getByRole("button", { name: "Send back" })).toBeDisabled()
    await dialog.getByRole("checkbox", { name: "It works" }).click()
    const seen = dialog.getByRole("textbox", { name: "What did you see: It works" })
    await seen.fill("Half of it is bare.")
    const rightOf = (box: Element) => box.getBoundingClientRect().right
    const above = dialog.getByRole("textbox", { name: "Reason" }).element()
    expect(rightOf(seen.element())).toBeLessThanOrEqual(rightOf(above))
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The rows are crooked.")
    await dialog.getByRole("button", { name: "Send back" }).click()
    await expect.element(button("Hand in")).toBeVisible()
    await takeBack("Sending back: Sow the field")
    await button("Send back").click()
    await expect.element(dialog.getByRole("textbox", { name: "Reason" })).toHaveValue("The rows are crooked.")
    expect(await statusOf(task)).toBe("to_verify")
    await dialog.getByRole("button", { name: "Send back" }).click()
    await letStand("Sending back: Sow the field")
    await expect.poll(() => statusOf(task)).toBe("in_progress")
    const { activities } = await owner.call("chorus_get_activity", { projectUuid, entityUuid: task })
    expect(activities.find(({ kind }) => kind === "task.reopened")?.value).toMatchObject({
      reason: "The rows are crooked.",
    })
    const { verdicts } = await owner.call("chorus_get_task_history", { taskUuid: task })
    expect(verdicts).toMatchObject([{ criterion: "It works", status: "failed", evidence: "Half of it is bare." }])
  })

  it("sends back by the verdicts that were given, without having to say them again", async () => {
    const [task = ""] = await makeTasks(await makeProject(), { title: "Mow the lawn" })
    const builder = await hire()
    await handIn(builder, task)
    const [item] = (await owner.call("chorus_get_task", { taskUuid: task })).acceptanceCriteriaItems
    const verdict = { uuid: item?.uuid ?? "", status: "failed" as const, evidence: "`mower` left a **strip**." }
    await owner.call("chorus_mark_acceptance_criteria", { taskUuid: task, criteria: [verdict] })
    const { screen, button } = await showActions(task)
    await button("Send back").click()
    const dialog = screen.getByRole("dialog", { name: "Why are you sending it back?" })
    await expect.element(dialog.getByRole("checkbox", { name: "It works" })).toBeChecked()
    await expect
      .element(dialog.getByRole("textbox", { name: "What did you see: It works" }))
      .toHaveValue(verdict.evidence)
    await dialog.getByRole("button", { name: "Send back" }).click()
    await letStand("Sending back: Mow the lawn")
    await expect.poll(() => statusOf(task)).toBe("in_progress")
    const { returned } = await owner.call("chorus_get_task", { taskUuid: task })
    expect(returned).toMatchObject({ failed: [{ criterion: "It works", evidence: verdict.evidence }] })
    const { verdicts } = await owner.call("chorus_get_task_history", { taskUuid: task })
    expect(verdicts.filter(({ status }) => status === "failed")).toHaveLength(1)
  })

  it("closes what is not needed any more, and opens it again", async () => {
    const task = await makeTask()
    const { screen, fromMenu, button } = await showActions(task)
    await fromMenu("Close without verifying")
    await expect.poll(() => statusOf(task)).toBe("closed")
    await expect.element(button("Assign")).not.toBeInTheDocument()
    await fromMenu("Reopen")
    await screen.getByRole("dialog").getByRole("button", { name: "Reopen" }).click()
    await expect.element(button("Assign")).toBeVisible()
    await letStand(/^Reopening: /)
    await expect.poll(() => statusOf(task)).toBe("open")
  })

  it("names who was quicker, at the verdict as at sending back", async () => {
    const task = await makeTask()
    const ada = await hire()
    await handIn(ada, task)
    await judgeAll(task, "passed")
    const { screen, button } = await showActions(task)
    await button("Verify").click()
    await screen.getByRole("dialog").getByRole("button", { name: "Verify" }).click()
    await ada.client.call("chorus_start_task", { taskUuid: task, takeBack: true })
    await letStand(/^Verifying: /)
    await expect.element(screen.getByRole("alert")).toMatchTextContent(`${ada.name} got there first`)
  })
})

describe("deleting a task", () => {
  it("asks first, naming it, and lets one think again", async () => {
    const task = await makeTask({ title: "Beloved" })
    const { screen, fromMenu, onDeleted } = await showActions(task)
    await fromMenu("Delete")
    const dialog = screen.getByRole("dialog", { name: "Delete this task?" })
    await expect.element(dialog.getByText("Beloved")).toBeVisible()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(await statusOf(task)).toBe("open")
    expect(onDeleted).not.toHaveBeenCalled()
  })

  it("takes it away for good and tells who showed it", async () => {
    const task = await makeTask()
    const { screen, fromMenu, onDeleted } = await showActions(task)
    await fromMenu("Delete")
    await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => onDeleted.mock.calls.length).toBe(1)
    await expect(statusOf(task)).rejects.toMatchObject({ code: "not_found" })
  })

  it("says why it could not be, and closes nothing", async () => {
    const task = await makeTask()
    const { screen, fromMenu, onDeleted, button } = await showActions(task)
    await expect.element(button("More")).toBeVisible()
    await owner.call("chorus_admin_delete_task", { taskUuid: task })
    await fromMenu("Delete")
    await screen.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    expect(onDeleted).not.toHaveBeenCalled()
  })
})
