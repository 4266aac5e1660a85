import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { checkpoint, factsOf, makeWorktree, removeWorktree, type Worktree } from "../src/worktree.ts"

const RUN = "11111111-2222-4333-8444-555555555555"
let repository: string
let tree: Worktree
const run = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" }).trim()
const put = (path: string, text: string) => {
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
}

beforeEach(async () => {
  const home = temporaryDirectory("tree-").path
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
  tree = await makeWorktree({
    runUuid: RUN,
    repository,
    place: join(home, "trees"),
    taskTitle: "Fix “Ünïcode” / path…",
    inPlace: false,
    fetch: false,
  })
})

describe("a run's worktree", () => {
  it("begins at what is committed, with what is ignored and wanted, on a branch that says what it is for", () => {
    expect(readFileSync(join(tree.path, "README.md"), "utf8")).toBe("# A\n")
    expect(readFileSync(join(tree.path, ".env"), "utf8")).toBe("SECRET=1\n")
    expect(existsSync(join(tree.path, "node_modules"))).toBe(false)
    expect(tree.branch).toBe("chorus/fix-u-ni-code-path-11111111")
    expect(tree.baseCommit).toBe(run(repository, "rev-parse", "main"))
    expect(run(repository, "status", "--porcelain")).toBe("M README.md")
  })

  it("is kept with what is not tracked, and neither index nor branch is touched", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    const before = run(tree.path, "status", "--porcelain")
    const commit = await checkpoint(tree, RUN, "turn/1")
    expect(run(repository, "show", `${commit}:new.txt`)).toBe("new")
    expect(run(tree.path, "status", "--porcelain")).toBe(before)
    expect(await factsOf(tree, commit)).toMatchObject({
      files: 1,
      insertions: 1,
      deletions: 0,
      commits: 0,
      branch: tree.branch,
    })
  })

  it("goes only when nothing can be lost by that", async () => {
    put(join(tree.path, "new.txt"), "new\n")
    expect(await removeWorktree(tree, RUN)).toBe("It holds changes that came after the last checkpoint.")
    expect(existsSync(tree.path)).toBe(true)
    await checkpoint(tree, RUN, "end")
    expect(await removeWorktree(tree, RUN)).toBeUndefined()
    expect(existsSync(tree.path)).toBe(false)
    expect(run(repository, "show", `refs/chorus/runs/${RUN}/end:new.txt`)).toBe("new")
    expect(run(repository, "branch", "--list", tree.branch)).toContain(tree.branch)
  })

  it("stays when a repository lies in it that no checkpoint holds", async () => {
    const inner = join(tree.path, "inner")
    mkdirSync(inner)
    run(inner, "init", "-q")
    put(join(inner, "a.txt"), "a\n")
    run(inner, "add", "-A")
    run(inner, "commit", "-q", "-m", "inner")
    await checkpoint(tree, RUN, "end")
    expect(await removeWorktree(tree, RUN)).toBe("A repository lies inside it.")
    expect(existsSync(join(inner, "a.txt"))).toBe(true)
  })
})
