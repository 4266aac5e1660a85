import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { changes, OutputOf } from "@chorus/contracts"
import { CHORUS_MAIN, temporaryDirectory, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openBoard } from "./board.ts"
import { runHook } from "./hook-run.ts"

type Change = OutputOf<typeof changes.getChange>

it("what a sub-agent handed in is shown on its task, untracked files too, by the hook at the end of the turn", async () => {
  await using work = await workInCheckout(`exec "${process.execPath}" "${CHORUS_MAIN}" "$@"`)
  expect((await work.change()).version).toMatchObject({ origin: "hook", handIn: 1, createdBy: { name: "Dev" } })
  expect((await work.change()).files).toMatchObject([
    { path: "lamp.txt", status: "added" },
    { path: "mine.txt", status: "modified", additions: 1, deletions: 0 },
  ])
  expect((await work.change()).version?.warnings).toEqual([
    "These lay there uncommitted when the work began; what they held then is not its own and does not land with it: README.md, mine.txt.",
  ])
})

it("what a sub-agent wrote before anybody could look is its own, and so is what nobody can tell from it; that is said", async () => {
  // A machine so busy that the command comes to look only when the work is done.
  const chorus = `"${process.execPath}" "${CHORUS_MAIN}" "$@"`
  const late = `[ "$2" = begin ] || exec ${chorus}\nread -r _ <"$HOME/written"\n${chorus}\necho over >"$HOME/written"`
  await using work = await workInCheckout(late, {
    seconds: "1",
    async written(home) {
      await writeFile(join(home, "written"), "now\n")
      expect(await readFile(join(home, "written"), "utf8")).toBe("over\n")
    },
  })
  expect((await work.change()).files).toMatchObject([
    { path: "README.md", status: "modified" },
    { path: "lamp.txt", status: "added" },
    { path: "mine.txt", status: "added", additions: 2 },
  ])
  expect((await work.change()).version?.warnings).toEqual([
    "It is compared with what was checked out when the work began; what was not committed then counts as its own.",
  ])
})

/** A person's checkout, something of theirs half done in it, and a sub-agent that writes the moment it may. */
async function workInCheckout(
  command: string,
  { seconds = "20", written }: { seconds?: string; written?: (home: string) => Promise<void> } = {},
) {
  await using stack = new AsyncDisposableStack()
  const board = stack.use(await openBoard({ version: "2.1.41" }))
  const project = stack.use(temporaryDirectory("handed-in-")).path
  const home = stack.use(temporaryDirectory("commands-")).path
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project })
  git("init", "-q", "-b", "main")
  writeFileSync(join(project, "README.md"), "# Shop\n")
  git("add", "-A")
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.test", "commit", "-q", "-m", "Begin")
  execFileSync("mkfifo", [join(home, "written")])
  writeFileSync(join(home, "chorus"), `#!/bin/sh\n${command}\n`)
  chmodSync(join(home, "chorus"), 0o755)
  const [task = ""] = await board.addTasks({ title: "lamp" })
  writeFileSync(join(project, "README.md"), "# Shop\n\nMine.\n")
  writeFileSync(join(project, "mine.txt"), "mine\n")
  const env = {
    PATH: `${home}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    CHORUS_HOOK_SECONDS: seconds,
  }
  const options = { project, url: board.url, key: board.key, env }
  const input = { prompt: `Chorus task: ${task}\nDo it.`, description: "the lamp", subagent_type: "general-purpose" }
  const told = (hook_event_name: string, more: object) => ({ hook_event_name, session_id: "s1", cwd: project, ...more })
  await runHook(told("SessionStart", { source: "startup" }), options)
  const spawn = { tool_name: "Task", tool_use_id: "t1", tool_input: input }
  await runHook(told("PreToolUse", spawn), options)
  expect((await board.task(task)).status).toBe("in_progress")
  writeFileSync(join(project, "lamp.txt"), "bright\n")
  writeFileSync(join(project, "mine.txt"), "mine\nand its\n")
  await written?.(home)
  const response = { status: "completed", agentId: "a1", content: [{ type: "text", text: "DONE: it shines." }] }
  await runHook(told("PostToolUse", { ...spawn, tool_response: response }), options)
  expect((await board.task(task)).status).toBe("to_verify")
  await runHook(told("Stop", {}), options)
  const kept = stack.move()
  return {
    change: () =>
      waitFor(
        async () => {
          const now = await board.call<Change>("chorus_get_change", { taskUuid: task })
          return now.version === null ? undefined : now
        },
        60_000,
        "what it changed",
        200,
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
