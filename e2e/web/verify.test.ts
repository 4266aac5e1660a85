import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { CHORUS_MAIN, script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Stage } from "./stage.ts"
import { PATIENCE, signIn, visit } from "./visitor.ts"

const folder = temporaryDirectory("verify-").path
const repository = join(folder, "shop")
const AGENT = scriptedAgent("--state", join(folder, "agent"))
/** What was built: it says what it shows, and what the browser sent along. */
const SERVE = `const answer = ({ headers }) => require("node:fs").readFileSync("door.txt") + "cookie: " + (headers.cookie ?? "none")
require("node:http").createServer((asked, said) => said.end(answer(asked))).listen(process.env.PORT)
`
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
  mkdirSync(repository)
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository })
  git("init", "-q", "-b", "main")
  // What a failed check prints is what the agent reads next; this one does as it says.
  const mend = script({ write: { path: "door.txt", text: "red\n" } }, { say: "DONE mended." })
  writeFileSync(join(repository, "check.sh"), `grep -qx red door.txt && exit 0\ncat <<'END'\n${mend}\nEND\nexit 1\n`)
  writeFileSync(join(repository, "serve.cjs"), SERVE)
  git("add", "-A")
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.test", "commit", "-q", "-m", "Begin")
  const allow = ["runner", "allow", repository, "--command", AGENT, "--checks", "--land", "--data", stage.data]
  execFileSync(process.execPath, [CHORUS_MAIN, ...allow], { env: { PATH: process.env["PATH"], HOME: folder } })
})
afterAll(() => stage.close())

it("a person asks for work with a proof, an agent lies, Chorus sends it back, and what holds is tried, verified and lands", async () => {
  const owner = createClient({ url: stage.url, key: stage.ownerKey() })
  const { uuid: projectUuid } = await owner.call("chorus_admin_create_project", { name: "Shop" })
  const { page, say, context, faults } = await visit(stage)
  await signIn(page, stage.signIn)
  await page.goto(`${stage.url}/projects/${projectUuid}/board`)
  await page
    .getByRole("button", { name: say("board.newTask") })
    .first()
    .click()
  const form = page.getByRole("dialog")
  await form.getByLabel(say("tasks.title")).fill("Paint the door")
  const lie = script({ write: { path: "door.txt", text: "green\n" } }, { say: "DONE all tests pass." })
  await form.getByLabel(say("tasks.description")).fill(lie)
  await form.getByLabel(say("checks.newProof")).fill("sh check.sh")
  await form.getByRole("button", { name: say("action.create") }).click()
  const panel = page.locator("[data-task]")
  await panel.getByRole("button", { name: say("runs.start") }).click()
  const start = page.getByRole("dialog", { name: say("runs.startTitle") })
  await start.getByLabel(say("runs.program")).selectOption(`command ${AGENT}`)
  await start.getByRole("button", { name: say("runs.start") }).click()
  await page.waitForURL(/\/runs\//)

  const { tasks } = await owner.call("chorus_list_tasks", { projectUuid })
  const taskUuid = tasks[0]?.uuid ?? ""
  const waits = async () => (await owner.call("chorus_needs_you", {})).items.some(({ uuid }) => uuid === taskUuid)
  await waitFor(waits, PATIENCE, "a person to be asked", 200)
  const { handIns } = await owner.call("chorus_get_task", { taskUuid })
  expect(handIns.map(({ outcome, decidedBy }) => [outcome, decidedBy?.name])).toEqual([
    ["returned", "Chorus"],
    ["pending", undefined],
  ])

  await page.goto(stage.url)
  await page.getByRole("button", { name: "Paint the door" }).click()
  const preview = page.getByRole("region", { name: say("needsYou.preview") })
  for (const part of ["verify.asked", "verify.checked", "verify.done", "verify.cost"] as const)
    await preview.getByRole("heading", { name: say(part) }).waitFor()
  await preview.getByText(say("checks.by.chorus")).waitFor()
  const passed = [say("checks.short", { count: 1 }), say("checks.count.passed", { count: 1 })]
  await preview.getByText(passed.join(say("tasks.colon"))).waitFor()
  // Lines are drawn once they can be seen.
  const changed = preview.getByRole("region", { name: "door.txt" })
  await changed.scrollIntoViewIfNeeded()
  await changed.getByText("red").waitFor()
  await owner.call("chorus_update_project_settings", { projectUuid, preview: "node serve.cjs" })
  await preview.getByRole("button", { name: say("preview.start") }).click()
  const [tried] = await Promise.all([
    context.waitForEvent("page"),
    preview.getByRole("link", { name: say("preview.open") }).click(),
  ])
  await tried.getByText("red cookie: none").waitFor()
  const apart = `called elsewhere: ${new URL(tried.url()).origin}/`
  await tried.close()
  await preview.getByRole("button", { name: say("preview.stop") }).click()
  await preview.getByRole("button", { name: say("preview.start") }).waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole("button", { name: "Paint the door" }).click()
  const sheet = page.getByRole("dialog", { name: say("needsYou.preview") })
  await sheet.getByText(say("checks.by.chorus")).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await sheet.getByRole("button", { name: say("action.close") }).click()
  await page.setViewportSize({ width: 1280, height: 800 })
  await preview.getByRole("button", { name: say("landings.verifyAndMerge") }).click()
  const isDone = async () => (await owner.call("chorus_get_task", { taskUuid })).status === "done"
  await waitFor(isDone, PATIENCE, "the work to be verified", 200)
  const door = join(repository, "door.txt")
  await waitFor(() => existsSync(door) && readFileSync(door, "utf8") === "red\n", PATIENCE, "the work to land", 200)
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim()
  expect([git("log", "-1", "--format=%s"), git("status", "--porcelain")]).toEqual(["SHOP-1: Paint the door", ""])
  await page.goto(`${stage.url}/projects/${projectUuid}/board`)
  const card = page.locator("[data-card]", { hasText: "Paint the door" })
  await card.getByText(say("landings.state.landed"), { exact: true }).waitFor()
  expect(faults.filter((fault) => !fault.startsWith(apart))).toEqual([])
  await context.close()
})
