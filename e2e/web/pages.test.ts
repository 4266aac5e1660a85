import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { ensureChineseFont } from "@chorus/testing"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RENEW, renewPicture } from "../pictures.ts"
import { type Furnished, furnish } from "./furnish.ts"
import { type MachineRoom, openMachineRoom } from "./machine-room.ts"
import { ALL_PAGE_NAMES, PAGE_NAMES, pageCalled, type ShownPage } from "./pages.ts"
import { openStage, type Stage } from "./stage.ts"
import { type Language, signIn, type Theme, visit, type Visit } from "./visitor.ts"

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
/** Where every page is pictured in every window, theme and language, to be looked at by a person. */
const SHEETS = process.env["CHORUS_SHEETS"]
const STRESS = process.env["CHORUS_STRESS"] === "1"
const WINDOW = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const WINDOWS = [PHONE, { width: 768, height: 1024 }, { width: 1280, height: 800 }, { width: 1920, height: 1080 }]
const THEMES: readonly Theme[] = ["light", "dark"]

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

let stage: Stage
let furnished: Furnished & MachineRoom

beforeAll(async () => {
  // Without it boxes are drawn instead of characters: good enough to measure, not to look at. A browser that runs already
  // does not come to know of it.
  if (RENEW || SHEETS !== undefined) await ensureChineseFont()
  stage = await openStage()
  const all = await furnish(stage)
  furnished = { ...all, ...(await openMachineRoom(all.owner, all.builder, all.projectUuid)) }
})

afterAll(() => stage.close())

describe("every page", () => {
  let visitor: Visit

  beforeAll(async () => {
    visitor = await visit(stage, { theme: "light", ...WINDOW, motion: "no-preference" })
    await signIn(visitor.page, await signInLink())
  })

  afterAll(() => visitor.context.close())

  it.each(PAGE_NAMES)(
    "%s is drawn without faults, is accessible by day and by night, and fits a phone",
    async (name) => {
      const { page, faults } = visitor
      faults.length = 0
      await page.emulateMedia({ colorScheme: "light" })
      await page.setViewportSize(WINDOW)
      await show(page, pageCalled(name, furnished))
      await renewPicture(page, `${name}-light.png`)
      // Of all that is looked for, only the contrast differs with the colours: every day one of them is enough.
      if (STRESS) expect(await violations(page, name)).toEqual([])

      await page.emulateMedia({ colorScheme: "dark" })
      await page.locator("html[data-theme=dark]").waitFor()
      if (STRESS) await show(page, pageCalled(name, furnished))
      await comeToRest(page)
      await renewPicture(page, `${name}-dark.png`)
      expect(await violations(page, name)).toEqual([])

      await page.emulateMedia({ colorScheme: "light" })
      await page.setViewportSize(PHONE)
      if (STRESS) await show(page, pageCalled(name, furnished))
      await comeToRest(page)
      await renewPicture(page, `${name}-phone.png`)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0)
      await page.mouse.move(195, 600)
      await page.mouse.wheel(0, 20_000)
      for (const key of ["PageDown", "End"]) await page.keyboard.press(key)
      expect(await page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, scrollY])).toEqual([0, 0])
      expect(faults).toEqual([])
    },
  )
})

describe("in Chinese", () => {
  const MAIN_PAGES = ["needs-you", "board", "idea", "proposal", "task", "insights", "plugins-browse", "settings-agents"]
  let visitor: Visit

  beforeAll(async () => {
    visitor = await visit(stage, { language: "zh", width: 1280, height: 800, motion: "no-preference" })
    await signIn(visitor.page, await signInLink())
  })

  afterAll(() => visitor.context.close())

  it.each(STRESS ? PAGE_NAMES : MAIN_PAGES)("%s has room for its words", async (name) => {
    const { page } = visitor
    await show(page, pageCalled(name, furnished))
    expect(await page.evaluate(() => document.documentElement.lang)).toMatch(/^zh/)
    expect(await clippedControls(page)).toEqual([])
    // What the rules ask for is in the words only where they are missing, which the dictionaries are held to every day.
    for (const colorScheme of STRESS ? THEMES : []) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
      await comeToRest(page)
      expect(await violations(page, name)).toEqual([])
    }
  })
})

