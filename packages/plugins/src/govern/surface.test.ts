import { describe, expect, it } from "vitest"
import { zipSync } from "fflate"
import { useFolder } from "../../test/scratch.ts"
import { plugin as manifest } from "../../test/workbench.ts"
import { readInventory } from "../read/inventory.ts"
import { readPlugin } from "../read/plugin.ts"
import { executableSurface, inlineCommands, surfaceChange, surfaceOf } from "./surface.ts"

const scratch = useFolder()

function surface(tree: Record<string, unknown>, more: Record<string, unknown> = {}, source?: unknown) {
  const plugin = readPlugin(scratch.write({ ".claude-plugin/plugin.json": manifest("p", more), ...tree }))
  return executableSurface(plugin, readInventory(plugin), source)
}

const shown = (tree: Record<string, unknown>, more: Record<string, unknown> = {}, source?: unknown) =>
  surface(tree, more, source).items.map(({ kind, where, does }) => `${kind} | ${where} | ${does}`)
const run = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } })

describe("what a plugin can make a machine do", () => {
  it("is nothing for words", () => {
    expect(
      surface({ "skills/s/SKILL.md": "---\nname: s\n---\nSay hello.", "agents/a.md": "x", "commands/c.md": "Do it." })
        .items,
    ).toEqual([])
  })

  it("shows hooks of every kind by what they do", () => {
    const handlers = [
      { type: "command", command: "node", args: ["a b", "--x=1"] },
      { type: "http", url: "https://x.example" },
      { type: "mcp_tool", server: "s", tool: "t" },
      { type: "prompt", prompt: "Is it safe?" },
      { type: "agent", prompt: "Look." },
    ]
    expect(shown({ "hooks/hooks.json": { hooks: { PreToolUse: [{ matcher: "Bash", hooks: handlers }] } } })).toEqual([
      "hook | PreToolUse(Bash) | asks a model: Is it safe?",
      "hook | PreToolUse(Bash) | asks a model: Look.",
      "hook | PreToolUse(Bash) | calls s.t",
      'hook | PreToolUse(Bash) | node "a b" --x=1',
      "hook | PreToolUse(Bash) | sends the event to https://x.example",
    ])
  })

  it("shows servers with their environment, addresses with whom they talk to, and the command that makes headers", () => {
    const servers = {
      local: { command: "node", args: ["s.js"], env: { A: "1", B: "${T}" } },
      far: { type: "http", url: "https://x.example/mcp", headersHelper: "gen-headers" },
    }
    expect(shown({ ".mcp.json": servers })).toEqual([
      "connect | MCP far | https://x.example/mcp",
      "mcp | far headers | gen-headers",
      "mcp | local | A=1 B=${T} node s.js",
    ])
  })

  it("shows language servers, monitors, programs, modules, workflows and settings that act", () => {
    const more = {
      lspServers: { go: { command: "gopls", args: ["serve"], extensionToLanguage: { ".go": "go" } } },
      experimental: { monitors: [{ name: "log", command: "tail -f x", description: "d" }] },
      settings: { agent: "boss", model: "opus" },
    }
    expect(
      shown(
        { "bin/tool": "", "workflows/w.js": "", "hooks/hooks.json": { modules: ["./m.js"] }, "hooks/m.js": "" },
        more,
      ),
    ).toEqual([
      "binary | on the PATH of the agent's shell | ${CLAUDE_PLUGIN_ROOT}/bin/tool",
      "lsp | go | gopls serve",
      "module | inside the agent's process | ${CLAUDE_PLUGIN_ROOT}/hooks/m.js",
      "monitor | log (always) | tail -f x",
      'setting | agent | "boss"',
      "workflow | workflow | ${CLAUDE_PLUGIN_ROOT}/workflows/w.js",
    ])
  })

  it("shows what skills and commands run while they are put together, and the shells they use unasked", () => {
    const tree = {
      "skills/s/SKILL.md": "---\nname: s\nallowed-tools: [Read, Bash(git *)]\n---\nState: !`git status`\n",
      "commands/c.md": "---\nallowed-tools: PowerShell\n---\n```!\nls -la\n```\n",
      "commands/d.md": "---\nallowed-tools: Read, Bashful\n---\n",
    }
    expect(shown(tree)).toEqual([
      "inline-command | p:c | ls -la",
      "inline-command | p:s | git status",
      "setting | p:c | uses without asking: PowerShell",
      "setting | p:s | uses without asking: Read, Bash(git *)",
    ])
  })

  it("shows hooks that a skill or command brings in its own front matter", () => {
    const hooked =
      '---\nname: s\nhooks:\n  PostToolUse:\n    - matcher: Edit\n      hooks:\n        - type: command\n          command: "${CLAUDE_SKILL_DIR}/after.sh"\n---\nx'
    expect(shown({ "skills/s/SKILL.md": hooked, "skills/s/after.sh": "1" })).toEqual([
      "hook | PostToolUse(Edit) once p:s is used | ${CLAUDE_SKILL_DIR}/after.sh",
    ])
    const before = surface({ "skills/s/SKILL.md": hooked, "skills/s/after.sh": "1" }).sha256
    expect(surface({ "skills/s/SKILL.md": hooked, "skills/s/after.sh": "2" }).sha256).not.toBe(before)
  })

  it("shows what is downloaded at run time and at the install, and the command that makes it", () => {
    expect(
      shown(
        {
          ".mcp.json": { s: { command: "npx", args: ["-y", "@x/db"] } },
          "package.json": "{}",
          "package-lock.json": {
            packages: { "node_modules/a": { resolved: "https://x.example/a/-/a-1.tgz", integrity: "sha512-A" } },
          },
        },
        { mcpServers: "https://x.example/a.mcpb" },
        { source: "command", command: "make plugin" },
      ),
    ).toEqual([
      "download | MCP bundle | downloads https://x.example/a.mcpb",
      "download | s | downloads and runs the npm package @x/db",
      "download | when it is installed | installs 1 npm package of its lockfile from x.example, by their digests and without their scripts",
      "install-command | to install it | make plugin",
      "mcp | s | npx -y @x/db",
    ])
  })

  it("shows the server inside a bundle with the bundle's own digest", () => {
    const bundle = zipSync({
      "manifest.json": Buffer.from(
        JSON.stringify({ name: "n", server: { mcp_config: { command: "node", args: ["${__dirname}/s.js"] } } }),
      ),
    })
    expect(surface({ "n.mcpb": bundle }, { mcpServers: "./n.mcpb" }).items).toEqual([
      {
        kind: "mcp",
        where: "n (bundle ./n.mcpb)",
        does: "node ${__dirname}/s.js",
        script: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ])
  })
})

describe("a script that changes", () => {
  const changes = (tree: Record<string, unknown>, file: string, more: Record<string, unknown> = {}) => {
    const before = surface({ ...tree, [file]: "one" }, more).sha256
    return before !== surface({ ...tree, [file]: "two" }, more).sha256
  }

  it.each([
    ["a hook starts", { "hooks/hooks.json": run('"${CLAUDE_PLUGIN_ROOT}/run.sh"') }, "run.sh"],
    ["a hook starts without braces", { "hooks/hooks.json": run("$CLAUDE_PLUGIN_ROOT/run.sh --now") }, "run.sh"],
    ["stands behind a closing quote", { "hooks/hooks.json": run('"${CLAUDE_PLUGIN_ROOT}"/run.sh') }, "run.sh"],
    ["has a space in its name", { "hooks/hooks.json": run('"${CLAUDE_PLUGIN_ROOT}/my run.sh" x') }, "my run.sh"],
    ["has letters of another language", { "hooks/hooks.json": run("'${CLAUDE_PLUGIN_ROOT}/läufer.sh'") }, "läufer.sh"],
    [
      "is the second one named",
      { "hooks/hooks.json": run("${CLAUDE_PLUGIN_ROOT}/a.sh; ${CLAUDE_PLUGIN_ROOT}/b.sh") },
      "b.sh",
    ],
    [
      "lies in a folder that is started",
      { "hooks/hooks.json": run("node ${CLAUDE_PLUGIN_ROOT}/dist") },
      "dist/lib/index.js",
    ],
    [
      "a server starts",
      { ".mcp.json": { s: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/my server.js"] } } },
      "my server.js",
    ],
    ["is a program on the path", {}, "bin/my tool"],
    ["is a workflow", {}, "workflows/w (1).js"],
    ["is a module", { "hooks/hooks.json": { modules: ["./m 1.js"] } }, "hooks/m 1.js"],
    [
      "a skill runs from the plugin",
      { "skills/s/SKILL.md": "---\nname: s\n---\n!`${CLAUDE_PLUGIN_ROOT}/x.sh`" },
      "x.sh",
    ],
    [
      "a skill runs from its own folder",
      { "skills/s/SKILL.md": "---\nname: s\n---\n!`${CLAUDE_SKILL_DIR}/scripts/x.sh`" },
      "skills/s/scripts/x.sh",
    ],
  ])("is a change of what the plugin does: one that %s", (_what, tree, file) => {
    expect(changes(tree, file)).toBe(true)
  })

  it("is no change when nothing starts it", () => {
    expect(changes({ "hooks/hooks.json": run("${CLAUDE_PLUGIN_ROOT}/run.sh"), "run.sh": "x" }, "README.md")).toBe(false)
  })

  it("is not looked for outside the plugin", () => {
    expect(
      surface({ "hooks/hooks.json": run("${CLAUDE_PLUGIN_ROOT}/../../etc/passwd") }).items[0]?.script,
    ).toBeUndefined()
  })
})

describe("commands inside a text", () => {
  it.each([
    ["Now: !`date` and (!`git log -1`)", ["date", "git log -1"]],
    ["!`first`\n- !`second`", ["first", "second"]],
    ["```!\necho a\necho b\n```\nafter", ["echo a\necho b"]],
    ["```sh\necho no\n```", []],
    ["a!`glued`", []],
    ["! `apart`", []],
    ["!`over\nlines`", []],
    ["", []],
  ])("%j are %j", (body, commands) => {
    expect(inlineCommands(body)).toEqual(commands)
  })
})

describe("two surfaces", () => {
  const item = (does: string, script?: string) => ({
    kind: "hook" as const,
    where: "Stop",
    does,
    ...(script === undefined ? {} : { script }),
  })

  it("of the same things are the same, in whatever order they come", () => {
    expect(surfaceOf([item("a"), item("b")])).toEqual(surfaceOf([item("b"), item("a")]))
    expect(surfaceOf([item("a")]).sha256).not.toBe(surfaceOf([item("a", "1")]).sha256)
    expect(surfaceOf([]).items).toEqual([])
  })

  it("differ by what came and what went; a changed script is both", () => {
    const change = surfaceChange(
      surfaceOf([item("a"), item("b", "1"), item("c")]),
      surfaceOf([item("b", "2"), item("c"), item("d")]),
    )
    expect(change).toEqual({ added: [item("b", "2"), item("d")], removed: [item("a"), item("b", "1")] })
    expect(surfaceChange(undefined, surfaceOf([item("a")]))).toEqual({ added: [item("a")], removed: [] })
  })
})
