import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { launchBrowser, temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildSite } from "../site/build.ts"
import { serveSite } from "../site/serve.ts"
import { ROOT } from "./snippets.ts"

const directory = temporaryDirectory("site-")
const out = join(directory.path, "site")
let pages: string[] = []

beforeAll(() => {
  buildSite({ root: ROOT, out })
  pages = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
})
afterAll(() => directory.remove())

test("every page is there in both languages", () => {
  const english = pages.filter((page) => !page.startsWith("zh/"))
  expect(english.length).toBeGreaterThan(50)
  expect(
    pages
      .filter((page) => page.startsWith("zh/"))
      .map((page) => page.slice(3))
      .sort(),
  ).toEqual(english.sort())
})

test("every address in the site leads to a file and a place in it", () => {
  const texts = new Map(pages.map((page) => [page, readFileSync(join(out, page), "utf8")]))
  const lost = [...texts].flatMap(([page, html]) =>
    [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
      .map((match) => String(match[1]))
      .filter((address) => !/^https?:/.test(address) && !leads(page, address, texts))
      .map((address) => `${page}: ${address}`),
  )
  expect(lost).toEqual([])
})

test("nothing is inline, so that a strict policy lets it pass", () => {
  for (const page of pages) {
    const html = readFileSync(join(out, page), "utf8")
    expect(html.match(/<script(?! src=)|<style|\sstyle="|\son\w+="/g), page).toBeNull()
  }
})

describe("in a browser, behind its policy", () => {
  let site: Awaited<ReturnType<typeof serveSite>>
  let browser: Awaited<ReturnType<typeof launchBrowser>>

  beforeAll(async () => {
    site = await serveSite(out, 0)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    site.close()
  })

  test("search finds a page by its words, and Enter opens it", async () => {
    const { page, faults } = await opened("index.html")
    await page.keyboard.press("/")
    await page.keyboard.type("questions rounds")
    await page.locator("#found a").first().waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/way-of-working|planning/)
    expect(faults).toEqual([])
    await page.close()
  })

  test("search finds Chinese without spaces", async () => {
    const { page } = await opened("zh/index.html")
    await page.locator(".search input").fill("谁可以批准提案")
    await page.locator("#found a").first().waitFor()
    expect(await page.locator("#found a").first().getAttribute("href")).toContain("zh/")
    await page.close()
  })

  test("the theme follows the system until it is chosen, and the choice stays", async () => {
    const { page } = await opened("teams.html", "dark")
    const theme = () => page.evaluate(() => document.documentElement.dataset["theme"])
    expect(await theme()).toBe("dark")
    await page.locator(".theme").click()
    expect(await theme()).toBe("light")
    await page.goto(`${site.url}status.html`)
    expect(await theme()).toBe("light")
    await page.close()
  })

  test("the other language is one click away, on the same page", async () => {
    const { page } = await opened("teams.html")
    await page.locator(".languages a").click()
    await page.waitForURL(/zh\/teams\.html/)
    expect(await page.locator("h1").textContent()).toContain("团队")
    await page.close()
  })

  test("on a phone nothing is wider than the screen, and the contents open", async () => {
    const { page } = await opened("reference/operations/tasks.html", "light", { width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await page.locator(".menu").click()
    await page.locator(".contents a", { hasText: "Teams" }).click()
    await page.waitForURL(/teams\.html/)
    await page.close()
  })

  async function opened(
    path: string,
    colorScheme: "light" | "dark" = "light",
    viewport = { width: 1280, height: 800 },
  ) {
    const context = await browser.newContext({ colorScheme, viewport })
    const page = await context.newPage()
    const faults: string[] = []
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
    await page.goto(`${site.url}${path}`)
    return { page, faults }
  }
})

function leads(page: string, address: string, texts: ReadonlyMap<string, string>): boolean {
  const [path = "", anchor] = address.split("#")
  const target = path === "" ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(out, target))) return false
  return anchor === undefined || (texts.get(target)?.includes(`id="${decodeURIComponent(anchor)}"`) ?? false)
}
