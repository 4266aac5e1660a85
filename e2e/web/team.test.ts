/** @module-tag stress */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { agentProgram, CHORUS_MAIN, drive, scratchHome, startModel, type ToolCall, waitFor } from "@chorus/testing"
import { expect, it } from "vitest"
import { openStage } from "./stage.ts"
import { signIn, visit } from "./visitor.ts"

/** How each program names a tool of the server `team`, and runs a command. */
const PROGRAMS = {
  claude: {
    path: () => agentProgram("claude-code", "2.1.325"),
    tool: (name: string) => ({ name: `mcp__team__${name}` }),
    run: (command: string): ToolCall => ({ name: "Bash", input: { command, description: "build" } }),
  },
  codex: {
    path: () => agentProgram("codex"),
    tool: (name: string) => ({ name, namespace: "mcp__team" }),
    run: (cmd: string): ToolCall => ({ name: "exec_command", input: { cmd } }),
  },
  opencode: {
    path: () => agentProgram("opencode"),
    tool: (name: string) => ({ name: `team_${name}` }),
    run: (command: string): ToolCall => ({ name: "bash", input: { command, description: "build" } }),
  },
} as const
type Program = keyof typeof PROGRAMS

it("a team of Claude Code, Codex and OpenCode, each in a checkout of its own, finishes a graph of four tasks, and a person merges it on the page", async () => {
  const stage = await openStage()
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  const env = { ...home.environment, CLAUDE_CONFIG_DIR: join(home.path, ".claude") }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: home.project, env, encoding: "utf8" })
  git("commit", "-q", "--allow-empty", "-m", "Ground")
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [CHORUS_MAIN, ...words], { env, cwd: home.project })
  const chorus = async <T = Record<string, unknown>>(...args: string[]): Promise<T> =>
    JSON.parse((await run("team", ...args, "--json")).stdout) as T
  await run("runner", "allow", home.project, "--land", "--data", stage.data)
  const companion = spawn(
    process.execPath,
    [CHORUS_MAIN, "companion", "--data", stage.data, "--machine", "desk", "--for", String(process.pid)],
    { env, stdio: ["ignore", "ignore", "inherit"] },
  )
  try {
    await chorus("create", "house", "--worktrees")
    for (const subject of ["Walls", "Windows", "Doors"]) await chorus("tasks", "add", subject)
    await chorus("tasks", "add", "Roof", "--after", "1", "2", "3")
    for (const [program, taskId] of [
      ["claude", "1"],
      ["codex", "2"],
      ["opencode", "3"],
    ] as const) {
      const how = ["--program", program, "--mode", "bypassPermissions", "--prompt", work(program, taskId)]
      const { worktree, cwd } = await chorus<{ worktree: { path: string }; cwd: string }>(
        "spawn",
        program,
        ...how,
        await PROGRAMS[program].path(),
      )
      expect(cwd).toBe(worktree.path)
    }
    interface Listed {
      readonly status: string
      readonly owner: string
    }
    const done = async (count: number) =>
      waitFor(
        async () => (await chorus<Listed[]>("tasks")).filter(({ status }) => status === "completed").length === count,
        180_000,
        () => `${count} tasks; ${model.requests.map(({ api, newest }) => `${api} ${newest.slice(-200)}`).join("\n")}`,
      )
    const { page, say, faults } = await visit(stage)
    await signIn(page, stage.signIn)
    await page.goto(`${stage.url}/teams`)
    await page.getByRole("link", { name: /house/ }).first().click()
    const merge = async (name: Program) => {
      await page.getByRole("button", { name: say("teams.merge", { name }) }).click()
      await page
        .getByRole("dialog")
        .getByRole("button", { name: say("landings.merge"), exact: true })
        .click()
      const order = page.getByRole("listitem").filter({ hasText: say("teams.order.land", { name }) })
      await order.first().getByText(say("teams.merged"), { exact: true }).waitFor()
    }
    await done(3)
    for (const program of ["claude", "codex", "opencode"] as const) await merge(program)
    // Whoever builds the roof needs what the others have built.
    await chorus("send", "--to", "codex", work("codex", "4", "git merge -q --no-edit main && "))
    await done(4)
    expect((await chorus<Listed[]>("tasks")).map(({ owner }) => owner)).toEqual([
      "claude",
      "codex",
      "opencode",
      "codex",
    ])
    for (const [name, told] of [
      ["claude", /^All of its work is in main/],
      ["codex", /^Its work is on the branch/],
      ["opencode", /^All of its work is in main/],
    ] as const)
      expect(await chorus("shutdown", name)).toMatchObject({ ended: true, told: expect.stringMatching(told) })
    const before = git("rev-parse", "main")
    await merge("codex")
    await waitFor(() => git("rev-parse", "main") !== before, 60_000, "the roof")
    for (const id of ["1", "2", "3", "4"]) expect(existsSync(join(home.project, `${id}.txt`)), id).toBe(true)
    expect(git("status", "--porcelain")).toBe("")
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1)
    for (const subject of ["Walls", "Windows", "Doors", "Roof"]) await page.getByText(subject).first().waitFor()
    expect(faults).toEqual([])
  } finally {
    companion.kill()
    await once(companion, "exit")
    await stage.close()
  }
})

/** Words that make the scripted model take a task, build it on its own branch, and complete it. */
function work(program: Program, taskId: string, first = ""): string {
  const { tool, run } = PROGRAMS[program]
  const call = (name: string, input: Record<string, unknown>) => [{ ...tool(name), input }]
  const build = `${first}echo ${program} > ${taskId}.txt && git add ${taskId}.txt && git commit -q -m ${taskId}`
  return `DO: ${JSON.stringify([
    call("TaskUpdate", { taskId, status: "in_progress" }),
    [run(build)],
    call("TaskUpdate", { taskId, status: "completed" }),
  ])}`
}
