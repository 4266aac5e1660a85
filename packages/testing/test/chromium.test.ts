import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test, vi } from "vitest"
import { findChromium, launchBrowser } from "@chorus/testing"

const INSTALLING = { timeout: 600_000 }

test("a page on loopback is rendered, clicked and photographed", INSTALLING, async () => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html")
    response.end('<body style="background:rgb(1,2,3)"><button onclick="this.textContent=\'clicked\'">click</button>')
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const browser = await launchBrowser()
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage({ viewport: { width: 320, height: 200 } })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.getByRole("button").click()
  expect(await page.getByRole("button").textContent()).toBe("clicked")
  const picture = await page.screenshot({ type: "png" })
  expect(picture.subarray(1, 4).toString()).toBe("PNG")
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([320, 200])
})

test("a browser named in the environment has to be there", async () => {
  vi.stubEnv("CHORUS_CHROMIUM", "/nowhere/chromium")
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(findChromium()).rejects.toThrow("CHORUS_CHROMIUM names /nowhere/chromium")
  vi.stubEnv("CHORUS_CHROMIUM", process.execPath)
  expect(await findChromium()).toBe(process.execPath)
})
