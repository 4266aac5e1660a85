import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { answer, refuse } from "../../test/guest.ts"
import { submitPlan } from "../../test/planning.ts"
import { openPage, owner } from "../../test/stage.tsx"
import { hire, makeProject, makeTasks } from "../../test/workplace.ts"

type Screen = Awaited<ReturnType<typeof openPage>>["screen"]

/** An agent whose session, of a name of its own, is at a task. */
async function atDesk() {
  const agent = await hire("Worker")
  const projectUuid = await makeProject()
  const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Fit the lamp" })
  const name = `desk-${crypto.randomUUID().slice(0, 8)}`
  const { uuid: sessionUuid } = await agent.client.call("chorus_create_session", { name })
  await agent.client.call("chorus_start_task", { taskUuid, sessionUuid })
  return { agent, projectUuid, taskUuid, sessionUuid, name }
}

const deskOf = (screen: Screen, name: string) =>
  screen.getByRole("list", { name: "Who is here" }).getByRole("listitem").filter({ hasText: name })

/** What the browser says of whoever sits before it; tests are without motion where they do not say so. */
function wantMotion(): void {
  const real = window.matchMedia.bind(window)
  vi.spyOn(window, "matchMedia").mockImplementation((query) =>
    query.includes("reduced-motion")
      ? (Object.assign(new EventTarget(), { matches: false, media: query }) as unknown as MediaQueryList)
      : real(query),
  )
}

const handIn = ({ agent, taskUuid }: Awaited<ReturnType<typeof atDesk>>) =>
  agent.client.call("chorus_finish_task", { taskUuid, report: "Fitted." })

afterEach(() => vi.restoreAllMocks())

