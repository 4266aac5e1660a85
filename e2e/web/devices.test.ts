import { waitFor } from "@chorus/testing"
import type { CDPSession, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Furnished, furnish } from "./furnish.ts"
import { openStage, type Stage } from "./stage.ts"
import { PATIENCE, signIn, visit } from "./visitor.ts"

let stage: Stage
let all: Furnished

beforeAll(async () => {
  stage = await openStage()
  all = await furnish(stage)
})

afterAll(() => stage.close())

async function signInLink(): Promise<string> {
  const { uuid } = await all.owner("chorus_whoami", {})
  const { signInPath } = await all.owner("chorus_create_sign_in_link", { userUuid: uuid })
  return `${stage.url}${signInPath}`
}

const board = () => `${stage.url}/projects/${all.projectUuid}/board`

async function statusOf(title: string): Promise<string | undefined> {
  const { tasks } = await all.owner("chorus_get_board", { projectUuid: all.projectUuid })
  return tasks.find((task) => task.title === title)?.status
}

async function openPhone(): Promise<Page> {
  const context = await stage.browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    locale: "en-US",
    reducedMotion: "reduce",
  })
  context.setDefaultTimeout(PATIENCE)
  return context.newPage()
}

describe("a phone", () => {
  const TITLE = "Guest checkout keeps the basket"
  let page: Page
  let fingers: CDPSession

  beforeAll(async () => {
    page = await openPhone()
    fingers = await page.context().newCDPSession(page)
    await signIn(page, await signInLink())
    await page.goto(board())
    await page.locator("[data-card]", { hasText: TITLE }).waitFor()
  })

  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
    fingers.send("Input.dispatchTouchEvent", { type, touchPoints })
  const ghost = () => page.locator("body > a[aria-hidden=true]")

  async function middleOf(title: string): Promise<{ x: number; y: number }> {
    const box = await page.locator("[data-card]", { hasText: title }).boundingBox()
    if (box === null) throw new Error(`${title} is not on the board`)
    return { x: box.x + box.width / 2, y: box.y + 20 }
  }

  it("scrolls when a finger moves at once, and lifts nothing", async () => {
    const from = await middleOf(TITLE)
    await touch("touchStart", from)
    await touch("touchMove", { x: from.x - 40, y: from.y })
    await touch("touchMove", { x: from.x - 160, y: from.y })
    expect(await ghost().count()).toBe(0)
    await touch("touchEnd")
    await page.locator("section[data-column=open]").evaluate((column) => column.scrollIntoView({ inline: "start" }))
    expect(await statusOf(TITLE)).toBe("open")
  })

  it("carries a card to the next column under a held finger, beyond the edge of the screen", async () => {
    const from = await middleOf(TITLE)
    await touch("touchStart", from)
    await ghost().waitFor()
    const edge = { x: 380, y: from.y + 60 }
    await touch("touchMove", { x: 300, y: from.y + 40 })
    await touch("touchMove", edge)
    // Resting at the edge brings the next column under the finger.
    await page.waitForFunction(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest("[data-column=in_progress]") !== null,
      edge,
    )
    await touch("touchMove", { x: edge.x - 60, y: edge.y })
    await page.waitForFunction(
      ({ x, y }) =>
        document.elementFromPoint(x, y)?.closest("[data-column]")?.getAttribute("data-column") === "in_progress",
      { x: edge.x - 60, y: edge.y },
    )
    await touch("touchEnd")
    await waitFor(async () => (await statusOf(TITLE)) === "in_progress", PATIENCE, "the server to know")
    expect(await ghost().count()).toBe(0)
    expect(page.url()).not.toContain("task=")
  })
})

