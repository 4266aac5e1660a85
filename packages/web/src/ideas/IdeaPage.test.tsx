import type { IdeaId } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { makeIdea, submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { handIn, hire, makeProject } from "../../test/workplace.ts"

async function openIdea(projectUuid: string, ideaUuid: string, options = {}) {
  const { router, screen } = await openPage(`/projects/${projectUuid}/ideas/${ideaUuid}`, options)
  const main = screen.getByRole("main")
  const choose = async (item: string) => {
    await main.getByRole("button", { name: "More" }).click()
    await screen.getByRole("menuitem", { name: item }).click()
  }
  return {
    router,
    screen,
    main,
    choose,
    fact: (name: string) =>
      main.getByRole("definition").nth(["Status", "Assignee", "Labels", "Written by", "Created", "Cost"].indexOf(name)),
  }
}

async function opened(title = "Light in the hall", more = {}) {
  const projectUuid = await makeProject()
  const ideaUuid = await makeIdea(projectUuid, title, more)
  return { projectUuid, ideaUuid, ...(await openIdea(projectUuid, ideaUuid)) }
}

const ideaNow = (ideaUuid: string) => owner.call("chorus_get_idea", { ideaUuid })

describe("an idea", () => {
  it("is shown in its author's words, with where it stands and whose it is", async () => {
    const { main, fact } = await opened("Light in the hall", { content: "So that **nobody** falls." })
    await expect.element(main.getByRole("heading", { level: 1 })).toMatchTextContent("Light in the hall")
    await expect.element(main.getByText("nobody", { exact: true })).toBeVisible()
    await expect.element(fact("Status")).toHaveTextContent("Open")
    await expect.element(fact("Assignee")).toHaveTextContent("Nobody")
    await expect.element(fact("Cost")).toHaveTextContent("Nothing reported")
    await expect.element(main.getByText("No proposal yet.")).toBeVisible()
  })

  it("follows what others do to it while it is read", async () => {
    const { ideaUuid, main, fact } = await opened()
    await expect.element(main.getByText("Nothing more was written down.")).toBeVisible()
    const agent = await hire("Grace")
    await owner.call("chorus_edit_idea", { ideaUuid, title: "Light everywhere" })
    await expect.element(main.getByRole("heading", { level: 1 })).toMatchTextContent("Light everywhere")
    await agent.client.call("chorus_claim_idea", { ideaUuid })
    await expect.element(fact("Assignee")).toMatchTextContent(agent.name)
    await expect.element(fact("Status")).toHaveTextContent("Researching")
  })

  it("is not offered to be planned while an agent plans it, and is again when its run has ended", async () => {
    const { ideaUuid, main } = await opened()
    const plan = main.getByRole("button", { name: "Plan this" })
    await expect.element(plan).toBeVisible()
    const machine = `plans-${crypto.randomUUID().slice(0, 8)}`
    const { uuid } = await owner.call("chorus_start_run", { ideaUuid: ideaUuid as IdeaId, program: "codex", machine })
    await expect.element(plan).not.toBeInTheDocument()
    await owner.call("chorus_stop_run", { runUuid: uuid })
    await expect.element(plan).toBeVisible()
  })

  it("offers nothing to do to those who may only look", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid)
    const { main } = await openIdea(projectUuid, ideaUuid, { role: "viewer" })
    await expect.element(main.getByText("Nothing more was written down.")).toBeVisible()
    for (const name of ["More", "Assign", "Skip questions", "Attach a file", "Add a reference"])
      await expect.element(main.getByRole("button", { name })).not.toBeInTheDocument()
  })

  it("is said to be gone when somebody deletes it while it is read", async () => {
    const { ideaUuid, main } = await opened("Light", { content: "So that nobody falls." })
    await expect.element(main.getByText("So that nobody falls.")).toBeVisible()
    await owner.call("chorus_admin_delete_idea", { ideaUuid })
    await expect.element(main.getByRole("alert")).toMatchTextContent("Try again")
    await expect.element(main.getByText("So that nobody falls.")).not.toBeInTheDocument()
    await expect.element(main.getByRole("button", { name: "More" })).not.toBeInTheDocument()
  })

  it("that does not exist is said not to", async () => {
    const { main } = await openIdea(await makeProject(), crypto.randomUUID())
    await expect.element(main.getByRole("alert")).toMatchTextContent("Try again")
  })
})

