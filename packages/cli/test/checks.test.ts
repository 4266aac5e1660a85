import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { changes, checks, OutputOf, runs, tasks } from "@chorus/contracts"
import { markedProcesses, RUN_MARK } from "@chorus/runs"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./run-stage.ts"

type Checks = OutputOf<typeof checks.getChecks>

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path)
const PATIENCE = 60_000
const TEST = `require("node:test")("the door", () =>
  require("node:assert").equal(require("node:fs").readFileSync("door.txt", "utf8"), "red\\n"))
`
let stage: Stage

const task = (taskUuid: string) => stage.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })
const checked = (taskUuid: string, more: object = {}) => stage.call<Checks>("chorus_get_checks", { taskUuid, ...more })
const build = (taskUuid: string) => stage.start(taskUuid, "--program", "command", "--command", AGENT)
const waitsForMe = async (taskUuid: string) => {
  const { items } = await stage.call<{ items: { uuid: string }[] }>("chorus_needs_you", {})
  return items.some(({ uuid }) => uuid === taskUuid)
}

/** A task whose criterion is proven by a command, and which the scripted agent does as it says. */
const tested = (steps: object[], command = "sh check.sh") =>
  stage.task(script(...steps), { acceptanceCriteriaItems: [{ description: "the door is red", command }] })

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT, "--checks"] })
  writeFileSync(join(stage.repository, "check.sh"), "cat door.txt; grep -qx red door.txt\n")
  chmodSync(join(stage.repository, "check.sh"), 0o755)
  mkdirSync(join(stage.repository, "test"))
  writeFileSync(join(stage.repository, "test/door.test.cjs"), TEST)
  stage.git("add", "-A")
  stage.git("commit", "-q", "-m", "Check")
})
afterAll(() => stage[Symbol.asyncDispose]())