describe("the office", () => {
  beforeEach(wantMotion)

  it("seats who comes, says in words what they do, and leads to their task", async () => {
    const { screen, router } = await openPage("/office")
    const { agent, name, projectUuid, taskUuid } = await atDesk()
    const desk = deskOf(screen, name)
    await expect.element(desk).toBeVisible()
    await expect.element(desk.getByText(`${agent.name}, Working, Fit the lamp`)).toBeInTheDocument()
    await expect.element(desk).toHaveAttribute("title", `${name} · ${agent.name} · Working · Fit the lamp`)
    await expect.element(screen.getByText(/^Working \d+$/)).toBeVisible()
    await desk.getByRole("link").click()
    await expect.poll(() => router.state.location.pathname).toBe(`/projects/${projectUuid}/tasks/${taskUuid}`)
  })

  it("seats an agent that has no session while it holds work, and says when it was last heard from", async () => {
    const agent = await hire("Plain")
    const [taskUuid = ""] = await makeTasks(await makeProject(), { title: "Fit the lamp" })
    await agent.client.call("chorus_start_task", { taskUuid })
    const now = await openPage("/office")
    const desk = deskOf(now.screen, agent.name)
    await expect.element(desk.getByText(`${agent.name}, Working, Fit the lamp`)).toBeInTheDocument()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * 60_000 })
    try {
      const later = await openPage("/office")
      const asleep = deskOf(later.screen, agent.name).getByText(/Not heard from since .*Fit the lamp/)
      await expect.element(asleep).toBeInTheDocument()
    } finally {
      vi.useRealTimers()
    }
  })

  it("shows joy over handed-in work, then rest, and clears the desk of who leaves", async () => {
    const worker = await atDesk()
    const { agent, name, sessionUuid } = worker
    const { screen } = await openPage("/office")
    const desk = deskOf(screen, name)
    await expect.element(desk).toBeVisible()
    await handIn(worker)
    await expect.element(desk.getByText(/Has just handed in work/)).toBeInTheDocument()
    await expect.element(desk.getByText(/Has just handed in work/), { timeout: 15_000 }).not.toBeInTheDocument()
    await expect.element(desk.getByText(`${agent.name}, Resting`)).toBeInTheDocument()
    await agent.client.call("chorus_close_session", { sessionUuid })
    await expect.element(desk).not.toBeInTheDocument()
  })

  it("puts who asked in the queue at the coffee machine until the answer, however they asked", async () => {
    const planned = await submitPlan()
    const { client, name: planner } = planned.planner
    const { uuid: sessionUuid } = await client.call("chorus_create_session", { name: "desk-planner" })
    const { screen } = await openPage("/office")
    const desk = deskOf(screen, planner)
    const queue = screen.getByRole("link", { name: /waits? for you/ })
    const face = queue.getByTitle(planner)
    await expect.element(desk.getByText(`${planner}, Needs you`)).toBeInTheDocument()
    await expect.element(face).toBeVisible()
    await owner.call("chorus_admin_approve_proposal", { proposalUuid: planned.proposalUuid })
    await expect.element(desk.getByText(`${planner}, Resting`)).toBeInTheDocument()
    await expect.element(face).not.toBeInTheDocument()
    const question = { title: "Which lamp?", sessionUuid }
    const { uuid: attentionUuid } = await client.call("chorus_create_attention", question)
    await expect.element(face).toBeVisible()
    await owner.call("chorus_answer_attention", { attentionUuid, answer: { text: "The brass one." } })
    await expect.element(desk.getByText(`${planner}, Resting`)).toBeInTheDocument()
  })

  it("gives everybody a desk of their own that nobody else's coming or going moves", async () => {
    const [first, second, third] = [await atDesk(), await atDesk(), await atDesk()]
    const { screen } = await openPage("/office")
    const placeOf = async (name: string) => {
      const { style } = (await deskOf(screen, name).findElement()) as HTMLElement
      return `${style.left} ${style.top}`
    }
    // Until the room has been measured everybody stands in one column.
    await expect.poll(() => document.querySelector("canvas")?.width ?? 0).toBeGreaterThan(3 * 44)
    const before = await Promise.all([first, second, third].map(({ name }) => placeOf(name)))
    expect(new Set(before).size).toBe(3)
    await second.agent.client.call("chorus_close_session", { sessionUuid: second.sessionUuid })
    await expect.element(deskOf(screen, second.name)).not.toBeInTheDocument()
    expect(await Promise.all([first, third].map(({ name }) => placeOf(name)))).toEqual([before[0], before[2]])
  })

  it("says why it cannot be shown", async () => {
    const letGo = refuse("/chorus_get_presence", { code: "forbidden", message: "You may not look in." })
    const { screen } = await openPage("/office")
    await expect.element(screen.getByRole("alert").getByText("You may not look in.")).toBeVisible()
    letGo()
    await screen.getByRole("button", { name: "Try again" }).click()
    await expect.element(screen.getByRole("alert")).not.toBeInTheDocument()
  })

  it("is quiet while nobody is in, and says how somebody comes in", async () => {
    answer("/chorus_get_presence", () => ({ agents: [], position: 0 }))
    const { screen, router } = await openPage("/office")
    await expect.element(screen.getByText("Nobody is in the office")).toBeVisible()
    await screen.getByRole("main").getByRole("link", { name: "Connect an agent" }).click()
    await expect.poll(() => router.state.location.pathname).toBe("/welcome")
  })
})

describe("without motion", () => {
  it("the same is told as a list that stands still, with the way to each task", async () => {
    const worker = await atDesk()
    const { agent, name, projectUuid, taskUuid } = worker
    const { screen } = await openPage("/office")
    const row = deskOf(screen, name)
    await expect.element(row.getByText("Working")).toBeVisible()
    await expect
      .element(row.getByRole("link", { name: "Fit the lamp" }))
      .toHaveAttribute("href", `/projects/${projectUuid}/tasks/${taskUuid}`)
    expect(document.querySelector("canvas")).toBeNull()
    await handIn(worker)
    await expect.element(row.getByText("Has just handed in work")).toBeVisible()
    await expect.element(row.getByText(agent.name)).toBeVisible()
  })

  it("names an agent without a session once", async () => {
    const { client, name } = await hire("Mason")
    await client.call("chorus_create_attention", { title: "Which stone?", kind: "input" })
    const { screen } = await openPage("/office")
    await expect.element(deskOf(screen, name).getByText("Not on any task")).toBeVisible()
    expect(deskOf(screen, name).element().textContent.split(name)).toHaveLength(2)
  })
})
