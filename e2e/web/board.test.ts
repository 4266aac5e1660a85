import { waitFor } from "@chorus/testing"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Furnished, furnish } from "./furnish.ts"
import { openStage, type Stage } from "./stage.ts"
import { PATIENCE, signIn, visit, type Visit } from "./visitor.ts"

let stage: Stage
let all: Furnished
let visitor: Visit
let page: Page

beforeAll(async () => {
  stage = await openStage()
  all = await furnish(stage)
  visitor = await visit(stage)
  page = visitor.page
  await signIn(page, stage.signIn)
})

afterAll(() => stage.close())

beforeEach(async () => {
  await page.goto(`${stage.url}/projects/${all.projectUuid}/board`)
  await page.locator("[data-card]").first().waitFor()
})

function card(title: string): Locator {
  return page.locator("[data-card]", { hasText: title })
}

function column(id: string): Locator {
  return page.locator(`section[data-column="${id}"]`)
}

async function statusOf(title: string): Promise<string | undefined> {
  const { tasks } = await all.owner("chorus_get_board", { projectUuid: all.projectUuid })
  return tasks.find((task) => task.title === title)?.status
}

/** By mouse, in steps, as a hand does it. */
async function drag(title: string, to: string): Promise<void> {
  const from = await card(title).boundingBox()
  const target = await column(to).boundingBox()
  if (from === null || target === null) throw new Error("nothing to drag")
  await page.mouse.move(from.x + from.width / 2, from.y + 10)
  await page.mouse.down()
  await page.mouse.move(from.x + from.width / 2 + 12, from.y + 16, { steps: 3 })
  await page.mouse.move(target.x + target.width / 2, target.y + 120, { steps: 8 })
}

// Without https a browser takes Brotli from its own machine only.
it.each(["br", "gzip"])(
  "is drawn by no more code than 220 KB, packed by %s, in a browser that has nothing yet",
  async (packing) => {
    const context = await stage.browser.newContext({
      storageState: await visitor.context.storageState(),
      extraHTTPHeaders: { "accept-encoding": packing },
    })
    const fresh = await context.newPage()
    const taken: (string | null)[] = []
    fresh.on("response", (answer) => {
      if (new URL(answer.url()).pathname.endsWith(".js")) taken.push(answer.headers()["content-encoding"] ?? null)
    })
    await fresh.goto(`${stage.url}/projects/${all.projectUuid}/board`, { timeout: PATIENCE })
    await fresh.locator("[data-card]").first().waitFor({ timeout: PATIENCE })
    const sizes = await fresh.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .flatMap((entry) =>
          entry instanceof PerformanceResourceTiming && new URL(entry.name).pathname.endsWith(".js")
            ? [entry.encodedBodySize]
            : [],
        ),
    )
    await context.close()
    expect(sizes.length).toBeGreaterThan(3)
    expect(new Set(taken)).toEqual(new Set([packing]))
    expect(sizes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThanOrEqual(220)
  },
)

describe("dragging cards", () => {
  it("starts an open task, and takes that back", async () => {
    await drag("Guest checkout keeps the basket", "in_progress")
    await page.mouse.up()
    await column("in_progress").getByText("Guest checkout keeps the basket").waitFor()
    await waitFor(
      async () => (await statusOf("Guest checkout keeps the basket")) === "in_progress",
      60_000,
      "the server to know",
    )
    await page.getByRole("button", { name: visitor.say("action.undo"), exact: true }).click()
    await column("open").getByText("Guest checkout keeps the basket").waitFor()
    await waitFor(
      async () => (await statusOf("Guest checkout keeps the basket")) === "open",
      60_000,
      "the server to know",
    )
  })

  it("says why a card cannot stay where it hovers, and leaves it where it was", async () => {
    await drag("Handle 3-D Secure challenges", "in_progress")
    await page.getByText(visitor.say("board.why.blocked")).waitFor()
    await page.mouse.up()
    await column("open").getByText("Handle 3-D Secure challenges").waitFor()
    expect(await statusOf("Handle 3-D Secure challenges")).toBe("open")
  })

  it("opens nothing when a drag ends, and the card when it was only clicked", async () => {
    await drag("Guest checkout keeps the basket", "done")
    await page.mouse.up()
    expect(page.url()).not.toContain("task=")
    await card("Guest checkout keeps the basket").click()
    await page.waitForURL(/task=/)
    await page.getByRole("dialog").getByRole("heading", { name: "Guest checkout keeps the basket" }).waitFor()
    await page.keyboard.press("Escape")
    await page.waitForURL((url) => !url.search.includes("task="))
  })

  it("shows what would be verified before a card goes to Done, and leaves it where it was until then", async () => {
    await drag("Order summary that stays in view", "done")
    await page.mouse.up()
    await page.getByRole("dialog", { name: visitor.say("decide.verify") }).waitFor()
    await page.keyboard.press("Escape")
    await column("to_verify").getByText("Order summary that stays in view").waitFor()
    expect(await statusOf("Order summary that stays in view")).toBe("to_verify")
  })
})

