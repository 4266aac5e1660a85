import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkSourceBeyond, isUnknownKind, sourceFault } from "./source-check.ts"

const SHA = "a".repeat(40)

describe("the source of a plugin", () => {
  it.each([
    ".",
    "./a",
    "./a/b.c",
    { source: "github", repo: "o/r" },
    { source: "github", repo: "o/r", ref: "v1", sha: SHA },
    { source: "url", url: "https://x.example/r.git" },
    { source: "git-subdir", url: "o/r", path: "tools/x" },
    { source: "npm", package: "@o/p", version: "^1", registry: "https://r.example" },
    { source: "archive", url: "https://x.example/a.zip", sha256: "AB".repeat(32) },
    { source: "command", command: "make plugin", timeout: 600, mode: "link" },
    { source: "github", repo: "o/r", novel: 1 },
  ])("%j can be used", (source) => {
    expect(sourceFault(source)).toBeUndefined()
  })

  it.each([
    [7, [], /path or an object; got number/],
    [null, [], /got null/],
    ["a", [], /must start with "\.\/"/],
    ["", [], /must start with/],
    ["/etc", [], /must start with/],
    ["../a", [], /contains "\.\."/],
    ["./a/../../b", [], /contains "\.\."/],
    ["./a\\..\\b", [], /contains "\.\."/],
    [{}, [], /Unknown kind of source: null/],
    [{ source: "svn" }, [], /Unknown kind of source: "svn"/],
    [{ type: "github", repo: "o/r" }, [], /Unknown kind of source: "github"/],
    [{ source: "pip", package: "x" }, [], /pip is not a source/],
    [{ source: "github" }, [], /needs "repo"/],
    [{ source: "github", repo: 7 }, [], /needs "repo"/],
    [{ source: "github", repo: "o/r", ref: 7 }, ["ref"], /ref must be text/],
    [{ source: "github", repo: "o/r", sha: "abc" }, ["sha"], /40 lower-case/],
    [{ source: "url", url: "x", sha: SHA.toUpperCase() }, ["sha"], /40 lower-case/],
    [{ source: "url" }, [], /needs "url"/],
    [{ source: "git-subdir", url: "o/r" }, [], /needs "path"/],
    [{ source: "git-subdir", url: "o/r", path: "" }, ["path"], /empty/],
    [{ source: "git-subdir", url: "o/r", path: "a/../../b" }, ["path"], /contains "\.\."/],
    [{ source: "npm" }, [], /needs "package"/],
    [{ source: "npm", package: "../x" }, [], /contains "\.\."/],
    [{ source: "npm", package: "x", version: 1 }, ["version"], /must be text/],
    [{ source: "npm", package: "x", registry: "ftp://x" }, ["registry"], /http or https/],
    [{ source: "npm", package: "x", registry: "https://" }, ["registry"], /http or https/],
    [{ source: "archive" }, [], /needs "url"/],
    [{ source: "archive", url: "http://x.example/a.zip" }, ["url"], /over https/],
    [{ source: "archive", url: "https://localhost/a.zip" }, ["url"], /not from this machine/],
    [{ source: "archive", url: "https://169.254.169.254/a.zip" }, ["url"], /metadata service/],
    [{ source: "archive", url: "no url" }, ["url"], /over https/],
    [{ source: "archive", url: "https://x.example/a.zip", sha256: "ab" }, ["sha256"], /64 hexadecimal/],
    [{ source: "command" }, [], /needs "command"/],
    [{ source: "command", command: "" }, [], /needs "command"/],
    [{ source: "command", command: "x".repeat(501) }, ["command"], /longer than can be shown/],
    [{ source: "command", command: "echo \u202E" }, ["command"], /printable ASCII/],
    [{ source: "command", command: "echo     hidden" }, ["command"], /runs of four spaces/],
    [{ source: "command", command: "x", timeout: 0 }, ["timeout"], /1 to 600/],
    [{ source: "command", command: "x", timeout: 601 }, ["timeout"], /1 to 600/],
    [{ source: "command", command: "x", timeout: 1.5 }, ["timeout"], /1 to 600/],
    [{ source: "command", command: "x", mode: "move" }, ["mode"], /"copy" or "link"/],
  ])("%j cannot", (source, path, message) => {
    expect(sourceFault(source)).toMatchObject({ path, message: expect.stringMatching(message) as string })
  })

  it("may be a bare name below a pluginRoot that stays inside", () => {
    for (const pluginRoot of ["./plugins", "plugins"]) expect(sourceFault("a", { pluginRoot })).toBeUndefined()
    for (const pluginRoot of ["/plugins", "../plugins", "./a/../..", undefined, 7])
      expect([pluginRoot, sourceFault("a", { pluginRoot })]).toEqual([
        pluginRoot,
        expect.objectContaining({ fix: 'Write "./a", or set metadata.pluginRoot.' }),
      ])
    expect(sourceFault("a/b", { pluginRoot: "./plugins" })).toMatchObject({ message: '"a/b" must start with "./".' })
  })

  it("may be an archive on a host the person trusts, by its name and port", () => {
    const trustedHosts = new Set(["127.0.0.1:80", "127.0.0.1:4000"])
    expect(sourceFault({ source: "archive", url: "http://127.0.0.1:4000/a.zip" }, { trustedHosts })).toBeUndefined()
    expect(sourceFault({ source: "archive", url: "http://127.0.0.1:4001/a.zip" }, { trustedHosts })).toBeDefined()
    expect(sourceFault({ source: "archive", url: "ftp://127.0.0.1:4000/a.zip" }, { trustedHosts })).toBeDefined()
  })
})

describe("a kind of source", () => {
  it("is unknown unless it is one of seven, and a path is no kind", () => {
    for (const kind of ["github", "url", "git-subdir", "npm", "archive", "command", "pip"])
      expect([kind, isUnknownKind({ source: kind })]).toEqual([kind, false])
    for (const source of [{}, { source: "svn" }, { source: "toString" }]) expect(isUnknownKind(source)).toBe(true)
    expect(isUnknownKind("./a")).toBe(false)
  })
})

describe("a source that passes and is then refused", () => {
  const found = (source: unknown) => findings((report, file) => checkSourceBeyond(report, file, ["s"], source))

  it.each([
    ["./a", []],
    [{ source: "github", repo: "o/r", ref: "v1" }, []],
    [{ source: "git-subdir", url: "o/r", path: "x" }, []],
    [{ source: "url", url: "ext::sh -c id" }, ["warning source_url_refused s.url"]],
    [{ source: "url", url: "git://x.example/r" }, ["warning source_url_refused s.url"]],
    [{ source: "git-subdir", url: "o/r/x", path: "x" }, ["warning source_url_refused s.url"]],
    [{ source: "url", url: "https://x.example/r", ref: "a..b" }, ["warning source_ref_refused s.ref"]],
    [{ source: "npm", package: "" }, ["warning source_package_empty s.package"]],
    [{ source: "github", repo: "o/.." }, ["note source_repo_refused s.repo"]],
    [
      { source: "github", repo: "o/r", branch: "main", tag: "v1", commit: SHA },
      ["note source_key_unread s.branch", "note source_key_unread s.commit", "note source_key_unread s.tag"],
    ],
  ])("%j: %j", (source, expected) => {
    expect(found(source)).toEqual(expected)
  })
})
