import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { beginningOf, captureChange, forgetBeginning, keepBeginning, landWork, previewLanding } from "../src/index.ts"
import { fingerprint } from "./fingerprint.ts"

let home: string
let repository: string
let tree: string
const LANDING = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

const inside = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim()
const git = (...args: string[]) => inside(repository, ...args)
const put = (path: string, text: string, folder = repository) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const commit = (message: string, folder = repository) => {
  inside(folder, "add", "-A")
  inside(folder, "commit", "-q", "-m", message)
}
const hook = (name: string, script: string) => {
  put(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`)
  chmodSync(join(repository, ".git/hooks", name), 0o755)
}
const lines = (first: string) => [first, ...Array.from({ length: 20 }, (_, at) => `line ${at}`), ""].join("\n")

/** The work in its worktree as it was shown to whoever verified it. */
async function reviewed(more: object = {}) {
  const { change } = await captureChange(tree, { base: git("merge-base", "main", inside(tree, "rev-parse", "HEAD")) })
  const { tree: present, headCommit, baseRef, branch } = change
  return {
    repository,
    folder: tree,
    scratch: join(home, "scratch"),
    work: {
      uuid: LANDING,
      how: "squash" as const,
      branch: null,
      shortId: "SHOP-7",
      title: "Paint the\ndoor",
      criteria: ["it is red"],
      runUuid: null,
      tree: present,
      headCommit,
      baseRef,
      workBranch: branch,
      ...more,
    },
  }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error: unknown) => (error instanceof ChorusError ? error.code : String(error)),
  )

beforeEach(() => {
  home = temporaryDirectory("land-").path
  repository = join(home, "shop")
  tree = join(home, "tree")
  mkdirSync(repository)
  git("init", "-q", "-b", "main")
  git("config", "user.name", "Ann")
  git("config", "user.email", "ann@example.test")
  put("door.txt", lines("green"))
  put("other.txt", "other\n")
  commit("Begin")
  git("worktree", "add", "-q", "-b", "work", tree)
  put("door.txt", lines("red"), tree)
  commit("Paint it", tree)
  // Neither committed nor known to git, but shown and verified with the rest.
  put("hinge.txt", "oiled\n", tree)
  put("other.txt", "other than before\n")
  commit("Meanwhile")
  put("mine.txt", "a note of mine\n")
})

describe("landing", () => {
  it("puts what was reviewed on top of what is there, by every way, and takes a clean checkout along", async () => {
    const before = git("rev-parse", "main")
    for (const how of ["squash", "merge", "rebase"] as const) {
      git("reset", "-q", "--hard", before)
      const landed = await landWork(await reviewed({ how, uuid: LANDING.replace("6f", how === "merge" ? "7f" : "8f") }))
      expect(landed).toMatchObject({ state: "landed", branch: "main", onto: before, commit: git("rev-parse", "main") })
      expect(git("status", "--porcelain")).toBe("?? mine.txt")
      expect(git("show", "--no-patch", "--format=%an <%ae>|%cn", "HEAD")).toBe("Ann <ann@example.test>|Ann")
      expect(readFileSync(join(repository, "door.txt"), "utf8")).toBe(lines("red"))
      expect(readFileSync(join(repository, "hinge.txt"), "utf8")).toBe("oiled\n")
      expect(readFileSync(join(repository, "other.txt"), "utf8")).toBe("other than before\n")
      const parents = git("rev-list", "--parents", "-1", "HEAD").split(" ").length - 1
      expect([how, parents, git("rev-list", "--count", "--first-parent", `${before}..HEAD`)]).toEqual(
        { squash: [how, 1, "1"], merge: [how, 2, "1"], rebase: [how, 1, "2"] }[how],
      )
      expect(git("show", "-s", "--format=%B", "HEAD")).toContain(
        "SHOP-7: Paint the door\n\nCriteria:\n- it is red\n\nChorus-Task: SHOP-7\nChorus-Landing: ",
      )
      if (how === "rebase")
        expect(git("show", "-s", "--format=%B", "HEAD^")).toMatch(/^Paint it\n\nChorus-Task: SHOP-7\n/)
    }
    expect(existsSync(join(home, "scratch"))).toBe(false)
    expect(git("worktree", "list").split("\n")).toHaveLength(2)
  })

  it("names what conflicts and changes nothing; looking first leaves not even an object", async () => {
    const would = await reviewed()
    expect(await previewLanding(would)).toEqual({ state: "clean", branch: "main", onto: git("rev-parse", "main") })
    put("door.txt", lines("blue"))
    const dirty = fingerprint(repository)
    expect(await previewLanding(would)).toMatchObject({
      state: "clean",
      reason: expect.stringContaining("not committed: door.txt"),
    })
    expect(fingerprint(repository)).toBe(dirty)
    git("commit", "-qam", "Blue")
    const wanted = await reviewed()
    const whole = fingerprint(repository)
    expect(await previewLanding(wanted)).toMatchObject({ state: "conflict", files: ["door.txt"] })
    expect(await previewLanding({ ...wanted, work: { ...wanted.work, how: "rebase" } })).toMatchObject({
      state: "conflict",
      files: ["door.txt"],
    })
    expect(fingerprint(repository)).toBe(whole)
    const kept = fingerprint(repository, ["/objects"])
    expect(await landWork(wanted)).toMatchObject({
      state: "conflict",
      files: ["door.txt"],
      // Whoever mends it reads both sides, and where they meet in the branch as it is now.
      reason: [
        `It conflicts with main (${git("rev-parse", "--short=12", "main")}) in door.txt.`,
        "Merge main into the work, settle what conflicts, and hand it in again.\n\ndoor.txt, line 1:\n",
      ]
        .join(" ")
        .concat("\n    <<<<<<< main\n    blue\n    =======\n    red\n    >>>>>>> the work"),
    })
    expect(fingerprint(repository, ["/objects"])).toBe(kept)
  })

  it("never goes over what somebody has there: staged, changed, in the middle of a merge, in its way", async () => {
    const wanted = await reviewed()
    const refused = async (code: string) => {
      // Git notes where it came from before it sees what is in its way.
      const print = () => [fingerprint(repository, ["/.git"]), readFileSync(join(repository, ".git/index"), "hex")]
      const [kept, head, whole] = [print(), git("rev-parse", "HEAD", "main"), fingerprint(repository)]
      expect(await previewLanding(wanted)).toMatchObject({ state: "clean", reason: expect.stringContaining("main is") })
      expect(fingerprint(repository)).toBe(whole)
      expect(await codeOf(landWork(wanted))).toBe(code)
      expect([print(), git("rev-parse", "HEAD", "main")]).toEqual([kept, head])
    }
    put("other.txt", "changed\n")
    await refused("checkout_dirty")
    git("add", "other.txt")
    await refused("checkout_dirty")
    git("reset", "-q", "--hard")
    put("hinge.txt", "mine, and git does not know it\n")
    await refused("git_refused")
    git("checkout", "-q", "-b", "aside", "main^")
    put("other.txt", "conflicting\n")
    git("commit", "-qam", "Aside")
    expect(() => git("merge", "-q", "main")).toThrow()
    const aside = { ...wanted, work: { ...wanted.work, branch: "aside" } }
    expect(await previewLanding(aside)).toMatchObject({ reason: expect.stringContaining("in the middle of") })
    expect(await codeOf(landWork(aside))).toBe("checkout_busy")
    expect(await codeOf(landWork({ ...wanted, work: { ...wanted.work, branch: "nowhere" } }))).toBe("branch_missing")
  })

  it("moves a branch that is checked out nowhere and leaves every checkout as it is", async () => {
    git("branch", "release", "main")
    put("other.txt", "dirty, but elsewhere\n")
    const wanted = await reviewed({ branch: "release" })
    const kept = fingerprint(repository, ["/.git"])
    const index = readFileSync(join(repository, ".git/index"))
    expect(await previewLanding(wanted)).toEqual({ state: "clean", branch: "release", onto: git("rev-parse", "main") })
    expect(await landWork(wanted)).toMatchObject({ state: "landed", branch: "release" })
    expect(git("show", "release:door.txt")).toBe(lines("red").trim())
    expect(fingerprint(repository, ["/.git"])).toBe(kept)
    expect(readFileSync(join(repository, ".git/index")).equals(index)).toBe(true)
  })

  it("lands once, however often it is begun, and on top of what came in between", async () => {
    const wanted = await reviewed()
    const first = await landWork(wanted)
    expect(await landWork(wanted)).toEqual(first)
    put("later.txt", "later\n")
    commit("Later")
    expect(await landWork(wanted)).toMatchObject({ state: "landed", commit: first.commit })
    git("reset", "-q", "--hard", first.onto)
    let looks = 0
    const again = await landWork({
      ...wanted,
      // Somebody commits while the checks run.
      check: async (folder) => {
        expect(readFileSync(join(folder, "hinge.txt"), "utf8")).toBe("oiled\n")
        if (looks++ === 0) {
          put("between.txt", "between\n")
          commit("Between")
        }
        return undefined
      },
    })
    expect([again.state, looks, git("log", "-1", "--format=%s", "main^")]).toEqual(["landed", 2, "Between"])
    expect(git("log", "--format=%s", "--grep", LANDING).split("\n")).toHaveLength(1)
  })

  it("says what the merged tree breaks, and leaves the branch", async () => {
    const before = git("rev-parse", "main")
    const broken = await landWork({ ...(await reviewed()), check: async () => "`npm test` ended with 1." })
    expect(broken).toMatchObject({ state: "broken", reason: "`npm test` ended with 1." })
    expect(git("rev-parse", "main")).toBe(before)
    expect(git("worktree", "list").split("\n")).toHaveLength(2)
  })

  it("asks the repository's own hooks and signs as its owner does", async () => {
    hook(
      "pre-commit",
      `git diff --cached --name-only | grep -q hinge.txt && echo formatted > fmt.txt && git add fmt.txt`,
    )
    hook("commit-msg", `printf 'Signed-off-by: Ann\\n' >> "$1"`)
    hook("post-merge", `touch "${join(home, "brought")}"`)
    const signer = join(home, "signer")
    writeFileSync(
      signer,
      `#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED D 1 2 3 4 5" >&2\necho "-----BEGIN PGP SIGNATURE-----"\necho\necho x\necho "-----END PGP SIGNATURE-----"\n`,
      { mode: 0o755 },
    )
    git("config", "commit.gpgsign", "true")
    git("config", "gpg.program", signer)
    expect(await landWork(await reviewed())).toMatchObject({ state: "landed" })
    expect(git("show", "HEAD:fmt.txt")).toBe("formatted")
    expect(git("cat-file", "commit", "HEAD")).toMatch(/gpgsig -----BEGIN PGP SIGNATURE-----[\s\S]*Signed-off-by: Ann/)
    expect(existsSync(join(home, "brought"))).toBe(true)
    git("reset", "-q", "--hard", "HEAD^")
    hook("commit-msg", "echo no ticket >&2; exit 1")
    await expect(landWork(await reviewed())).rejects.toThrow(
      /^The repository's commit-msg hook refused the commit: no ticket$/,
    )
    expect(git("worktree", "list").split("\n")).toHaveLength(2)
  })

  it("takes nothing but what was reviewed: from a commit, a checkpoint, or the checkout while that is the same", async () => {
    const wanted = await reviewed()
    const run = { ...wanted, folder: join(home, "gone"), work: { ...wanted.work, runUuid: "r1" } }
    expect(await codeOf(landWork(run))).toBe("work_missing")
    inside(tree, "add", "-A")
    const written = inside(tree, "write-tree")
    git("update-ref", "refs/chorus/runs/r1/end", git("commit-tree", written, "-p", "work", "-m", "chorus run r1: end"))
    expect(await landWork(run)).toMatchObject({ state: "landed" })
    put("hinge.txt", "oiled twice\n", tree)
    expect(await codeOf(landWork({ ...wanted, work: { ...wanted.work, uuid: "another" } }))).toBe("work_missing")
  })
})

