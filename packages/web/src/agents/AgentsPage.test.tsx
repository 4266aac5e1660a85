import { describe, expect, it, vi } from "vitest"
import { refuse } from "../../test/guest.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { type Hired, hire, judgeAll, makeProject, makeTasks } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

const cardOf = (screen: Screen, { name }: Hired) =>
  screen.getByRole("main").getByRole("listitem").filter({ hasText: name }).first()

/** An agent whose session is at a task. */
async function atWork() {
  const agent = await hire("Worker")
  const projectUuid = await makeProject()
  const title = `Fit the lamp ${crypto.randomUUID().slice(0, 8)}`
  const [taskUuid = ""] = await makeTasks(projectUuid, { title })
  const { uuid: sessionUuid } = await agent.client.call("chorus_create_session", {
    name: `session-${crypto.randomUUID().slice(0, 8)}`,
    source: "claude-code",
    machine: "studio",
  })
  await agent.client.call("chorus_start_task", { taskUuid, sessionUuid })
  return { agent, projectUuid, taskUuid, title, sessionUuid }
}

describe("who is there", () => {
  it("shows each session, on what machine and task, and leads to the task", async () => {
    const { agent, title, projectUuid, taskUuid } = await atWork()
    const { screen, router } = await openPage("/agents")
    const card = cardOf(screen, agent)
    await expect.element(card.getByText("studio")).toBeVisible()
    await expect.element(card.getByText("Claude Code")).toBeVisible()
    await expect.element(card.getByText("Working")).toBeVisible()
    await card.getByRole("link", { name: title }).click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
  })

  it("follows sessions as they come, speak, hand in and go", async () => {
    const agent = await hire("Visitor")
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Sweep the hall" })
    const { screen } = await openPage("/agents")
    const card = cardOf(screen, agent)
    await expect.element(card.getByText("Never connected")).toBeVisible()
    const { uuid } = await agent.client.call("chorus_create_session", { name: "broom" })
    await expect.element(card.getByText("Resting")).toBeVisible()
    await expect.element(card.getByText("Not on any task")).toBeVisible()
    await expect.element(card.getByText(/^Last sign of life: /)).toBeVisible()
    await agent.client.call("chorus_start_task", { taskUuid, sessionUuid: uuid })
    await expect.element(card.getByText("Working")).toBeVisible()
    await expect.element(card.getByRole("link", { name: "Sweep the hall" })).toBeVisible()
    await agent.client.call("chorus_submit_for_verify", { taskUuid, summary: "Swept." })
    await expect.element(card.getByRole("link", { name: "Sweep the hall" })).not.toBeInTheDocument()
    await agent.client.call("chorus_close_session", { sessionUuid: uuid })
    await expect.element(card.getByText("broom")).not.toBeInTheDocument()
  })

  it("shows an agent that works without a session, by the calls of its key", async () => {
    const agent = await hire("Holder")
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Carry the ladder" })
    await agent.client.call("chorus_start_task", { taskUuid })
    const { screen } = await openPage("/agents")
    const card = cardOf(screen, agent)
    await expect.element(card.getByText("Working")).toBeVisible()
    await expect.element(card.getByRole("link", { name: "Carry the ladder" })).toBeVisible()
    await agent.client.call("chorus_submit_for_verify", { taskUuid, summary: "Carried." })
    await expect.element(card.getByText("Working")).not.toBeInTheDocument()
    // Handed in, it waits for a person; verified, for nobody.
    await expect.element(card).toMatchTextContent(/Waits for you.*Carry the ladder/)
    await expect
      .element(card.getByRole("link", { name: "Carry the ladder" }))
      .toHaveAttribute("href", `/?item=${taskUuid}`)
    await judgeAll(taskUuid, "passed")
    await owner.call("chorus_admin_verify_task", { taskUuid })
    await expect.element(card.getByText("No session is open")).toBeVisible()
  })

  it("adds up what an agent used", async () => {
    const { agent, taskUuid, sessionUuid } = await atWork()
    await agent.client.call("chorus_report_usage", {
      taskUuid,
      sessionUuid,
      model: "sonnet",
      inputTokens: 41_000,
      outputTokens: 6200,
      costUsd: 0.42,
    })
    const { screen } = await openPage("/agents")
    await expect.element(cardOf(screen, agent).getByText(/^47,200 tokens/)).toBeVisible()
    await expect.element(cardOf(screen, agent).getByText("$0.42")).toBeVisible()
  })

  it("says how long something has lasted, and goes on counting", async () => {
    const { agent } = await atWork()
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: Date.now() + 2 * 3_600_000 + 5 * 60_000 })
    try {
      const { screen } = await openPage("/agents")
      await expect.element(cardOf(screen, agent).getByText("2 hr 5 min")).toBeVisible()
      await expect.element(cardOf(screen, agent).getByText(/^Not heard from since /)).toBeVisible()
      vi.advanceTimersByTime(60 * 60_000)
      await expect.element(cardOf(screen, agent).getByText("3 hr 5 min")).toBeVisible()
    } finally {
      vi.useRealTimers()
    }
  })

  it("puts those who are there before those who are not", async () => {
    const [first, second] = [await hire("Aaa"), await hire("Zzz")]
    await second.client.call("chorus_create_session", { name: "here" })
    const { screen } = await openPage("/agents")
    await expect.element(cardOf(screen, first)).toBeVisible()
    const names = screen
      .getByRole("main")
      .getByRole("heading", { level: 3 })
      .elements()
      .map((heading) => heading.textContent)
    expect(names.indexOf(second.name)).toBeLessThan(names.indexOf(first.name))
  })

  it("counts the sessions that are alive, and leads to connecting another agent", async () => {
    await atWork()
    const { screen, router } = await openPage("/agents")
    await expect.element(screen.getByText(/^\d+ active sessions?$/)).toBeVisible()
    await screen.getByRole("link", { name: "Connect an agent" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/welcome")
  })

  it("says why it cannot be shown, and shows it when asked again", async () => {
    const letGo = refuse("/chorus_get_presence", { code: "forbidden", message: "You may not see this." })
    const { screen } = await openPage("/agents")
    await expect.element(screen.getByRole("alert").getByText("You may not see this.")).toBeVisible()
    letGo()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByRole("heading", { name: "Agents and sessions" })).toBeVisible()
  })
})
