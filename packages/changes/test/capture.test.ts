import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { changes } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { captureChange, type Captured } from "../src/index.ts"
import { fingerprint } from "./fingerprint.ts"

let home: string
let repository: string

const environment = () => ({ PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" })
const inside = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", ...args], {
    cwd,
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  })
const git = (...args: string[]) =>
  inside(repository, ...args)
    .toString("utf8")
    .trim()
const put = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(repository, path)), { recursive: true })
  writeFileSync(join(repository, path), content)
}
const commit = (message: string) => {
  git("add", "-A")
  git("commit", "-q", "--allow-empty", "-m", message)
}
const text = (count: number, word = "line") => Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("")
const fileOf = ({ change }: Captured, path: string) => {
  const file = change.files.find((one) => one.path === path)
  if (file === undefined) throw new Error(`${path} is not in ${change.files.map((one) => one.path).join(", ")}`)
  return file
}
/** What git itself shows once everything untracked is known to it; in a copy, as asking must change nothing. */
const shownByGit = (base: string) => {
  const copy = join(home, "copy")
  rmSync(copy, { recursive: true, force: true })
  execFileSync("cp", ["-a", repository, copy])
  inside(copy, "add", "-A", "-N")
  return inside(copy, "--no-replace-objects", "diff", base)
}
const whole = ({ change, parts }: Captured) =>
  Buffer.concat(change.files.map(({ patchSha }) => parts.get(patchSha ?? "") ?? Buffer.from("missing")))

/** Changes nothing, and is what git shows, save where something was left out. */
async function captured(base?: string, { leavesOut = false } = {}): Promise<Captured> {
  const before = fingerprint(repository)
  try {
    const all = await captureChange(repository, { base })
    if (leavesOut) return all
    const began = all.change.baseCommit ?? base ?? git("hash-object", "-t", "tree", "/dev/null")
    expect(whole(all).equals(shownByGit(began))).toBe(true)
    return all
  } finally {
    expect(fingerprint(repository)).toBe(before)
  }
}