describe("the checks of what a run hands in", () => {
  it("catch an agent that lies: the work goes back to it before a person is asked, and comes to them once it holds", async () => {
    const lie = [{ write: { path: "door.txt", text: "green\n" } }, { say: "DONE all tests pass.\n[x] 1 exit code 0" }]
    const taskUuid = await tested(lie)
    const { uuid } = await build(taskUuid)
    // The scripted agent does as the last words say that it is told; told nothing new, it claims the same again.
    const returned = await waitFor(
      async () => {
        const now = await task(taskUuid)
        return now.handIns.some(({ outcome }) => outcome === "returned") ? now : undefined
      },
      PATIENCE,
      "the work to come back",
      100,
    )
    const [first] = returned.handIns
    expect(first).toMatchObject({ outcome: "returned", decidedBy: { type: "system", name: "Chorus" } })
    expect(first?.reason).toContain("1 of 1 failed")
    expect(first?.failed[0]?.evidence).toContain("exit code 1")
    expect(first?.failed[0]?.evidence).toContain("green")
    const { verdicts } = await stage.call<{ verdicts: object[] }>("chorus_get_task_history", { taskUuid })
    expect(verdicts).toContainEqual(expect.objectContaining({ track: "dev", status: "passed", exitCode: 0 }))
    // It was taken up again by itself, with what failed as its first words.
    const words = await waitFor(
      async () => (await stage.transcript(uuid)).filter(({ kind }) => kind === "user").at(1)?.text ?? undefined,
      PATIENCE,
      "the run to be told",
      100,
    )
    expect(words).toContain("Chorus ran `sh check.sh`")
    // It never mends it: after three times a person is asked.
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 200)
    const last = await task(taskUuid)
    expect(last).toMatchObject({ status: "to_verify" })
    expect(last.handIns.map(({ outcome }) => outcome)).toEqual(["returned", "returned", "returned", "pending"])
    expect(last.acceptanceCriteriaItems).toMatchObject([
      { check: { state: "failed", source: "chorus", trusted: true, exitCode: 1 } },
    ])
  })

  it("prove good work, with what was printed, where, and how long it took", async () => {
    const paint = [{ write: { path: "door.txt", text: "red\n" } }, { say: "DONE painted." }]
    // What a check leaves behind and git does not ignore is none of the work.
    const command = "echo > report-$$; sh check.sh"
    const taskUuid = await tested(paint, command)
    const { uuid } = await build(taskUuid)
    await stage.until(uuid, "finished", "failed")
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    const { checks: rows, obstacle } = await checked(taskUuid)
    expect(obstacle).toBeNull()
    expect(rows).toMatchObject([
      { state: "passed", exitCode: 0, source: "chorus", touched: [], runUuid: uuid, handIn: 1, command },
    ])
    expect(rows[0]?.environment).toMatch(/^Linux|^Darwin/)
    expect(rows[0]?.durationMs).toBeGreaterThan(0)
    expect((await checked(taskUuid, { checkUuid: rows[0]?.uuid })).output).toBe("red\n")
    // On demand, once more.
    await stage.call("chorus_run_checks", { taskUuid })
    await waitFor(
      async () => (await checked(taskUuid)).checks.filter(({ state }) => state === "passed").length === 2,
      PATIENCE,
      "the second",
      100,
    )
    expect((await checked(taskUuid)).checks.map(({ version, outdated }) => [version, outdated])).toEqual([
      [1, false],
      [1, false],
    ])
    expect((await task(taskUuid)).status).toBe("to_verify")
  })

  it("are not believed where the work changed what they run, and that is said", async () => {
    const taskUuid = await tested([
      { write: { path: "door.txt", text: "green\n" } },
      { write: { path: "check.sh", text: "exit 0\n" } },
      { say: "DONE all tests pass." },
    ])
    await build(taskUuid)
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    expect((await task(taskUuid)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: false, touched: ["check.sh"] } },
    ])
    const easy = { path: "test/door.test.cjs", text: TEST.replace('"red\\n"', '"green\\n"') }
    const tests = await tested(
      [{ write: { path: "door.txt", text: "green\n" } }, { write: easy }, { say: "DONE all tests pass." }],
      "node --test",
    )
    await build(tests)
    await waitFor(() => waitsForMe(tests), PATIENCE, "a person to be asked", 100)
    expect((await task(tests)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: false, touched: [easy.path] } },
    ])
  })

  it("are not believed where the work hid from git what they run", async () => {
    const hidden = await tested([
      { write: { path: "door.txt", text: "green\n" } },
      { write: { path: "check.sh", text: "exit 0\n" } },
      { sh: "git update-index --assume-unchanged check.sh" },
      { say: "DONE all tests pass." },
    ])
    await build(hidden)
    await waitFor(() => waitsForMe(hidden), PATIENCE, "a person to be asked", 100)
    expect((await task(hidden)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: false, touched: ["check.sh"] } },
    ])
    // As long and as old as it was when git looked.
    const [old, easy] = ["cat door.txt; grep -qx red door.txt", "exit 0 # rep -qx red door.txt; true"]
    expect(easy).toHaveLength(old.length)
    const aged = "touch -d 2020-01-01 check.sh"
    const dated = await tested([
      { write: { path: "door.txt", text: "green\n" } },
      { sh: `${aged}; git add check.sh; echo '${easy}' > check.sh; ${aged}; git config core.trustctime false` },
      { say: "DONE all tests pass." },
    ])
    await build(dated)
    await waitFor(() => waitsForMe(dated), PATIENCE, "a person to be asked", 100)
    stage.git("config", "--unset", "core.trustctime")
    expect((await task(dated)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: false, touched: ["check.sh"] } },
    ])
    const config = "vitest.config.cjs"
    const ignored = await tested(
      [
        { write: { path: "door.txt", text: "green\n" } },
        { write: { path: config, text: "exports.tests = []\n" } },
        { write: { path: "side/.gitignore", text: "*\n" } },
        { write: { path: `side/${config}`, text: "exports.tests = []\n" } },
        { sh: `printf "/${config}\\n" >> "$(git rev-parse --git-path info/exclude)"` },
        { say: "DONE all tests pass." },
      ],
      "true vitest; cat door.txt",
    )
    await build(ignored)
    await waitFor(() => waitsForMe(ignored), PATIENCE, "a person to be asked", 100)
    writeFileSync(join(stage.repository, ".git/info/exclude"), "")
    expect((await task(ignored)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: false, touched: [config, `side/${config}`] } },
    ])
  })

  it("are believed where what they run came in with the branch that the work took in meanwhile", async () => {
    const taskUuid = await tested([{ write: { path: "door.txt", text: "red\n" } }, { say: "DONE painted." }])
    const { uuid } = await build(taskUuid)
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    writeFileSync(join(stage.repository, "check.sh"), "grep -qx red door.txt # more strictly\n")
    stage.git("commit", "-qam", "Check more strictly")
    const own = "git -c user.name=A -c user.email=a@b"
    const takeIn = { sh: `git add -A; ${own} commit -qm Mine; ${own} merge -q --no-edit main` }
    await stage.call("chorus_admin_reopen_task", {
      taskUuid,
      reason: `Take main in.\n${script(takeIn, { say: "DONE." })}`,
    })
    await stage.call("chorus_resume_run", { runUuid: uuid })
    await waitFor(
      async () => (await checked(taskUuid)).checks.some(({ handIn, endedAt }) => handIn === 2 && endedAt !== null),
      PATIENCE,
      "the second hand-in to be checked",
      100,
    )
    expect((await task(taskUuid)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", trusted: true, touched: [] } },
    ])
  })

  it("end by their limits, and leave no process", async () => {
    const flood = "yes | head -c 52428800; sleep 300"
    const taskUuid = await tested([{ say: "DONE." }], flood)
    const { uuid } = await build(taskUuid)
    const row = await waitFor(
      async () => (await checked(taskUuid)).checks.find(({ endedAt }) => endedAt !== null),
      PATIENCE,
      "the check to end",
      100,
    )
    expect(row).toMatchObject({ state: "failed", exitCode: null, reason: "It printed more than 32 MB and was ended." })
    await stage.call("chorus_stop_run", { runUuid: uuid })
    await waitFor(() => markedProcesses(RUN_MARK, uuid).length === 0, PATIENCE, "nothing to be left", 100)
  })

  it("run only what a person approved, and what the project asks of all work", async () => {
    const { projectUuid } = await task(await tested([]))
    const asAgent = await stage.agent()
    const made = await asAgent<{ tasks: { uuid: string }[] }>("chorus_create_tasks", {
      projectUuid,
      tasks: [
        {
          title: "Paint the gate",
          description: script({ write: { path: "gate.txt", text: "red\n" } }, { say: "DONE." }),
          acceptanceCriteriaItems: [{ description: "the gate is red", command: "grep -qx red gate.txt" }],
        },
      ],
    })
    const taskUuid = made.tasks[0]?.uuid ?? ""
    await stage.call("chorus_update_project_settings", {
      projectUuid,
      checks: [{ name: "lint", command: "test -f README.md" }],
    })
    const { uuid } = await build(taskUuid)
    await stage.until(uuid, "finished")
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    const before = await checked(taskUuid)
    expect(before.checks).toMatchObject([{ name: "lint", state: "passed", criterionUuid: null }])
    const [own] = before.checkable
    expect(own).toMatchObject({ command: "grep -qx red gate.txt", approved: false })
    await expect(stage.call("chorus_run_checks", { taskUuid, command: own?.command })).rejects.toThrow("approved")
    await stage.call("chorus_approve_check", { taskUuid, criterionUuid: own?.criterionUuid, command: own?.command })
    await stage.call("chorus_run_checks", { taskUuid, command: own?.command })
    await waitFor(
      async () =>
        (await checked(taskUuid)).checks.find(({ name, state }) => name === "the gate is red" && state === "passed"),
      PATIENCE,
      "what was approved to run",
      100,
    )
    await stage.call("chorus_update_project_settings", { projectUuid, checks: [] })
  })
})

