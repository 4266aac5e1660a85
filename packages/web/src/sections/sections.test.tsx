import { describe, expect, it } from "vitest"
import { render } from "vitest-browser-react"
import { setLanguage } from "../i18n/language.ts"
import { makeProject, hire, makeTasks } from "../../test/workplace.ts"
import { owner, show, showRouted } from "../../test/stage.tsx"
import { Cost } from "./Cost.tsx"
import { History } from "./History.tsx"
import { Fact, Facts, Nothing, Rows, Section, When, Who } from "../design/index.ts"

describe("a part of a page", () => {
  it("is a region of its own name, counted where there is something to count", async () => {
    const screen = await render(
      <>
        <Section title="Files" count={2} actions={<button type="button">Add</button>}>
          <Nothing>none</Nothing>
        </Section>
        <Section title="Links" count={0}>
          body
        </Section>
      </>,
    )
    await expect.element(screen.getByRole("region", { name: "Files" })).toHaveTextContent("Files2Addnone")
    await expect.element(screen.getByRole("region", { name: "Links" })).toHaveTextContent("Linksbody")
  })

  it("names its facts and its lists", async () => {
    const screen = await render(
      <>
        <Facts>
          <Fact name="Status">Open</Fact>
        </Facts>
        <Rows label="Versions">
          <li>one</li>
        </Rows>
      </>,
    )
    await expect.element(screen.getByRole("term")).toHaveTextContent("Status")
    await expect.element(screen.getByRole("definition")).toHaveTextContent("Open")
    await expect.element(screen.getByRole("list", { name: "Versions" }).getByRole("listitem")).toHaveTextContent("one")
  })
})

describe("who and when", () => {
  it("are told in words, also where it is nobody", async () => {
    const screen = await render(
      <>
        <p title="somebody">
          <Who actor={{ type: "user", uuid: "u", name: "Grace Hopper" }} />
        </p>
        <p title="nobody">
          <Who actor={null} />
        </p>
      </>,
    )
    await expect.element(screen.getByTitle("somebody")).toMatchTextContent("Grace Hopper")
    await expect.element(screen.getByTitle("nobody")).toHaveTextContent("Nobody")
  })

  it("are told as long ago as it is, in the reader's language, with the moment itself beside it", async () => {
    const at = new Date(Date.now() - 3 * 3600 * 1000 - 5000).toISOString()
    const screen = await render(<When at={at} />)
    const time = screen.getByRole("time")
    await expect.element(time).toHaveTextContent("3 hr. ago")
    await expect.element(time).toHaveAttribute("datetime", at)
    const english = time.element().getAttribute("title")
    await setLanguage("zh")
    await expect.element(time).toHaveTextContent("3小时前")
    expect(time.element().getAttribute("title")).not.toBe(english)
    await setLanguage("en")
  })
})

describe("what something costs", () => {
  it("is nothing until an agent reports it, then grows as it is reported", async () => {
    const projectUuid = await makeProject()
    const [taskUuid = ""] = await makeTasks(projectUuid, { title: "Lay the wire" })
    const agent = await hire()
    const screen = await show(<Cost of={{ by: "task", taskUuid }} />)
    await expect.element(screen.getByText("Nothing reported")).toBeVisible()
    await agent.client.call("chorus_report_usage", {
      taskUuid,
      inputTokens: 1200,
      outputTokens: 300,
      cacheReadTokens: 50,
    })
    const cost = screen.getByText("1,550 tokens", { exact: false })
    await expect.element(cost).toHaveTextContent("1,550 tokens")
    await expect.element(cost).toHaveAttribute("title", "1,200 in, 300 out, 50 from cache")
    await agent.client.call("chorus_report_usage", { taskUuid, inputTokens: 450, costUsd: 0.42 })
    await expect.element(screen.getByText("2,000 tokens · $0.42")).toBeVisible()
  })
})

describe("the history of one thing", () => {
  it("grows with the log, by what is about this thing alone", async () => {
    const projectUuid = await makeProject()
    const [mine = "", other = ""] = await makeTasks(projectUuid, { title: "Lay the wire" }, { title: "Hang the lamp" })
    const agent = await hire("Grace")
    const { screen } = await showRouted(<History projectUuid={projectUuid} entityUuid={mine} />)
    await expect.element(screen.getByRole("status", { name: "Loading" })).not.toBeInTheDocument()
    await agent.client.call("chorus_claim_task", { taskUuid: other })
    await agent.client.call("chorus_claim_task", { taskUuid: mine })
    await expect.element(screen.getByText(agent.name).first()).toBeVisible()
    await owner.call("chorus_add_comment", { targetType: "task", targetUuid: mine, content: "Mind the pipe." })
    await expect.poll(() => screen.container.textContent).toMatch(/Lay the wire/)
    expect(screen.container.textContent).not.toContain("Hang the lamp")
  })

  it("says so where nothing has happened", async () => {
    const { screen } = await showRouted(<History projectUuid={await makeProject()} entityUuid={crypto.randomUUID()} />)
    await expect.element(screen.getByText("Nothing has happened yet")).toBeVisible()
  })
})
