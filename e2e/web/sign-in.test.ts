import { createClient } from "@chorus/client"
import type { UserId } from "@chorus/contracts"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./stage.ts"
import { type Visit, visit } from "./visitor.ts"

let stage: Stage
let owner: ReturnType<typeof createClient>["call"]
let ada: { readonly uuid: UserId; readonly name: string }
let bea: { readonly uuid: UserId; readonly name: string }
let visitor: Visit
let page: Page

beforeAll(async () => {
  stage = await openStage()
  owner = createClient({ url: stage.url, key: stage.ownerKey() }).call
  ada = await invite("Ada")
  bea = await invite("Bea")
})
afterAll(() => stage.close())

/** A fresh browser in which Ada is signed in and looks at the projects. */
beforeEach(async () => {
  visitor = await visit(stage)
  page = visitor.page
  await page.goto(await linkFor(ada))
  await workplaceOf(page, ada.name)
  await page.goto(`${stage.url}/projects`)
  await workplaceOf(page, ada.name)
  return async () => {
    expect(visitor.faults).toEqual([])
    await visitor.context.close()
  }
})

async function invite(name: string) {
  const { member } = await owner("chorus_invite_member", { name, role: "member" })
  return { uuid: member.uuid as UserId, name }
}

async function linkFor({ uuid }: { readonly uuid: UserId }, next = ""): Promise<string> {
  const { signInPath } = await owner("chorus_create_sign_in_link", { userUuid: uuid }, { retry: false })
  const link = new URL(signInPath, stage.url)
  if (next !== "") link.searchParams.set("next", next)
  return link.href
}

const workplaceOf = (tab: Page, name: string) =>
  tab.getByRole("button", { name: new RegExp(`${visitor.say("nav.account")}.*${name}`) }).waitFor()

const question = (tab: Page) =>
  tab.getByRole("heading", { name: visitor.say("signIn.other", { here: ada.name, holder: bea.name }) })

const answer = (tab: Page, key: "signIn.other.accept" | "signIn.other.decline", name: string) =>
  tab.getByRole("button", { name: visitor.say(key, { name }), exact: true }).click()

/** Every address the tab could go back or forward to. */
async function historyOf(context: BrowserContext, tab: Page): Promise<string[]> {
  const cdp = await context.newCDPSession(tab)
  const { entries } = await cdp.send("Page.getNavigationHistory")
  return entries.map(({ url }) => url)
}

async function expectNoTrace(tab: Page, link: string): Promise<void> {
  const token = new URL(link).hash.slice(1)
  expect(token).toMatch(/^[\w-]{43}$/)
  for (const address of await historyOf(visitor.context, tab)) expect(address).not.toContain(token)
}

/** Whom a link still signs in, asked from a browser in which nobody is. */
async function openedElsewhere(link: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${stage.url}/api/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: stage.url },
    body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
  })
  return { status: response.status, body: await response.json() }
}

describe("a sign-in link opened by who is signed in already", () => {
  it("is redeemed, leads where it was meant to, and leaves no token in the address or the history", async () => {
    const link = await linkFor(ada, "/agents")
    await page.goto(link)
    await page.waitForURL(`${stage.url}/agents`)
    await workplaceOf(page, ada.name)
    await page.getByRole("heading", { name: visitor.say("nav.agents"), exact: true, level: 1 }).waitFor()
    await expectNoTrace(page, link)
    expect(await openedElsewhere(link)).toMatchObject({ status: 410, body: { error: { code: "link_used" } } })
    await page.goBack()
    await page.waitForURL(`${stage.url}/projects`)
    await workplaceOf(page, ada.name)
    await page.goForward()
    await page.waitForURL(`${stage.url}/agents`)
    await workplaceOf(page, ada.name)
  })

  it("is said to be used up when it is, and the person stays", async () => {
    const link = await linkFor(bea)
    expect((await openedElsewhere(link)).status).toBe(200)
    await page.goto(link)
    await page.getByText("This sign-in link was used already.").waitFor()
    await workplaceOf(page, ada.name)
    await expectNoTrace(page, link)
  })

  it("leads home without a token: the sign-in page is for who is not signed in", async () => {
    await page.goto(`${stage.url}/sign-in`)
    await page.waitForURL(`${stage.url}/`)
    await workplaceOf(page, ada.name)
  })
})

