import { describe, expect, it } from "vitest"
import { userEvent } from "vitest/browser"
import { becomeGuest, refuse } from "../../test/guest.ts"
import { factsOf, openMachine } from "../../test/machine-room.ts"
import { openPage, owner } from "../../test/stage.tsx"

const LONG_AGO = "2026-01-01T00:00:00.000Z"

async function openRoom() {
  const name = `room-${crypto.randomUUID().slice(0, 8)}`
  const facts = factsOf(name)
  const { machine, agent, tell } = await openMachine()
  await tell({
    teamFacts: [
      facts.begun({ description: "Builds the lamp" }),
      facts.member("lead", { lead: true, state: "unknown" }),
      facts.member("ada", { state: "working", color: "blue", agentType: "builder", model: "sonnet" }),
      facts.member("bob", { state: "idle" }),
      facts.member("cat", { state: "dead", progress: { at: LONG_AGO, line: "Bash: npm test", costUsd: 1.5 } }),
      facts.member("dan", { state: "working", progress: { at: LONG_AGO, line: "Reading", tokens: 1200 } }),
      facts.said("m1", "lead", "ada", "Begin with the **switch**."),
      facts.said("m2", "bob", "lead", "Where is the bulb?"),
      facts.said(
        "m3",
        "ada",
        "lead",
        '{"type":"idle_notification","idleReason":"waits for the bulb"}',
        "idle_notification",
      ),
      facts.task("1", "Fit the switch", { status: "in_progress", owner: "ada" }),
      facts.task("2", "Fit the bulb", { blockedBy: ["1"] }),
    ],
  })
  const team = (await owner.call("chorus_list_teams", {})).teams.find((each) => each.name === name)
  const teamUuid = team?.uuid ?? ""
  return {
    name,
    facts,
    machine,
    agent,
    tell,
    teamUuid,
    ordersNow: async () => (await owner.call("chorus_get_team", { teamUuid })).orders,
  }
}

const memberButton = (screen: Awaited<ReturnType<typeof openPage>>["screen"], name: string) =>
  screen.getByRole("button", { name: new RegExp(`^${name}`) })

