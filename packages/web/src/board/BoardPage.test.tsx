import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { card, column, focusCard, titlesIn } from "../../test/cards.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { handIn, hire, judgeAll, makeProject, makeTasks, statusOf } from "../../test/workplace.ts"

async function openBoard(projectUuid: string, search = "", role?: "viewer") {
  return openPage(`/projects/${projectUuid}/board${search}`, role === undefined ? {} : { role })
}

async function shortIdOf(taskUuid: string): Promise<string> {
  return (await owner.call("chorus_get_task", { taskUuid })).shortId
}

function inSight(element: Element | null): boolean {
  const { top, bottom } = element?.getBoundingClientRect() ?? new DOMRect(0, -1, 0, 0)
  return top >= 0 && bottom <= innerHeight
}

describe("the board", () => {
  it("explains an empty project and leads to where tasks come from", async () => {
    const project = await makeProject()
    const { screen, router } = await openBoard(project)
    await expect.element(screen.getByRole("heading", { name: "No tasks yet" })).toBeVisible()
    await expect.element(screen.getByRole("searchbox", { name: "Filter cards" })).not.toBeInTheDocument()
    await screen.getByRole("link", { name: "Write down an idea" }).click()
    await expect.element(screen.getByRole("dialog", { name: "New idea" })).toBeVisible()
    expect(router.state.location.pathname).toBe(`/projects/${project}/ideas`)
  })

  it("marks the card whose agent waits for an answer, and the one whose work was sent back", async () => {
    const project = await makeProject()
    const [asking = "", returned = ""] = await makeTasks(project, { title: "Asking" }, { title: "Returned" })
    const { screen, router } = await openBoard(project)
    const marked = (uuid: string) => screen.container.querySelector(`[data-card="${uuid}"]`)?.textContent
    await expect.poll(() => marked(asking)).toBe(`Asking${await shortIdOf(asking)}0/1`)
    const ada = await hire()
    await handIn(ada, returned)
    await owner.call("chorus_admin_reopen_task", { taskUuid: returned, reason: "It rains in." })
    await expect.poll(() => marked(returned)).toContain("Sent back")
    const { uuid } = await ada.client.call("chorus_create_attention", { title: "Which lamp?", taskUuid: asking })
    await expect.poll(() => marked(asking)).toContain("Waits for your answer")
    await router.navigate({ to: `/projects/${project}/tasks/${asking}` })
    await screen.getByRole("main").getByRole("button", { name: "Go to the question" }).click()
    await expect.poll(() => inSight(document.getElementById(`asked-${uuid}`))).toBe(true)
    await owner.call("chorus_answer_attention", { attentionUuid: uuid, answer: { text: "The blue one" } })
    await expect.element(screen.getByRole("button", { name: "Go to the question" })).not.toBeInTheDocument()
    await ada.client.call("chorus_submit_for_verify", { taskUuid: returned, summary: "Tight now." })
    await router.navigate({ to: `/projects/${project}/board` })
    await expect.poll(() => marked(returned)).not.toContain("Sent back")
  })

  it("says what is wrong with an address nobody made, and asks again on request", async () => {
    const { screen } = await openBoard(crypto.randomUUID())
    const alert = screen.getByRole("main").getByRole("alert")
    await expect.element(alert.getByText(/not found|no project/i)).toBeVisible()
    await alert.getByRole("button", { name: "Try again" }).click()
    await expect.element(alert).toBeVisible()
  })

  it("puts every task into the column of its status, what can start and is urgent first", async () => {
    const project = await makeProject()
    const ada = await hire()
    const titles = ["Calm", "Urgent", "Waiting", "Begun", "Handed in", "Finished"]
    const [, , , begun = "", handed = "", finished = ""] = await makeTasks(
      project,
      { title: "Calm", priority: "low" },
      { title: "Urgent", priority: "high" },
      { title: "Waiting", priority: "high", dependsOnDraftUuids: ["Calm"] },
      { title: "Begun" },
      { title: "Handed in" },
      { title: "Finished" },
    )
    await ada.client.call("chorus_start_task", { taskUuid: begun })
    await handIn(ada, handed)
    await handIn(ada, finished)
    await judgeAll(finished, "passed")
    await owner.call("chorus_admin_verify_task", { taskUuid: finished })

    const { screen } = await openBoard(project)
    await expect.element(card(screen, "Finished")).toBeVisible()
    expect(titlesIn(screen, "Open", titles)).toEqual(["Urgent", "Calm", "Waiting"])
    expect(titlesIn(screen, "In progress", titles)).toEqual(["Begun"])
    expect(titlesIn(screen, "To verify", titles)).toEqual(["Handed in"])
    expect(titlesIn(screen, "Done", titles)).toEqual(["Finished"])
    await expect.element(column(screen, "Open").getByText("3", { exact: true })).toBeVisible()
    await expect.element(card(screen, "Waiting").getByText("Waits for 1 task")).toBeInTheDocument()
  })

  it("leaves room to say that nothing stands in a column", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "Alone" })
    const { screen } = await openBoard(project)
    await expect.element(column(screen, "Done").getByText("Nothing here")).toBeVisible()
    await expect.element(column(screen, "Open").getByText("Nothing here")).not.toBeInTheDocument()
  })

  it("shows what agents do while they do it: new cards, moves, who is at work", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [task = ""] = await makeTasks(project, { title: "Bake the bread" })
    const { screen } = await openBoard(project)
    await expect.element(column(screen, "Open").getByText("Bake the bread")).toBeVisible()

    await makeTasks(project, { title: "Slice the bread" })
    await expect.element(column(screen, "Open").getByText("Slice the bread")).toBeVisible()

    const session = await ada.client.call("chorus_create_session", { name: "oven" })
    await ada.client.call("chorus_start_task", { taskUuid: task, sessionUuid: session.uuid })
    await expect.element(column(screen, "In progress").getByText("Bake the bread")).toBeVisible()
    await expect.element(card(screen, "Bake the bread").getByTitle(`oven · ${ada.name}`)).toBeVisible()
    await expect.element(screen.getByText("1 session at work")).toBeVisible()

    await ada.client.call("chorus_session_checkout_task", { taskUuid: task, sessionUuid: session.uuid })
    await expect.element(screen.getByText("1 session at work")).not.toBeInTheDocument()
    await owner.call("chorus_admin_delete_task", { taskUuid: task })
    await expect.element(card(screen, "Bake the bread")).not.toBeInTheDocument()
  })

  it("counts sessions at work once each, however many tasks they sit at", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const tasks = await makeTasks(project, { title: "One" }, { title: "Two" }, { title: "Three" })
    const oven = await ada.client.call("chorus_create_session", { name: "oven" })
    const stove = await ada.client.call("chorus_create_session", { name: "stove" })
    for (const taskUuid of tasks)
      await ada.client.call("chorus_session_checkin_task", { sessionUuid: oven.uuid, taskUuid })
    await ada.client.call("chorus_session_checkin_task", { sessionUuid: stove.uuid, taskUuid: tasks[0] ?? "" })
    const { screen } = await openBoard(project)
    await expect.element(screen.getByText("2 sessions at work")).toBeVisible()
  })

  it("counts nobody whose program died, though its card says since when nobody heard of it", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [taskUuid = ""] = await makeTasks(project, { title: "Left alone" })
    const session_id = crypto.randomUUID()
    await ada.client.call("chorus_hook", { session_id, hook_event_name: "SessionStart", source: "startup" })
    const { sessions } = await ada.client.call("chorus_list_sessions", {})
    await ada.client.call("chorus_start_task", { taskUuid, sessionUuid: sessions[0]?.uuid })
    const { screen } = await openBoard(project)
    await expect.element(screen.getByText("1 session at work")).toBeVisible()
    await ada.client.call("chorus_hook", { session_id, hook_event_name: "SessionEnd", reason: "crashed" })
    await expect.element(card(screen, "Left alone").getByText("Not heard from since", { exact: false })).toBeVisible()
    await expect.element(screen.getByText("1 session at work")).not.toBeInTheDocument()
  })
})

