import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { becomeGuest, hold, refuse, sentTo } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`
const cardOf = (screen: Screen, name: string) =>
  screen.getByRole("main").getByRole("listitem").filter({ hasText: name }).first()
const agentCalled = async (name: string) =>
  (await owner.call("chorus_list_agents", { pageSize: 100 })).agents.find((agent) => agent.name === name)

async function openNew() {
  const { screen } = await openPage("/settings/agents")
  await screen.getByRole("button", { name: "New agent" }).click()
  return { screen, dialog: screen.getByRole("dialog", { name: "New agent" }) }
}

async function openEdit(name: string) {
  const { screen } = await openPage("/settings/agents")
  await screen.getByRole("button", { name: `More about ${name}` }).click()
  await screen.getByRole("menuitem", { name: "Edit" }).click()
  return { screen, dialog: screen.getByRole("dialog", { name: "Edit agent" }) }
}

describe("making an agent", () => {
  it("starts with what those who work on tasks may do, in all projects", async () => {
    const name = unique("Ada")
    const { screen, dialog } = await openNew()
    await expect.element(dialog.getByLabelText("Name")).toHaveFocus()
    await expect.element(dialog.getByRole("radio", { name: "Developer" })).toBeChecked()
    await expect
      .element(dialog.getByRole("radio", { name: "Developer" }))
      .toHaveAccessibleDescription("Reads everything, works on tasks.")
    await dialog.getByLabelText("Name").fill(`  ${name} `)
    await userEvent.keyboard("{Enter}")
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(cardOf(screen, name).getByText("Developer")).toBeVisible()
    await expect.element(cardOf(screen, name).getByText("All projects")).toBeVisible()
    await expect.element(cardOf(screen, name).getByText("Never connected")).toBeVisible()
    expect(await agentCalled(name)).toMatchObject({
      projectUuids: null,
      persona: null,
      permissions: expect.arrayContaining(["task:write", "idea:read"]),
    })
  })

  it("gives exactly the bits that were chosen one by one", async () => {
    const name = unique("Bob")
    const { screen, dialog } = await openNew()
    await dialog.getByLabelText("Name").fill(name)
    await dialog.getByText("Custom permissions").click()
    await dialog.getByRole("checkbox", { name: "Write Documents" }).click()
    await dialog.getByRole("checkbox", { name: "Write Tasks" }).click()
    await expect.element(dialog.getByRole("radio", { name: "Developer" })).not.toBeChecked()
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(cardOf(screen, name).getByText("Custom permissions")).toBeVisible()
    expect((await agentCalled(name))?.permissions.toSorted()).toEqual([
      "document:read",
      "document:write",
      "idea:read",
      "project:read",
      "proposal:read",
      "task:read",
    ])
  })

  it("marks the preset that the bits make up, however they came about", async () => {
    const { dialog } = await openNew()
    await dialog.getByRole("radio", { name: "Admin" }).click()
    await dialog.getByText("Custom permissions").click()
    for (const resource of ["Ideas", "Proposals", "Documents", "Tasks", "Projects"]) {
      await expect.element(dialog.getByRole("checkbox", { name: `Decide ${resource}` })).toBeChecked()
      await dialog.getByRole("checkbox", { name: `Decide ${resource}` }).click()
    }
    await expect.element(dialog.getByRole("radio", { name: "Lead" })).toBeChecked()
  })

  it("keeps it to some projects", async () => {
    const name = unique("Cyd")
    const projectUuid = await makeProject("Lamp")
    const { name: projectName } = await owner.call("chorus_get_project", { projectUuid })
    const { screen, dialog } = await openNew()
    await dialog.getByLabelText("Name").fill(name)
    await dialog.getByRole("checkbox", { name: "All projects" }).click()
    await dialog.getByRole("checkbox", { name: projectName }).click()
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(cardOf(screen, name).getByText("1 project")).toBeVisible()
    expect((await agentCalled(name))?.projectUuids).toEqual([projectUuid])
  })

  it("makes one agent, however often the button is pressed while the server thinks", async () => {
    const name = unique("Dee")
    const { dialog } = await openNew()
    const sent = sentTo("/chorus_create_agent")
    const letGo = hold("/chorus_create_agent")
    await dialog.getByLabelText("Name").fill(name)
    await userEvent.keyboard("{Enter}{Enter}{Enter}")
    await expect.element(dialog.getByRole("button", { name: "Create" })).toBeDisabled()
    letGo()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(sent.count).toBe(1)
  })

  it("loses nothing of what was typed when the server refuses", async () => {
    const { screen, dialog } = await openNew()
    await dialog.getByLabelText("Name").fill("Somebody")
    await dialog.getByLabelText("Persona").fill("Careful.")
    await dialog.getByRole("radio", { name: "Lead" }).click()
    refuse("/chorus_create_agent", {
      code: "too_many_agents",
      message: "There are too many agents.",
      next: "Archive one first.",
    })
    await dialog.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByText("There are too many agents.")).toBeVisible()
    await expect.element(screen.getByText("Archive one first.")).toBeVisible()
    await expect.element(dialog.getByLabelText("Name")).toHaveValue("Somebody")
    await expect.element(dialog.getByLabelText("Persona")).toHaveValue("Careful.")
    await expect.element(dialog.getByRole("radio", { name: "Lead" })).toBeChecked()
  })

  it("is given up with Escape, and the button has the focus again", async () => {
    const { screen, dialog } = await openNew()
    await expect.element(dialog).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: "New agent" })).toHaveFocus()
  })
})

describe("changing an agent", () => {
  it("shows all it is, and saves what is changed", async () => {
    const { uuid, name } = await hire("Eve")
    await owner.call("chorus_update_agent", { agentUuid: uuid, persona: "Bold." })
    const { screen, dialog } = await openEdit(name)
    await expect.element(dialog.getByLabelText("Name")).toHaveValue(name)
    await expect.element(dialog.getByLabelText("Persona")).toHaveValue("Bold.")
    await expect.element(dialog.getByRole("radio", { name: "Lead" })).toBeChecked()
    await dialog.getByLabelText("Name").fill(`${name} II`)
    await dialog.getByLabelText("Persona").fill("")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(cardOf(screen, `${name} II`)).toBeVisible()
    expect(await agentCalled(`${name} II`)).toMatchObject({ uuid, persona: null })
  })

  it("shows bits that make up no preset at once, and leaves them as they are", async () => {
    const { uuid, name } = await hire("Fay")
    await owner.call("chorus_update_agent", { agentUuid: uuid, presets: [], permissions: ["task:read", "task:admin"] })
    const { dialog } = await openEdit(name)
    await expect.element(dialog.getByRole("checkbox", { name: "Decide Tasks" })).toBeChecked()
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect((await agentCalled(name))?.permissions.toSorted()).toEqual(["task:admin", "task:read"])
  })

  it("archives one, says what that means, and takes it back when asked", async () => {
    const { name } = await hire("Gus")
    const { screen } = await openPage("/settings/agents")
    await screen.getByRole("button", { name: `More about ${name}` }).click()
    await screen.getByRole("menuitem", { name: "Archive" }).click()
    await expect.element(screen.getByText("Archived; its keys no longer work")).toBeVisible()
    await expect.element(screen.getByText(name, { exact: true })).not.toBeInTheDocument()
    expect(await agentCalled(name)).toBeUndefined()
    await screen.getByRole("button", { name: "Undo" }).click()
    await expect.poll(() => agentCalled(name)).toMatchObject({ name })
  })
})

describe("the list of agents", () => {
  it("follows what happens elsewhere: one is made, and one connects", async () => {
    const { screen } = await openPage("/settings/agents")
    await expect.element(screen.getByRole("heading", { name: "Agents and keys" })).toBeVisible()
    const { name, client } = await hire("Hal")
    await expect.element(cardOf(screen, name).getByText("Never connected")).toBeVisible()
    await client.call("chorus_checkin", {})
    await expect.element(cardOf(screen, name).getByText("Active now")).toBeVisible()
  })

  it("offers nothing to those who only look", async () => {
    const { name } = await hire("Ida")
    await becomeGuest("viewer")
    const { screen } = await openPage("/settings/agents")
    await expect.element(screen.getByText(name, { exact: true }).first()).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "New agent" })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: `More about ${name}` })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: "New key" })).not.toBeInTheDocument()
  })

  it("says why it cannot be shown", async () => {
    refuse("/chorus_list_agents", { code: "forbidden", message: "You may not see agents." })
    const { screen } = await openPage("/settings/agents")
    await expect.element(screen.getByRole("main").getByRole("alert").getByText("You may not see agents.")).toBeVisible()
  })
})
