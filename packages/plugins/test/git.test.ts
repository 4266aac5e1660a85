import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { git, gitClone, gitHead, gitRefs, type CloneRequest } from "../src/fetch/git.ts"
import { networkPolicy } from "../src/fetch/network.ts"
import { codeOf } from "./workbench.ts"
import { useWorkbench } from "./scratch.ts"

const bench = useWorkbench()
const options = { policy: networkPolicy({}) }
const url = (name = "r") => `file://${join(bench().fixtures, name)}`
const into = () => join(bench().root, "clone")
const clone = (more: Partial<CloneRequest> = {}) => gitClone({ url: url(), ...more }, into(), options)

describe("a clone", () => {
  test("is of the default branch, a branch, a tag or a commit, and says which commit it is", async () => {
    const first = bench().commit("r", { "a.txt": "1" }, "v1")
    const second = bench().commit("r", { "a.txt": "2" })
    bench().git(join(bench().fixtures, "r"), "branch", "side", first)
    const wanted: [Partial<CloneRequest>, string][] = [
      [{}, second],
      [{ ref: "main" }, second],
      [{ ref: "side" }, first],
      [{ ref: "v1" }, first],
      [{ sha: first }, first],
      [{ ref: first }, first],
      [{ ref: "main", sha: first }, first],
    ]
    for (const [index, [request, commit]] of wanted.entries())
      expect([request, await gitClone({ url: url(), ...request }, `${into()}${index}`, options)]).toEqual([
        request,
        commit,
      ])
  })

  test("may be of some folders alone", async () => {
    bench().commit("r", { "tools/x/a.txt": "1", "tools/y/b.txt": "2", "top.txt": "3" })
    await clone({ sparse: ["tools/x"] })
    expect([
      existsSync(join(into(), "tools/x/a.txt")),
      existsSync(join(into(), "tools/y")),
      existsSync(join(into(), "top.txt")),
    ]).toEqual([true, false, false])
  })

  test("runs nothing of the repository: no hook, no filter, no submodule", async () => {
    const mark = join(bench().root, "ran")
    bench().write("r", {
      ".gitattributes": "* filter=evil\n",
      ".gitmodules": `[submodule "s"]\n  path = s\n  url = ${url("other")}\n`,
      "a.txt": "1",
    })
    bench().commit("r", {})
    writeFileSync(join(bench().fixtures, "r/.git/hooks/post-checkout"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    await clone()
    expect([existsSync(mark), readdirSync(into()).toSorted()]).toEqual([
      false,
      [".git", ".gitattributes", ".gitmodules", "a.txt"],
    ])
  })

  test("of what is not there is not found, whatever of it is missing", async () => {
    bench().commit("r", { "a.txt": "1" })
    for (const request of [{ url: url("none") }, { ref: "no-such-branch" }, { sha: "0".repeat(40) }])
      expect([
        request,
        await codeOf(gitClone({ url: url(), ...request }, join(bench().root, `c${Math.random()}`), options)),
      ]).toEqual([request, "error_not_found"])
  })

  test("of a repository that is empty says so", async () => {
    bench().git(bench().fixtures, "init", "-q", "--bare", "empty")
    await expect(gitClone({ url: url("empty") }, join(bench().root, "c"), options)).rejects.toMatchObject({
      code: "error_not_found",
      message: expect.stringContaining("no commit on its default branch") as string,
    })
  })

  test.each([{ url: "--upload-pack=x" }, { url: "ext::sh" }, { ref: "--x" }, { ref: "a..b" }, { sha: "-x" }])(
    "of %j is refused before git sees it",
    async (request) => {
      bench().commit("r", { "a.txt": "1" })
      expect(await codeOf(clone(request))).toBe("error_validation")
      expect(existsSync(into())).toBe(false)
    },
  )

  test("over the network is not tried offline, and not to this machine", async () => {
    const offline = { policy: { trusted: new Set<string>(), offline: true } }
    expect(await codeOf(gitClone({ url: "https://x.example/r.git" }, into(), offline))).toBe("offline")
    expect(await codeOf(gitClone({ url: "ssh://git@x.example/r.git" }, into(), offline))).toBe("error_network")
    expect(await codeOf(clone({ url: "http://127.0.0.1:9/r.git" }))).toBe("address_refused")
  })

  test("keeps a link as a link, for whoever vets it", async () => {
    bench().write("r", { "a.txt": "1" })
    symlinkSync("/etc/passwd", join(bench().fixtures, "r/out"))
    bench().commit("r", {})
    await clone()
    expect(
      readdirSync(into(), { withFileTypes: true })
        .find(({ name }) => name === "out")
        ?.isSymbolicLink(),
    ).toBe(true)
  })
})

describe("the refs of a repository", () => {
  test("are listed without a clone, tags by the commit they mark", async () => {
    const commit = bench().commit("r", { "a.txt": "1" }, "light")
    bench().git(
      join(bench().fixtures, "r"),
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@example.invalid",
      "tag",
      "-a",
      "-m",
      "x",
      "heavy",
    )
    const refs = await gitRefs(url(), options)
    expect([
      refs.get("refs/tags/light"),
      refs.get("refs/tags/heavy"),
      refs.get("refs/heads/main"),
      refs.get("HEAD"),
    ]).toEqual([commit, commit, commit, commit])
    expect([...(await gitRefs(url(), options, "refs/tags/li*")).keys()]).toEqual(["refs/tags/light"])
  })

  test("of a folder are known when it is in a repository", async () => {
    const commit = bench().commit("r", { "deep/a.txt": "1" })
    expect([await gitHead(join(bench().fixtures, "r/deep"), options), await gitHead(bench().root, options)]).toEqual([
      commit,
      undefined,
    ])
  })
})

describe("a fault of git", () => {
  test("is told in git's own words, without its prefix", async () => {
    expect(await git(["-C", bench().root, "frobnicate"], options).catch((error: unknown) => error)).toMatchObject({
      code: "git_failed",
      message: expect.stringMatching(/^git frobnicate failed: .*frobnicate/) as string,
    })
  })

  test("that does not know who one is says how to tell it", async () => {
    const at = bench().write("nobody", { "a.txt": "1" })
    const nobody = ["-C", at, "-c", "user.name=", "-c", "user.email="]
    await git(["-C", at, "init", "-q"], options)
    expect(
      await git([...nobody, "commit", "--allow-empty", "-m", "x"], options).catch((error: unknown) => error),
    ).toMatchObject({ code: "git_failed", next: expect.stringContaining("git config --global user.name") as string })
  })
})