beforeEach(() => {
  home = temporaryDirectory("change-").path
  repository = join(home, "shop")
  mkdirSync(repository)
  git("init", "-q", "-b", "main")
  put(".gitignore", "ignored/\n*.log\n")
  put("src/door.ts", text(40))
  put("src/gone.ts", text(5, "gone"))
  put("logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]))
  put("run.sh", "echo\n")
  commit("Begin")
  git("checkout", "-q", "-b", "work")
})

describe("what a piece of work did to its repository", () => {
  it("is what git shows, byte by byte, with what is not tracked and without what is ignored", async () => {
    renameSync(join(repository, "src/door.ts"), join(repository, "src/gate.ts"))
    put("src/gate.ts", text(40).replace("line 7\n", "line seven\n"))
    put("staged.ts", "staged\n")
    git("add", "-A")
    put("staged.ts", "staged, then changed\n")
    commit("Half of it")
    put("logo.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 9, 9]))
    put("blob.dat", Buffer.from([0, 1, 2]))
    chmodSync(join(repository, "run.sh"), 0o755)
    rmSync(join(repository, "src/gone.ts"))
    put("crlf.txt", "one\r\ntwo\r\n")
    put("latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
    put("empty.txt", "")
    put("no-newline.txt", "no newline")
    put("tab\tand “quotes”.txt", "named\n")
    put("bell\u0007.txt", "named\n")
    symlinkSync("src/gate.ts", join(repository, "link"))
    put("ignored/secret.txt", "ignored\n")
    put("debug.log", "ignored\n")
    const change = await captured("main")
    expect(change.change.files.map(({ path }) => path).sort()).toEqual(
      [
        "bell\\x07.txt",
        "blob.dat",
        "crlf.txt",
        "empty.txt",
        "latin.txt",
        "link",
        "logo.png",
        "no-newline.txt",
        "run.sh",
        "src/gate.ts",
        "src/gone.ts",
        "staged.ts",
        "tab\tand “quotes”.txt",
      ].sort(),
    )
    expect(fileOf(change, "src/gate.ts")).toMatchObject({ status: "renamed", oldPath: "src/door.ts", additions: 1 })
    expect(fileOf(change, "run.sh")).toMatchObject({ oldMode: "100644", newMode: "100755", additions: 0 })
    expect(fileOf(change, "link")).toMatchObject({ status: "added", newMode: "120000" })
    expect(fileOf(change, "src/gone.ts")).toMatchObject({ status: "deleted", deletions: 5, newMode: null })
    expect(fileOf(change, "blob.dat")).toMatchObject({ binary: true, size: 3, afterSha: null })
    const logo = fileOf(change, "logo.png")
    expect([logo.beforeSha, logo.afterSha].map((sha) => change.parts.get(sha ?? "")?.length)).toEqual([8, 7])
    expect(change.parts.get(fileOf(change, "latin.txt").afterSha ?? "")).toEqual(Buffer.from("café\n", "latin1"))
    expect(change.change).toMatchObject({ branch: "work", headCommit: git("rev-parse", "HEAD"), baseRef: "main" })
    expect(change.change.repository.roots).toEqual([git("rev-parse", "main")])
  })

  it("shows what is there, although the repository names other objects and other parents in its place", async () => {
    const began = git("rev-parse", "HEAD")
    put("src/door.ts", text(40).replace("line 7\n", "line seven\n"))
    commit("Door")
    put("src/gate.ts", "gate\n")
    commit("Gate")
    git("replace", git("rev-parse", "HEAD:src/door.ts"), git("rev-parse", "main:src/door.ts"))
    git("replace", "--graft", "HEAD")
    const change = await captured(began)
    expect(fileOf(change, "src/door.ts")).toMatchObject({ additions: 1, deletions: 1, omitted: null })
    expect(String(whole(change))).toContain("+line seven\n")
    expect(change.change.files.map(({ path }) => path)).toEqual(["src/door.ts", "src/gate.ts"])
  })

  it("is what lies there, although git was told not to look", async () => {
    git("update-index", "--assume-unchanged", "run.sh")
    git("update-index", "--skip-worktree", "src/door.ts", "src/gone.ts")
    put("run.sh", "exit 0\n")
    put("src/door.ts", text(41))
    rmSync(join(repository, "src/gone.ts"))
    const { change } = await captured("HEAD", { leavesOut: true })
    expect(change.files.map(({ path }) => path)).toEqual(["run.sh", "src/door.ts", "src/gone.ts"])
  })

  it("leaves a checkout that is sparse as sparse as it is", async () => {
    git("config", "core.sparseCheckout", "true")
    git("update-index", "--skip-worktree", "src/door.ts", "src/gone.ts")
    rmSync(join(repository, "src/door.ts"))
    put("src/gone.ts", "back\n")
    const { change } = await captured("main", { leavesOut: true })
    expect(change.files.map(({ path }) => path)).toEqual(["src/gone.ts"])
  })

  it("names what is ignored by rules that came with the work", async () => {
    put("ignored/known.txt", "ignored\n")
    put("debug.log", "ignored\n")
    put(".git/info/exclude", "conftest.py\n")
    put("conftest.py", "ignored by a rule that no version holds\n")
    put("cache/.gitignore", "*\n")
    put("cache/made.txt", "ignored by a rule that ignores itself\n")
    const { change } = await captured("main", { leavesOut: true })
    expect(change.files).toEqual([])
    expect(change.warnings).toEqual([
      "Not shown, as it is ignored by rules that the repository did not have before the work: cache/, conftest.py.",
    ])
  })

  it("names nothing that Chorus keeps there itself, and what else lies beside it", async () => {
    put(".chorus/claude/.gitignore", "*\n")
    put(".chorus/claude/spool/1", "kept to be told later\n")
    put("app/.chorus/codex/.gitignore", "*\n")
    put("app/.chorus/codex/sessions/1", "kept\n")
    put("app/main.ts", "main\n")
    expect((await captured("main", { leavesOut: true })).change.warnings).toEqual([])
    put(".chorus/.gitignore", "*\n")
    put(".chorus/made.txt", "ignored by a rule that ignores itself\n")
    expect((await captured("main", { leavesOut: true })).change.warnings).toEqual([
      "Not shown, as it is ignored by rules that the repository did not have before the work: .chorus/.gitignore, .chorus/made.txt.",
    ])
  })

  it("is what git shows where lines end otherwise in the checkout than in the repository", async () => {
    git("config", "core.autocrlf", "true")
    put(".gitattributes", "*.bat text eol=crlf\n*.raw -text\n")
    for (const name of ["a.txt", "a.bat", "a.raw"]) put(name, "one\r\ntwo\r\n")
    commit("Line ends")
    for (const name of ["a.txt", "a.bat", "a.raw"]) put(name, "one\r\ntwo, too\r\nthree\r\n")
    put("src/door.ts", text(40).replaceAll("\n", "\r\n").replace("line 7\r", "line seven\r"))
    const change = await captured("HEAD")
    expect(change.change.files.map(({ path, additions }) => [path, additions])).toEqual([
      ["a.bat", 2],
      ["a.raw", 2],
      ["a.txt", 2],
      ["src/door.ts", 1],
    ])
  })

  it("shows a file that became a link, and a submodule that moved on, as git does", async () => {
    const other = join(home, "other")
    mkdirSync(other)
    inside(other, "init", "-q", "-b", "main")
    inside(other, "commit", "-q", "--allow-empty", "-m", "One")
    git("submodule", "add", "-q", other, "vendor/other")
    commit("With a submodule")
    const base = git("rev-parse", "HEAD")
    inside(join(repository, "vendor/other"), "commit", "-q", "--allow-empty", "-m", "Two")
    rmSync(join(repository, "src/door.ts"))
    symlinkSync("gone.ts", join(repository, "src/door.ts"))
    const change = await captured(base)
    expect(fileOf(change, "src/door.ts")).toMatchObject({ status: "type_changed", newMode: "120000" })
    expect(fileOf(change, "vendor/other")).toMatchObject({ status: "modified", newMode: "160000", afterSha: null })
  })

  it("leaves out a worktree and a repository that lie inside, and says so", async () => {
    git("worktree", "add", "-q", "nested", "-b", "other")
    mkdirSync(join(repository, "clone"))
    inside(join(repository, "clone"), "init", "-q")
    inside(join(repository, "clone"), "commit", "-q", "--allow-empty", "-m", "One")
    put("un\u0001born/inner.ts", "inner\n")
    inside(join(repository, "un\u0001born"), "init", "-q")
    put("zoo.ts", "zoo\n")
    const change = await captured("main", { leavesOut: true })
    expect(change.change.files.map(({ path }) => path)).toEqual(["zoo.ts"])
    expect(changes.CapturedChange.parse(change.change).warnings).toEqual([
      "clone is a repository of its own and was left out.",
      "nested is a repository of its own and was left out.",
      "un\\x01born is a repository of its own and was left out.",
    ])
    put("nested/inner.ts", "inner\n")
    const inner = await captureChange(join(repository, "nested"), { base: "main" })
    expect(inner.change.files.map(({ path }) => path)).toEqual(["inner.ts"])
  })

  it("folds a lock file of 50,000 lines, names what is too large, and keeps the rest", async () => {
    put("package-lock.json", text(50_000, '  "integrity": "sha512"'))
    put("huge.txt", text(300_000, "a long line of a generated text"))
    put("video.bin", Buffer.alloc(20_000_000, 0))
    put("small.ts", "small\n")
    const change = await captured("main", { leavesOut: true })
    expect(fileOf(change, "package-lock.json")).toMatchObject({ folded: true, additions: 50_000, omitted: null })
    expect(fileOf(change, "huge.txt")).toMatchObject({ omitted: "too_large", additions: 300_000, patchSha: null })
    expect(fileOf(change, "video.bin")).toMatchObject({ binary: true, size: 20_000_000, afterSha: null })
    expect(fileOf(change, "small.ts")).toMatchObject({ folded: false, omitted: null })
    expect(change.change.warnings).toEqual(["Too large to be shown: huge.txt."])
  })

  it("takes out obvious secrets, in patch and content alike, and says where", async () => {
    const token = `ghp_${"a1B2".repeat(10)}`
    const key = `-----BEGIN PRIVATE KEY-----\n${`${"QUJD".repeat(16)}\n`.repeat(3)}-----END PRIVATE KEY-----\n`
    put("config.ts", `export const token = "${token}"\n${key}`)
    put(".env", "API_TOKEN=abcdefgh12345\nPORT=80\n")
    git("remote", "add", "origin", "https://me:hunter2@git.example/shop.git")
    const change = await captured("main", { leavesOut: true })
    const sent = [JSON.stringify(change.change), ...[...change.parts.values()].map(String)].join("\n")
    for (const secret of [token, "QUJDQUJD", "abcdefgh12345", "hunter2"]) expect(sent).not.toContain(secret)
    expect(sent).toContain('export const token = "[redacted]"')
    expect(sent).toContain("PORT=80")
    expect(change.change.warnings).toEqual(["What looks like a secret was left out: .env, config.ts."])
    expect(change.change.repository.remotes).toEqual(["https://git.example/shop.git"])
  })
})

describe("what it is compared with", () => {
  it("is the place where the branch left its base, also after the base went on and the branch was rebased", async () => {
    put("work.ts", "work\n")
    commit("Work")
    git("checkout", "-q", "main")
    put("upstream.ts", "upstream\n")
    commit("Upstream")
    git("checkout", "-q", "work")
    const before = await captured("main")
    expect(before.change.files.map(({ path }) => path)).toEqual(["work.ts"])
    expect(before.change.warnings).toEqual(["main has 1 newer commit that this work does not have."])
    git("rebase", "-q", "main")
    const after = await captured("main")
    expect(after.change.files.map(({ path }) => path)).toEqual(["work.ts"])
    expect(after.change.baseCommit).toBe(git("rev-parse", "main"))
    expect(after.change.baseCommit).not.toBe(before.change.baseCommit)
  })

  it("goes along with what the work took in of its branch since it began, and shows only its own lines", async () => {
    const began = git("rev-parse", "HEAD")
    const upstream = (name: string) => {
      git("checkout", "-q", "main")
      put(name, "upstream\n")
      commit(`${name} \u001b[2K`)
      git("checkout", "-q", "work")
    }
    const shown = async () => (await captured(began)).change
    put("work.ts", "work\n")
    commit("Work")
    upstream("one.ts")
    expect(await shown()).toMatchObject({ baseCommit: began, files: [{ path: "work.ts" }], warnings: [] })
    git("merge", "-q", "--no-edit", "main")
    const merged = await shown()
    expect(merged).toMatchObject({ baseCommit: git("rev-parse", "main"), files: [{ path: "work.ts" }] })
    expect(merged.warnings).toEqual([
      `It has taken in main up to ${git("rev-parse", "main").slice(0, 12)}; what came from there is not shown as its own. ` +
        `That is 1 commit; look at those you do not know: ${git("log", "-1", "--format=%h", "main")} “one.ts \\x1b[2K” (A).`,
    ])
    expect(changes.CapturedChange.safeParse(merged)).toMatchObject({ success: true })
    upstream("two.ts")
    git("rebase", "-q", "main")
    expect(await shown()).toMatchObject({ baseCommit: git("rev-parse", "main"), files: [{ path: "work.ts" }] })
    // Whoever moves the branch to the work itself hides nothing by that.
    git("branch", "-f", "main", "work")
    expect((await shown()).files.map(({ path }) => path)).toEqual(["one.ts", "two.ts", "work.ts"])
  })

  it("leaves out what it was merely moved forward to, by whatever command, and keeps what was made here", async () => {
    const began = git("rev-parse", "HEAD")
    const elsewhere = join(home, "elsewhere")
    git("worktree", "add", "-q", elsewhere, "main")
    const upstream = (name: string) => {
      writeFileSync(join(elsewhere, name), "upstream\n")
      inside(elsewhere, "add", "-A")
      inside(elsewhere, "commit", "-q", "-m", name)
    }
    const shown = async () => (await captured(began)).change.files.map(({ path }) => path)
    put("work.ts", "not committed\n")
    for (const [at, words] of [
      ["merge", "-q", "main"],
      ["rebase", "-q", "main"],
      ["reset", "-q", "--keep", "main"],
      ["pull", "-q", "--ff-only", ".", "main"],
    ].entries()) {
      upstream(`${at}.ts`)
      git(...words)
      expect(await shown(), words.join(" ")).toEqual(["work.ts"])
    }
    commit("commit: Fast-forward")
    upstream("other.ts")
    git("merge", "-q", "--no-edit", "main")
    put("more.ts", "more\n")
    commit("More")
    // Whoever moves the branch to the work itself hides nothing by that.
    inside(elsewhere, "merge", "-q", "work")
    expect(await shown()).toEqual(["more.ts", "work.ts"])
  })

  it("goes along with the branch that the repository of a worktree has checked out, whatever it is called", async () => {
    git("checkout", "-q", "-b", "develop")
    const began = git("rev-parse", "HEAD")
    const tree = join(home, "tree")
    git("worktree", "add", "-q", "-b", "task", tree)
    put("upstream.ts", "upstream\n")
    commit("Upstream")
    writeFileSync(join(tree, "work.ts"), "work\n")
    inside(tree, "add", "-A")
    inside(tree, "commit", "-q", "-m", "Work")
    inside(tree, "merge", "-q", "--no-edit", "develop")
    const { change } = await captureChange(tree, { base: began })
    expect(change.files.map(({ path }) => path)).toEqual(["work.ts"])
    expect(change.warnings.join(" ")).toContain("taken in develop")
  })

  it("is found by the remote's default branch where nobody names it, and that is said; also after a forced push", async () => {
    inside(home, "clone", "-q", "--bare", repository, join(home, "remote.git"))
    git("remote", "add", "origin", join(home, "remote.git"))
    git("fetch", "-q", "origin")
    git("branch", "-D", "main")
    put("work.ts", "work\n")
    const change = await captured()
    expect(change.change).toMatchObject({ baseRef: "origin/main" })
    expect(change.change.warnings[0]).toBe(
      "Nobody named a base: it is compared with where the branch left origin/main.",
    )
    commit("Work")
    git("checkout", "-q", "--orphan", "rewritten")
    commit("Another history")
    git("push", "-q", "--force", "origin", "rewritten:main")
    git("checkout", "-q", "work")
    git("fetch", "-q", "origin")
    await expect(captured()).rejects.toMatchObject({ code: "base_unrelated" })
  })

  it("is never guessed: a deleted branch, a base nobody knows, and one without a common commit are errors", async () => {
    git("branch", "feature")
    git("branch", "-D", "feature")
    await expect(captured("feature")).rejects.toMatchObject({ code: "base_missing" })
    await expect(captured("--output=/tmp/x")).rejects.toMatchObject({ code: "base_missing" })
    git("branch", "-D", "main")
    await expect(captured()).rejects.toMatchObject({ code: "base_unknown" })
    git("checkout", "-q", "--orphan", "alone")
    commit("Alone")
    await expect(captured("work")).rejects.toMatchObject({ code: "base_unrelated" })
    await expect(captureChange(home)).rejects.toMatchObject({ code: "no_repository" })
  })

  it("sees what was written in the second of a checkout, though neither size nor time tell of it", async () => {
    const [file, index] = [join(repository, "hello.txt"), join(repository, ".git", "index")]
    git("config", "core.trustctime", "false")
    put("hello.txt", "Goodbye\n")
    utimesSync(file, 1_700_000_000, 1_700_000_000)
    commit("greet")
    put("hello.txt", "GOODBYE\n")
    for (const path of [file, index]) utimesSync(path, 1_700_000_000, 1_700_000_000)
    expect((await captured("HEAD")).change.files.map(({ path }) => path)).toEqual(["hello.txt"])
  })

  it("is the tree that was there when the work began, where that was dirty", async () => {
    put("mine.ts", "a person's own, before\n")
    git("add", "-A")
    const tree = git("write-tree")
    git("reset", "-q")
    put("work.ts", "work\n")
    const change = await captured(tree)
    expect(change.change.files.map(({ path }) => path)).toEqual(["work.ts"])
    expect(change.change).toMatchObject({ baseCommit: null, uncommitted: 2 })
  })

  it("is nothing in a repository without a commit", async () => {
    rmSync(join(repository, ".git"), { recursive: true })
    git("init", "-q", "-b", "main")
    const change = await captured()
    expect(change.change.files).toHaveLength(5)
    expect(change.change).toMatchObject({ baseCommit: null, headCommit: null, branch: "main" })
    expect(change.change.warnings[0]).toContain("no commit")
  })
})
