import type { BrowserContext, Page } from "playwright-core"
import { type Dictionary, en, type TextKey } from "../../packages/web/src/i18n/en.ts"
import { translate } from "../../packages/web/src/i18n/language.ts"
import { zh } from "../../packages/web/src/i18n/zh.ts"
import type { Stage } from "./stage.ts"

export type Language = "en" | "zh"
export type Theme = "light" | "dark"

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** What went wrong in the page: thrown errors, refused resources, calls to other hosts. */
  readonly faults: string[]
  /** A text as this visitor reads it. */
  say(key: TextKey, parameters?: Record<string, string | number>): string
  /** Another tab of the same browser. */
  tab(path: string): Promise<Page>
}

interface VisitOptions {
  readonly language?: Language
  readonly theme?: Theme
  readonly width?: number
  readonly height?: number
  readonly motion?: "reduce" | "no-preference"
}

/** How long something may take that is not timed: a busy machine is not a fault of the page. */
export const PATIENCE = 60_000

const DICTIONARIES: Record<Language, Dictionary> = { en, zh }

/** Somebody with a fresh browser, a language and a taste. */
export async function visit(
  stage: Pick<Stage, "url" | "browser">,
  { language = "en", theme = "light", width = 1280, height = 800, motion = "reduce" }: VisitOptions = {},
): Promise<Visit> {
  const context = await stage.browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: language === "zh" ? "zh-CN" : "en-US",
    reducedMotion: motion,
  })
  context.setDefaultTimeout(PATIENCE)
  const faults: string[] = []
  const watch = (page: Page) => {
    page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`))
    page.on(
      "console",
      (message) =>
        message.type() === "error" && !isNetwork(message.text()) && faults.push(`console: ${message.text()}`),
    )
    page.on(
      "request",
      (request) =>
        !request.url().startsWith(stage.url) &&
        !/^(blob|data):/.test(request.url()) &&
        faults.push(`called elsewhere: ${request.url()}`),
    )
  }
  context.on("page", watch)
  return {
    context,
    page: await context.newPage(),
    faults,
    say: (key, parameters) => translate(DICTIONARIES[language], key, parameters),
    tab: async (path) => {
      const page = await context.newPage()
      await page.goto(new URL(path, stage.url).href)
      return page
    },
  }
}

/** Signs in by a link; until it is redeemed the page shows no more than its outline, which has no navigation. */
export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.locator("nav").first().waitFor({ state: "attached" })
}

/** A server that is away is expected in some tests; the page tells it by its banner. */
function isNetwork(text: string): boolean {
  return text.includes("net::ERR_") || text.includes("Failed to load resource")
}

/** The news of a decision are closed, so nobody thinks better of it. */
export async function letStand(page: Page, say: Visit["say"]): Promise<void> {
  const news = page.getByRole("region", { name: say("app.news") })
  await news
    .getByRole("button", { name: say("action.undo") })
    .last()
    .waitFor()
  await news
    .getByRole("button", { name: say("action.close") })
    .last()
    .click()
}