describe("the words of an idea", () => {
  it("are edited in place and kept by the keys that send", async () => {
    const { ideaUuid, main, choose } = await opened("Light", { content: "Dark now." })
    await choose("Edit")
    await expect.element(main.getByRole("textbox", { name: "In your words" })).toHaveValue("Dark now.")
    await main.getByRole("textbox", { name: "Title" }).fill(" Light in the hall ")
    await main.getByRole("textbox", { name: "In your words" }).fill("Bright soon.")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(main.getByText("Bright soon.")).toBeVisible()
    await expect.element(main.getByRole("textbox", { name: "Title" })).not.toBeInTheDocument()
    expect(await ideaNow(ideaUuid)).toMatchObject({ title: "Light in the hall", content: "Bright soon." })
  })

  it("may be none, but the title may not; Cancel leaves all as it was", async () => {
    const { ideaUuid, screen, main, choose } = await opened("Light", { content: "Dark now." })
    await choose("Edit")
    await main.getByRole("textbox", { name: "Title" }).fill(" ")
    await expect.element(main.getByRole("button", { name: "Save" })).toBeDisabled()
    await main.getByRole("button", { name: "Cancel" }).click()
    await screen
      .getByRole("dialog", { name: "Discard what you typed?" })
      .getByRole("button", { name: "Discard" })
      .click()
    await expect.element(main.getByText("Dark now.")).toBeVisible()
    await choose("Edit")
    await expect.element(main.getByRole("textbox", { name: "Title" })).toHaveValue("Light")
    await main.getByRole("textbox", { name: "In your words" }).fill("")
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(main.getByText("Nothing more was written down.")).toBeVisible()
    expect((await ideaNow(ideaUuid)).content).toBeNull()
  })

  it("stay in the form when the server refuses them", async () => {
    const { screen, main, choose } = await opened("Light")
    await choose("Edit")
    await main.getByRole("textbox", { name: "Title" }).fill("Li\u0007ght")
    await main.getByRole("button", { name: "Save" }).click()
    await expect.element(screen.getByRole("region", { name: "News" }).getByRole("alert")).toBeVisible()
    await expect.element(main.getByRole("textbox", { name: "Title" })).toHaveValue("Li\u0007ght")
  })
})

