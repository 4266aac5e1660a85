import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { changes, OutputOf } from "@chorus/contracts"
import { CHORUS_MAIN, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openBoard } from "./board.ts"
import { runHook } from "./hook-run.ts"

type Change = OutputOf<typeof changes.getChange>

it("what a sub-agent handed in is shown on its task, untracked files too, by the hook at the end of the turn", async () => {
  await using board = await openBoard({ version: "2.1.41" })
  await using directory = temporaryDirectory("handed-in-")
  const project = directory.path
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project })
  git("init", "-q", "-b", "main")
  writeFileSync(join(project, "README.md"), "# Shop\n")
  git("add", "-A")
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.test", "commit", "-q", "-m", "Begin")
  await using commands = temporaryDirectory("commands-")
  writeFileSync(join(commands.path, "chorus"), `#!/bin/sh\nexec "${process.execPath}" "${CHORUS_MAIN}" "$@"\n`)
  chmodSync(join(commands.path, "chorus"), 0o755)
  const [task = ""] = await board.addTasks({ title: "lamp" })
  // A person's own, half done in the same checkout.
  writeFileSync(join(project, "README.md"), "# Shop\n\nMine.\n")
  writeFileSync(join(project, "mine.txt"), "mine\n")
  const env = {
    PATH: `${commands.path}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: commands.path,
  }
  const options = { project, url: board.url, key: board.key, env }
  const input = { prompt: `Chorus task: ${task}\nDo it.`, description: "the lamp", subagent_type: "general-purpose" }
  const told = (hook_event_name: string, more: object) => ({ hook_event_name, session_id: "s1", cwd: project, ...more })
  await runHook(told("SessionStart", { source: "startup" }), options)
  const spawn = { tool_name: "Task", tool_use_id: "t1", tool_input: input }
  await runHook(told("PreToolUse", spawn), options)
  await waitFor(async () => (await board.task(task)).status === "in_progress", 60_000, "the work to begin")
  await waitFor(
    () => git("for-each-ref", `refs/chorus/began/${task}`).length > 0,
    60_000,
    "the tree at the beginning to be kept",
  )
  writeFileSync(join(project, "lamp.txt"), "bright\n")
  writeFileSync(join(project, "mine.txt"), "mine\nand its\n")
  const response = { status: "completed", agentId: "a1", content: [{ type: "text", text: "DONE: it shines." }] }
  await runHook(told("PostToolUse", { ...spawn, tool_response: response }), options)
  expect((await board.task(task)).status).toBe("to_verify")
  await runHook(told("Stop", {}), options)
  const change = await waitFor(
    async () => {
      const now = await board.call<Change>("chorus_get_change", { taskUuid: task })
      return now.version === null ? undefined : now
    },
    60_000,
    "what it changed",
    200,
  )
  expect(change).toMatchObject({
    version: { origin: "hook", handIn: 1, createdBy: { name: "Dev" } },
    files: [
      { path: "lamp.txt", status: "added" },
      { path: "mine.txt", status: "modified", additions: 1, deletions: 0 },
    ],
  })
  expect(change.version?.warnings).toEqual([
    "These lay there uncommitted when the work began; what they held then is not its own and does not land with it: README.md, mine.txt.",
  ])
})
