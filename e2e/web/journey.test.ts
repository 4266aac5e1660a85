import { waitFor } from "@chorus/testing"
import type { Locator, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { connectAgent } from "./agent.ts"
import { openStage } from "./stage.ts"
import { type Language, letStand, PATIENCE, type Theme, visit } from "./visitor.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
const TABS = STRESS ? 20 : 6

/** First sign-in to a verified task, with a real agent on the other side, a crash in the middle and many tabs open. */
describe.each<[Language, Theme]>([
  ["zh", "dark"],
  // By day and in English people walk in ../journey too.
  ...(STRESS ? [["en", "light"] satisfies [Language, Theme]] : []),
])("the whole journey, %s and %s, in many tabs", (language, theme) => {
  it("leads from an empty install to done work", { timeout: 240_000 }, async () => {
    const stage = await openStage()
    try {
      const { page, say, tab, faults } = await visit(stage, { language, theme })
      const button = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true })

      // The first sign-in leads to the welcome page, where an agent and its key are made.
      await page.goto(stage.signIn)
      await page.getByRole("heading", { name: say("welcome.title") }).waitFor()
      expect(await page.evaluate(() => location.hash)).toBe("")
      await button(say("welcome.create")).click()
      const key = /cho_[\w-]+/.exec((await page.locator("code").first().textContent()) ?? "")?.[0] ?? ""
      expect(key).toMatch(/^cho_/)
      await page.getByText(say("welcome.waiting", { name: say("welcome.agentDefault") })).waitFor()

      // The agent says hello, and the page turns green by itself.
      const agent = await connectAgent(stage.url, key)
      await agent.call("chorus_checkin")
      await page.getByText(say("welcome.connected", { name: say("welcome.agentDefault") })).waitFor()

      // A project and an idea.
      await button(say("welcome.nextProject")).click()
      await page.getByLabel(say("project.name")).fill("Recipe box")
      await button(say("action.create")).click()
      await page.getByText(say("board.empty")).waitFor()
      const projectUuid = /projects\/([^/]+)\/board/.exec(page.url())?.[1] ?? ""
      await page.getByRole("link", { name: say("board.emptyAction") }).click()
      await page.getByLabel(say("tasks.title")).fill("Share a recipe by link")
      await button(say("action.create")).click()
      await page.waitForURL(/ideas\/[0-9a-f-]{36}/)
      const ideaUuid = /ideas\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ""

      // The agent asks; the question appears without a reload and is answered.
      await agent.call("chorus_claim_idea", { ideaUuid })
      await agent.call("chorus_pm_start_elaboration", {
        ideaUuid,
        depth: "minimal",
        questions: [
          {
            id: "expiry",
            text: "How long should a link work?",
            category: "functional",
            options: [
              { id: "forever", label: "Until taken back" },
              { id: "month", label: "30 days" },
            ],
          },
        ],
      })
      await page.getByText("Until taken back").click()
      await button(say("ideas.sendAnswers")).click()
      await waitFor(
        async () => (await agent.call("chorus_get_idea", { ideaUuid }))["elaborationStatus"] === "resolved",
        PATIENCE,
        "the answers to be accepted",
      )

      // The agent proposes; the person approves it from the queue by one key.
      await agent.call("chorus_submit_plan", {
        projectUuid,
        title: "Links first",
        ideaUuids: [ideaUuid],
        documents: [
          { type: "prd", title: "Sharing", content: "A recipe can be shared by an unguessable link. ".repeat(5) },
        ],
        tasks: [
          {
            key: "links",
            title: "Keep links",
            criteria: ["A link can be made and found"],
            priority: "high",
            storyPoints: 2,
          },
          { key: "page", title: "Show the shared page", criteria: ["Loads in a second"], dependsOn: ["links"] },
        ],
      })
      await page.goto(stage.url)
      await page.getByText("Links first").waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("a")
      await button(say("needsYou.approve"), page.getByRole("dialog")).click()
      await page.getByText(say("needsYou.deciding.proposal", { title: "Links first" })).waitFor()

      // The tasks stand on the board, in many tabs that share one stream.
      const board = `/projects/${projectUuid}/board`
      await page.goto(`${stage.url}${board}`)
      const card = (title: string, where: Page = page) => where.locator("[data-card]", { hasText: title })
      const inColumn = (title: string, column: string, where: Page = page) =>
        where.locator(`[data-column="${column}"] [data-card]`, { hasText: title })
      await card("Keep links").waitFor()
      expect(await card("Show the shared page").textContent()).toContain(say("board.blocked", { count: 1 }))
      const tabs = [page, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => tab(board))))]
      await Promise.all(tabs.map((each) => card("Keep links", each).waitFor()))
      await waitFor(async () => (await streams(stage.url)) === 1, PATIENCE, "one stream for all tabs")

      // A session checks in, and its badge appears everywhere without a reload.
      const { tasks } = (await agent.call("chorus_list_tasks", { projectUuid })) as unknown as {
        tasks: { uuid: string; title: string }[]
      }
      const taskUuid = tasks.find(({ title }) => title === "Keep links")?.uuid ?? ""
      const session = await agent.call("chorus_create_session", { name: "links-worker" })
      await agent.call("chorus_start_task", { taskUuid, sessionUuid: session["uuid"] })
      await Promise.all(
        tabs.map((each) => inColumn("Keep links", "in_progress", each).getByText("links-worker").waitFor()),
      )

      // The server dies and comes back; the page says so, and nothing is lost.
      await stage.crash()
      await page.getByText(say("app.reconnecting")).waitFor()
      await stage.start()
      await page.getByText(say("app.reconnecting")).waitFor({ state: "detached" })
      const detail = (await agent.call("chorus_get_task", { taskUuid })) as unknown as {
        acceptanceCriteriaItems: { uuid: string }[]
      }
      await agent.call("chorus_finish_task", {
        taskUuid,
        report: "Built and tested.",
        criteria: detail.acceptanceCriteriaItems.map(({ uuid }) => ({
          uuid,
          devStatus: "passed",
          devEvidence: "the tests are green",
        })),
      })
      await Promise.all(tabs.map((each) => inColumn("Keep links", "to_verify", each).waitFor()))
      await Promise.all(tabs.map((each) => each.getByText("links-worker").waitFor({ state: "detached" })))

      // The person looks at the work, passes it, and the next task is free.
      await card("Keep links").click()
      await button(say("needsYou.verify")).click()
      await button(say("tasks.passAndVerify")).click()
      await letStand(page, say)
      await Promise.all(tabs.map((each) => inColumn("Keep links", "done", each).waitFor()))
      await waitFor(
        async () => !(await card("Show the shared page").textContent())?.includes(say("board.blocked", { count: 1 })),
        PATIENCE,
        "the next task to be free",
      )
      expect(await streams(stage.url)).toBe(1)

      expect(
        await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset["theme"]]),
      ).toEqual([language, theme])
      expect(faults).toEqual([])
      await agent.close()
    } finally {
      await stage.close()
    }
  })
})

/** How many readers of the event log the server counts. */
async function streams(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^chorus_event_readers\S* (\d+)/m.exec(text)?.[1] ?? Number.NaN)
}
