import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { randomBytes } from "node:crypto"
import type { changes, OutputOf } from "@chorus/contracts"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./run-stage.ts"

type Change = OutputOf<typeof changes.getChange>

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path)
let stage: Stage
const change = (taskUuid: string, more: object = {}) => stage.call<Change>("chorus_get_change", { taskUuid, ...more })

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT] })
})
afterAll(() => stage[Symbol.asyncDispose]())

describe("what work changed, on its task", () => {
  it("is put there by `chorus change push`, more than one call can carry included", async () => {
    const taskUuid = await stage.task("Paint it.")
    stage.git("checkout", "-q", "-b", "work")
    mkdirSync(join(stage.repository, "src"))
    for (let at = 0; at < 12; at++)
      writeFileSync(join(stage.repository, `src/noise-${at}.txt`), `${randomBytes(160_000).toString("hex")}\n`)
    writeFileSync(join(stage.repository, "README.md"), "# Shop\n\nOpen.\n")
    const pushed = await stage.json<changes.ChangeRow>(
      "change",
      "push",
      taskUuid,
      "--base",
      "main",
      "--folder",
      stage.repository,
    )
    expect(pushed).toMatchObject({ number: 1, origin: "command", fileCount: 13, baseRef: "main", branch: "work" })
    const { files } = await change(taskUuid, { room: 20_000_000 })
    const shown = files.map(({ patch }) => patch).join("")
    stage.git("add", "-A", "-N")
    stage.git("diff", "--output=../shown.patch", "main")
    expect(readFileSync(join(stage.repository, "../shown.patch"), "utf8") === shown).toBe(true)
    expect(files.find(({ path }) => path === "README.md")?.patch).toContain("+Open.\n")
    await expect(
      stage.json("change", "push", taskUuid, "--base", "gone", "--folder", stage.repository),
    ).rejects.toThrow("base_missing")
    expect(await stage.json("change", "show", taskUuid)).toMatchObject({ version: { number: 1 } })
    const remark = ["README.md:3", "Say until when.", "--blocker", "--suggest", "Open until six."]
    expect(await stage.json("change", "comment", taskUuid, ...remark)).toMatchObject({
      threads: [{ file: "README.md", line: 3, lineText: "Open.", severity: "blocker", suggestion: "Open until six." }],
    })
    await expect(stage.json("change", "comment", taskUuid, "README.md", "Where?")).rejects.toThrow("src/door.ts:12")
    stage.git("reset", "-q", "--hard")
    stage.git("clean", "-fdq")
    stage.git("checkout", "-q", "main")
  })

  it("is put there by a run, with its hand-in, and anew after it was sent back", async () => {
    const taskUuid = await stage.task(
      script({ write: { path: "door.txt", text: "rot\n" } }, { say: "DONE painted.\n[x] 1 it is red" }),
    )
    const again = script({ write: { path: "door.txt", text: "red\n" } }, { say: "DONE painted.\n[x] 1 it is red" })
    const { uuid } = await stage.start(taskUuid, "--command", AGENT)
    const run = await stage.until(uuid, "finished", "failed")
    const first = await change(taskUuid)
    expect(first.version).toMatchObject({ number: 1, origin: "run", handIn: 1, baseCommit: run.baseCommit })
    expect(first.files).toMatchObject([{ path: "door.txt", status: "added", additions: 1 }])
    expect(first.files[0]?.patch).toContain("+rot\n")
    await stage.call("chorus_comment_on_change", {
      taskUuid,
      comments: [{ file: "door.txt", line: 1, severity: "blocker", text: "In English.", suggestion: "red" }],
    })
    await stage.call("chorus_admin_reopen_task", { taskUuid, reason: `The language.\n${again}` })
    const task = await stage.call<{ returned: { comments: object[] } }>("chorus_get_task", { taskUuid })
    expect(task.returned.comments).toMatchObject([
      { file: "door.txt", line: 1, text: "In English.", suggestion: "red" },
    ])
    await stage.call("chorus_resume_run", { runUuid: uuid })
    const second = await waitFor(
      async () => {
        const now = await change(taskUuid)
        return now.version?.handedIn === 2 ? now : undefined
      },
      60_000,
      "the second version",
    )
    expect(second.versions.map(({ handIn, origin }) => [handIn, origin])).toEqual([
      [1, "run"],
      [2, "run"],
    ])
    expect(second.files[0]?.patch).toContain("+red\n")
    expect(second.threads).toMatchObject([{ file: "door.txt", outdated: true }])
    expect((await change(taskUuid, { version: 2, since: 1 })).files).toMatchObject([{ additions: 1, deletions: 1 }])
  })
})
