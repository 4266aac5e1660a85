import { expect, test } from "vitest"
import { canonicalGitUrl, gitUrlFault, isScpForm, refFault, repoFault } from "./git-url.ts"

test("git is given addresses only, never options or programs", () => {
  for (const url of [
    "https://x.y/z.git",
    "ssh://git@h/o/r",
    "git+ssh://git@h/o/r",
    "git@host:o/r.git",
    "file:///tmp/x",
  ])
    expect([url, gitUrlFault(url)]).toEqual([url, undefined])
  for (const url of [
    "",
    "-x",
    "--upload-pack=x",
    "ext::sh -c id",
    "fd::3",
    "git://h/x",
    "ftp://h/x",
    "file://host/x",
    "a b",
    "https://x\ny",
    "owner/repo",
    "ssh://-oProxyCommand=x/y",
  ])
    expect(gitUrlFault(url)).toBeDefined()
  for (const url of ["-o@host:x", "user@-host:x", "user@host:-x"])
    expect([url, isScpForm(url) && !url.startsWith("-")]).toEqual([url, false])
})

test("refs and repositories are names and nothing else", () => {
  for (const ref of ["main", "v1.0", "feature/x", "a".repeat(40)]) expect(refFault(ref)).toBeUndefined()
  for (const ref of ["", "-x", "a..b", "a b", "x@{1}", "a//b", "x.lock", "a:b", "$(id)"])
    expect(refFault(ref)).toBeDefined()
  expect(repoFault("o/r.js")).toBeUndefined()
  for (const repo of ["o", "o/r/x", "../r", "o/..", "-o/r", "https://github.com/o/r", "o/*"])
    expect(repoFault(repo)).toBeDefined()
})

test("spellings of one repository compare equal", () => {
  const one = canonicalGitUrl("https://github.com/Owner/Repo.git")
  for (const other of [
    "https://github.com/owner/repo",
    "git@github.com:owner/repo.git",
    "ssh://git@github.com/owner/repo/",
    "http://user@github.com/owner/repo",
  ])
    expect([other, canonicalGitUrl(other)]).toEqual([other, one])
  expect(canonicalGitUrl("https://gitlab.com/owner/repo")).not.toBe(one)
})
