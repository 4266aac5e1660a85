import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { changes, landings, OutputOf, pullRequests, tasks } from "@chorus/contracts"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./run-stage.ts"

type Row = landings.LandingRow

const AGENT = scriptedAgent("--state", temporaryDirectory("agent-").path)
/** Where the machine's runner finds the forge's program, once there is one. */
const FORGE = temporaryDirectory("forge-").path
let stage: Stage

beforeAll(async () => {
  stage = await openStage({ allow: ["--command", AGENT], env: { PATH: `${FORGE}:${process.env["PATH"]}` } })
})
afterAll(() => stage[Symbol.asyncDispose]())

const written = (path: string, text: string) => script({ write: { path, text } }, { say: "DONE.\n[x] 1 it is red" })
const landing = async (taskUuid: string) =>
  (await stage.call<OutputOf<typeof landings.getLanding>>("chorus_get_landing", { taskUuid })).landings[0]
const landed = (taskUuid: string, ...states: landings.LandingState[]) => {
  let row: Row | undefined
  return waitFor(
    async () => {
      row = await landing(taskUuid)
      return row !== undefined && states.includes(row.state) ? row : undefined
    },
    60_000,
    () => `${taskUuid} to be ${states.join(" or ")}; it is ${row?.state}: ${row?.reason ?? ""}`,
  )
}

/** What the scripted agent wrote, handed in. */
async function built(path: string, text: string): Promise<string> {
  return done(await stage.task(written(path, text)))
}

/** The task, once a run has done it. */
async function done(taskUuid: string): Promise<string> {
  const { uuid } = await stage.start(taskUuid, "--program", "command", "--command", AGENT)
  await stage.until(uuid, "finished", "failed")
  return taskUuid
}

const runOf = async (taskUuid: string) => {
  const { runs } = await stage.call<{ runs: { uuid: string; branch: string; worktree: string }[] }>(
    "chorus_list_runs",
    { taskUuid },
  )
  const [run] = runs
  if (run === undefined) throw new Error("no run")
  return run
}
/** What of a run's work is still there: its worktree, its branch, its last checkpoint. */
const leftOf = ({ uuid, branch, worktree }: Awaited<ReturnType<typeof runOf>>) => [
  existsSync(worktree),
  stage.git("branch", "--list", branch) !== "",
  stage.git("for-each-ref", `refs/chorus/runs/${uuid}/last`) !== "",
]

/** Verifies it and has it landed, as one step. */
async function merge(taskUuid: string): Promise<void> {
  const { acceptanceCriteriaItems: items } = await stage.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })
  await stage.call("chorus_land_change", { taskUuid, verify: true, passing: items.map(({ uuid }) => uuid) })
}

/** A checkout of something else. */
function otherRepository(): string {
  const folder = realpathSync(temporaryDirectory("garden-").path)
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: folder })
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "Another beginning")
  git("remote", "add", "origin", "https://example.test/garden")
  return folder
}

