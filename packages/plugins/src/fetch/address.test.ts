import { expect, test } from "vitest"
import { isLocalHost, reachOf } from "./address.ts"
import { canonicalGitUrl, gitUrlFault, isScpForm, refFault, repoFault } from "./git-url.ts"

test.each([
  ["127.0.0.1", "local"],
  ["127.9.9.9", "local"],
  ["0.0.0.0", "local"],
  ["::1", "local"],
  ["::ffff:127.0.0.1", "local"],
  ["::ffff:7f00:1", "local"],
  ["169.254.169.254", "local"],
  ["fe80::1", "local"],
  ["100.100.100.200", "local"],
  ["10.1.2.3", "private"],
  ["172.31.0.1", "private"],
  ["192.168.0.1", "private"],
  ["fd12::1", "private"],
  ["100.64.0.1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["8.8.8.8", "public"],
  ["172.32.0.1", "public"],
  ["2606:4700::1", "public"],
] as const)("%s is %s", (address, reach) => {
  expect(reachOf(address)).toBe(reach)
})

test("names that mean this machine are known in every spelling", () => {
  for (const host of ["localhost", "LOCALHOST.", "a.localhost", "[::1]", "metadata.google.internal", "127.0.0.1"])
    expect([host, isLocalHost(host)]).toEqual([host, true])
  for (const host of ["example.com", "localhost.example.com", "10.0.0.1"])
    expect([host, isLocalHost(host)]).toEqual([host, false])
})

test("URL parsing folds odd spellings of loopback before we look", () => {
  for (const url of ["https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://[::ffff:127.0.0.1]/"])
    expect([url, isLocalHost(new URL(url).hostname)]).toEqual([url, true])
})

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
