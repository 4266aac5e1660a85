import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
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

const ASKS = {
  terminalId: "t1",
  agent: "claude",
  state: "needsInput",
  since: 2,
  source: "claude:PermissionRequest",
  title: "Fix the parser",
  detail: "Bash: npm test",
  summary: null,
  exitCode: null,
  resumeCommand: null,
  reason: null,
  outside: false,
  ask: "ask-1",
  asks: "npm test",
  folder: null,
  unread: false,
} as const

/** A service on this machine that takes messages for phones. */
async function phone() {
  const clicks: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      clicks.push(String(JSON.parse(body).click))
      response.end()
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/mine`, clicks, [Symbol.dispose]: () => server.close() }
}

// Whoever has just had the page in view is not called, so this comes before anybody has.
it("a call about a terminal that waits leads to where it is answered", async () => {
  using service = await phone()
  await all.owner("chorus_add_channel", { kind: "ntfy", address: service.address, allowPrivate: true })
  await all.builder.call("chorus_report_machine", { machine: "laptop", terminals: [ASKS] })
  await expect.poll(() => service.clicks, { timeout: 30_000 }).toHaveLength(1)

  const { page, faults } = await visit({ url: stage.url, browser })
  const { uuid } = await all.owner("chorus_whoami", {})
  const { signInPath } = await all.owner("chorus_create_sign_in_link", { userUuid: uuid })
  await signIn(page, `${stage.url}${signInPath}`)
  await page.goto(service.clicks[0] ?? "")
  const preview = page.getByRole("region", { name: "Preview" })
  await preview.getByRole("heading", { name: "Bash: npm test" }).waitFor()
  await page.getByRole("listitem").filter({ hasText: "Bash: npm test" }).getByRole("button", { name: "Allow" }).click()
  await expect
    .poll(async () => (await all.owner("chorus_needs_you", {})).items.some(({ title }) => title === "Bash: npm test"))
    .toBe(false)
  expect(faults).toEqual([])
  await page.context().close()
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
  // The same call once more, as after a kill of the server, makes no sound; another does.
  const silent = async (mark: string) => {
    const data = JSON.stringify({ ...notice, tag: "terminal:2", mark })
    await cdp.send("ServiceWorker.deliverPushMessage", { origin: stage.url, registrationId, data })
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications({ tag: "terminal:2" })).map((shown) => shown.silent)
    })
  }
  await expect.poll(() => silent("one"), patience).toEqual([true])
  let others = 0
  await expect.poll(() => silent(`other ${++others}`), patience).toEqual([false])
  expect(faults).toEqual([])
})