describe("what a run did", () => {
  it("is verified and landed by the command in the repository, looked at first, and not twice", async () => {
    const taskUuid = await built("door.txt", "red\n")
    const land = (...args: string[]) =>
      stage.json<Row>("change", "land", taskUuid, "--folder", stage.repository, ...args)
    const elsewhere = otherRepository()
    await expect(stage.json("change", "land", taskUuid, "--verify", "--folder", elsewhere)).rejects.toThrow(
      new RegExp(`${elsewhere} is https://example.test/garden; the work was done in .+, another repository`),
    )
    await expect(stage.json("check", taskUuid, "--folder", elsewhere)).rejects.toThrow("other_repository")
    expect(await land("--preview")).toMatchObject({ state: "clean", branch: "main", machine: hostname() })
    expect(existsSync(join(stage.repository, "door.txt"))).toBe(false)
    await expect(land()).rejects.toThrow("not_verified")
    const row = await land("--verify")
    expect(row).toMatchObject({ state: "landed", branch: "main", commit: stage.git("rev-parse", "main") })
    expect(readFileSync(join(stage.repository, "door.txt"), "utf8")).toBe("red\n")
    expect(stage.git("status", "--porcelain")).toBe("")
    expect(stage.git("log", "-1", "--format=%B")).toMatch(/^SHOP-\d+: Paint the door\n\nCriteria:\n- it is red\n/)
    await expect(land()).rejects.toThrow("already_landed")
    // What is in its branch lies nowhere else any more, but for the checkpoints.
    expect(leftOf(await runOf(taskUuid))).toEqual([false, false, true])
  })

  it("waits until its machine allows landing, is landed there by a person's word, and sent back where it conflicts", async () => {
    // What the agent that conflicts is to do comes to it with the lines of the other side.
    // A merge asks for a name as a commit does, and whoever runs this may have told git none.
    const own = "git -c user.name=A -c user.email=a@b"
    const commit = `git add -A; ${own} commit -qm Mine`
    const settle = { sh: `${commit}; ${own} merge -q main; echo teal > gate.txt; ${commit}` }
    const blue = `blue\n${script(settle, { say: "DONE." })}\n`
    const [first, second] = [await built("gate.txt", blue), await built("gate.txt", "green\n")]
    await merge(first)
    await waitFor(async () => (await landing(first))?.reason?.includes("--land"), 60_000, "the machine's word")
    writeFileSync(join(stage.repository, "README.md"), "# Shop, being edited\n")
    await stage.json("runner", "allow", stage.repository, "--land")
    const refused = await landed(first, "refused")
    expect(refused.reason).toMatch(/not committed: README\.md\. Commit them there/)
    stage.git("checkout", "-q", "README.md")
    await stage.call("chorus_land_change", { taskUuid: first })
    const row = await landed(first, "landed")
    expect([row.commit, row.branch]).toEqual([stage.git("rev-parse", "main"), "main"])
    expect(readFileSync(join(stage.repository, "gate.txt"), "utf8")).toBe(blue)
    expect(leftOf(await runOf(first))).toEqual([false, false, true])
    await merge(second)
    expect(await landed(second, "conflict")).toMatchObject({
      files: ["gate.txt"],
      reason: expect.stringContaining("gate.txt, line 1:\n\n    <<<<<<< main\n    blue\n"),
    })
    expect(stage.git("rev-parse", "main")).toBe(row.commit)
    // Its run goes on with that by itself, nobody is asked before it is handed in again, and then it lands.
    const run = await runOf(second)
    await stage.until(run.uuid, "finished", "failed")
    const back = await stage.call<tasks.TaskDetail>("chorus_get_task", { taskUuid: second })
    expect(back).toMatchObject({
      status: "to_verify",
      handIns: [{ outcome: "returned", decidedBy: { name: "Chorus" } }, { outcome: "pending" }],
    })
    expect(leftOf(run)).toEqual([true, true, true])
    await merge(second)
    await landed(second, "landed")
    expect(readFileSync(join(stage.repository, "gate.txt"), "utf8")).toBe("teal\n")
    expect(leftOf(run)).toEqual([false, false, true])
  })

  it("lands where what its project asks holds on the merged tree too; what no person has approved is not run there", async () => {
    await stage.json("runner", "allow", stage.repository, "--land", "--checks")
    const { projectUuid } = await stage.call<tasks.TaskDetail>("chorus_get_task", {
      taskUuid: await stage.task("x"),
    })
    const settings = {
      projectUuid,
      checks: [{ name: "one side", command: "test ! -f left.txt || test ! -f right.txt" }],
    }
    await stage.call("chorus_update_project_settings", settings)
    const proof = join(temporaryDirectory("proof-").path, "ran")
    const acceptanceCriteriaItems = [{ description: "it is red", command: `touch ${proof}` }]
    const asAgent = await stage.agent()
    const made = await asAgent<{ tasks: { uuid: string }[] }>("chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: "Paint the left", description: written("left.txt", "red\n"), acceptanceCriteriaItems }],
    })
    const left = await done(made.tasks[0]?.uuid ?? "")
    const right = await built("right.txt", "red\n")
    await merge(left)
    const row = await landed(left, "landed")
    expect(row.reason).toBe(`No person has approved \`touch ${proof}\`, so it was not run.`)
    expect(existsSync(proof)).toBe(false)
    await merge(right)
    const broken = await landed(right, "broken")
    expect(broken.reason).toContain('Merged with the branch as it is now, "one side" does not hold')
    expect(stage.git("rev-parse", "main")).toBe(row.commit)
    await stage.call("chorus_update_project_settings", { projectUuid, checks: [] })
  })

  it("is pushed to its branch's remote where the machine may do that, and has landed all the same where that is refused", async () => {
    await stage.json("runner", "allow", stage.repository, "--land", "--push")
    const remote = join(temporaryDirectory("remote-").path, "shop.git")
    stage.git("clone", "-q", "--bare", "--single-branch", stage.repository, remote)
    stage.git("remote", "add", "upstream", remote)
    stage.git("config", "branch.main.remote", "upstream")
    try {
      const [pushed, refused] = [await built("bench.txt", "oak\n"), await built("table.txt", "ash\n")]
      await merge(pushed)
      const row = await landed(pushed, "landed")
      expect([row.pushed, row.reason]).toEqual([true, null])
      expect(stage.git("--git-dir", remote, "rev-parse", "main")).toBe(row.commit)
      writeFileSync(join(remote, "hooks", "pre-receive"), "#!/bin/sh\necho closed for today >&2\nexit 1\n", {
        mode: 0o755,
      })
      await merge(refused)
      const kept = await landed(refused, "landed")
      expect([kept.pushed, kept.commit]).toEqual([false, stage.git("rev-parse", "main")])
      expect(kept.reason).toMatch(/^It was not pushed: .*closed for today/s)
      expect(stage.git("--git-dir", remote, "rev-parse", "main")).toBe(row.commit)
    } finally {
      stage.git("remote", "remove", "upstream")
      await stage.json("runner", "allow", stage.repository, "--no-push")
    }
  })

  it("is proposed by the command, which links it on its task; the machine's runner tells how pull requests stand", async () => {
    const [taskUuid, other] = [await built("fence.txt", "white\n"), await built("gutter.txt", "grey\n")]
    const propose = () => stage.json("change", "propose", taskUuid, "--folder", stage.repository)
    await expect(propose()).rejects.toThrow("nowhere_to_propose")
    const [place, path] = [FORGE, process.env["PATH"]]
    stage.git("clone", "-q", "--bare", "--single-branch", stage.repository, join(place, "shop.git"))
    stage.git("remote", "add", "origin", join(place, "shop.git"))
    const url = "https://example.test/shop/pull/1"
    const says = { url, state: "OPEN", statusCheckRollup: [{ conclusion: "SUCCESS" }] }
    const made = join(place, "made")
    const gh = `[ "$2" = create ] && exec touch ${made}\n[ -f ${made} ] && echo '${JSON.stringify(says)}'\n`
    writeFileSync(join(place, "gh"), `#!/bin/sh\n${gh}`, { mode: 0o755 })
    process.env["PATH"] = `${place}:${path}`
    const task = () => stage.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })
    const { projectUuid } = await task()
    try {
      for (let times = 0; times < 2; times++) expect(await propose()).toEqual({ url, state: "open", checks: "passed" })
      const listed = async () =>
        (await stage.call<OutputOf<typeof pullRequests.listPullRequests>>("chorus_list_pull_requests", { projectUuid }))
          .pullRequests
      expect(await listed()).toMatchObject([{ taskUuid, url, state: "open", checks: "passed", ahead: null }])
      await stage.json("runner", "allow", stage.repository, "--push")
      const seen = () => listed().then((rows) => rows.find((row) => row.taskUuid === other))
      expect(await waitFor(seen, 30_000, "the runner to look")).toMatchObject({ url, checks: "passed", ahead: 0 })
    } finally {
      process.env["PATH"] = path
      stage.git("remote", "remove", "origin")
    }
    const { references } = await task()
    expect(references).toMatchObject([{ type: "issue_pr", url, title: "Pull request: open, checks passed" }])
  })

  it("is proposed from the page by its machine, once that may push, and again when it was mended; what speaks against it is said", async () => {
    await stage.json("runner", "allow", stage.repository, "--no-push")
    const place = temporaryDirectory("porch-").path
    const [remote, made, told] = [join(place, "shop.git"), join(place, "made"), join(place, "told")]
    stage.git("clone", "-q", "--bare", "--single-branch", stage.repository, remote)
    stage.git("remote", "add", "origin", remote)
    const url = "https://example.test/shop/pull/7"
    const gh = (...lines: string[]) =>
      writeFileSync(join(FORGE, "gh"), ["#!/bin/sh", ...lines].join("\n"), { mode: 0o755 })
    const says = (conclusion: string) =>
      gh(
        `printf '%s\\n' "$*" >> ${told}`,
        `[ "$2" = create ] && exec touch ${made}`,
        `[ -f ${made} ] || { echo 'no pull requests found' >&2; exit 1; }`,
        `echo '${JSON.stringify({ url, state: "OPEN", statusCheckRollup: [{ conclusion }] })}'`,
      )
    const own = "git -c user.name=A -c user.email=a@b"
    try {
      const taskUuid = await built("porch.txt", "white\n")
      const propose = () => stage.call("chorus_land_change", { taskUuid, act: "propose" })
      const { branch } = await runOf(taskUuid)
      expect(await stage.call("chorus_get_landing", { taskUuid })).toMatchObject({ proposable: true })
      await propose()
      await waitFor(async () => (await landing(taskUuid))?.reason?.includes("--push"), 60_000, "the machine's word")
      gh("echo 'You are not logged in.' >&2; exit 4")
      await stage.json("runner", "allow", stage.repository, "--push")
      expect((await landed(taskUuid, "refused", "proposed")).reason).toMatch(/gh says: You are not logged in\./)
      says("")
      await propose()
      expect(await landed(taskUuid, "refused", "proposed")).toMatchObject({
        act: "propose",
        state: "proposed",
        pushed: true,
      })
      const there = () => stage.git("--git-dir", remote, "rev-parse", `${branch}^{tree}`)
      const { versions } = await stage.call<OutputOf<typeof changes.getChange>>("chorus_get_change", { taskUuid })
      expect(there()).toBe(versions.at(-1)?.tree)
      expect(readFileSync(told, "utf8")).toMatch(/^pr create .*--title SHOP-\d+: Paint the door/m)
      const { projectUuid } = await stage.call<tasks.TaskDetail>("chorus_get_task", { taskUuid })
      const seen = async () =>
        (
          await stage.call<OutputOf<typeof pullRequests.listPullRequests>>("chorus_list_pull_requests", { projectUuid })
        ).pullRequests.find((row) => row.taskUuid === taskUuid)
      expect(await seen()).toMatchObject({ url, state: "open", checks: "running" })
      // CI has found something: it is sent back, mended, and what was mended goes to the same pull request.
      const mend = script(
        { write: { path: "porch.txt", text: "off-white\n" } },
        { sh: `git add -A; ${own} commit -qm Mend` },
        { say: "DONE." },
      )
      await stage.call("chorus_admin_reopen_task", { taskUuid, reason: `CI says no.\n${mend}` })
      const { uuid: runUuid } = await runOf(taskUuid)
      await expect(propose()).rejects.toThrow("in progress")
      await stage.call("chorus_resume_run", { runUuid })
      await stage.until(runUuid, "finished", "failed")
      says("SUCCESS")
      await propose()
      await landed(taskUuid, "refused", "proposed")
      expect(stage.git("--git-dir", remote, "show", `${branch}:porch.txt`)).toBe("off-white")
      expect(await seen()).toMatchObject({ url, state: "open", checks: "passed" })
      expect(readFileSync(told, "utf8").match(/^pr create/gm)).toHaveLength(1)
      expect(stage.git("status", "--porcelain")).toBe("")
    } finally {
      stage.git("remote", "remove", "origin")
      await stage.json("runner", "allow", stage.repository, "--no-push")
    }
  })

  it("is discarded with its worktree and branch; the checkpoints stay for a change of mind", async () => {
    const taskUuid = await built("shed.txt", "pink\n")
    const run = await runOf(taskUuid)
    expect(leftOf(run)).toEqual([true, true, true])
    expect(await stage.json<Row>("change", "discard", taskUuid)).toMatchObject({ act: "discard", state: "discarded" })
    expect(leftOf(run)).toEqual([false, false, true])
    expect(stage.git("show", `refs/chorus/runs/${run.uuid}/last:shed.txt`)).toBe("pink")
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "closed" })
    await stage.json("runner", "clean")
    expect(stage.git("for-each-ref", `refs/chorus/runs/${run.uuid}/`)).toBe("")
  })
})