describe("signed out", () => {
  it.each(THEMES)("the sign-in page is accessible and pictured, %s", async (theme) => {
    const { page, context, faults } = await visit(stage, { theme, width: 1440, height: 900 })
    await page.goto(stage.url)
    await page.locator("form").waitFor()
    await renewPicture(page, `sign-in-${theme}.png`)
    expect(await violations(page, "sign-in")).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })
})

it("the sign-in page is accessible and has room for its words in Chinese", async () => {
  const { page, context, faults } = await visit(stage, { language: "zh", ...PHONE })
  await page.goto(stage.url)
  await page.locator("form").waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toMatch(/^zh/)
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    expect(await violations(page, "sign-in")).toEqual([])
  }
  expect(await clippedControls(page)).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

describe("before any other file has come", () => {
  it.each(THEMES)("the outline of the workplace is drawn, %s", async (theme) => {
    const { page, context, faults } = await visit(stage, { theme })
    await page.route("**/assets/**", () => undefined)
    await page.goto(stage.url, { waitUntil: "commit" })
    await page.getByText("Chorus").first().waitFor()
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length)).toBe(1)
    const ground = await page.locator(".outline").evaluate((outline) => getComputedStyle(outline).backgroundColor)
    expect(ground).toBe(theme === "dark" ? "rgb(23, 24, 28)" : "rgb(255, 255, 255)")
    expect(faults).toEqual([])
    await context.close()
  })
})

if (SHEETS !== undefined) {
  describe.each<Language>(["en", "zh"])("the sheets, %s", (language) => {
    let visitor: Visit

    beforeAll(async () => {
      mkdirSync(SHEETS, { recursive: true })
      visitor = await visit(stage, { language })
    })

    afterAll(() => visitor.context.close())

    const take = async (name: string) => {
      const { page } = visitor
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
        await comeToRest(page)
        const { width = 0 } = page.viewportSize() ?? {}
        await page.screenshot({ path: join(SHEETS, `${name}-${width}-${colorScheme}-${language}.png`) })
      }
    }

    it("have the page for signing in", async () => {
      await visitor.page.goto(stage.url)
      await visitor.page.locator("form").waitFor()
      for (const size of WINDOWS) {
        await visitor.page.setViewportSize(size)
        await take("sign-in")
      }
      await signIn(visitor.page, await signInLink())
    })

    it.each(ALL_PAGE_NAMES)("have %s", async (name) => {
      for (const size of WINDOWS) {
        await visitor.page.setViewportSize(size)
        await show(visitor.page, pageCalled(name, furnished))
        await take(name)
      }
    })
  })
}

async function signInLink(): Promise<string> {
  const { uuid } = await furnished.owner("chorus_whoami", {})
  const { signInPath } = await furnished.owner("chorus_create_sign_in_link", { userUuid: uuid })
  return `${stage.url}${signInPath}`
}

async function show(page: Page, { path, settled, keys }: ShownPage): Promise<void> {
  await page.goto(`${stage.url}${path}`)
  if (keys !== undefined) {
    await page.locator("[data-card]").first().waitFor()
    await page.keyboard.press(keys)
  }
  await page.locator(settled).first().waitFor()
  await comeToRest(page)
}

/** Nothing is on its way any more, and nothing moves that comes to an end. */
async function comeToRest(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("main .animate-pulse") === null)
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .flatMap((each) => (each.effect?.getComputedTiming().endTime === Infinity ? [] : [each.finished])),
    ),
  )
}

/** What the accessibility rules call serious or worse. */
async function violations(page: Page, name: string, runOnly: readonly string[] = ALL_RULES): Promise<string[]> {
  await page.evaluate(axeSource)
  const found = await page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
      return (await axe.run({ ...options, resultTypes: ["violations"] })).violations
    },
    { runOnly },
  )
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${name}: ${id}: ${nodes
          .map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary.split("\n")[1]?.trim() ?? ""})`)
          .slice(0, 3)
          .join(" | ")}`,
    )
}

/** Buttons, tabs and badges whose words do not fit into them. */
async function clippedControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button, [role=tab], nav a, h2, th")]
      .filter(
        (each) =>
          each.offsetWidth > 1 &&
          each.scrollWidth > each.clientWidth + 1 &&
          getComputedStyle(each).textOverflow !== "ellipsis",
      )
      .map((each) => each.outerHTML.slice(0, 200)),
  )
}
