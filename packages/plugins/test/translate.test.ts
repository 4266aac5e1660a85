import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { drive, runAgent, scratchHome, startModel } from "@chorus/testing"
import {
  codexFolder,
  readInventory,
  readPlugin,
  translateToCodex,
  translateToOpencode,
  writeCodexMarketplace,
} from "@chorus/plugins"
import { plugin } from "./workbench.ts"

/** One plugin with every kind of part. */
function everything(root: string): string {
  const tree: Record<string, unknown> = {
    ".claude-plugin/plugin.json": plugin("every-thing", {
      userConfig: { k: { type: "string", title: "t", description: "d" } },
      dependencies: ["other"],
      channels: [{ server: "stdio" }],
    }),
    "skills/greet/SKILL.md":
      "---\nname: greet\ndescription: Use when greeting the harbour master.\nmodel: haiku\n---\nSay hello.\n",
    "skills/greet/notes.txt": "kept",
    "commands/plain.md": "---\ndescription: A plain command\n---\nDo the thing.\n",
    "commands/args.md": "---\ndescription: With arguments\n---\nDo $ARGUMENTS\n",
    "agents/reviewer.md":
      "---\nname: reviewer\ndescription: Reviews the code.\ntools: Read, Grep\nmodel: opus\n---\nReview.\n",
    "hooks/hooks.json": {
      hooks: {
        SessionStart: [{ hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/hooks/start.sh"' }] }],
        Notification: [{ hooks: [{ type: "command", command: "x" }] }],
        PreToolUse: [{ hooks: [{ type: "http", url: "https://x.example" }] }],
      },
    },
    "hooks/start.sh": "#!/bin/sh\n",
    "s.js": 'require("node:fs").writeFileSync(`${__dirname}/started`, "")\n',
    ".mcp.json": {
      mcpServers: {
        stdio: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/s.js"], env: { T: "${TOKEN}" } },
        web: { type: "http", url: "https://mcp.example/x", headers: { A: "b" } },
        needs: { command: "x", args: ["${user_config.k}"] },
      },
    },
    ".lsp.json": { go: { command: "gopls", args: ["serve"], extensionToLanguage: { ".go": "go" } } },
    "output-styles/short.md": "---\nname: short\ndescription: d\n---\nx",
    "bin/tool": "#!/bin/sh\n",
  }
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  return root
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8")
const json = (...path: string[]) => JSON.parse(read(...path)) as Record<string, unknown>

test("Codex takes the translated marketplace and shows its skill to the model; what could not come along is told", async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  const source = readPlugin(everything(join(home.path, "src")))
  const market = join(home.path, "market")
  const report = translateToCodex(source, readInventory(source), codexFolder(market, source))
  writeCodexMarketplace(market, "harbour", [source])
  expect(report.carried.map((part) => part.part)).toEqual([
    "skill every-thing:greet",
    "command every-thing:plain",
    "MCP server stdio",
    "MCP server web",
    "hook SessionStart",
  ])
  expect(report.lost.map((part) => part.part).sort()).toEqual([
    "LSP server go",
    "MCP server needs",
    "agent every-thing:reviewer",
    "bin/tool",
    "channel stdio",
    "command every-thing:args",
    "dependencies",
    "hook Notification",
    "hook PreToolUse",
    "output style every-thing:short",
    "userConfig",
  ])
  expect(report.lost.every((part) => part.why.length > 5)).toBe(true)
  expect(json(report.folder, ".codex-plugin/plugin.json")).toMatchObject({
    name: "every-thing",
    version: "1.0.0",
    skills: "./skills/",
    mcpServers: "./.mcp.json",
    hooks: "./hooks/hooks.json",
  })
  expect(existsSync(join(report.folder, "hooks/start.sh"))).toBe(true)
  expect(existsSync(join(report.folder, ".claude-plugin"))).toBe(false)

  const codex = (...args: string[]) => runAgent({ agent: "codex", args, home, timeout: 90_000 })
  expect(await codex("plugin", "marketplace", "add", market)).toMatchObject({ code: 0 })
  expect(await codex("plugin", "add", "every-thing@harbour")).toMatchObject({ code: 0 })
  expect((await codex("plugin", "list")).stdout).toContain("every-thing@harbour")
  await codex("exec", "--skip-git-repo-check", "hello")
  const seen = model.requests.map((request) => request.all + request.system).join("\n")
  expect(seen).toContain("greeting the harbour master")
  expect(existsSync(join(report.folder, "started")), "Codex started the translated server").toBe(true)
})

test("OpenCode reads the translated skill, command, agent and servers; its own configuration is kept and a second run replaces the first", async () => {
  await using home = scratchHome()
  const source = readPlugin(everything(join(home.path, "src")))
  const folder = join(home.path, ".config/opencode")
  const before = json(folder, "opencode.json")
  const report = translateToOpencode(source, readInventory(source), folder)
  expect(report.carried.map((part) => part.part)).toEqual([
    "skill every-thing:greet",
    "command every-thing:args",
    "command every-thing:plain",
    "agent every-thing:reviewer",
    "MCP server stdio",
    "MCP server web",
    "LSP server go",
  ])
  expect(report.lost.map((part) => part.part)).toEqual(
    expect.arrayContaining(["MCP server needs", "hook SessionStart", "output style every-thing:short", "userConfig"]),
  )
  const after = json(folder, "opencode.json")
  expect(after).toMatchObject(before)
  expect(after).toMatchObject({
    mcp: {
      "every-thing-stdio": {
        type: "local",
        command: ["node", join(home.path, "src/s.js")],
        environment: { T: "{env:TOKEN}" },
      },
      "every-thing-web": { type: "remote", url: "https://mcp.example/x" },
    },
    lsp: { go: { command: ["gopls", "serve"], extensions: [".go"] } },
  })
  expect(read(folder, "skills/every-thing-greet/notes.txt")).toBe("kept")
  expect(read(folder, "agents/every-thing-reviewer.md")).toContain("mode: subagent")

  const opencode = (...args: string[]) => runAgent({ agent: "opencode", args, home, timeout: 90_000 })
  const agents = await opencode("agent", "list")
  expect(agents.stdout).toContain("every-thing-reviewer")
  const config = await opencode("debug", "config")
  expect(config.stdout).toContain("every-thing-args")

  const smaller = readPlugin(everything(join(home.path, "src")))
  rmSync(join(home.path, "src/commands/args.md"))
  translateToOpencode(smaller, readInventory(smaller), folder)
  expect(existsSync(join(folder, "commands/every-thing-args.md"))).toBe(false)
  expect(existsSync(join(folder, "commands/every-thing-plain.md"))).toBe(true)
})