describe("what an agent did that a person started", () => {
  it("is landed by its machine as it was shown, whatever lies in its checkout by then; nothing else in its name", async () => {
    await stage.json("runner", "allow", stage.repository, "--land")
    const asAgent = await stage.agent()
    const begun = async () => {
      const taskUuid = await stage.task("By hand.")
      await asAgent("chorus_claim_task", { taskUuid })
      await asAgent("chorus_update_task", { taskUuid, status: "in_progress" })
      await asAgent("chorus_submit_for_verify", { taskUuid, insist: true })
      return taskUuid
    }
    const [honest, other] = [await begun(), await begun()]
    const folder = realpathSync(temporaryDirectory("by-hand-").path)
    stage.git("worktree", "add", "-q", "-b", "by-hand", join(folder, "shop"))
    const at = join(folder, "shop")
    writeFileSync(join(at, "hedge.txt"), "green\n")
    const { repository } = await stage.json<changes.ChangeRow>(
      "change",
      "push",
      honest,
      "--base",
      "main",
      "--folder",
      at,
    )
    expect(repository.checkout).toMatchObject({
      machine: hostname(),
      folder: at,
      repository: realpathSync(stage.repository),
    })
    writeFileSync(join(at, "hedge.txt"), "the next task's\n")
    await merge(honest)
    const row = await landed(honest, "landed", "refused")
    expect(row).toMatchObject({ state: "landed", branch: "main", commit: stage.git("rev-parse", "main") })
    expect(stage.git("show", "main:hedge.txt")).toBe("green")
    expect(stage.git("for-each-ref", "refs/chorus/shown/", "refs/chorus/began/")).toBe("")
    // It names what lies in the repository, and shows none of it.
    const [headCommit, tree, baseCommit] = ["main~1", "main~1^{tree}", "main"].map((name) =>
      stage.git("rev-parse", name),
    )
    const change = { repository, branch: null, baseRef: "main", baseCommit, headCommit, tree, uncommitted: 0 }
    await asAgent("chorus_send_change", {
      taskUuid: other,
      origin: "hook",
      change: { ...change, files: [], warnings: [] },
    })
    await merge(other)
    expect((await landed(other, "landed", "refused")).reason).toMatch(/is not what was shown of it/)
    stage.git("worktree", "remove", "-f", at)
  })
})