describe("what was built", () => {
  it("is started for whoever wants to try it, on a port of its own, and ends with everything it started", async () => {
    const serve = `require("node:http").createServer((_, answer) => answer.end(require("node:fs").readFileSync("door.txt")))
      .listen(process.env.PORT, "127.0.0.1", () => console.log("open at", process.env.PORT))`
    const taskUuid = await tested([
      { write: { path: "door.txt", text: "red\n" } },
      { write: { path: "serve.cjs", text: serve } },
      { say: "DONE painted." },
    ])
    const { uuid } = await build(taskUuid)
    await stage.until(uuid, "finished", "failed")
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    const { projectUuid } = await task(taskUuid)
    const preview = "node serve.cjs & wait"
    await stage.call("chorus_update_project_settings", { projectUuid, preview })
    await stage.call("chorus_start_preview", { taskUuid })
    const latest = async () => (await checked(taskUuid)).preview?.latest
    const listening = async () => (typeof (await latest())?.preview?.port === "number" ? await latest() : undefined)
    const up = await waitFor(listening, PATIENCE, () => "it to listen", 100)
    expect(up).toMatchObject({ state: "running", preview: { near: true } })
    const port = up.preview?.port ?? 0
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("red\n")
    await waitFor(async () => (await latest())?.tail.includes(`open at ${port}`), PATIENCE, "what it prints", 100)
    await stage.call("chorus_stop_preview", { taskUuid })
    await waitFor(() => markedProcesses(RUN_MARK, uuid).length === 0, PATIENCE, "nothing to be left", 100)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    expect((await task(taskUuid)).status).toBe("to_verify")
    await stage.call("chorus_update_project_settings", { projectUuid, preview: null })
  })

  it("leaves nothing behind where it has landed before it is started", async () => {
    const taskUuid = await tested(
      [{ write: { path: "late.txt", text: "red\n" } }, { say: "DONE." }],
      "test -f late.txt",
    )
    const { uuid } = await build(taskUuid)
    const { worktree, branch } = await stage.until(uuid, "finished", "failed")
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    await stage.json("change", "land", taskUuid, "--verify", "--folder", stage.repository)
    const left = () => [existsSync(worktree ?? ""), stage.git("branch", "--list", branch ?? "") !== ""]
    expect(left()).toEqual([false, false])
    const { projectUuid } = await task(taskUuid)
    await stage.call("chorus_update_project_settings", { projectUuid, preview: "echo up; exec sleep 600" })
    await stage.call("chorus_start_preview", { taskUuid })
    const latest = async () => (await checked(taskUuid)).preview?.latest
    await waitFor(async () => (await latest())?.tail.includes("up"), PATIENCE, "it to be up", 100)
    expect(left()).toEqual([true, true])
    await stage.call("chorus_stop_preview", { taskUuid })
    await waitFor(
      () => !left().includes(true),
      PATIENCE,
      () => `nothing to be left, not ${left().join()}`,
      100,
    )
    await stage.call("chorus_update_project_settings", { projectUuid, preview: null })
  })
})

