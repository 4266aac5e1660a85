import { launchBrowser } from "@chorus/testing"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Furnished, furnish } from "./furnish.ts"
import { openStage, type Stage } from "./stage.ts"
import { signIn, visit } from "./visitor.ts"

let stage: Stage
let browser: Browser
let all: Furnished

beforeAll(async () => {
  stage = await openStage()
  browser = await launchBrowser({ whole: true })
  all = await furnish(stage)
})

afterAll(async () => {
  await browser.close()
  await stage.close()
})

it("the worker is served under a policy of its own, shows what it is called for, and the page says whether this browser can be called", async () => {
  const worker = await fetch(`${stage.url}/push-worker.js`)
  expect(worker.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
  expect(worker.headers.get("content-security-policy")).toContain("default-src 'none'")

  const { context, page, faults, say } = await visit({ url: stage.url, browser })
  await context.grantPermissions(["notifications"], { origin: stage.url })
  const { uuid } = await all.owner("chorus_whoami", {})
  const { signInPath } = await all.owner("chorus_create_sign_in_link", { userUuid: uuid })
  await signIn(page, `${stage.url}${signInPath}`)
  await page.goto(`${stage.url}/settings/notifications`)
  await page.getByRole("switch", { name: say("settings.push") }).waitFor()

  const cdp = await context.newCDPSession(page)
  // The page may have registered its worker just before; only the newest registration hears.
  let registrationId = ""
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    for (const registration of registrations) if (!registration.isDeleted) registrationId = registration.registrationId
  })
  await cdp.send("ServiceWorker.enable")
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/push-worker.js")
    await navigator.serviceWorker.ready
  })
  await expect.poll(() => registrationId).not.toBe("")
  const notice = {
    tag: "terminal:1",
    title: "claude needs you",
    body: "Fix the parser: Bash: npm test",
    path: "/agents",
  }
  // A browser may lose a message to a worker that is just waking up; the same call again shows nothing twice.
  const shownAfter = async (data: string) => {
    await cdp.send("ServiceWorker.deliverPushMessage", { origin: stage.url, registrationId, data })
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ title, body, tag, data: { path } }) => ({
        title,
        body,
        tag,
        path: path as unknown,
      }))
    })
  }
  const patience = { timeout: 60_000, interval: 1000 }
  await expect.poll(() => shownAfter(JSON.stringify(notice)), patience).toEqual([notice])
  await expect
    .poll(async () => (await shownAfter("not json")).map(({ title }) => title).toSorted(), patience)
    .toEqual(["Chorus", notice.title])
  expect(faults).toEqual([])
})