describe("a card that is opened", () => {
  it("is shown beside the board under an address of its own, and closes by key and button", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Read me", description: "Every word counts." })
    const { screen, router } = await openBoard(project)
    await card(screen, "Read me").click()
    const panel = screen.getByRole("dialog", { name: "Board" })
    await expect.element(panel.getByText("Every word counts.")).toBeVisible()
    expect(router.state.location.search).toMatchObject({ task })

    await userEvent.keyboard("{Escape}")
    await expect.element(panel).not.toBeInTheDocument()
    expect(router.state.location.search).toEqual({})

    await card(screen, "Read me").click()
    await panel.getByRole("button", { name: "Close" }).click()
    await expect.element(panel).not.toBeInTheDocument()
  })

  it("is there at once for whoever follows a link to it, and keeps the filters of the link", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Linked" })
    const { screen, router } = await openBoard(project, `?find=link&task=${task}`)
    await expect.element(screen.getByRole("dialog").getByRole("heading", { name: "Linked" })).toBeVisible()
    await screen.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    await expect.poll(() => router.state.location.search).toEqual({ find: "link" })
  })

  it("opens by Enter from the keyboard", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Keyed" })
    const { screen, router } = await openBoard(project)
    await focusCard(screen, "Keyed")
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByRole("dialog").getByRole("heading", { name: "Keyed" })).toBeVisible()
    expect(router.state.location.search).toMatchObject({ task })
  })

  it("leads to the page of the task", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Grow" })
    const { screen, router } = await openBoard(project, `?task=${task}`)
    await screen.getByRole("link", { name: "Open as a page" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${project}/tasks/${task}`)
  })
})

describe("moving cards by keys", () => {
  it("walks from card to card and reaches only one by Tab", async () => {
    const project = await makeProject()
    const ada = await hire()
    const [, , begun = ""] = await makeTasks(
      project,
      { title: "Upper", priority: "high" },
      { title: "Lower" },
      { title: "Begun" },
    )
    await ada.client.call("chorus_start_task", { taskUuid: begun })
    const { screen } = await openBoard(project)
    await expect.element(card(screen, "Upper")).toHaveAttribute("tabindex", "0")
    await expect.element(card(screen, "Lower")).toHaveAttribute("tabindex", "-1")
    card(screen, "Upper").element().focus()
    await userEvent.keyboard("{ArrowDown}")
    await expect.element(card(screen, "Lower")).toHaveFocus()
    await expect.element(card(screen, "Lower")).toHaveAttribute("tabindex", "0")
    await userEvent.keyboard("k")
    await expect.element(card(screen, "Upper")).toHaveFocus()
    await userEvent.keyboard("l")
    await expect.element(card(screen, "Begun")).toHaveFocus()
    await userEvent.keyboard("{ArrowLeft}")
    await expect.element(card(screen, "Upper")).toHaveFocus()
  })

  it("carries a card to the next column, says each step, and the server knows", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Parcel" })
    const { screen } = await openBoard(project)
    await focusCard(screen, "Parcel")
    await userEvent.keyboard(" ")
    await expect
      .element(
        screen.getByText("Parcel picked up. Left and right choose a column, Enter drops it, Escape puts it back."),
      )
      .toBeInTheDocument()
    await userEvent.keyboard("{ArrowRight}")
    await expect.element(screen.getByText("In progress: Enter drops it here.")).toBeInTheDocument()
    await userEvent.keyboard("{Enter}")
    await expect.element(screen.getByText("Parcel moved to In progress.")).toBeInTheDocument()
    await expect.poll(() => statusOf(task)).toBe("in_progress")
    await expect
      .element(column(screen, "In progress").getByRole("link", { name: "Parcel", exact: false }))
      .toHaveFocus()
  })

  it("says where a card cannot go and puts it back", async () => {
    const project = await makeProject()
    const [, second = ""] = await makeTasks(
      project,
      { title: "First" },
      { title: "Second", dependsOnDraftUuids: ["First"] },
    )
    const { screen } = await openBoard(project)
    await focusCard(screen, "Second")
    await userEvent.keyboard(" {ArrowRight}")
    await expect.element(screen.getByText("In progress: not possible, it waits for other tasks.")).toBeInTheDocument()
    await userEvent.keyboard("{ArrowRight}")
    await expect
      .element(screen.getByText("To verify: not possible, it cannot go there from its current status."))
      .toBeInTheDocument()
    await userEvent.keyboard(" ")
    await expect.element(screen.getByText("Second put back.")).toBeInTheDocument()
    expect(await statusOf(second)).toBe("open")
  })

  it("lets go with Escape and moves nothing", async () => {
    const project = await makeProject()
    const [task = ""] = await makeTasks(project, { title: "Hesitant" })
    const { screen } = await openBoard(project)
    await focusCard(screen, "Hesitant")
    await userEvent.keyboard(" {ArrowRight}{Escape}")
    await expect.element(screen.getByText("Hesitant put back.")).toBeInTheDocument()
    expect(await statusOf(task)).toBe("open")
  })

  it("does not lift a card for who may only look", async () => {
    const project = await makeProject()
    await makeTasks(project, { title: "Glass case" })
    const { screen } = await openBoard(project, "", "viewer")
    await focusCard(screen, "Glass case")
    await userEvent.keyboard(" {ArrowRight}{Enter}")
    await expect.element(screen.getByText(/picked up/)).not.toBeInTheDocument()
    await expect.element(column(screen, "Open").getByText("Glass case")).toBeVisible()
  })
})
