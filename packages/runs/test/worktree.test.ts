import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RunnerPolicy, type runs } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { cleanUp, type CleaningOptions } from "../src/cleaning.ts"
import { filesOf, noteLanded } from "../src/run-files.ts"
import { runScript } from "../src/set-up.ts"
import { fillSubmodules } from "../src/submodules.ts"
import {
  checkpoint,
  factsOf,
  lockWorktree,
  makeWorktree,
  notIn,
  removeWorktree,
  restoreWorktree,
  unlockWorktree,
  whyItStays,
  type Worktree,
} from "../src/worktree.ts"

const RUN = "11111111-2222-4333-8444-555555555555"
const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: null }
const WANTED = { runUuid: RUN, taskTitle: "Fix “Ünïcode” / Maße…", inPlace: false, fetch: false }
let home: string
let repository: string
let tree: Worktree
const run = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" }).trim()
const put = (path: string, text: string) => {
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
}

beforeEach(async () => {
  home = temporaryDirectory("tree-").path
  repository = join(home, "repository")
  mkdirSync(repository)
  run(repository, "init", "-q", "-b", "main")
  put(join(repository, ".gitignore"), ".env\nnode_modules\n")
  put(join(repository, ".worktreeinclude"), ".env\nREADME.md\n")
  put(join(repository, "README.md"), "# A\n")
  put(join(repository, ".env"), "SECRET=1\n")
  put(join(repository, "node_modules/x/index.js"), "")
  run(repository, "add", "-A")
  run(repository, "commit", "-q", "-m", "Begin")
  put(join(repository, "README.md"), "# changed, not committed\n")
  tree = await makeWorktree({ ...WANTED, repository, place: join(home, "worktrees") })
})

