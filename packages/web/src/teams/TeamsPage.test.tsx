import { describe, expect, it } from "vitest"
import { refuse } from "../../test/guest.ts"
import { factsOf, openMachine } from "../../test/machine-room.ts"
import { openPage } from "../../test/stage.tsx"

const unique = () => `team-${crypto.randomUUID().slice(0, 8)}`

describe("the teams of all machines", () => {
  it("show who leads, who is in, where, and lead into the room", async () => {
    const name = unique()
    const { machine, tell } = await openMachine()
    const facts = factsOf(name)
    await tell({
      teamFacts: [
        facts.begun({ description: "Builds the lamp", ledByChorus: true }),
        facts.member("lead", { lead: true }),
        facts.member("ada", { color: "blue" }),
        facts.member("bob"),
        facts.left("bob"),
      ],
    })
    const { screen, router } = await openPage("/teams")
    const row = screen.getByRole("list", { name: "Teams" }).getByRole("listitem").filter({ hasText: name })
    for (const shown of ["Led by Chorus", machine, "Builds the lamp", "lead", "ada"])
      await expect.element(row.getByText(shown, { exact: true })).toBeVisible()
    await expect.element(row.getByLabelText("Lead")).toBeVisible()
    await expect.element(row.getByText("bob")).not.toBeInTheDocument()
    await row.getByRole("link").click()
    await expect.element(screen.getByRole("heading", { name: new RegExp(name) })).toBeVisible()
    expect(router.state.location.pathname).toMatch(/^\/teams\/.+/)
  })

  it("appear, gain members and go while they are on show; former ones are shown when asked for", async () => {
    const name = unique()
    const facts = factsOf(name)
    const { tell } = await openMachine()
    const { screen } = await openPage("/teams")
    await expect.element(screen.getByRole("switch", { name: "Show past teams" })).not.toBeChecked()
    await tell({ teamFacts: [facts.begun()] })
    const row = screen.getByRole("main").getByRole("listitem").filter({ hasText: name })
    await expect.element(row).toBeVisible()
    await tell({ teamFacts: [facts.member("cyd")] })
    await expect.element(row.getByText("cyd")).toBeVisible()
    await tell({ teamFacts: [facts.gone()] })
    await expect.element(row).not.toBeInTheDocument()
    await screen.getByRole("switch", { name: "Show past teams" }).click()
    await expect.element(row.getByText("Gone")).toBeVisible()
    await tell({ teamFacts: [facts.begun({ description: "Back again" })] })
    await expect.element(row.getByText("Back again")).toBeVisible()
    await expect.element(row.getByText("Gone")).not.toBeInTheDocument()
  })

  it("say why they cannot be shown, and are shown when asked again", async () => {
    const letGo = refuse("/chorus_list_teams", { code: "forbidden", message: "You may not see teams." })
    const { screen } = await openPage("/teams")
    await expect.element(screen.getByRole("alert").getByText("You may not see teams.")).toBeVisible()
    letGo()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
  })
})