describe("an agent that reviews", () => {
  it("reads the change and what was checked in one call, and says what it found at the line", async () => {
    const taskUuid = await tested([{ write: { path: "door.txt", text: "red\n" } }, { say: "DONE painted." }])
    await build(taskUuid)
    await waitFor(() => waitsForMe(taskUuid), PATIENCE, "a person to be asked", 100)
    const said = { file: "door.txt", line: 1, severity: "note", text: "Two coats?" }
    const words = script(
      { mcp: { tool: "chorus_get_change", args: { taskUuid } } },
      { mcp: { tool: "chorus_comment_on_change", args: { taskUuid, comments: [said] } } },
      { say: "PASS red indeed." },
    )
    const program = { program: "command", command: AGENT }
    const { uuid } = await stage.call<{ uuid: string }>("chorus_start_run", {
      taskUuid,
      work: "review",
      ...program,
      words,
    })
    await stage.until(uuid, "finished", "failed")
    const read = (await stage.transcript(uuid)).find(({ title }) => title?.includes("chorus_get_change"))?.text ?? ""
    expect(read).toContain("+red")
    expect(read).toMatch(/sh check\.sh.*passed|passed.*sh check\.sh/s)
    const { threads } = await stage.call<{ threads: object[] }>("chorus_get_change", { taskUuid })
    expect(threads).toMatchObject([
      { file: "door.txt", comments: [{ text: "Two coats?", author: { name: "Reviewer" } }] },
    ])
    expect(await stage.call("chorus_get_reviews", { targetType: "task", targetUuid: taskUuid })).toMatchObject({
      reviews: [{ verdict: "pass" }],
    })
  })
})