describe("a run's worktree", () => {
  it("begins at what is committed, with what is ignored and wanted, on a branch that says what it is for", () => {
    expect(readFileSync(join(tree.path, "README.md"), "utf8")).toBe("# A\n")
    expect(readFileSync(join(tree.path, ".env"), "utf8")).toBe("SECRET=1\n")
    expect(existsSync(join(tree.path, "node_modules"))).toBe(false)
    expect(tree.branch).toBe("chorus/fix-unicode-masse-11111111")
    expect(tree.baseCommit).toBe(run(repository, "rev-parse", "main"))
    expect(run(repository, "status", "--porcelain")).toBe("M README.md")
  })

  it("begins at the remote's default branch, fetched first, where that is wanted and it is ahead", async () => {
    const clone = join(home, "clone")
    run(home, "clone", "-q", repository, clone)
    const begin = async (digit: string, fetch: boolean) =>
      (await makeWorktree({ ...WANTED, runUuid: RUN.replace("1", digit), repository: clone, place: home, fetch }))
        .baseCommit
    const before = run(repository, "rev-parse", "HEAD")
    run(repository, "commit", "-q", "-am", "Later")
    const after = run(repository, "rev-parse", "HEAD")
    expect(await begin("7", false)).toBe(before)
    expect(await begin("8", true)).toBe(after)
    // What is known of the remote counts where it cannot be asked.
    run(clone, "remote", "set-url", "origin", join(home, "gone"))
    expect(await begin("9", true)).toBe(after)
  })

  it("begins where that holds what it builds on, though the remote has gone another way; what is in neither is named", async () => {
    const clone = join(home, "clone")
    run(home, "clone", "-q", repository, clone)
    run(clone, "commit", "-q", "--allow-empty", "-m", "Landed here")
    run(repository, "commit", "-q", "-am", "Later")
    const [here, there] = [clone, repository].map((one) => run(one, "rev-parse", "HEAD"))
    const begin = async (digit: string, builtOn: string[]) =>
      (
        await makeWorktree({
          ...WANTED,
          runUuid: RUN.replace("1", digit),
          repository: clone,
          place: home,
          fetch: true,
          builtOn,
        })
      ).baseCommit
    expect(await begin("6", [here ?? ""])).toBe(here)
    expect(await begin("7", [there ?? ""])).toBe(there)
    expect(await begin("8", [])).toBe(there)
    expect(await begin("9", [here ?? "", there ?? ""])).toBe(there)
    const all = [here, there, "0".repeat(40)].map((commit) => ({ commit: commit ?? "", branch: "main" }))
    expect((await notIn(clone, there ?? "", all)).map(({ commit }) => commit)).toEqual([here, "0".repeat(40)])
  })

  it("is made beside others that begin in the same moment", async () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ ...WANTED, runUuid: `${at}`.padStart(8, "0"), repository }))
    const made = await Promise.all(many.map((one) => makeWorktree({ ...one, place: join(home, "worktrees") })))
    expect(made.map(({ path }) => readFileSync(join(path, "README.md"), "utf8"))).toEqual(many.map(() => "# A\n"))
  })

  it("is kept with what is not tracked, and neither index nor branch is touched", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    const before = run(tree.path, "status", "--porcelain")
    const kept = await checkpoint(tree, RUN, "turn/1")
    const { commit } = kept
    // As the books say: seen with all refs, and with nothing less.
    const seen = (...which: string[]) => run(repository, "log", "--format=%H", ...which).includes(commit)
    expect([seen("--all"), seen("--branches"), seen("--exclude=refs/chorus/*", "--all")]).toEqual([true, false, false])
    expect(run(repository, "show", `${commit}:new.txt`)).toBe("new")
    expect(run(tree.path, "status", "--porcelain")).toBe(before)
    expect(await factsOf(tree, kept)).toMatchObject({
      files: 1,
      insertions: 1,
      deletions: 0,
      commits: 0,
      branch: tree.branch,
    })
  })

  it("goes only when nothing can be lost, and comes back as it was", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    rmSync(join(tree.path, "README.md"))
    for (const _ of [1, 2])
      expect(await whyItStays(tree, RUN)).toBe("It holds changes that came after the last checkpoint.")
    await checkpoint(tree, RUN, "end")
    const inside = spawn("sleep", ["60"], { cwd: tree.path })
    expect(await whyItStays(tree, RUN)).toBe("A process is at work in it.")
    await new Promise((gone) => {
      inside.once("exit", gone)
      inside.kill("SIGKILL")
    })
    expect(await whyItStays(tree, RUN)).toBeUndefined()
    await removeWorktree(tree)
    expect(existsSync(tree.path)).toBe(false)
    expect(run(repository, "branch", "--list", tree.branch)).toContain(tree.branch)

    await restoreWorktree(tree, RUN)
    expect(run(tree.path, "branch", "--show-current")).toBe(tree.branch)
    expect(run(tree.path, "status", "--porcelain")).toBe("D README.md\n?? new.txt")
  })

  it("stays when a repository lies in it that no checkpoint holds", async () => {
    const inner = join(tree.path, "inner")
    mkdirSync(inner)
    run(inner, "init", "-q")
    put(join(inner, "a.txt"), "a\n")
    put(join(tree.path, "z.txt"), "z\n")
    // One without a commit is nothing that git could keep, and keeps nothing else from being kept.
    await checkpoint(tree, RUN, "turn/1")
    expect(run(repository, "show", `refs/chorus/runs/${RUN}/turn/1:z.txt`)).toBe("z")
    expect(await whyItStays(tree, RUN)).toBe("A repository lies inside it.")
    run(inner, "add", "-A")
    run(inner, "commit", "-q", "-m", "inner")
    await checkpoint(tree, RUN, "end")
    expect(await whyItStays(tree, RUN)).toBe("A repository lies inside it.")
  })

  it("is let go with what a killed git held on to", async () => {
    await lockWorktree(tree, RUN)
    expect(run(repository, "worktree", "list", "--porcelain")).toContain(`locked chorus run ${RUN}`)
    const folder = run(tree.path, "rev-parse", "--absolute-git-dir")
    put(join(folder, "index.lock"), "")
    await unlockWorktree(tree)
    expect(run(repository, "worktree", "list", "--porcelain")).not.toContain("locked")
    expect(existsSync(join(folder, "index.lock"))).toBe(false)
  })

  it("has its submodules from what is on this machine, and goes while they are as they were", async () => {
    const lib = join(repository, "..", "lib")
    mkdirSync(lib)
    run(lib, "init", "-q", "-b", "main")
    put(join(lib, "lib.txt"), "lib\n")
    run(lib, "add", "-A")
    run(lib, "commit", "-q", "-m", "lib")
    run(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "deps/lib")
    run(repository, "commit", "-q", "-m", "With lib")
    rmSync(lib, { recursive: true })
    const more = { ...WANTED, runUuid: RUN.replace("1", "2"), repository, place: join(repository, "..", "trees") }
    const second = await makeWorktree(more)
    expect(await fillSubmodules(repository, second.path, false)).toEqual([])
    expect(readFileSync(join(second.path, "deps/lib/lib.txt"), "utf8")).toBe("lib\n")
    await checkpoint(second, more.runUuid, "end")
    expect(await whyItStays(second, more.runUuid)).toBeUndefined()
    put(join(second.path, "deps/lib/new.txt"), "new\n")
    expect(await whyItStays(second, more.runUuid)).toBe("A repository lies inside it.")
    rmSync(join(second.path, "deps/lib/new.txt"))
    await removeWorktree(second)
    expect(existsSync(second.path)).toBe(false)

    rmSync(join(run(repository, "rev-parse", "--absolute-git-dir"), "modules"), { recursive: true })
    const third = await makeWorktree({ ...more, runUuid: RUN.replace("1", "3") })
    expect(await fillSubmodules(repository, third.path, false)).toEqual(["deps/lib"])
  })
})