describe("a sign-in link of somebody else", () => {
  it("asks; whoever declines stays who they are, and the link stays good", async () => {
    const link = await linkFor(bea)
    await page.goto(link)
    await question(page).waitFor()
    await expectNoTrace(page, link)
    await answer(page, "signIn.other.decline", ada.name)
    await workplaceOf(page, ada.name)
    expect(await openedElsewhere(link)).toMatchObject({ status: 200, body: { signedIn: true } })
  })

  it("when accepted signs the other in, in every tab, and nothing of the first is left in any", async () => {
    await page
      .getByRole("button", { name: visitor.say("nav.newProject") })
      .first()
      .click()
    await page.getByLabel(visitor.say("project.name")).fill("A secret of Ada's")
    const kept = await page.evaluate(async () => {
      await navigator.serviceWorker.register("/push-worker.js")
      Object.assign(globalThis, { ofAda: true })
      return (await navigator.serviceWorker.getRegistrations()).length
    })
    expect(kept).toBe(1)
    const link = await linkFor(bea, "/agents")
    const second = await visitor.tab("/projects")
    await workplaceOf(second, ada.name)
    await second.goto(link)
    await question(second).waitFor()
    await answer(second, "signIn.other.accept", bea.name)
    await workplaceOf(second, bea.name)
    expect(second.url()).toBe(`${stage.url}/agents`)
    await expectNoTrace(second, link)

    // The first tab was in the middle of something.
    await workplaceOf(page, bea.name)
    expect(await page.evaluate(() => "ofAda" in globalThis)).toBe(false)
    expect(await page.getByText("A secret of Ada's").count()).toBe(0)
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0)

    await second.goBack()
    await second.waitForURL(`${stage.url}/projects`)
    await workplaceOf(second, bea.name)
  })

  it("asks in each tab it is opened in; the answer in one is the answer for all", async () => {
    const link = await linkFor(bea)
    const second = await visitor.tab("/projects")
    await Promise.all([page.goto(link), second.goto(link)])
    await Promise.all([question(page).waitFor(), question(second).waitFor()])
    await answer(second, "signIn.other.accept", bea.name)
    await Promise.all([workplaceOf(second, bea.name), workplaceOf(page, bea.name)])
    for (const tab of [page, second]) await expectNoTrace(tab, link)
  })
})

describe("a sign-in link where nobody is signed in", () => {
  let fresh: Visit
  beforeEach(async () => {
    fresh = await visit(stage)
    return () => fresh.context.close()
  })

  it("opened in two tabs at once signs in both", async () => {
    const link = await linkFor(bea)
    const [one, two] = [fresh.page, await fresh.context.newPage()]
    await Promise.all([one.goto(link), two.goto(link)])
    await Promise.all([workplaceOf(one, bea.name), workplaceOf(two, bea.name)])
  })

  it("works in a tab that shows the sign-in page already", async () => {
    await fresh.page.goto(`${stage.url}/sign-in`)
    await fresh.page.getByRole("heading", { name: fresh.say("signIn.title") }).waitFor()
    await fresh.page.evaluate((link) => location.assign(link), await linkFor(bea))
    await workplaceOf(fresh.page, bea.name)
    // An empty workplace leads on to where one begins.
    expect(["/", "/welcome"]).toContain(new URL(fresh.page.url()).pathname)
  })
})

describe("signing out", () => {
  it("in one tab shows the sign-in page in every tab, with nothing left of who was there", async () => {
    const second = await visitor.tab("/projects")
    await workplaceOf(second, ada.name)
    await second.evaluate(() => Object.assign(globalThis, { ofAda: true }))
    await page.getByRole("button", { name: visitor.say("nav.account") }).click()
    await page.getByRole("menuitem", { name: visitor.say("menu.signOut") }).click()
    for (const tab of [page, second]) {
      await tab.getByRole("heading", { name: visitor.say("signIn.title") }).waitFor()
      expect(await tab.evaluate(() => "ofAda" in globalThis)).toBe(false)
    }
  })
})
