import { describe, expect, it } from "vitest"
import { refuse } from "../../test/guest.ts"
import { factsOf, openMachine } from "../../test/machine-room.ts"
import { openPage, owner } from "../../test/stage.tsx"

/** An order that the machine could not carry out. */
async function deadLetter() {
  const { machine, agent, tell } = await openMachine()
  const team = `team-${crypto.randomUUID().slice(0, 8)}`
  await tell({ teamFacts: [factsOf(team).begun()] })
  const { teams } = await owner.call("chorus_list_teams", {})
  const teamUuid = teams.find(({ name }) => name === team)?.uuid ?? ""
  const text = `Paint it ${crypto.randomUUID().slice(0, 8)}`
  const { orderUuid } = await owner.call("chorus_write_to_member", { teamUuid, to: "bob", text })
  const fail = () =>
    agent.client.call("chorus_settle_delivery", {
      deliveryUuid: orderUuid,
      error: "Nobody called bob is in the team.",
      next: "Write to somebody who is.",
      final: true,
    })
  const state = async () =>
    (await owner.call("chorus_list_deliveries", { pageSize: 100 })).deliveries.find(({ uuid }) => uuid === orderUuid)
      ?.state
  return { machine, text, fail, state }
}

describe("what did not arrive", () => {
  it("appears by itself with where it went, why it failed and what to do, and is sent again", async () => {
    const { screen } = await openPage("/settings/undelivered")
    await expect.element(screen.getByRole("heading", { name: "Undelivered" })).toBeVisible()
    const { machine, text, fail, state } = await deadLetter()
    await fail()
    const row = screen.getByRole("main").getByRole("listitem").filter({ hasText: text })
    await expect.element(row).toMatchTextContent(`to ${machine} · tried 1 time`)
    await expect.element(row.getByText("Nobody called bob is in the team.")).toBeVisible()
    await expect.element(row.getByText("Write to somebody who is.")).toBeVisible()
    await row.getByRole("button", { name: "Send again" }).click()
    await expect.element(row).not.toBeInTheDocument()
    expect(await state()).toBe("pending")
  })

  it("waits for the person it concerns, who can put it away", async () => {
    const { text, fail, state } = await deadLetter()
    await fail()
    const { screen } = await openPage("/")
    const card = screen.getByRole("main").getByRole("listitem").filter({ hasText: text })
    await expect.element(card).toMatchTextContent("Not delivered")
    await card.getByRole("button", { name: "Look into it" }).click()
    const row = screen.getByRole("main").getByRole("listitem").filter({ hasText: text })
    await row.getByRole("button", { name: "Dismiss" }).click()
    await expect.element(row).not.toBeInTheDocument()
    expect(await state()).toBeUndefined()
  })

  it("stays when the server refuses to send it again, and the reason is said", async () => {
    const { text, fail } = await deadLetter()
    await fail()
    const { screen } = await openPage("/settings/undelivered")
    refuse("/chorus_redeliver", { code: "forbidden", message: "You may not do this." })
    const row = screen.getByRole("main").getByRole("listitem").filter({ hasText: text })
    await row.getByRole("button", { name: "Send again" }).click()
    await expect.element(screen.getByText("You may not do this.")).toBeVisible()
    await expect.element(row).toBeVisible()
  })
})