describe("a team's room", () => {
  it("shows who is in it and what they do, what was said, and what waits for what", async () => {
    const { teamUuid, machine } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await expect.element(screen.getByText("Builds the lamp")).toBeVisible()
    await expect.element(screen.getByText(machine)).toBeVisible()
    await expect.element(memberButton(screen, "ada").getByText("Working")).toBeVisible()
    await expect.element(memberButton(screen, "ada").getByText("builder · sonnet")).toBeVisible()
    await expect.element(memberButton(screen, "bob").getByText("Idle")).toBeVisible()
    await expect.element(memberButton(screen, "bob").getByText("Where is the bulb?")).toBeVisible()
    for (const words of ["Dead", "$1.50", "Bash: npm test"])
      await expect.element(memberButton(screen, "cat").getByText(words)).toBeVisible()
    for (const words of [/Silent for/, "1,200 tokens", "Reading"])
      await expect.element(memberButton(screen, "dan").getByText(words)).toBeVisible()
    await expect.element(screen.getByText("Unknown")).not.toBeInTheDocument()
    const said = screen.getByRole("list", { name: "Messages" })
    await expect.element(said.getByText("switch", { exact: true })).toBeVisible()
    await expect.element(said.getByText("idle notification")).toBeVisible()
    await expect.element(said.getByText("waits for the bulb")).toBeVisible()
    await expect.element(screen.getByText("Fit the switch")).toBeVisible()
    await expect.element(screen.getByText("Fit the bulb")).toBeVisible()
  })

  it("shows the messages of one member when chosen, and all when chosen again", async () => {
    const { teamUuid } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await memberButton(screen, "bob").click()
    await expect.element(screen.getByRole("heading", { name: "Messages with bob" })).toBeVisible()
    await expect.element(memberButton(screen, "bob")).toHaveAttribute("aria-pressed", "true")
    await expect.element(screen.getByRole("paragraph").getByText("Where is the bulb?")).toBeVisible()
    await expect.element(screen.getByText("waits for the bulb")).not.toBeInTheDocument()
    await memberButton(screen, "bob").click()
    await expect.element(screen.getByRole("heading", { name: "Messages", exact: true })).toBeVisible()
    await expect.element(screen.getByText("waits for the bulb")).toBeVisible()
  })

  it("follows what happens in it", async () => {
    const { teamUuid, tell, facts } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await expect.element(memberButton(screen, "bob").getByText("Idle")).toBeVisible()
    await tell({
      teamFacts: [
        facts.member("bob", { state: "needsInput" }),
        facts.said("m9", "bob", "ada", "Found the bulb."),
        facts.member("cyd"),
        facts.task("3", "Sweep up"),
      ],
    })
    await expect.element(memberButton(screen, "bob").getByText("Needs you")).toBeVisible()
    await expect.element(screen.getByRole("paragraph").getByText("Found the bulb.")).toBeVisible()
    await expect.element(memberButton(screen, "cyd")).toBeVisible()
    await expect.element(screen.getByText("Sweep up")).toBeVisible()
    await tell({
      teamFacts: [
        facts.settled("r1", "ada", { approved: true, how: "person", by: "Ada Lovelace" }),
        facts.settled("r2", "bob", { request: "permission", toolName: "Bash", how: "lead", text: "Not now." }),
        facts.settled("r3", "cat", { request: "permission", toolName: "Write", how: "died" }),
        facts.settled("r4", "dan", { request: "shutdown", approved: true, how: "member" }),
        facts.settled("r4", "dan", { request: "shutdown", how: "left" }),
        facts.said(
          "m10",
          "cyd",
          "lead",
          '{"type":"idle_notification","result":"The **bulb** fits."}',
          "idle_notification",
        ),
      ],
    })
    const said = () =>
      screen
        .getByRole("list", { name: "Messages" })
        .getByRole("listitem")
        .elements()
        .map(({ textContent }) => textContent)
    const lines = [
      /^Plan of adaApproved by Ada Lovelace.*\d/,
      /^Permission for bob \(Bash\)Refused by the lead.*Not now\.$/,
      /^Permission for cat \(Write\)Closed: its process ended/,
      /^Shutdown of dandan agreed/,
    ]
    await expect.poll(said).toEqual(expect.arrayContaining(lines.map((line) => expect.stringMatching(line))))
    await expect.element(screen.getByText("bulb", { exact: true })).toBeVisible()
    await tell({ teamFacts: [facts.left("cyd")] })
    await expect.element(memberButton(screen, "cyd").getByText("Left")).toBeVisible()
    await tell({ teamFacts: [facts.gone()] })
    await expect.element(screen.getByText("This team is gone. What it said and did stays here.")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Send" })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: "Ask bob to shut down" })).not.toBeInTheDocument()
  })

  it("shows what a member wants to do whole, until it is decided or over", async () => {
    const { teamUuid, name, machine, agent } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    const command = `rm -rf build\n${"echo and more\n".repeat(40)}echo the end`
    const { uuid } = await agent.client.call("chorus_create_attention", {
      kind: "permission",
      title: "ada: Bash",
      answerable: true,
      detail: { machine, team: name, member: "ada", requestId: "r1", request: "permission", input: { command } },
    })
    await expect.element(screen.getByRole("definition").getByText(/rm -rf build[^]*echo the end/)).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Allow" })).toBeVisible()
    await agent.client.call("chorus_withdraw_attention", { attentionUuid: uuid })
    await expect.element(screen.getByRole("button", { name: "Allow" })).not.toBeInTheDocument()
  })

  it("says so when there is no such team", async () => {
    const { screen } = await openPage(`/teams/${crypto.randomUUID()}`)
    await expect.element(screen.getByRole("alert")).toBeVisible()
  })
})

describe("joining in", () => {
  it("writes to the lead at first, to the chosen member next, and to whom one picks after all", async () => {
    const { teamUuid, ordersNow, agent, machine } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    const to = screen.getByLabelText("Write to")
    await expect.element(to).toHaveValue("lead")
    await memberButton(screen, "bob").click()
    await expect.element(to).toHaveValue("bob")
    await to.selectOptions("ada")
    await screen.getByPlaceholder("Write to this member…").fill("Take the small one.")
    await screen.getByRole("button", { name: "Send" }).click()
    await expect
      .element(screen.getByRole("list", { name: "What people asked" }).getByText("Message to ada"))
      .toBeVisible()
    await expect.element(screen.getByText("Waits for the machine")).toBeVisible()
    await expect.element(screen.getByPlaceholder("Write to this member…")).toHaveValue("")
    expect(await ordersNow()).toMatchObject([{ what: "message", to: "ada", deliveredAt: null }])
    const { deliveries } = await agent.client.call("chorus_fetch_deliveries", { machine })
    expect(deliveries).toHaveLength(1)
  })

  it("keeps what is being written when another member is looked at, and writes to that one then", async () => {
    const { teamUuid } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await screen.getByPlaceholder("Write to this member…").fill("Half a thou")
    await screen.getByLabelText("Write to").selectOptions("ada")
    await memberButton(screen, "bob").click()
    await expect.element(screen.getByPlaceholder("Write to this member…")).toHaveValue("Half a thou")
    await expect.element(screen.getByLabelText("Write to")).toHaveValue("bob")
  })

  it("never writes to somebody who has left", async () => {
    const { teamUuid, tell, facts } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await memberButton(screen, "bob").click()
    await expect.element(screen.getByLabelText("Write to")).toHaveValue("bob")
    await tell({ teamFacts: [facts.left("bob")] })
    await expect.element(screen.getByLabelText("Write to")).toHaveValue("lead")
    expect(
      screen
        .getByLabelText("Write to")
        .getByRole("option")
        .elements()
        .map((option) => option.textContent)
        .toSorted(),
    ).toEqual(["ada", "cat", "dan", "lead"])
  })

  it("loses nothing of a message the server does not take", async () => {
    const { teamUuid } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    refuse("/chorus_write_to_member", { code: "member_left", message: "This member has left." }, 409)
    await screen.getByPlaceholder("Write to this member…").fill("Are you there?")
    await screen.getByRole("button", { name: "Send" }).click()
    await expect.element(screen.getByText("This member has left.")).toBeVisible()
    await expect.element(screen.getByPlaceholder("Write to this member…")).toHaveValue("Are you there?")
  })

  it("asks a member to shut down, with a reason or without, and the lead never", async () => {
    const { teamUuid, ordersNow } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await screen.getByRole("button", { name: "Ask ada to shut down" }).click()
    await expect.element(screen.getByRole("dialog", { name: "Ask ada to shut down?" })).toBeVisible()
    await userEvent.keyboard("{Escape}")
    await screen.getByRole("button", { name: "Ask bob to shut down" }).click()
    const dialog = screen.getByRole("dialog", { name: "Ask bob to shut down?" })
    await dialog.getByRole("textbox").fill("All is done.")
    await dialog.getByRole("button", { name: "Ask", exact: true }).click()
    await expect.element(screen.getByText("Shutdown of bob")).toBeVisible()
    expect((await ordersNow()).map(({ what, to }) => `${what} ${to}`)).toEqual(["shutdown bob"])
    await expect.element(screen.getByRole("button", { name: "Ask lead to shut down" })).not.toBeInTheDocument()
  })

  it("takes a dead member off the roster, which nobody is left to be asked about", async () => {
    const { teamUuid, ordersNow } = await openRoom()
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await expect.element(screen.getByRole("button", { name: "Ask cat to shut down" })).not.toBeInTheDocument()
    await screen.getByRole("button", { name: "Take cat off the roster" }).click()
    const dialog = screen.getByRole("dialog", { name: "Take cat off the roster?" })
    await expect.element(dialog.getByRole("textbox")).not.toBeInTheDocument()
    await dialog.getByRole("button", { name: "Take off", exact: true }).click()
    await expect.element(screen.getByText("Shutdown of cat")).toBeVisible()
    expect((await ordersNow()).map(({ what, to }) => `${what} ${to}`)).toEqual(["shutdown cat"])
  })

  it("merges what a member has on a branch of its own, also after it left, and says how that went", async () => {
    const { teamUuid, ordersNow, tell, facts, agent } = await openRoom()
    await tell({ teamFacts: [facts.member("eve", { branch: "chorus/lamp-eve-1a2b3c4d" }), facts.left("eve")] })
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await screen.getByRole("button", { name: "Merge the work of eve" }).click()
    const dialog = screen.getByRole("dialog", { name: "Merge the work of eve?" })
    await expect.element(dialog.getByText(/chorus\/lamp-eve-1a2b3c4d/)).toBeVisible()
    await dialog.getByRole("button", { name: "Merge", exact: true }).click()
    const asked = screen.getByRole("list", { name: "What people asked" })
    await expect.element(asked.getByText("Merging the work of eve")).toBeVisible()
    const [order] = await ordersNow()
    expect(order).toMatchObject({ what: "land", to: "eve" })
    const deliveryUuid = order?.uuid ?? ""
    const next = "main 0123456789ab · /home/ada/lamp"
    await agent.client.call("chorus_settle_delivery", { deliveryUuid, next })
    await expect.element(asked.getByText("Merged", { exact: true })).toBeVisible()
    await expect
      .element(asked.getByText(/^main 0123456789ab · \/home\/ada\/lamp · On that machine alone so far/))
      .toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Merge the work of ada" })).not.toBeInTheDocument()
  })

  it("is not for those who only look", async () => {
    const { teamUuid } = await openRoom()
    await becomeGuest("viewer")
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await expect.element(memberButton(screen, "ada")).toBeVisible()
    await expect.element(screen.getByRole("button", { name: "Send" })).not.toBeInTheDocument()
    await expect.element(screen.getByRole("button", { name: /shut down/ })).not.toBeInTheDocument()
  })
})

describe("what a team asks a person", () => {
  it("is decided in its room as in the queue; what is typed stays when the server refuses it", async () => {
    const { name, machine, agent, teamUuid } = await openRoom()
    const detail = { team: name, machine }
    const title = `May I rewire it? ${name}`
    const plan = await agent.client.call("chorus_create_attention", { title, kind: "plan", detail, answerable: true })
    await agent.client.call("chorus_create_attention", {
      title: `Elsewhere ${name}`,
      kind: "plan",
      detail: { team: name, machine: "another" },
      answerable: true,
    })
    const { screen } = await openPage(`/teams/${teamUuid}`)
    await expect.element(screen.getByText(title)).toBeVisible()
    await expect.element(screen.getByText(`Elsewhere ${name}`)).not.toBeInTheDocument()
    const letGo = refuse("/chorus_answer_attention", { code: "busy", message: "Somebody else answers just now." }, 409)
    await screen.getByRole("button", { name: "Reject" }).click()
    await screen.getByRole("dialog").getByRole("textbox").fill("Too dangerous.")
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.element(screen.getByText("Somebody else answers just now.")).toBeVisible()
    await expect.element(screen.getByRole("dialog").getByRole("textbox")).toHaveValue("Too dangerous.")
    letGo()
    await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
    await expect.element(screen.getByText(title)).not.toBeInTheDocument()
    await expect
      .poll(async () => (await agent.client.call("chorus_get_attention", { attentionUuid: plan.uuid })).answer)
      .toMatchObject({ decision: "deny", text: "Too dangerous." })
  })
})