describe("the board by keys", () => {
  it("walks, picks up, drops, and says so", async () => {
    await card("Guest checkout keeps the basket").focus()
    await page.keyboard.press("ArrowRight")
    await waitFor(async () => (await focusedColumn()) === "in_progress", 60_000, "the focus to go right")
    await page.keyboard.press("h")
    await waitFor(async () => (await focusedColumn()) === "open", 60_000, "the focus to go left")
    await card("Guest checkout keeps the basket").focus()
    await page.keyboard.press("Space")
    await page
      .getByText(visitor.say("board.lifted", { title: "Guest checkout keeps the basket" }))
      .waitFor({ state: "attached" })
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await column("in_progress").getByText("Guest checkout keeps the basket").waitFor()
    await waitFor(
      async () => (await statusOf("Guest checkout keeps the basket")) === "in_progress",
      60_000,
      "the server to know",
    )
    await waitFor(async () => (await focusedColumn()) === "in_progress", 60_000, "the focus to follow the card")
    await page.keyboard.press("Space")
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Escape")
    expect(await statusOf("Guest checkout keeps the basket")).toBe("in_progress")
  })

  it("goes to places by two letters and opens the palette", async () => {
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await page.waitForURL(/\/ideas$/)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").waitFor()
    await page.keyboard.type("one page")
    await page.getByRole("option", { name: /One page, three steps/ }).waitFor()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })
})

describe("narrowing the board", () => {
  it("filters by words and keeps that in the address", async () => {
    await page.getByRole("searchbox").fill("express")
    await waitFor(async () => (await page.locator("[data-card]").count()) === 1, 60_000, "one card")
    expect(page.url()).toContain("find=express")
    await page.reload()
    await card("Express pay buttons").waitFor()
    expect(await page.locator("[data-card]").count()).toBe(1)
  })

  it("cuts the board into lanes by agent", async () => {
    await page.goto(`${stage.url}/projects/${all.projectUuid}/board?lanes=agent`)
    await page.getByRole("button", { name: /^Builder/ }).waitFor()
    await page.getByRole("button", { name: /^Builder/ }).click()
    await card("Address form with autocomplete").waitFor({ state: "detached" })
  })
})

describe("badges of sessions", () => {
  it("come and go with the log, without a reload", async () => {
    const session = await all.builder.call("chorus_create_session", { name: "night shift" })
    await all.builder.call("chorus_session_checkin_task", {
      sessionUuid: session.uuid,
      taskUuid: all.taskUuids[6] ?? "",
    })
    await card("Show delivery dates per item").getByText("night shift").waitFor()
    await all.builder.call("chorus_session_checkout_task", {
      sessionUuid: session.uuid,
      taskUuid: all.taskUuids[6] ?? "",
    })
    await page.getByText("night shift").waitFor({ state: "detached" })
  })
})

describe("input methods", () => {
  it("never send while composing", async () => {
    await page.goto(`${stage.url}/projects/${all.projectUuid}/ideas`)
    await page.getByRole("button", { name: visitor.say("ideas.new"), exact: true }).click()
    await page.getByLabel(visitor.say("tasks.title")).focus()
    const keyboard = await visitor.context.newCDPSession(page)
    await keyboard.send("Input.imeSetComposition", { text: "わ", selectionStart: 1, selectionEnd: 1 })
    await keyboard.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Enter",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    })
    expect(await page.getByRole("dialog").isVisible()).toBe(true)
    await keyboard.send("Input.insertText", { text: "分かる" })
    await page.keyboard.press("Enter")
    await page.waitForURL(/ideas\/[0-9a-f-]{36}/)
  })
})

async function focusedColumn(): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-column]")?.dataset["column"])
}
