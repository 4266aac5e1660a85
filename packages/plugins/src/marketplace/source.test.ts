import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { guardMarketplaceName, guardPluginName } from "./name-guard.ts"
import { describeSource, parseMarketplaceSource } from "./source.ts"

let cwd = ""
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "chorus-source-"))
  writeFileSync(join(cwd, "m.json"), "{}")
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test("what people type becomes the right kind of source, and reads back the same", () => {
  const cases: [string, object][] = [
    ["owner/repo", { source: "github", repo: "owner/repo" }],
    ["owner/repo#v1", { source: "github", repo: "owner/repo", ref: "v1" }],
    ["https://github.com/o/r", { source: "git", url: "https://github.com/o/r" }],
    ["https://x.example/r.git", { source: "git", url: "https://x.example/r.git" }],
    ["https://dev.azure.example/p/_git/r", { source: "git", url: "https://dev.azure.example/p/_git/r" }],
    ["git@host:o/r.git", { source: "git", url: "git@host:o/r.git" }],
    ["https://x.example/marketplace.json", { source: "url", url: "https://x.example/marketplace.json" }],
    ["https://x.example/m.tar.gz", { source: "archive", url: "https://x.example/m.tar.gz" }],
    ["npm:@o/p@1.0.0", { source: "npm", package: "@o/p", version: "1.0.0" }],
    [".", { source: "directory", path: cwd }],
    ["./m.json", { source: "file", path: join(cwd, "m.json") }],
  ]
  for (const [text, source] of cases) expect([text, parseMarketplaceSource(text, cwd)]).toEqual([text, source])
  for (const text of ["owner/repo#v1", "npm:@o/p@1.0.0", "https://x.example/r.git"])
    expect(describeSource(parseMarketplaceSource(text, cwd))).toBe(text)
  expect(parseMarketplaceSource("owner/repo@v1", cwd)).toEqual({ source: "github", repo: "owner/repo", ref: "v1" })
})

test("what cannot be a source is refused with the reason", () => {
  for (const text of ["", "just-a-word", "./nothing", "-x", "ext::sh", "o/r#--x", "git://h/x", "ftp://h/x"])
    expect(() => parseMarketplaceSource(text, cwd)).toThrow()
})

test("official names belong to Anthropic's repositories alone, and their imitations to nobody", () => {
  const from = (repo: string) => ({ source: "github" as const, repo })
  const guard =
    (name: string, repo = "o/r") =>
    () =>
      guardMarketplaceName(name, from(repo), { allowReserved: false })
  expect(guard("claude-plugins-official", "Anthropics/claude-plugins-official")).not.toThrow()
  for (const name of [
    "claude-plugins-official",
    "claude.code.plugins",
    "claude-plugins-v2",
    "0fficial-claude",
    "Inline",
    "github",
  ])
    expect(guard(name)).toThrow()
  for (const name of ["my-tools", "claude_code_plugins", "foo-claude-plugins", "my-claude-plugins"])
    expect(guard(name)).not.toThrow()
  expect(() => guardPluginName("c1aude-code", "m")).toThrow()
  expect(() => guardPluginName("claude-tools", "m")).not.toThrow()
})
