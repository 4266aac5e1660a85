import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { poison, type Poisoned, textFields } from "../../test/faults/poison.ts"
import { CANARY, ELSEWHERE, XSS } from "../../test/faults/xss-payloads.ts"
import { type Furnished, furnish } from "./furnish.ts"
import { type MachineRoom, openMachineRoom } from "./machine-room.ts"
import { PAGE_NAMES, pageCalled } from "./pages.ts"
import { openStage, type Stage } from "./stage.ts"
import { signIn, visit, type Visit } from "./visitor.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"
/** Pages that show little of what others wrote, or the same as another one; every day the rest is enough. */
const ALIKE = new Set([
  "board-lanes",
  "board-task",
  "idea",
  "proposal",
  "task",
  "document",
  "insights",
  "project-settings",
  "plugins-browse",
  "welcome",
  "settings-profile",
  "settings-webhooks",
  "settings-workspace",
  "shortcuts",
])
const PAGES = PAGE_NAMES.filter((name) => STRESS || !ALIKE.has(name))

/** Names for programs, secrets, and what only ever stands in a command line: the page shows none of them as text. */
const NOT_SHOWN = new Set(
  "p256dh auth address chat email externalId key contentBase64 mediaType questionId selectedOptionId id status dependsOn resolvedKeys kinds hook_event_name session_id permission_mode agent_id agent_path tool_name tool_use_id tool_response error notification_type transcript_head transcript_tail task_id terminalId goneTerminals presentTerminals takenAt contentHash script claudeVersion to member team_name teammate_name systemPrompt source process heard team agent token api type of sessionMark".split(
    " ",
  ),
)

let stage: Stage
let all: Furnished & MachineRoom
let visitor: Visit
let poisoned: Poisoned
const dialogs: string[] = []
const refused: string[] = []

beforeAll(async () => {
  stage = await openStage()
  const furnished = await furnish(stage)
  const { owner, builder, projectUuid } = furnished
  all = { ...furnished, ...(await openMachineRoom(owner, builder, projectUuid)) }
  poisoned = await poison(all, STRESS ? XSS.length : 12)
  visitor = await visit(stage, { motion: "no-preference" })
  await visitor.context.exposeFunction("policyRefused", (what: string) => refused.push(what))
  await visitor.context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      (globalThis as unknown as { policyRefused(what: string): void }).policyRefused(
        `${violatedDirective} ${blockedURI}`,
      ),
    )
  })
  visitor.page.on("dialog", (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await signIn(visitor.page, stage.signIn)
})

afterAll(async () => {
  await visitor.context.close()
  await stage.close()
})

describe("text made to run", () => {
  it("came in through every field that takes text and is shown", () => {
    expect(new Set(XSS.map(({ text }) => text)).size).toBe(XSS.length)
    expect(XSS.length).toBeGreaterThanOrEqual(60)
    expect([...textFields()].filter((field) => !poisoned.fields.has(field) && !NOT_SHOWN.has(field))).toEqual([])
  })

  it("runs nothing in what checks and what was built printed", async () => {
    // Before the others: a check that nobody goes on with is taken back after a minute, with what it printed.
    await look(`/projects/${all.projectUuid}/tasks/${poisoned.checkedUuid}`, "main h2")
    const outputs = visitor.page.getByRole("button", { name: visitor.say("checks.output") })
    // One of each check that printed something, and that of the preview, which stands open.
    await outputs.nth(1).waitFor()
    for (const output of await outputs.all()) await output.click()
    await visitor.page.locator("main pre").nth(2).waitFor()
    await harmless("the output of checks")
  })

  it.each(PAGES)("runs nothing and fetches nothing on the page %s", async (name) => {
    const { path, settled, keys } = pageCalled(name, all)
    await look(path, settled, keys)
  })

  it("runs nothing in a task with everything that can be said about it", async () => {
    await look(`/projects/${all.projectUuid}/tasks/${poisoned.taskUuid}`, "main h2")
    // Each of them is there to be read.
    await visitor.page.getByText(`window.${CANARY}=1`).first().waitFor()
    await look(`/projects/${all.projectUuid}/board?task=${poisoned.taskUuid}`, "[role=dialog] h2")
  })

  it("runs nothing in patches, names of files and what is said about lines", async () => {
    await look(`/projects/${all.projectUuid}/tasks/${poisoned.taskUuid}`, "main h2")
    await visitor.page.getByRole("tab", { name: "Changes" }).click()
    for (const version of [2, 1]) {
      await visitor.page.getByRole("combobox", { name: "Version" }).selectOption(String(version))
      // Lines are drawn once they can be seen.
      await visitor.page.locator("section[id^=file-]").first().scrollIntoViewIfNeeded()
      await visitor.page
        .locator("[data-line]")
        .filter({ hasText: `window.${CANARY}=1` })
        .first()
        .waitFor()
      await harmless(`the changes, version ${version}`)
    }
  })

  it("runs nothing in what a run's agent said, did and printed", async () => {
    await look(`/runs/${poisoned.runUuid}`, "main summary")
    for (const folded of await visitor.page.locator("main summary").all()) await folded.click()
    await visitor.page.getByRole("button", { name: visitor.say("runs.showAll") }).click()
    await visitor.page.getByRole("button", { name: visitor.say("runs.showAll") }).waitFor({ state: "detached" })
    await visitor.page.locator("main pre").first().waitFor()
    await harmless("a run")
  })

  it("runs nothing in documents, ideas, proposals and teams", async () => {
    for (const uuid of poisoned.documentUuids)
      await look(`/projects/${all.projectUuid}/documents/${uuid}`, "main h1, main h2")
    await look(`/projects/${all.projectUuid}/ideas/${poisoned.ideaUuid}`, "main article, main h2")
    await look(`/projects/${all.projectUuid}/proposals/${poisoned.proposalUuid}`, "main h2")
    await look(`/teams/${poisoned.teamUuid}`, "main h1, main h2")
    await look(`/projects/${poisoned.projectUuid}/board`, "main")
  })

  it("runs nothing in what is found by it", async () => {
    await visitor.page.goto(`${stage.url}/projects/${all.projectUuid}/board`)
    await visitor.page.locator("[data-session]").first().waitFor()
    await visitor.page.keyboard.press("Control+k")
    await visitor.page.keyboard.type(CANARY)
    await visitor.page.getByRole("option").filter({ hasText: CANARY }).first().waitFor()
    await harmless("the palette")
  })
})

