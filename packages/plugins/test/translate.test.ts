import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { agentProgram, CHORUS_MAIN, drive, runAgent, type ScratchHome, scratchHome, startModel } from "@chorus/testing"
import { readInventory, readPlugin, type TranslationReport } from "@chorus/plugins"
import { translateToOpencode } from "../src/translate/opencode.ts"
import { market, MCP_SERVER, plugin, repository, type Tree, writeTree } from "./workbench.ts"

/** One plugin with every kind of part. */
function everything(version = "1.0.0", tone = "deep"): Tree {
  return {
    ".claude-plugin/plugin.json": plugin("every-thing", {
      version,
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
        PreToolUse: [
          { hooks: [{ type: "http", url: "https://x.example" }] },
          {
            matcher: "Bash|Write",
            hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh", args: [] }],
          },
        ],
        Stop: [{ hooks: [{ type: "command", command: 'cat > "$CLAUDE_PROJECT_DIR/stopped.json"' }] }],
      },
    },
    "hooks/start.sh": '#!/bin/sh\necho "The tide is low at $CLAUDE_PLUGIN_ROOT."\n',
    "hooks/guard.sh": "#!/bin/sh\ngrep -q forbidden || exit 0\necho 'The harbour forbids it.' >&2\nexit 2\n",
    "s.js": MCP_SERVER,
    ".mcp.json": {
      mcpServers: {
        stdio: {
          command: "node",
          args: ["${CLAUDE_PLUGIN_ROOT}/s.js"],
          env: { T: "${TOKEN}", BELL: `\${TONE:-${tone}}` },
        },
        web: { type: "http", url: "https://mcp.example/x", headers: { A: "b" } },
        needs: { command: "x", args: ["${user_config.k}"] },
      },
    },
    ".lsp.json": { go: { command: "gopls", args: ["serve"], extensionToLanguage: { ".go": "go" } } },
    "output-styles/short.md": "---\nname: short\ndescription: d\n---\nx",
    "bin/tool": "#!/bin/sh\n",
  }
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8")
const json = (...path: string[]) => JSON.parse(read(...path)) as Record<string, unknown>

/** Publishes the plugin in the home's marketplace, in a repository so that each version lies in a folder of its own. */
function publish(home: ScratchHome, version?: string, tone?: string): string {
  const parts = Object.entries(everything(version, tone)).map(([name, content]) => [`every/${name}`, content])
  return repository(home.path, "harbour", {
    ".claude-plugin/marketplace.json": market("harbour", [
      { name: "every-thing", source: "./every" },
      { name: "other", source: "./other" },
    ]),
    "other/.claude-plugin/plugin.json": plugin("other"),
    ...Object.fromEntries(parts),
  })
}

/** Runs `chorus plugin …` as a person in the home's project would, with Codex on the PATH. */
async function chorus(home: ScratchHome, ...args: string[]): Promise<string> {
  const { PATH = "" } = home.environment
  const env = {
    ...home.environment,
    PATH: `${dirname(await agentProgram("codex"))}:${PATH}`,
    CHORUS_MANAGED_SETTINGS: join(home.path, "none.json"),
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHORUS_MAIN, "plugin", ...args], { cwd: home.project, env })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")))
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`${args.join(" ")}: ${out}${err}`))))
  })
}

async function installed(home: ScratchHome): Promise<void> {
  await chorus(home, "marketplace", "add", publish(home))
  await chorus(home, "install", "every-thing@harbour", "--yes")
}

async function translated(home: ScratchHome, ...args: string[]): Promise<TranslationReport> {
  const [report] = JSON.parse(await chorus(home, "translate", ...args, "--json")) as TranslationReport[]
  if (report === undefined) throw new Error("nothing was translated")
  return report
}

/** Publishes a new version, updates, and deletes the old one, as Claude Code will. Returns the new folder. */
async function updated(home: ScratchHome): Promise<string> {
  publish(home, "1.1.0", "high")
  await chorus(home, "update", "every-thing", "--yes")
  const versions = join(home.path, ".claude/plugins/cache/harbour/every-thing")
  expect(readdirSync(versions).sort()).toEqual(["1.0.0", "1.1.0"])
  rmSync(join(versions, "1.0.0"), { recursive: true })
  return join(versions, "1.1.0")
}