describe("one thumb", () => {
  const LEAST = 44
  let page: Page

  beforeAll(async () => {
    page = await openPhone()
    await signIn(page, await signInLink())
  })

  afterAll(() => page.context().close())

  /** Whatever is pressed is large enough for it, and inside the window. */
  async function press(what: Locator): Promise<void> {
    await what.waitFor()
    // What slides in is not there yet.
    const right = async () => {
      const box = await what.boundingBox()
      return (box?.x ?? 390) + (box?.width ?? 390)
    }
    await waitFor(async () => (await right()) <= 390, PATIENCE, "it to be inside the window")
    expect((await what.boundingBox())?.height, await what.innerText()).toBeGreaterThanOrEqual(LEAST)
    await what.tap()
  }

  async function handedIn(): Promise<{ readonly uuid: string; readonly title: string }> {
    const title = `Weigh the parcel ${crypto.randomUUID().slice(0, 8)}`
    const { tasks } = await all.owner("chorus_create_tasks", {
      projectUuid: all.projectUuid,
      tasks: [{ title, acceptanceCriteriaItems: [{ description: "It is weighed" }] }],
    })
    const uuid = String(tasks[0]?.uuid)
    await all.builder.call("chorus_start_task", { taskUuid: uuid })
    await all.builder.call("chorus_submit_for_verify", { taskUuid: uuid, summary: "Weighed." })
    return { uuid, title }
  }

  it("answers an agent from the call that it got", async () => {
    const title = `May I ${crypto.randomUUID().slice(0, 8)}?`
    const { uuid } = await all.builder.call("chorus_create_attention", { title, kind: "permission" })
    await page.goto(`${stage.url}/?item=${String(uuid)}`)
    const sheet = page.getByRole("dialog", { name: "Preview" })
    await sheet.getByRole("heading", { name: title }).waitFor()
    await press(sheet.getByRole("button", { name: "Allow" }))
    await sheet.waitFor({ state: "detached" })
    await waitFor(
      async () => (await all.builder.call("chorus_get_attention", { attentionUuid: uuid })).answer !== null,
      60_000,
      "the answer",
    )
  })

  it("comments on work and sends it back from the foot of its page", async () => {
    const { uuid, title } = await handedIn()
    await page.goto(`${stage.url}/projects/${all.projectUuid}/tasks/${uuid}`)
    await page.getByText(title).first().waitFor()
    await page.getByRole("textbox", { name: /^Write a comment/ }).fill("On which scale?")
    await press(page.getByRole("button", { name: "Comment", exact: true }))
    await page.getByRole("article").filter({ hasText: "On which scale?" }).waitFor()
    const back = page.getByRole("button", { name: "Send back" })
    expect((await back.boundingBox())?.y).toBeGreaterThan(700)
    await press(back)
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The scale is off.")
    await press(dialog.getByRole("button", { name: "Send back" }))
    await page.getByRole("region", { name: "News" }).getByRole("button", { name: "Close" }).last().tap()
    await waitFor(async () => (await statusOf(title)) === "in_progress", PATIENCE, "the task to be back")
  })

  it("verifies work from the queue", async () => {
    const { title } = await handedIn()
    await page.goto(stage.url)
    await page.getByRole("main").getByRole("button", { name: title }).tap()
    const sheet = page.getByRole("dialog", { name: "Preview" })
    await sheet.getByText("Weighed.").waitFor()
    await press(sheet.getByRole("button", { name: "Pass all and verify" }))
    await sheet.waitFor({ state: "detached" })
    await page.getByRole("region", { name: "News" }).getByRole("button", { name: "Close" }).last().tap()
    await waitFor(async () => (await statusOf(title)) === "done", PATIENCE, "the work to be verified")
  })

  it("reviews a change: reads it, comments on a line, sends it back, sees what was mended, and verifies it", async () => {
    const title = `Mend the scale ${crypto.randomUUID().slice(0, 8)}`
    const { tasks } = await all.owner("chorus_create_tasks", {
      projectUuid: all.projectUuid,
      tasks: [{ title, acceptanceCriteriaItems: [{ description: "It weighs right" }] }],
    })
    const taskUuid = String(tasks[0]?.uuid)
    const show = (grams: string) => {
      const long = `// ${"a line that is far longer than any phone is wide ".repeat(6)}`
      const head = (file: string) => `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1,3 +1,3 @@\n`
      const scale = `${head("src/scale.ts")} const scale = open()\n-const unit = "pound"\n+const unit = "${grams}"\n ${long}\n`
      const parcel = `${head("src/parcel.ts")} const parcel = 1\n-const tare = 0\n+const tare = 12\n ${long}\n`
      return all.builder.call("chorus_push_change", { taskUuid, patch: scale + parcel })
    }
    await all.builder.call("chorus_start_task", { taskUuid })
    await show("ounce")
    await all.builder.call("chorus_submit_for_verify", { taskUuid, summary: "Ounces now." })
    const isNarrow = async () =>
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)

    await page.goto(stage.url)
    await page.getByRole("main").getByRole("button", { name: title }).tap()
    const sheet = page.getByRole("dialog", { name: "Preview" })
    const file = sheet.getByRole("region", { name: "src/scale.ts" })
    await file.scrollIntoViewIfNeeded()
    await file.getByText(/ounce/).first().waitFor()
    await isNarrow()
    await file.getByText(/ounce/).first().tap()
    const form = file.getByRole("form", { name: "Comment on src/scale.ts, line 2" })
    await form.getByLabel("Comment on this line").fill("In grams, please.")
    await form.getByLabel("Blocker").check()
    await press(form.getByRole("button", { name: "Comment", exact: true }))
    const thread = file.getByRole("article", { name: "Thread at src/scale.ts, line 2" })
    await thread.getByText("In grams, please.").waitFor()
    await isNarrow()
    await press(sheet.getByRole("button", { name: "Send back" }))
    const dialog = page.getByRole("dialog").filter({ has: page.getByRole("textbox", { name: "Reason" }) })
    await press(dialog.getByRole("button", { name: "Send back" }))
    await page.getByRole("region", { name: "News" }).getByRole("button", { name: "Close" }).last().tap()
    await waitFor(async () => (await statusOf(title)) === "in_progress", PATIENCE, "the task to be back")

    const { returned } = await all.builder.call("chorus_get_task", { taskUuid })
    const [said] = (returned as { comments: { threadUuid: string; text: string }[] }).comments
    expect(said).toMatchObject({ text: "In grams, please." })
    await show("gram")
    await all.builder.call("chorus_comment_on_change", {
      taskUuid,
      comments: [{ threadUuid: said?.threadUuid, text: "Grams it is." }],
    })
    await all.builder.call("chorus_submit_for_verify", { taskUuid, summary: "Grams now." })

    await page.goto(`${stage.url}/projects/${all.projectUuid}/tasks/${taskUuid}`)
    await press(page.getByRole("tab", { name: "Changes" }))
    const mended = page.getByRole("region", { name: "src/scale.ts" })
    await mended.scrollIntoViewIfNeeded()
    await mended
      .getByText(/"gram"/)
      .first()
      .waitFor()
    const answered = mended.getByRole("article", { name: "Thread at src/scale.ts, line 2" })
    await answered.getByText("Grams it is.").waitFor()
    await answered.getByText("Outdated: of version 1").waitFor()
    await press(answered.getByRole("button", { name: "Resolve" }))
    await answered.getByText("Resolved", { exact: true }).waitFor()
    await isNarrow()
    await page.goto(stage.url)
    await page.getByRole("main").getByRole("button", { name: title }).tap()
    await press(sheet.getByRole("button", { name: "Pass all and verify" }))
    await sheet.waitFor({ state: "detached" })
    await page.getByRole("region", { name: "News" }).getByRole("button", { name: "Close" }).last().tap()
    await waitFor(async () => (await statusOf(title)) === "done", PATIENCE, "the work to be verified")
  })

  it("installs the page as an app", async () => {
    const devtools = await page.context().newCDPSession(page)
    const { url, errors } = await devtools.send("Page.getAppManifest")
    expect([new URL(url).pathname, errors]).toEqual(["/manifest.webmanifest", []])
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors")
    // A private window cannot install anything; nothing else may stand in the way.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([])
  })
})

