import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { proposeWork } from "../src/index.ts"

let home: string
let repository: string

const environment = () => ({ PATH: `${home}/bin:${process.env["PATH"]}`, HOME: home, GIT_CONFIG_NOSYSTEM: "1" })
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], {
    cwd: repository,
    env: environment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim()
const commit = (name: string) => {
  writeFileSync(join(repository, name), `${name}\n`)
  git("add", "-A")
  git("commit", "-q", "-m", name)
}
/** A forge's program that notes what it is told, and knows a request once one was made; `says` is what it shows of it. */
const forge = (program: string, says: object) => {
  const path = join(home, "bin", program)
  const lines = [
    "#!/bin/sh",
    `printf '%s\\n' "$@" >> ${home}/told`,
    `[ "$2" = create ] && touch ${home}/made && exit 0`,
    `[ -f ${home}/made ] || { echo 'no pull requests found' >&2; exit 1; }`,
    `cat <<'EOF'\n${JSON.stringify(says)}\nEOF`,
  ]
  writeFileSync(path, `${lines.join("\n")}\n`)
  chmodSync(path, 0o755)
}
const told = () => readFileSync(join(home, "told"), "utf8")
const propose = (more: object = {}, env: NodeJS.ProcessEnv = environment()) => {
  const work = {
    uuid: "landing",
    how: "merge" as const,
    branch: null,
    shortId: "SHOP-1",
    title: "Paint the door",
    criteria: ["it is red"],
    tree: git("rev-parse", "HEAD^{tree}"),
    headCommit: git("rev-parse", "HEAD"),
    baseRef: "main",
    workBranch: "work",
    runUuid: null,
    ...more,
  }
  return proposeWork({ repository, folder: repository, work, environment: env })
}
const remote = (name: string) => {
  execFileSync("git", ["clone", "-q", "--bare", repository, join(home, name)], { stdio: "ignore" })
  git("remote", "add", "origin", join(home, name))
}

beforeEach(() => {
  home = temporaryDirectory("propose-").path
  repository = join(home, "shop")
  mkdirSync(repository)
  mkdirSync(join(home, "bin"))
  git("init", "-q", "-b", "main")
  commit("README.md")
  remote("shop.git")
  git("checkout", "-q", "-b", "work")
  commit("door.txt")
})

describe("proposing work to a forge", () => {
  it("pushes it and opens one pull request, of which the next time tells how it stands", async () => {
    const url = "https://example.test/shop/pull/1"
    forge("gh", { url, state: "OPEN", statusCheckRollup: [{ conclusion: "SUCCESS" }, { conclusion: "" }] })
    expect(await propose()).toEqual({ url, state: "open", checks: "running" })
    expect(git("ls-remote", "origin", "refs/heads/work")).toContain(git("rev-parse", "HEAD"))
    expect(told()).toContain(
      "create\n--head\nwork\n--base\nmain\n--title\nSHOP-1: Paint the door\n--body\nCriteria:\n- it is red",
    )
    forge("gh", { url, state: "OPEN", statusCheckRollup: [{ conclusion: "SUCCESS" }, { state: "FAILURE" }] })
    expect(await propose()).toEqual({ url, state: "open", checks: "failed" })
    forge("gh", { url, state: "MERGED", statusCheckRollup: [] })
    expect(await propose()).toEqual({ url, state: "merged", checks: null })
    expect(told().match(/^create$/gm)).toHaveLength(1)
  })

  it("takes what was reviewed and nobody has committed along, and pushes nothing by force", async () => {
    forge("gh", { url: "https://example.test/1", state: "OPEN", statusCheckRollup: null })
    const headCommit = git("rev-parse", "HEAD")
    writeFileSync(join(repository, "late.txt"), "late\n")
    git("add", "-A")
    const tree = git("write-tree")
    expect(await propose({ tree, headCommit })).toMatchObject({ checks: null })
    expect(git("rev-parse", "HEAD")).toBe(headCommit)
    git("fetch", "-q", "origin")
    expect(git("rev-parse", "origin/work^{tree}", "origin/work^")).toBe(`${tree}\n${headCommit}`)
    const pushed = git("rev-parse", "origin/work")
    await propose({ tree, headCommit })
    expect(git("ls-remote", "origin", "refs/heads/work")).toContain(pushed)
    git("commit", "-q", "-m", "Late")
    commit("later.txt")
    await propose()
    git("fetch", "-q", "origin")
    expect(git("rev-parse", "origin/work^{tree}", "origin/work^")).toBe(`${git("rev-parse", "HEAD^{tree}")}\n${pushed}`)
    git("push", "-q", "--force", "origin", "main:work")
    git("checkout", "-q", "--detach", "main")
    commit("foreign.txt")
    git("push", "-q", "origin", "HEAD:work")
    git("checkout", "-q", "work")
    await expect(propose()).rejects.toMatchObject({ code: "push_refused" })
  })

  it("moves no branch that an agent names and that others made, and takes no option for one", async () => {
    forge("gh", { url: "https://example.test/1", state: "OPEN", statusCheckRollup: null })
    git("push", "-q", "origin", "main:production")
    await expect(propose({ workBranch: "production" })).rejects.toMatchObject({ code: "push_refused" })
    expect(git("ls-remote", "origin", "refs/heads/production")).toContain(git("rev-parse", "main"))
    await expect(propose({ workBranch: "--web" })).rejects.toMatchObject({ code: "nowhere_to_propose" })
  })

  it("is done by glab where the remote is a GitLab", async () => {
    git("remote", "remove", "origin")
    remote("gitlab-shop.git")
    const says = { web_url: "https://gitlab.example.test/1", state: "opened", head_pipeline: { status: "success" } }
    forge("glab", says)
    expect(await propose()).toEqual({ url: says.web_url, state: "open", checks: "passed" })
    expect(told()).toContain("create\n--yes\n--source-branch\nwork\n--target-branch\nmain\n")
  })

  it("says what is missing: a remote, a branch of its own, the forge's program, and its word", async () => {
    writeFileSync(join(home, "bin", "gh"), "#!/bin/sh\necho 'not signed in' >&2\nexit 4\n")
    chmodSync(join(home, "bin", "gh"), 0o755)
    await expect(propose()).rejects.toMatchObject({ code: "forge_refused", message: "gh says: not signed in" })
    await expect(propose({}, { PATH: join(home, "empty") })).rejects.toMatchObject({ code: "no_forge_program" })
    await expect(propose({ workBranch: null })).rejects.toMatchObject({ code: "nowhere_to_propose" })
    git("remote", "remove", "origin")
    await expect(propose()).rejects.toMatchObject({ code: "nowhere_to_propose" })
  })
})