test("Codex takes the marketplace, shows its skill, calls a tool of its server, and follows update and uninstall", async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  await installed(home)
  const out = join(home.path, "market")
  const report = await translated(home, "codex", "every-thing", "--out", out)
  expect(report.carried.map((part) => part.part)).toEqual([
    "skill every-thing:greet",
    "command every-thing:plain",
    "MCP server stdio",
    "MCP server web",
    "hook SessionStart",
    "hook PreToolUse(Bash|Write)",
    "hook Stop",
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
  expect(await codex("plugin", "marketplace", "add", out)).toMatchObject({ code: 0 })
  expect(await codex("plugin", "add", "every-thing@chorus")).toMatchObject({ code: 0 })
  const ring = 'DO: [[{"name":"ring","namespace":"mcp__stdio","input":{}}]]'
  await codex("exec", "-s", "danger-full-access", ring)
  const seen = model.requests.map((request) => request.all + request.system).join("\n")
  expect(seen).toContain("greeting the harbour master")
  expect(model.requests.at(-1)?.all).toContain("rung with deep")

  await updated(home)
  await codex("exec", "-s", "danger-full-access", ring)
  expect(model.requests.at(-1)?.all).toContain("rung with high")
  const isInCodex = /every-thing@chorus +installed, enabled +1\.1\.0/
  expect((await codex("plugin", "list")).stdout).toMatch(isInCodex)
  await chorus(home, "disable", "every-thing")
  expect((await codex("plugin", "list")).stdout).not.toMatch(isInCodex)
  await chorus(home, "enable", "every-thing")
  expect((await codex("plugin", "list")).stdout).toMatch(isInCodex)
  await chorus(home, "uninstall", "every-thing")
  expect((await codex("plugin", "list")).stdout).not.toContain("every-thing")
  expect(existsSync(out)).toBe(false)
  expect(read(home.path, ".codex/config.toml")).not.toMatch(/every-thing|marketplaces/)
})

test("OpenCode reads skill, command and agent, calls a tool, runs hooks, keeps its own, follows update and uninstall", async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  await installed(home)
  const root = join(home.path, ".claude/plugins/cache/harbour/every-thing/1.0.0")
  const folder = join(home.path, ".config/opencode")
  const before = json(folder, "opencode.json")
  const report = await translated(home, "opencode", "every-thing")
  expect(report.carried.map((part) => part.part)).toEqual([
    "skill every-thing:greet",
    "command every-thing:args",
    "command every-thing:plain",
    "agent every-thing:reviewer",
    "MCP server stdio",
    "MCP server web",
    "LSP server go",
    "hook SessionStart",
    "hook PreToolUse(Bash|Write)",
    "hook Stop",
  ])
  expect(report.lost.map((part) => part.part)).toEqual(
    expect.arrayContaining([
      "MCP server needs",
      "hook Notification",
      "hook PreToolUse",
      "output style every-thing:short",
      "userConfig",
    ]),
  )
  expect(json(folder, "opencode.json")).toMatchObject(before)
  expect(json(folder, "opencode.json")).toMatchObject({
    mcp: {
      "every-thing-stdio": {
        type: "local",
        command: ["node", join(root, "s.js")],
        environment: { T: "{env:TOKEN}", BELL: "deep" },
      },
      "every-thing-web": { type: "remote", url: "https://mcp.example/x" },
    },
    lsp: { go: { command: ["gopls", "serve"], extensions: [".go"] } },
  })
  expect(read(folder, "skills/every-thing-greet/notes.txt")).toBe("kept")
  expect(read(folder, "agents/every-thing-reviewer.md")).toContain("mode: subagent")

  const opencode = (...args: string[]) => runAgent({ agent: "opencode", args, home, timeout: 90_000 })
  const config = JSON.parse((await opencode("debug", "config")).stdout) as Record<"agent" | "command", object>
  expect(Object.keys(config.agent)).toContain("every-thing-reviewer")
  expect(Object.keys(config.command)).toContain("every-thing-args")

  const bash = (command: string) => ({ name: "bash", input: { command, description: "d" } })
  const calls = [[{ name: "every-thing-stdio_ring", input: {} }], [bash("touch forbidden")], [bash("touch allowed")]]
  await opencode("run", `DO: ${JSON.stringify(calls)}`)
  const last = model.requests.findLast((request) => request.all.includes("rung with"))
  expect(last?.all).toContain("rung with deep")
  expect(last?.all).toContain("The harbour forbids it.")
  expect(last?.system).toContain(`The tide is low at ${root}.`)
  expect(["allowed", "forbidden"].filter((name) => existsSync(join(home.project, name)))).toEqual(["allowed"])
  expect(json(home.project, "stopped.json")).toMatchObject({ hook_event_name: "Stop", cwd: home.project })

  const newer = await updated(home)
  await opencode("run", `DO: ${JSON.stringify(calls.slice(0, 1))}`)
  const after = model.requests.findLast((request) => request.all.includes("rung with"))
  expect(after?.all).toContain("rung with high")
  expect(after?.system).toContain(`The tide is low at ${newer}.`)
  await chorus(home, "uninstall", "every-thing")
  expect(json(folder, "opencode.json")).toMatchObject(before)
  expect(read(folder, "opencode.json")).not.toContain("every-thing")
  expect(readdirSync(folder, { recursive: true }).filter((name) => /every-thing|chorus/.test(String(name)))).toEqual([])
})