describe("the checks of what an agent did that a person started", () => {
  it("are run by its machine in its checkout once that was shown: what fails goes back, what holds comes to a person, and again on demand", async () => {
    const asAgent = await stage.agent()
    const command = "sleep 1; echo looking; sleep 2; cat door.txt; grep -qx red door.txt"
    const taskUuid = await tested([], command)
    const folder = realpathSync(temporaryDirectory("by-hand-").path)
    const at = join(folder, "shop")
    stage.git("worktree", "add", "-q", "-b", "by-hand", at)
    const work = (text: string) => writeFileSync(join(at, "door.txt"), text)
    const handIn = async () => {
      await asAgent("chorus_submit_for_verify", { taskUuid, insist: true })
      await stage.json("change", "push", taskUuid, "--base", "main", "--folder", at)
    }
    const inTurn = (state: string, handIn: number, more: object = {}) =>
      waitFor(
        async () =>
          (await checked(taskUuid, more)).checks.find((row) => row.state === state && row.handIn === handIn) ??
          undefined,
        PATIENCE,
        () => `a check of hand-in ${handIn} that ${state}`,
        100,
      )
    await asAgent("chorus_claim_task", { taskUuid })
    await asAgent("chorus_update_task", { taskUuid, status: "in_progress" })
    work("green\n")
    expect((await checked(taskUuid)).obstacle).toMatch(/has not been shown yet/)
    await handIn()
    await waitFor(
      async () =>
        (await checked(taskUuid)).checks.some(({ state, tail }) => state === "running" && tail === "looking\n"),
      PATIENCE,
      "what it prints while it runs",
      50,
    )
    expect(await waitsForMe(taskUuid)).toBe(false)
    const failed = await inTurn("failed", 1)
    expect(failed).toMatchObject({ source: "chorus", exitCode: 1, runUuid: null, machine: hostname(), version: 1 })
    const back = await task(taskUuid)
    expect(back).toMatchObject({ status: "in_progress", returned: { by: { name: "Chorus" } } })
    expect(back.returned?.failed[0]?.evidence).toContain("green")
    // The agent that a person started mends it, and hands it in again.
    work("red\n")
    expect((await checked(taskUuid)).obstacle).toMatch(/has not been shown yet/)
    await handIn()
    const passed = await inTurn("passed", 2)
    expect(await waitsForMe(taskUuid)).toBe(true)
    expect((await checked(taskUuid, { checkUuid: passed.uuid })).output).toBe("looking\nred\n")
    expect((await task(taskUuid)).acceptanceCriteriaItems).toMatchObject([
      { check: { state: "passed", source: "chorus", trusted: true, outdated: false } },
    ])
    await stage.call("chorus_run_checks", { taskUuid })
    await waitFor(
      async () => (await checked(taskUuid)).checks.filter(({ state }) => state === "passed").length === 2,
      PATIENCE,
      "the second",
      100,
    )
    // What else is done there meanwhile is not what was handed in.
    work("teal\n")
    await stage.call("chorus_run_checks", { taskUuid })
    expect((await inTurn("not_run", 2)).reason).toMatch(/is not what was shown of this work/)
    stage.git("worktree", "remove", "-f", at)
  })

  it("are run nowhere but where the machine allows it, and only on the work itself", async () => {
    const asAgent = await stage.agent()
    const begun = async () => {
      const taskUuid = await tested([])
      await asAgent("chorus_claim_task", { taskUuid })
      await asAgent("chorus_update_task", { taskUuid, status: "in_progress" })
      return taskUuid
    }
    const elsewhere = realpathSync(temporaryDirectory("garden-").path)
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: elsewhere })
    git("init", "-q", "-b", "main")
    writeFileSync(join(elsewhere, "check.sh"), "exit 0\n")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    const taskUuid = await begun()
    await stage.json("change", "push", taskUuid, "--base", "main", "--folder", elsewhere)
    await asAgent("chorus_submit_for_verify", { taskUuid, insist: true })
    expect((await checked(taskUuid)).obstacle).toMatch(/No runner may work where this lies.*`chorus check SHOP-\d+`/)
    await expect(stage.call("chorus_run_checks", { taskUuid })).rejects.toThrow("No runner may work")
    expect(await waitsForMe(taskUuid)).toBe(true)
    // One that says its work lies in a repository of that machine, where it does not.
    const lie = await begun()
    const { repository } = await stage.json<changes.ChangeRow>(
      "change",
      "push",
      lie,
      "--base",
      "main",
      "--folder",
      elsewhere,
    )
    const { machine = "", ...checkout } = repository.checkout ?? {}
    const there = {
      ...repository,
      checkout: { ...checkout, machine, folder: elsewhere, repository: realpathSync(stage.repository) },
    }
    const change = {
      repository: there,
      branch: null,
      baseRef: null,
      baseCommit: null,
      headCommit: null,
      uncommitted: 0,
    }
    const tree = "1".repeat(40)
    await asAgent("chorus_send_change", {
      taskUuid: lie,
      origin: "hook",
      change: { ...change, tree, files: [], warnings: [] },
    })
    await asAgent("chorus_submit_for_verify", { taskUuid: lie, insist: true })
    const row = await waitFor(
      async () => (await checked(lie)).checks.find(({ state }) => state === "not_run"),
      PATIENCE,
      "what was said of it",
      100,
    )
    expect(row.reason).toMatch(/another repository/)
  })
})

