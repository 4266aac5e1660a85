import { statSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { runningServer } from "@chorus/server"
import { launchBrowser, temporaryDirectory } from "@chorus/testing"
import type { Page } from "playwright-core"
import { type Bench, percentile } from "./figure.ts"
import { scrollFrames } from "./scrolling.ts"
import { served } from "./served.ts"

const FILES = 40
const LINES = 130
const OPENED = 5
const VERSIONS = 10
const DESK = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }

/** How soon a change of five thousand lines can be read, how it scrolls, and what a version of it costs the store. */
export const bench: Bench = async () => {
  const directory = temporaryDirectory()
  const server = await served(directory.path)
  const browser = await launchBrowser()
  try {
    const owner = createClient({ url: server.url, key: runningServer(directory.path)?.token })
    const agent = createClient({ url: server.url, key: server.key })
    const { uuid: projectUuid } = await owner.call("chorus_admin_create_project", { name: "Shop" })
    const { tasks } = await owner.call("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "Paint the door", acceptanceCriteriaItems: [{ description: "it is red" }] }],
    })
    const taskUuid = tasks[0]?.uuid
    if (taskUuid === undefined) throw new Error("no task was made")
    await agent.call("chorus_start_task", { taskUuid })
    const size = () =>
      ["chorus.sqlite", "chorus.sqlite-wal"].reduce((sum, name) => sum + sizeOf(join(directory.path, name)), 0)
    const before = size()
    for (let version = 1; version <= VERSIONS; version++)
      await agent.call("chorus_push_change", { taskUuid, patch: patchOf(version) })
    const grown = (size() - before) / VERSIONS
    const read = async (device: typeof DESK) => {
      const page = await (await browser.newContext(device)).newPage()
      const { uuid } = await owner.call("chorus_whoami", {})
      const { signInPath } = await owner.call("chorus_create_sign_in_link", { userUuid: uuid })
      await page.goto(`${server.url}${signInPath}`)
      await page.getByRole("navigation").first().waitFor()
      const opened: number[] = []
      for (let time = 0; time < OPENED; time++)
        opened.push(await open(page, `${server.url}/projects/${projectUuid}/tasks/${taskUuid}`))
      return { opened: percentile(opened, 0.5), frames: percentile(await scrollFrames(page, 120), 0.95) }
    }
    const [desk, phone] = [await read(DESK), await read(PHONE)]
    return [
      {
        name: "a change of 5,200 lines, opened, median",
        value: desk.opened,
        unit: "ms",
        budget: { atMost: 500 },
      },
      { name: "scrolling through it, 95th frame", value: desk.frames, unit: "ms", budget: { atMost: 20 } },
      { name: "the same on a phone, opened, median", value: phone.opened, unit: "ms", budget: { atMost: 500 } },
      { name: "the same on a phone, 95th frame", value: phone.frames, unit: "ms", budget: { atMost: 20 } },
      { name: "the store per version of it, one file of 40 changed", value: grown / 1024, unit: "kB" },
    ]
  } finally {
    await browser.close()
    await server.stop()
    await directory.remove()
  }
}

/** From the click on the tab until lines stand there. */
async function open(page: Page, url: string): Promise<number> {
  await page.goto(url)
  await page.getByRole("tab", { name: "Changes" }).waitFor()
  return page.evaluate(async () => {
    const tab = [...document.querySelectorAll<HTMLElement>("[role=tab]")].find(({ textContent }) =>
      textContent.startsWith("Changes"),
    )
    const start = performance.now()
    tab?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, button: 0 }))
    while (document.querySelector("[data-line]") === null)
      await new Promise((frame) => requestAnimationFrame(() => frame(undefined)))
    return performance.now() - start
  })
}

function patchOf(version: number): string {
  return Array.from({ length: FILES }, (_, file) => {
    const lines = Array.from({ length: LINES }, (_line, at) => {
      const value = file === 0 && at === 0 ? version : at
      return `+export const value${at} = compute(${value}, "text ${at} of part ${file}") // ${file * at}`
    })
    const path = `src/part-${file}.ts`
    const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n`
    return `${head}@@ -0,0 +1,${LINES} @@\n${lines.join("\n")}\n`
  }).join("")
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
