import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { validatePath } from "./validate.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chorus-validate-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const manifest = { name: "p", version: "1.0.0", description: "d", author: { name: "A" } }

function validate(tree: Record<string, unknown>) {
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content, null, 2))
  }
  return validatePath(root)
}

const found = (report: ReturnType<typeof validatePath>) =>
  report.messages.map(
    (message) => `${message.level} ${message.code} ${message.file}:${message.line ?? ""} ${message.path}`,
  )

test("a message names file, JSON path, line and how to fix it", () => {
  const report = validate({ ".claude-plugin/plugin.json": { ...manifest, author: "Ann" } })
  expect(report).toEqual({
    verdict: "errors",
    messages: [
      {
        level: "error",
        code: "person_invalid",
        file: ".claude-plugin/plugin.json",
        path: "author",
        line: 5,
        message: '"author" must be an object with a name; got string.',
        fix: 'Write {"name": "Ann"}.',
      },
    ],
  })
})

test("a file called like a catalogue is one, whatever is in it", () => {
  validate({ "marketplace.json": { name: "m", owner: { name: "O" }, description: "d" } })
  expect(found(validatePath(join(root, "marketplace.json"))).filter((one) => one.startsWith("error"))).toEqual([
    expect.stringMatching(/ plugins$/),
  ])
})

test("a syntax error is told with its line", () => {
  expect(found(validate({ ".claude-plugin/plugin.json": '{\n "name": "p",\n}' }))).toEqual([
    "error json_invalid .claude-plugin/plugin.json:3 json",
  ])
})

test("a plugin is checked alike by its folder, by its manifest and in its marketplace", () => {
  const files = { "t.d.ts": "export const x = 1", "CLAUDE.md": "Be kind.", "skills/s/SKILL.md": "No front matter." }
  const tree = { ...files, ".claude-plugin/plugin.json": { ...manifest, types: "./t.d.ts" } }
  const inFolder = found(validate(tree))
  expect(inFolder).toContain("error types_invalid ./t.d.ts:1 ")
  expect(inFolder).toContainEqual(expect.stringContaining("claude_md_not_loaded"))
  expect(found(validatePath(join(root, ".claude-plugin/plugin.json")))).toEqual(
    inFolder.map((one) => one.replace(".claude-plugin/", "")),
  )
  const market = {
    ".claude-plugin/marketplace.json": { name: "m", owner: { name: "O" }, plugins: [{ name: "p", source: "./p" }] },
    ...Object.fromEntries(Object.entries(tree).map(([name, content]) => [`p/${name}`, content])),
  }
  rmSync(join(root, ".claude-plugin"), { recursive: true })
  expect(validate(market).verdict).toBe("errors")
})

test("hooks that never run on their event, and scripts that are not there, are found", () => {
  const report = validate({
    ".claude-plugin/plugin.json": manifest,
    "hooks/hooks.json": {
      hooks: {
        SessionStart: [
          {
            hooks: [
              { type: "http", url: "https://x.example" },
              { type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/gone.sh"' },
            ],
          },
        ],
      },
    },
  })
  expect(report.verdict).toBe("warnings")
  expect(found(report)).toEqual([
    "warning hook_type_never_runs hooks/hooks.json:7 hooks.SessionStart[0].hooks[0].type",
    "warning reference_missing hooks/hooks.json:12 hooks.SessionStart[0].hooks[1].command",
  ])
})

test("language server and monitor files are read, which the real validator never does", () => {
  const report = validate({
    ".claude-plugin/plugin.json": manifest,
    ".lsp.json": { go: { command: "gopls serve", extensionToLanguage: { ".go": "go" } } },
    "monitors/monitors.json": [{ name: "m" }],
  })
  expect(found(report).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "warning lsp_file_invalid",
    "warning monitor_invalid",
    "warning monitor_invalid",
  ])
})

test("credentials in any file are found, with the line, and never printed", () => {
  const key = `${"ghp_"}${"aB3d".repeat(9)}`
  const report = validate({ ".claude-plugin/plugin.json": manifest, "scripts/run.py": `import os\nTOKEN = "${key}"\n` })
  expect(found(report)).toEqual(["warning secret_in_file scripts/run.py:2 "])
  expect(JSON.stringify(report)).not.toContain(key)
})

test("marketplaces: missing folders and addresses that no install takes", () => {
  const report = validate({
    ".claude-plugin/marketplace.json": {
      name: "m",
      owner: { name: "O" },
      description: "d",
      plugins: [
        { name: "a", source: "./gone" },
        { name: "b", source: { source: "url", url: "ext::sh -c id" } },
        { name: "c", source: { source: "github", repo: "o/r", ref: "--x" } },
        { name: "d", source: { source: "github", repo: "o/r/x" } },
        { name: "e", source: { source: "pip", package: "x" } },
      ],
    },
  })
  expect(found(report).map((line) => line.replace(/\.claude-plugin\/marketplace\.json:\d+ /, ""))).toEqual([
    "warning source_folder_missing plugins[0].source",
    "warning source_url_refused plugins[1].source.url",
    "warning source_ref_refused plugins[2].source.ref",
    "note source_repo_refused plugins[3].source.repo",
    "error source_invalid plugins[4].source",
  ])
})

test("links out of the plugin are not followed", () => {
  mkdirSync(join(root, "skills"), { recursive: true })
  symlinkSync("/etc", join(root, "skills/etc"))
  symlinkSync("/etc/passwd", join(root, "x.json"))
  expect(found(validate({ ".claude-plugin/plugin.json": { ...manifest, hooks: "./x.json" } }))).toEqual([
    "error path_escapes .claude-plugin/plugin.json:8 hooks",
    "error link_outward skills/etc: ",
    "error link_outward x.json: ",
  ])
})

test("a path that no file can have is one that is not there", () => {
  expect(found(validate({ ".claude-plugin/plugin.json": { ...manifest, outputStyles: "./a\u0000.md" } }))).toEqual([
    expect.stringContaining("error path_not_found"),
  ])
})

test("keys named like object methods are plain unknown fields", () => {
  const report = validate({
    ".claude-plugin/plugin.json":
      '{"name":"p","version":"1","description":"d","author":{"name":"A"},"__proto__":{"hooks":5},"toString":1,"hasOwnProperty":2}',
  })
  expect(found(report).map((line) => line.split(" ").at(-1))).toEqual(["__proto__", "toString", "hasOwnProperty"])
  expect(({} as Record<string, unknown>)["hooks"]).toBeUndefined()
})

test("what an install refuses or nobody can read is told: links that lead out, and a version with a line break", () => {
  const market = (version: string) => ({
    ".claude-plugin/marketplace.json": {
      name: "m",
      owner: { name: "O" },
      plugins: [{ name: "p", source: "./p" }],
    },
    "shared/x.md": "x",
    "p/.claude-plugin/plugin.json": { ...manifest, version },
  })
  validate(market("1\n✔ safe"))
  symlinkSync("../shared/x.md", join(root, "p", "shared.md"))
  symlinkSync(tmpdir(), join(root, "p", "out"))
  symlinkSync("nothing", join(root, "p", "gone"))
  for (const path of [root, join(root, "p")]) {
    const told = validatePath(path).messages.map(({ level, code, file }) => `${level} ${code} ${file}`)
    expect(told.filter((one) => one.includes("link_outward"))).toEqual([
      "error link_outward gone",
      "error link_outward out",
    ])
    expect(told.filter((one) => one.startsWith("warning version_invisible"))).toHaveLength(1)
  }
})