describe("a person who wants no motion", () => {
  it("sees a diagram whole: nothing is measured while it is on its way", async () => {
    const { page, context, faults } = await visit(stage, { motion: "reduce" })
    await signIn(page, await signInLink())
    await page.goto(`${stage.url}/projects/${all.projectUuid}/documents/${all.documentUuid}`)
    await page.locator("main figure").waitFor()
    expect([await page.locator("main figcaption").allTextContents(), faults]).toEqual([[], []])
    const source = await page.locator("main figure img").getAttribute("src")
    const [left, top] = (/viewBox="([^"]*)"/.exec(decodeURIComponent(source ?? ""))?.[1] ?? "").split(" ").map(Number)
    expect(left).toBeGreaterThan(-10)
    expect(top).toBeGreaterThan(-10)
    await context.close()
  })
})

describe("a browser without shared workers", () => {
  it("elects one tab to hold the stream, and another when that one is closed", async () => {
    const visitor = await visit(stage)
    await visitor.context.addInitScript(() => Reflect.deleteProperty(globalThis, "SharedWorker"))
    const first = visitor.page
    await signIn(first, await signInLink())
    await first.goto(board())
    await first.locator("[data-card]").first().waitFor()
    expect(await first.evaluate(() => typeof SharedWorker)).toBe("undefined")
    const second = await visitor.tab(`/projects/${all.projectUuid}/board`)
    const third = await visitor.tab(`/projects/${all.projectUuid}/board`)
    for (const tab of [second, third]) await tab.locator("[data-card]").first().waitFor()

    const session = await all.builder.call("chorus_create_session", { name: "night-shift" })
    const badge = (tab: Page) => tab.locator("[data-session]", { hasText: "night-shift" }).first()
    await all.builder.call("chorus_session_checkin_task", {
      sessionUuid: session.uuid,
      taskUuid: all.taskUuids[6] ?? "",
    })
    for (const tab of [first, second, third]) await badge(tab).waitFor()
    expect(await heldStreams(second)).toBe(1)

    await first.close()
    await all.builder.call("chorus_session_checkout_task", {
      sessionUuid: session.uuid,
      taskUuid: all.taskUuids[6] ?? "",
    })
    for (const tab of [second, third]) await badge(tab).waitFor({ state: "detached" })
    expect(await heldStreams(third)).toBe(1)
    expect(visitor.faults).toEqual([])
    await visitor.context.close()
  })

  /** How many tabs hold the stream; the others wait for their turn. */
  async function heldStreams(page: Page): Promise<number> {
    return page.evaluate(
      async () => ((await navigator.locks.query()).held ?? []).filter(({ name }) => name === "chorus-stream").length,
    )
  }
})
