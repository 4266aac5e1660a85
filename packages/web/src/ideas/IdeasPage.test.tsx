import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { ask, makeIdea, question } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject } from "../../test/workplace.ts"

const pathOf = (projectUuid: string) => `/projects/${projectUuid}/ideas`

async function openIdeas(projectUuid: string, options = {}) {
  const { router, screen } = await openPage(pathOf(projectUuid), options)
  const main = screen.getByRole("main")
  return { router, screen, main, rows: (list: string) => main.getByRole("list", { name: list }).getByRole("listitem") }
}

describe("the ideas of a project", () => {
  it("say where to begin where there are none, and begin there", async () => {
    const projectUuid = await makeProject()
    const { router, screen, main } = await openIdeas(projectUuid)
    await expect.element(main.getByRole("heading", { name: "No ideas yet" })).toBeVisible()
    await expect.element(main.getByRole("searchbox")).not.toBeInTheDocument()
    await main.getByRole("button", { name: "New idea" }).click()
    const title = screen.getByRole("textbox", { name: "Title" })
    await expect.element(title).toHaveFocus()
    await title.fill("  Light in the hall ")
    await screen.getByRole("textbox", { name: "In your words" }).fill("So that nobody falls.")
    await userEvent.keyboard("{Control>}{Enter}{/Control}")
    await expect.element(main.getByText("So that nobody falls.")).toBeVisible()
    const { ideas } = await owner.call("chorus_get_ideas", { projectUuid })
    expect(ideas.map((idea) => idea.title)).toEqual(["Light in the hall"])
    expect(router.state.location.pathname).toBe(`${pathOf(projectUuid)}/${ideas[0]?.uuid}`)
  })

  it("stand by where they stand: what waits for a person first, themes only in the tree", async () => {
    const projectUuid = await makeProject()
    const theme = await makeIdea(projectUuid, "Comfort", { isContainer: true })
    await makeIdea(projectUuid, "Warm floors", { parentUuid: theme })
    const asked = await makeIdea(projectUuid, "Light in the hall")
    const agent = await hire()
    await ask(agent, asked, question("cost", "What may it cost?"))
    const { main, rows } = await openIdeas(projectUuid)
    await expect
      .element(main.getByRole("region", { name: "Needs you" }))
      .toMatchTextContent("Light in the hallAnswer questions")
    await expect.element(main.getByRole("region", { name: "To do" })).toMatchTextContent("Warm floorsComfortOpen")
    expect(
      main
        .getByRole("heading", { level: 2 })
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(["Needs you", "To do"])
    await main.getByText("Tree").click()
    await expect
      .poll(() =>
        rows("Ideas")
          .elements()
          .map((row) => row.querySelector(".font-medium")?.textContent),
      )
      .toEqual(["Comfort", "Warm floors", "Light in the hall"])
    const indent = rows("Ideas")
      .elements()
      .map((row) => Number.parseInt((row as HTMLElement).style.paddingLeft, 10))
    expect(indent).toEqual([0, 20, 0])
    await expect.element(rows("Ideas").first()).toMatchTextContent("Theme")
  })

  it("are found by any words of their title, whatever the case", async () => {
    const projectUuid = await makeProject()
    for (const title of ["Light in the hall", "Warm floors", "Light for the stairs"]) await makeIdea(projectUuid, title)
    const { main, rows } = await openIdeas(projectUuid)
    const find = main.getByRole("searchbox", { name: "Filter ideas" })
    await find.fill("LIGHT stairs")
    await expect.poll(() => rows("To do").elements().length).toBe(1)
    await expect.element(rows("To do")).toMatchTextContent("Light for the stairs")
    await find.fill("roof")
    await expect.element(main.getByText("No idea matches.")).toBeVisible()
    await main.getByText("Tree").click()
    await expect.element(main.getByText("No idea matches.")).toBeVisible()
    await find.fill("")
    await expect.poll(() => rows("Ideas").elements().length).toBe(3)
  })

  it("follow what others do: a new one, a claimed one, one that goes", async () => {
    const projectUuid = await makeProject()
    const ideaUuid = await makeIdea(projectUuid, "Light in the hall")
    const agent = await hire("Grace")
    const { main, rows } = await openIdeas(projectUuid)
    await expect.element(rows("To do")).toBeVisible()
    await agent.client.call("chorus_pm_create_idea", { projectUuid, title: "Warm floors" })
    await expect.element(rows("To do").filter({ hasText: "Warm floors" })).toBeVisible()
    await agent.client.call("chorus_claim_idea", { ideaUuid })
    await expect.element(main.getByRole("region", { name: "In progress" }).getByTitle(agent.name)).toBeVisible()
    await owner.call("chorus_admin_delete_idea", { ideaUuid })
    await expect.element(main.getByText("Light in the hall")).not.toBeInTheDocument()
  })

  it("cannot be written by those who may only look", async () => {
    const projectUuid = await makeProject()
    const { main } = await openIdeas(projectUuid, { role: "viewer" })
    await expect.element(main.getByRole("heading", { name: "No ideas yet" })).toBeVisible()
    await expect.element(main.getByRole("button", { name: "New idea" })).not.toBeInTheDocument()
  })

  it("say why they cannot be shown, and are asked for again", async () => {
    const { main } = await openIdeas(crypto.randomUUID())
    await expect.element(main.getByRole("alert")).toBeVisible()
    await expect.element(main.getByRole("button", { name: "Try again" })).toBeVisible()
  })
})

describe("a new idea", () => {
  it("is put under a theme, and Enter in its title is enough", async () => {
    const projectUuid = await makeProject()
    const theme = await makeIdea(projectUuid, "Comfort", { isContainer: true })
    const { router, screen } = await openIdeas(projectUuid)
    await screen.getByRole("button", { name: "New idea" }).click()
    await screen.getByRole("combobox", { name: "Theme" }).selectOptions("Comfort")
    await screen.getByRole("textbox", { name: "Title" }).fill("Warm floors")
    await userEvent.keyboard("{Enter}")
    await expect.poll(() => router.state.location.pathname).toMatch(/ideas\/[0-9a-f-]{36}$/)
    const made = (await owner.call("chorus_get_ideas", { projectUuid })).ideas.find(
      ({ title }) => title === "Warm floors",
    )
    expect(made?.parentUuid).toBe(theme)
  })

  it("that is a theme leaves one where one is, ready for the next", async () => {
    const projectUuid = await makeProject()
    const { router, screen, main } = await openIdeas(projectUuid)
    await main.getByRole("button", { name: "New idea" }).click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Comfort")
    await screen.getByRole("switch", { name: /^Theme/ }).click()
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument()
    await main.getByText("Tree").click()
    await expect.element(main.getByText("Comfort")).toBeVisible()
    expect(router.state.location.pathname).toBe(pathOf(projectUuid))
  })

  it("needs a title, is made once by quick hands, and not when cancelled", async () => {
    const projectUuid = await makeProject()
    const { screen, main } = await openIdeas(projectUuid)
    const opener = main.getByRole("button", { name: "New idea" })
    await opener.click()
    await screen.getByRole("textbox", { name: "Title" }).fill("   ")
    await expect.element(screen.getByRole("button", { name: "Create" })).toBeDisabled()
    await userEvent.keyboard("{Enter}")
    await screen.getByRole("button", { name: "Cancel" }).click()
    await expect.element(opener).toHaveFocus()
    await opener.click()
    await screen.getByRole("button", { name: "Start over" }).click()
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("")
    await screen.getByRole("textbox", { name: "Title" }).fill("Warm floors")
    await userEvent.keyboard("{Enter}{Enter}{Enter}")
    await expect.element(main.getByText("Nothing more was written down.")).toBeVisible()
    expect((await owner.call("chorus_get_ideas", { projectUuid })).total).toBe(1)
  })

  it("is still in the form when the server does not take it", async () => {
    const projectUuid = await makeProject()
    const { screen, main } = await openIdeas(projectUuid)
    await main.getByRole("button", { name: "New idea" }).click()
    await screen.getByRole("textbox", { name: "Title" }).fill("Warm\u0007floors")
    await screen.getByRole("button", { name: "Create" }).click()
    await expect.element(screen.getByRole("alert")).toBeVisible()
    await expect.element(screen.getByRole("textbox", { name: "Title" })).toHaveValue("Warm\u0007floors")
  })
})
