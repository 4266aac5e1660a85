import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openStage, type Stage } from "./stage.ts"
import { PATIENCE, signIn, visit } from "./visitor.ts"

const folder = temporaryDirectory("first-run-").path
const repository = join(folder, "shop")
let stage: Stage

beforeAll(async () => {
  mkdirSync(repository)
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository })
  git("init", "-q", "-b", "main")
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.test", "commit", "-q", "--allow-empty", "-m", "Begin")
  // What somebody has installed before they ever heard of Chorus.
  const bin = join(folder, "bin")
  mkdirSync(bin)
  const agent = `#!/bin/sh\n[ "$1" = --version ] && echo 1.18.0 && exit\nexec ${scriptedAgent("--state", join(folder, "agent"))}\n`
  writeFileSync(join(bin, "opencode"), agent, { mode: 0o755 })
  const path = process.env["PATH"]
  process.env["PATH"] = `${bin}:${path}`
  stage = await openStage().finally(() => (process.env["PATH"] = path))
})
afterAll(() => stage.close())

it("a person starts Chorus, allows a folder with a click, presses Start, and an agent works", async () => {
  const owner = createClient({ url: stage.url, key: stage.ownerKey() })
  const { uuid: projectUuid } = await owner.call("chorus_admin_create_project", { name: "Shop" })
  const description = script({ write: { path: "door.txt", text: "red\n" } }, { say: "DONE painted." })
  const task = { title: "Paint", description, acceptanceCriteriaItems: [{ description: "It is red" }] }
  const { tasks } = await owner.call("chorus_create_tasks", { projectUuid, tasks: [task] })
  const taskUuid = tasks[0]?.uuid ?? ""
  const { page, say, context, faults } = await visit(stage)
  await signIn(page, stage.signIn)
  await page.goto(`${stage.url}/projects/${projectUuid}/board?task=${taskUuid}`)
  await page
    .locator("[data-task]")
    .getByRole("button", { name: say("runs.start") })
    .click()
  const dialog = page.getByRole("dialog", { name: say("runs.startTitle") })
  await dialog.getByLabel(say("runs.folder"), { exact: true }).fill(join(repository))
  await dialog.getByText(say("runs.furtherNone")).waitFor()
  expect(await dialog.getByText(say("runs.mode.edit")).count()).toBeGreaterThan(0)
  await dialog.getByRole("checkbox", { name: say("runs.allow.land") }).click()
  await dialog.getByText(say("runs.further.land"), { exact: true }).waitFor()
  await dialog.getByRole("button", { name: say("runs.allowCommand") }).click()
  const program = dialog.getByLabel(say("runs.program"), { exact: true })
  await program.waitFor()
  await program.selectOption("opencode")
  await dialog.getByText(say("runs.budget"), { exact: true }).click()
  await dialog.getByLabel(say("runs.measure.turns")).fill("5")
  await dialog.getByRole("button", { name: say("runs.start") }).click()
  await page.waitForURL(/\/runs\//)
  const uuid = page.url().split("/").at(-1) ?? ""
  const run = () => owner.call("chorus_get_run", { runUuid: uuid as never })
  await waitFor(async () => (await run()).state === "finished", PATIENCE, "the run to finish", 200)
  const { worktree, budget } = await run()
  expect([readFileSync(join(worktree ?? "", "door.txt"), "utf8"), budget]).toEqual(["red\n", { turns: 5 }])
  await page.goto(`${stage.url}/runs`)
  await page.getByRole("button", { name: say("runs.takeBack", { path: repository }) }).click()
  await page.getByText(say("runs.takenBack", { path: repository })).waitFor()
  expect(JSON.parse(readFileSync(join(stage.data, "runner", "policy.json"), "utf8"))).toMatchObject({
    folders: [],
    land: true,
    checks: false,
  })
  expect(faults).toEqual([])
  await context.close()
})