describe("`chorus check` in a checkout", () => {
  it("runs what was approved there, as the person's own word; an agent's stays a claim", async () => {
    const taskUuid = await tested([])
    writeFileSync(join(stage.repository, "door.txt"), "red\n")
    writeFileSync(join(stage.repository, "Makefile"), "lint:\n\ttrue\n")
    const { checks: rows } = await stage.json<{ checks: checks.CheckRow[] }>(
      "check",
      taskUuid,
      "--folder",
      stage.repository,
    )
    expect(rows).toMatchObject([{ state: "passed", source: "person", by: { type: "user" } }])
    const asAgent = await stage.agent()
    const claim = {
      exitCode: 0,
      reason: null,
      durationMs: 1,
      outputBytes: 0,
      touched: [],
      environment: "mine",
      tree: null,
    }
    const told = await asAgent<checks.CheckRow>("chorus_send_check", {
      taskUuid,
      command: "sh check.sh",
      machine: "mine",
      ...claim,
    })
    expect(told).toMatchObject({ source: "agent" })
    expect((await task(taskUuid)).acceptanceCriteriaItems[0]?.check).toMatchObject({ source: "agent", trusted: false })
  })

  it("is not believed where an agent has committed another check, which the work is compared without", async () => {
    const taskUuid = await tested([])
    stage.git("checkout", "-qb", "lie")
    writeFileSync(join(stage.repository, "check.sh"), "exit 0\n")
    stage.git("commit", "-qam", "All tests pass")
    const at = ["--folder", stage.repository]
    await stage.json("change", "push", taskUuid, "--base", "main", ...at)
    const { checks: rows } = await stage.json<{ checks: checks.CheckRow[] }>("check", taskUuid, ...at)
    stage.git("checkout", "-q", "main")
    expect(rows).toMatchObject([{ state: "passed", touched: ["check.sh"] }])
    expect((await task(taskUuid)).acceptanceCriteriaItems[0]?.check).toMatchObject({ trusted: false })
  })

  it("is proposed what the repository names by itself", async () => {
    const proposed = async () => {
      const { runners } = await stage.call<OutputOf<typeof runs.listRunners>>("chorus_list_runners", {})
      return runners.flatMap(({ folders }) => folders).find(({ found = [] }) => found.length > 0)?.found
    }
    expect(await waitFor(proposed, PATIENCE, () => "the checks of the Makefile")).toEqual([
      { name: "lint", command: "make lint" },
    ])
  })
})
