import { describe, expect, it } from "vitest"
import type { Screen } from "../../test/cards.ts"
import { openPage, owner, show } from "../../test/stage.tsx"
import { handIn, hire, makeProject, makeTasks } from "../../test/workplace.ts"
import { CostBars } from "./CostBars.tsx"
import { Timeline } from "./Timeline.tsx"

const LONG_AGO = "2020-01-01T00:00:00.000Z"

function chart(screen: Screen, name: string) {
  return screen.getByRole("region", { name, exact: true })
}

describe("insights", () => {
  it("of a new project say that there is nothing yet, and come alive with the work", async () => {
    const project = await makeProject()
    const { screen } = await openPage(`/projects/${project}/insights`)
    await expect.element(chart(screen, "Throughput").getByText("0 tasks done in this range.")).toBeVisible()
    await expect.element(chart(screen, "Cost by idea").getByText("No usage was reported in this range.")).toBeVisible()
    await expect
      .element(chart(screen, "Who worked when").getByText("Nobody was checked in on a task in this range."))
      .toBeVisible()

    const ada = await hire("Ada")
    const [task = ""] = await makeTasks(project, {
      title: "Weave",
      storyPoints: 2,
      acceptanceCriteriaItems: [{ description: "Nice", required: false }],
    })
    const session = await ada.client.call("chorus_create_session", { name: "loom" })
    await ada.client.call("chorus_session_checkin_task", { taskUuid: task, sessionUuid: session.uuid })
    await ada.client.call("chorus_report_usage", { taskUuid: task, inputTokens: 100, outputTokens: 20 })
    await handIn(ada, task)
    await owner.call("chorus_admin_verify_task", { taskUuid: task })

    await expect.element(chart(screen, "Throughput").getByText("1 task done in this range.")).toBeVisible()
    await expect.element(chart(screen, "Burn-up").getByText("1 of 1 done.")).toBeVisible()
    await expect.element(chart(screen, "Who worked when").getByText("1 session at work in this range.")).toBeVisible()
    await expect.element(chart(screen, "Cost by agent").getByText("120 tokens · cost unknown")).toBeVisible()
  })

  it("span as many days as are asked for", async () => {
    const project = await makeProject()
    const { screen } = await openPage(`/projects/${project}/insights`)
    const days = () => chart(screen, "Throughput").element().querySelectorAll("tbody tr").length
    await expect.poll(() => chart(screen, "Throughput").elements().length).toBe(1)
    expect(days()).toBe(30)
    await screen.getByRole("radio", { name: "7 days" }).click()
    await expect.poll(() => chart(screen, "Throughput").elements().length === 1 && days()).toBe(7)
    await screen.getByRole("radio", { name: "90 days" }).click()
    await expect.poll(() => chart(screen, "Throughput").elements().length === 1 && days()).toBe(90)
  })

  it("of a project nobody made are a problem with a way to try again", async () => {
    const { screen } = await openPage(`/projects/${crypto.randomUUID()}/insights`)
    await expect
      .element(screen.getByRole("main").getByRole("alert").getByRole("button", { name: "Try again" }))
      .toBeVisible()
  })
})

describe("what it cost", () => {
  it("is compared in money where it is known, and what belongs to none is named so", async () => {
    const project = await makeProject()
    const [ada, bo] = [await hire("Ada"), await hire("Bo")]
    const [one = "", two = ""] = await makeTasks(project, { title: "One" }, { title: "Two" })
    await ada.client.call("chorus_report_usage", { taskUuid: one, inputTokens: 10, outputTokens: 5, costUsd: 2 })
    await bo.client.call("chorus_report_usage", { taskUuid: two, inputTokens: 1000, outputTokens: 500, costUsd: 0.5 })
    const screen = await show(
      <>
        <CostBars projectUuid={project} by="agent" since={LONG_AGO} />
        <CostBars projectUuid={project} by="idea" since={LONG_AGO} />
      </>,
    )
    const agents = chart(screen, "Cost by agent")
    await expect.element(agents.getByText("1,515 tokens · $2.50")).toBeVisible()
    const widths = [...agents.element().querySelectorAll<HTMLElement>("li [style]")].map(({ style }) => style.width)
    expect(widths).toEqual(["100%", "25%"])
    await expect.element(agents.getByText("$2.00").first()).toBeVisible()
    await expect.element(chart(screen, "Cost by idea").getByText("Not assigned").first()).toBeVisible()
  })

  it("is compared in tokens where nobody knows a price", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [one = ""] = await makeTasks(project, { title: "One" })
    await ada.client.call("chorus_report_usage", {
      taskUuid: one,
      model: "plain",
      inputTokens: 4000,
      outputTokens: 200,
    })
    const screen = await show(<CostBars projectUuid={project} by="model" since={LONG_AGO} />)
    await expect.element(chart(screen, "Cost by model").getByRole("list").getByText("4,200")).toBeVisible()
    await expect.element(chart(screen, "Cost by model").getByRole("list").getByText("plain")).toBeVisible()
    await expect.element(chart(screen, "Cost by model").getByText("4,200 tokens · cost unknown")).toBeVisible()
  })
})

describe("who worked when", () => {
  it("gives each session its lane with what it sat at, named on the bar and in the table", async () => {
    const project = await makeProject()
    const ada = await hire("Ada")
    const [one = "", two = ""] = await makeTasks(project, { title: "Spin" }, { title: "Weave" })
    const [wheel, loom] = [
      await ada.client.call("chorus_create_session", { name: "wheel" }),
      await ada.client.call("chorus_create_session", { name: "loom" }),
    ]
    await ada.client.call("chorus_session_checkin_task", { taskUuid: one, sessionUuid: wheel.uuid })
    await ada.client.call("chorus_session_checkin_task", { taskUuid: two, sessionUuid: loom.uuid })
    const screen = await show(<Timeline projectUuid={project} since={LONG_AGO} />)
    await expect.element(screen.getByText("2 sessions at work in this range.")).toBeVisible()
    await expect
      .element(
        screen
          .getByRole("listitem")
          .filter({ hasText: "loom" })
          .getByTitle(/^Weave · /),
      )
      .toBeInTheDocument()
    expect(document.querySelectorAll("tbody tr")).toHaveLength(2)
    await ada.client.call("chorus_session_checkout_task", { taskUuid: one, sessionUuid: wheel.uuid })
    const third = await ada.client.call("chorus_create_session", { name: "needle" })
    await ada.client.call("chorus_session_checkin_task", { taskUuid: one, sessionUuid: third.uuid })
    await expect.element(screen.getByText("3 sessions at work in this range.")).toBeVisible()
  })
})