describe("what ended runs left", () => {
  /** As the runner notes a run that is over. */
  const ended = (uuid: string, worktree: Worktree) => {
    const leased = { uuid, key: "", prompt: "" } as runs.LeasedRun
    filesOf(home, uuid).write({ run: leased, worktree, place: 0, turn: 1, usage: NOTHING, over: true })
  }
  const clean = (more: Partial<CleaningOptions> = {}) =>
    cleanUp({ directory: home, policy: RunnerPolicy.parse({}), days: 0, ...more })
  const refs = () => run(repository, "for-each-ref", "--format=%(refname)", "refs/chorus", "refs/heads/chorus")

  it("goes with branch and checkpoints once its work is merged, even squashed", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    run(tree.path, "add", "-A")
    run(tree.path, "commit", "-q", "-m", "New")
    await checkpoint(tree, RUN, "end")
    ended(RUN, tree)
    expect(await clean({ days: 1 })).toEqual([])
    const unmerged = "Its work is not part of the repository's branch yet."
    expect(await clean({ dryRun: true })).toMatchObject([{ runUuid: RUN, goes: ["worktree"], stays: unmerged }])
    expect(existsSync(tree.path)).toBe(true)
    expect(await clean()).toMatchObject([{ goes: ["worktree"], stays: unmerged }])
    expect(existsSync(tree.path)).toBe(false)
    expect(refs()).toContain(tree.branch)

    put(join(repository, "README.md"), "# A\n")
    run(repository, "merge", "-q", "--squash", tree.branch)
    run(repository, "commit", "-q", "-m", "New, squashed")
    expect(await clean()).toMatchObject([{ goes: ["branch"], stays: undefined }])
    expect(refs()).toBe("")
    expect(await clean()).toEqual([])
  })

  it("goes once it has landed, though its lines were changed again; what came after the landing stays", async () => {
    const commit = (folder: string, text: string) => {
      put(join(folder, "new.txt"), text)
      run(folder, "add", "new.txt")
      run(folder, "commit", "-q", "-m", text)
    }
    commit(tree.path, "new\n")
    commit(tree.path, "newer\n")
    await checkpoint(tree, RUN, "end")
    ended(RUN, tree)
    commit(repository, "another\n")
    commit(repository, "and another\n")
    const unmerged = "Its work is not part of the repository's branch yet."
    expect(await clean({ dryRun: true })).toMatchObject([{ goes: ["worktree"], stays: unmerged }])
    commit(repository, "newer\n")
    commit(repository, "newest\n")
    expect(await clean({ dryRun: true })).toMatchObject([{ goes: ["worktree", "branch"], stays: undefined }])
    commit(tree.path, "somebody goes on\n")
    expect(await clean({ dryRun: true })).toMatchObject([{ goes: ["worktree"], stays: unmerged }])
    // As the landing noted it: hooks may have changed what came into the branch.
    noteLanded(home, { runUuid: RUN, tree: run(tree.path, "rev-parse", "HEAD^{tree}") })
    await checkpoint(tree, RUN, "later")
    expect(await clean({ dryRun: true })).toMatchObject([{ goes: ["worktree", "branch"] }])
    put(join(tree.path, "new.txt"), "and on\n")
    await checkpoint(tree, RUN, "later-still")
    expect(await clean()).toMatchObject([{ goes: ["worktree"], stays: unmerged }])
    expect(refs()).toContain(tree.branch)
  })

  it("goes after its tear-down, whose output is kept; one that fails keeps it", async () => {
    await checkpoint(tree, RUN, "end")
    ended(RUN, tree)
    const policy = (tearDown: string) => RunnerPolicy.parse({ folders: [{ path: repository, tearDown }] })
    expect(await clean({ policy: policy("git no-such-word") })).toMatchObject([
      { goes: [], stays: expect.stringMatching(/^Its tear-down failed: It ended with 1\. See /) },
    ])
    expect(readFileSync(join(filesOf(home, RUN).folder, "tear-down.log"), "utf8")).toContain("no-such-word")
    expect(await clean({ policy: policy("git status") })).toMatchObject([{ goes: ["worktree", "branch"] }])
    expect(existsSync(tree.path)).toBe(false)
  })

  it("is found where no run knows of it, and kept while it holds something", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    expect(await clean()).toMatchObject([{ runUuid: RUN, goes: [], stays: expect.stringContaining("after the last") }])
    expect(await clean({ keepFirst: true })).toMatchObject([{ goes: ["worktree"] }])
    expect(run(repository, "show", `refs/chorus/runs/${RUN}/removal:new.txt`)).toBe("new")
  })
})

describe("a set-up", () => {
  const script = (words: string, minutes = 1) =>
    runScript({ words, cwd: tree.path, env: process.env, minutes, log: join(home, "set-up.log") })

  it("runs in the worktree as words that no shell reads, and its output is kept", async () => {
    expect(await script("echo $HOME ; ls")).toEqual({ output: "$HOME ; ls\n", failure: undefined })
    expect(readFileSync(join(home, "set-up.log"), "utf8")).toBe("$HOME ; ls\n")
    expect(await script("git rev-parse --show-toplevel")).toMatchObject({ output: `${tree.path}\n` })
  })

  it("that fails, is not there or takes too long says so", async () => {
    expect(await script("git no-such-word")).toMatchObject({ failure: "It ended with 1." })
    expect(await script("./no-such-program")).toMatchObject({ failure: expect.stringContaining("ENOENT") })
    expect(await script("sleep 60", 0.001)).toMatchObject({ failure: expect.stringContaining("longer than") })
  })
})