describe("work that began among what a person had not committed", () => {
  const TASK = "0e8dd7a2-6a3e-4c5b-9a53-5f8a7c1f1f11"
  const began = async () => {
    const there = await beginningOf(tree, TASK)
    if (there === undefined) throw new Error("nothing was kept")
    return there
  }

  it("lands without that, by every way, and names it", async () => {
    put("door.txt", lines("red").replace("line 15", "line 15, mine"), tree)
    const prints = () => [tree, join(repository, ".git/worktrees/tree")].map((path) => fingerprint(path))
    const before = prints()
    await keepBeginning(tree, TASK)
    expect(prints()).toEqual(before)
    const { commit: base, uncommitted } = await began()
    expect(uncommitted).toEqual(["door.txt", "hinge.txt"])
    put("door.txt", lines("blue").replace("line 15", "line 15, mine"), tree)
    put("agent.txt", "of the agent\n", tree)
    // Work that comes back began when it first did.
    await keepBeginning(tree, TASK)
    expect(await began()).toEqual({ commit: base, uncommitted })
    const start = git("rev-parse", "main")
    for (const how of ["squash", "merge", "rebase"] as const) {
      git("reset", "-q", "--hard", start)
      const work = await reviewed({ how, baseCommit: base })
      expect(await previewLanding(work)).toMatchObject({ state: "clean" })
      expect(await landWork(work)).toMatchObject({ state: "landed", branch: "main" })
      expect(git("diff", "--name-only", start, "main").split("\n")).toEqual(["agent.txt", "door.txt"])
      expect(git("show", "main:door.txt")).toBe(lines("blue").trimEnd())
    }
    await forgetBeginning(tree, TASK)
    expect(await beginningOf(tree, TASK)).toBeUndefined()
  })

  it("is refused where both lie in the same lines, and says what to do", async () => {
    put("door.txt", lines("mine"), tree)
    await keepBeginning(tree, TASK)
    put("door.txt", lines("mine and the agent's"), tree)
    const before = git("rev-parse", "main")
    expect(await codeOf(landWork(await reviewed({ baseCommit: (await began()).commit })))).toBe("work_mixed")
    expect(git("rev-parse", "main")).toBe(before)
  })

  it("is compared with what was checked out where nothing else lay there", async () => {
    commit("All of it", tree)
    await keepBeginning(tree, TASK)
    expect(await began()).toEqual({ commit: inside(tree, "rev-parse", "HEAD"), uncommitted: [] })
  })
})