test("the module for OpenCode speaks to hooks as Claude Code does, and does what they answer", async () => {
  await using home = scratchHome()
  const says = (answer: unknown) => `echo '${JSON.stringify(answer)}'`
  const own = (more: object) => ({ hookSpecificOutput: more })
  const on = (matcher: string, command: string, more: object = {}) => ({
    matcher,
    hooks: [{ type: "command", command, ...more }],
  })
  const source = readPlugin(
    writeTree(join(home.path, "src"), {
      ...everything(),
      "hooks/hooks.json": {
        hooks: {
          UserPromptSubmit: [{ hooks: [{ type: "command", command: "grep -q stop && exit 2; echo passing" }] }],
          PreToolUse: [
            on("Edit", says(own({ permissionDecision: "deny", permissionDecisionReason: "not here" }))),
            on("Write", says(own({ permissionDecision: "ask", permissionDecisionReason: "a person must say" }))),
            on("^Re", says(own({ updatedInput: { file_path: "/other" } }))),
            on("Grep", "exit 7", { onFailure: "block" }),
            on("Glob", "exit 7"),
            on("WebFetch", says({ continue: false, stopReason: "enough" })),
          ],
          PostToolUse: [
            on(
              "*",
              `test "$(grep -c '"tool_input":{"file_path":"/a"}')" = 1 && ${says(own({ additionalContext: "noted" }))}`,
            ),
          ],
        },
      },
    }),
  )
  const report = translateToOpencode(source, readInventory(source), join(home.path, "oc"))
  report.write()
  const { Hooks } = (await import(join(home.path, "oc/plugin/every-thing-hooks.js"))) as {
    Hooks: (input: { directory: string }) => Promise<Record<string, (input: object, output: object) => Promise<void>>>
  }
  const hooks = await Hooks({ directory: home.project })
  const before = async (tool: string, args: Record<string, unknown> = {}) => {
    const failure = await hooks["tool.execute.before"]?.({ tool, sessionID: "s", callID: "c" }, { args }).catch(String)
    return failure ?? args
  }
  expect(await before("edit")).toBe("Error: not here")
  expect(await before("write")).toBe("Error: a person must say")
  expect(await before("read", { filePath: "/mine" })).toEqual({ filePath: "/other" })
  expect(await before("grep")).toBe("Error: A hook refused it.")
  expect(await before("glob", { x: 1 })).toEqual({ x: 1 })
  expect(await before("webfetch")).toBe("Error: enough")
  expect(await before("bash", { x: 1 })).toEqual({ x: 1 })
  const output = { output: "text" }
  await hooks["tool.execute.after"]?.({ tool: "read", sessionID: "s", args: { filePath: "/a" } }, output)
  expect(output).toEqual({ output: "text\nnoted" })
  const chat = (text: string) => hooks["chat.message"]?.({ sessionID: "s" }, { parts: [{ text }] }).catch(String)
  expect([await chat("please stop"), await chat("go on")]).toEqual(["Error: A hook refused it.", undefined])
  const system: string[] = []
  await hooks["experimental.chat.system.transform"]?.({ sessionID: "s" }, { system })
  expect(system).toEqual(["passing"])
})