describe("what is done with an idea", () => {
  it("is taken by oneself and given back", async () => {
    const { ideaUuid, screen, main, choose, fact } = await opened()
    await main.getByRole("button", { name: "Assign" }).click()
    await screen.getByRole("menuitem", { name: "Take it myself" }).click()
    const me = await owner.call("chorus_get_me", {})
    await expect.element(fact("Assignee")).toMatchTextContent(me.name)
    await choose("Give back")
    await expect.element(fact("Assignee")).toHaveTextContent("Nobody")
    expect((await ideaNow(ideaUuid)).assignee).toBeNull()
  })

  it("is given to an agent", async () => {
    const agent = await hire("Grace")
    const { ideaUuid, screen, main, fact } = await opened()
    await main.getByRole("button", { name: "Assign" }).click()
    await screen.getByRole("menuitem", { name: agent.name }).click()
    await expect.element(fact("Assignee")).toMatchTextContent(agent.name)
    expect((await ideaNow(ideaUuid)).assignee).toMatchObject({ type: "agent", uuid: agent.uuid })
  })

  it("moves to another project, and the page goes with it", async () => {
    const target = await owner.call("chorus_admin_create_project", {
      name: `Garden ${crypto.randomUUID().slice(0, 8)}`,
    })
    const { ideaUuid, router, screen, choose } = await opened()
    await choose("Move to another project")
    const dialog = screen.getByRole("dialog", { name: "Move to another project" })
    await expect.element(dialog.getByRole("button", { name: "Move" })).toBeDisabled()
    await dialog.getByRole("combobox", { name: "Project" }).selectOptions(target.name)
    await dialog.getByRole("button", { name: "Move" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${target.uuid}/ideas/${ideaUuid}`)
    expect((await ideaNow(ideaUuid)).projectUuid).toBe(target.uuid)
  })

  it("is deleted only when that is meant, and leads back to the others", async () => {
    const { projectUuid, ideaUuid, router, screen, main, choose } = await opened()
    await choose("Delete")
    const dialog = screen.getByRole("dialog", { name: "Delete this idea?" })
    await expect.element(dialog).toMatchTextContent("Light in the hall")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await expect.element(main.getByRole("button", { name: "More" })).toHaveFocus()
    await choose("Delete")
    await dialog.getByRole("button", { name: "Delete" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/ideas`)
    await expect(ideaNow(ideaUuid)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("the place of an idea among others", () => {
  it("shows what it belongs to and what belongs to it, each one step away", async () => {
    const projectUuid = await makeProject()
    const theme = await makeIdea(projectUuid, "Comfort", { isContainer: true })
    const ideaUuid = await makeIdea(projectUuid, "Light", { parentUuid: theme })
    await makeIdea(projectUuid, "Dimmed light", { parentUuid: ideaUuid })
    const { router, main } = await openIdea(projectUuid, ideaUuid)
    const lineage = main.getByRole("region", { name: "Related ideas" })
    await expect.element(lineage.getByRole("link", { name: "Dimmed light" })).toBeVisible()
    await lineage.getByRole("link", { name: "Comfort" }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/ideas/${theme}`)
    await expect
      .element(main.getByRole("region", { name: "Related ideas" }).getByRole("link", { name: "Light", exact: true }))
      .toBeVisible()
    await expect.element(main.getByRole("button", { name: "Assign" })).not.toBeInTheDocument()
    await expect.element(main.getByRole("region", { name: "Questions" })).not.toBeInTheDocument()
  })
})

describe("what came of an idea", () => {
  it("is the proposals, then their tasks as they get done, then the report", async () => {
    const { projectUuid, ideaUuid, proposalUuid, planner } = await submitPlan()
    const { main, fact } = await openIdea(projectUuid, ideaUuid)
    const proposals = main.getByRole("list", { name: "Proposals" })
    await expect.element(proposals.getByRole("link")).toHaveTextContent("Lamps on every floorWaits for review")
    await expect.element(fact("Status")).toHaveTextContent("Review proposal")
    const { materializedTasks } = await owner.call("chorus_admin_approve_proposal", { proposalUuid })
    await expect.element(proposals.getByRole("link")).toHaveTextContent("Lamps on every floorApproved")
    await expect.element(main.getByText("0 of 2 done")).toBeVisible()
    const wire = materializedTasks.find(({ title }) => title === "Lay the wire")?.taskUuid ?? ""
    await handIn(planner, wire)
    await expect
      .element(main.getByRole("list", { name: "Tasks" }).getByRole("link").filter({ hasText: "Lay the wire" }))
      .toMatchTextContent("To verify")
    await owner.call("chorus_admin_close_task", { taskUuid: wire })
    await expect.element(main.getByText("1 of 2 done")).toBeVisible()
    await planner.client.call("chorus_create_report", {
      proposalUuid,
      title: "What was built",
      content: "Light.",
      force: true,
    })
    await expect
      .element(main.getByRole("region", { name: "Reports" }).getByRole("link", { name: "What was built" }))
      .toBeVisible()
    // What is over is not planned once more.
    await expect.element(main.getByRole("button", { name: "Plan this" })).toBeVisible()
    const lamp = materializedTasks.find(({ title }) => title === "Hang the lamp")?.taskUuid ?? ""
    await owner.call("chorus_admin_close_task", { taskUuid: lamp })
    await expect.element(fact("Status")).toHaveTextContent("Done")
    await expect.element(main.getByRole("button", { name: "Plan this" })).not.toBeInTheDocument()
  })
})

describe("more about an idea", () => {
  it("lies behind tabs: what was said, decided and done", async () => {
    const { ideaUuid, main } = await opened()
    await owner.call("chorus_add_comment", { targetType: "idea", targetUuid: ideaUuid, content: "Warm white, please." })
    await expect.element(main.getByText("Warm white, please.")).toBeVisible()
    await main.getByRole("tab", { name: "Decisions" }).click()
    await expect.element(main.getByText("No decisions have been made yet.")).toBeVisible()
    await main.getByRole("tab", { name: "Activity" }).click()
    await expect.element(main.getByRole("tabpanel", { name: "Activity" })).toMatchTextContent("Light in the hall")
  })
})