async function look(path: string, settled: string, keys?: string): Promise<void> {
  await visitor.page.goto(`${stage.url}${path}`)
  if (keys !== undefined) {
    await visitor.page.locator("[data-session]").first().waitFor()
    await visitor.page.keyboard.press(keys)
  }
  await visitor.page.locator(settled).first().waitFor()
  await harmless(path)
}

/** Nothing ran, nothing was fetched, nothing waits for a hand to set it off; and no policy had to step in. */
async function harmless(where: string): Promise<void> {
  // What a handler of a picture or a frame does, it does within a moment of being there.
  await visitor.page.evaluate(() => new Promise((rest) => requestAnimationFrame(() => setTimeout(rest, 0))))
  expect(await visitor.page.evaluate((name) => name in globalThis, CANARY), `${where}: something ran`).toBe(false)
  expect(await traps(visitor.page), where).toEqual([])
  expect(dialogs, where).toEqual([])
  expect(refused, where).toEqual([])
  expect(visitor.faults, where).toEqual([])
}

/** Elements that would run or fetch when touched, opened or looked at. */
function traps(page: Page): Promise<string[]> {
  return page.evaluate((elsewhere) => {
    const found: string[] = []
    for (const element of document.querySelectorAll("*")) {
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "FRAME", "APPLET"].includes(element.tagName))
        found.push(element.outerHTML)
      if (element.tagName === "SCRIPT" && !(element as HTMLScriptElement).src.startsWith(location.origin))
        found.push(element.outerHTML)
      if (element.tagName === "META" && element.hasAttribute("http-equiv")) found.push(element.outerHTML)
      for (const { name, value } of element.attributes) {
        const leads = ["href", "src", "srcset", "action", "formaction", "data", "poster", "xlink:href"].includes(name)
        const drawing = element.tagName === "IMG" && value.startsWith("data:image/svg+xml")
        if (name.startsWith("on")) found.push(`${element.tagName} ${name}`)
        if (leads && !drawing && /^\s*(javascript|vbscript|data|file):/i.test(value))
          found.push(`${element.tagName} ${name} ${value}`)
        if (name === "style" && value.includes(elsewhere)) found.push(`style ${value}`)
        if (["src", "srcset", "poster", "data"].includes(name) && !drawing && value.includes(elsewhere))
          found.push(`${element.tagName} ${name} ${value}`)
      }
      for (const link of element instanceof HTMLAnchorElement && element.host !== location.host && element.href !== ""
        ? [element]
        : [])
        if (!link.rel.includes("noopener")) found.push(`link ${link.href}`)
    }
    return found
  }, ELSEWHERE)
}
