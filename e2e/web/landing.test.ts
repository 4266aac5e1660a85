import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import { CHORUS_MAIN, script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage } from "./stage.ts"
import { visit } from "./visitor.ts"

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path)

it("lets a person start an agent, verify what it did and merge it, all on the page", async () => {
  const stage = await openStage()
  try {
    const repository = join(stage.data, "..", "barn")
    mkdirSync(repository)
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.test", ...args], {
        cwd: repository,
        encoding: "utf8",
      }).trim()
    git("init", "-q", "-b", "main")
    writeFileSync(join(repository, "README.md"), "# Barn\n")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    const allow = ["runner", "allow", repository, "--command", AGENT, "--land", "--data", stage.data]
    execFileSync(process.execPath, [CHORUS_MAIN, ...allow])
    const { call } = createClient({ url: stage.url, key: stage.ownerKey() })
    const { uuid: projectUuid } = await call("chorus_admin_create_project", { name: "Barn" })
    const description = script({ write: { path: "door.txt", text: "red\n" } }, { say: "DONE\n[x] 1 it is red" })
    const { tasks } = await call("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "Paint the door", description, acceptanceCriteriaItems: [{ description: "It is red" }] }],
    })
    const address = `${stage.url}/projects/${projectUuid}/tasks/${tasks[0]?.uuid ?? ""}`

    const { page, say, faults } = await visit(stage)
    await page.goto(stage.signIn)
    await page.getByRole("navigation").first().waitFor()
    await page.goto(address)
    await page.getByRole("button", { name: say("runs.start") }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel(say("runs.program")).selectOption({ label: AGENT })
    await dialog.getByRole("button", { name: say("runs.start") }).click()
    await page.waitForURL(/\/runs\//)
    await page.goto(address)
    await page.getByRole("button", { name: say("needsYou.verify"), exact: true }).click()
    await page.getByRole("button", { name: say("landings.verifyAndMerge") }).click()
    const part = page.getByRole("region", { name: say("landings.title") })
    await part.getByText(say("landings.state.landed"), { exact: true }).waitFor()
    const commit = git("rev-parse", "main")
    await part.getByText(`${commit.slice(0, 12)} → main`).waitFor()
    expect(readFileSync(join(repository, "door.txt"), "utf8")).toBe("red\n")
    expect(git("log", "-1", "--format=%s")).toMatch(/^BARN-1: Paint the door$/)
    expect(git("status", "--porcelain")).toBe("")
    await page.goto(`${stage.url}/projects/${projectUuid}/board`)
    await waitFor(
      async () => (await page.locator("[data-card]", { hasText: "Paint the door" }).textContent())?.includes("Landed"),
      60_000,
      "the mark on the card",
    )
    expect(faults).toEqual([])
  } finally {
    await stage.close()
  }
})
