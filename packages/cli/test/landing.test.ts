import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { landings, OutputOf, pullRequests, tasks } from "@chorus/contracts"
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
const landed = (taskUuid: string, ...states: landings.LandingState[]) =>
  waitFor(
    async () => {
      const row = await landing(taskUuid)
      return row !== undefined && states.includes(row.state) ? row : undefined
    },
    60_000,
    () => `${taskUuid} to be ${states.join(" or ")}`,
  )

/** What the scripted agent wrote, handed in. */
async function built(path: string, text: string): Promise<string> {
  const taskUuid = await stage.task(written(path, text))
  const { uuid } = await stage.start(taskUuid, "--program", "command", "--command", AGENT)
  await stage.until(uuid, "finished", "failed")
  return taskUuid
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
  })

  it("waits until its machine allows landing, is landed there by a person's word, and sent back where it conflicts", async () => {
    const [first, second] = [await built("gate.txt", "blue\n"), await built("gate.txt", "green\n")]
    const merge = async (taskUuid: string) => {
      const { acceptanceCriteriaItems: items } = await stage.call<{ acceptanceCriteriaItems: { uuid: string }[] }>(
        "chorus_get_task",
        { taskUuid },
      )
      await stage.call("chorus_land_change", { taskUuid, verify: true, passing: items.map(({ uuid }) => uuid) })
    }
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
    expect(readFileSync(join(stage.repository, "gate.txt"), "utf8")).toBe("blue\n")
    await merge(second)
    expect(await landed(second, "conflict")).toMatchObject({ files: ["gate.txt"] })
    const back = await stage.call<{ status: string; returned: { reason: string } }>("chorus_get_task", {
      taskUuid: second,
    })
    expect(back).toMatchObject({ status: "in_progress", returned: { reason: expect.stringContaining("gate.txt") } })
    expect(stage.git("rev-parse", "main")).toBe(row.commit)
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

  it("is discarded with its worktree and branch; the checkpoints stay for a change of mind", async () => {
    const taskUuid = await built("shed.txt", "pink\n")
    const { runs } = await stage.call<{ runs: { uuid: string; branch: string; worktree: string }[] }>(
      "chorus_list_runs",
      { taskUuid },
    )
    const [run] = runs
    expect(existsSync(run?.worktree ?? "")).toBe(true)
    expect(await stage.json<Row>("change", "discard", taskUuid)).toMatchObject({ act: "discard", state: "discarded" })
    expect(existsSync(run?.worktree ?? "")).toBe(false)
    expect(stage.git("branch", "--list", run?.branch ?? "")).toBe("")
    expect(stage.git("show", `refs/chorus/runs/${run?.uuid ?? ""}/last:shed.txt`)).toBe("pink")
    expect(await stage.call("chorus_get_task", { taskUuid })).toMatchObject({ status: "closed" })
    await stage.json("runner", "clean")
    expect(stage.git("for-each-ref", `refs/chorus/runs/${run?.uuid ?? ""}/`)).toBe("")
  })
})
