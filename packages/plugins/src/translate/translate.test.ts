import { existsSync, readdirSync } from "node:fs"
import { assert, property, string } from "fast-check"
import { parse } from "yaml"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { plugin as manifest, skill } from "../../test/workbench.ts"
import { readFrontmatter } from "../read/frontmatter.ts"
import { readInventory } from "../read/inventory.ts"
import { readPlugin } from "../read/plugin.ts"
import { codexFolder, translateToCodex, listInCodex } from "./codex.ts"
import { descriptionOf, dynamicParts, standardName, standardSkillFields, withFrontmatter } from "./markdown.ts"
import { translateToOpencode } from "./opencode.ts"
import type { TranslationReport } from "./report.ts"

const scratch = useFolder()

function source(tree: Record<string, unknown>, more: Record<string, unknown> = {}, name = "tool") {
  scratch.write(
    Object.fromEntries(
      Object.entries({ ".claude-plugin/plugin.json": manifest(name, more), ...tree }).map(([path, content]) => [
        `src/${path}`,
        content,
      ]),
    ),
  )
  const plugin = readPlugin(scratch.at("src"))
  return { plugin, inventory: readInventory(plugin) }
}

function codex(tree: Record<string, unknown>, more?: Record<string, unknown>) {
  const { plugin, inventory } = source(tree, more)
  return written(translateToCodex(plugin, inventory, scratch.at("codex")))
}

function opencode(tree: Record<string, unknown>, more?: Record<string, unknown>) {
  const { plugin, inventory } = source(tree, more)
  return written(translateToOpencode(plugin, inventory, scratch.at("oc")))
}

function written(report: TranslationReport): TranslationReport {
  report.write()
  return report
}

const carried = (report: ReturnType<typeof codex>) =>
  report.carried.map(({ part, as, note }) => `${part} → ${as}${note === undefined ? "" : ` (${note})`}`)
const lost = (report: ReturnType<typeof codex>) => report.lost.map(({ part, why }) => `${part}: ${why}`)
const run = (more: Record<string, unknown> = {}) => ({ type: "command", command: "x", ...more })
const ext = { extensionToLanguage: { ".x": "x" } }

describe("a name every program takes", () => {
  it.each([
    ["My Skill_v2", "my-skill-v2"],
    ["--a--", "a"],
    ["ÄÖ", "skill"],
    ["", "skill"],
    [`${"a".repeat(63)}-b`, "a".repeat(63)],
    ["x".repeat(80), "x".repeat(64)],
  ])("of %j is %s", (name, expected) => {
    expect(standardName(name)).toBe(expected)
  })

  it("is always one the standard takes", () => {
    assert(
      property(
        string({ maxLength: 90 }),
        (name) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(standardName(name)) && standardName(name).length <= 64,
      ),
    )
  })
})

describe("a text with other front matter", () => {
  it("reads back as it was written", () => {
    assert(
      property(string(), string(), (description, body) => {
        const front = readFrontmatter(withFrontmatter({ name: "n", description, gone: undefined }, body))
        expect(front.kind === "fields" ? [front.fields, front.body.replace(/^\n/, "")] : front.kind).toEqual([
          { name: "n", description },
          body.replace(/^\n/, ""),
        ])
      }),
      { numRuns: 50 },
    )
  })

  const part = (fields: Record<string, unknown>, body = "") => ({ name: "p:n", file: "f", fields, body })

  it("is described by its field, else by its first line of words, else by its name", () => {
    expect([
      descriptionOf(part({ description: "d" })),
      descriptionOf(part({ description: "" }, "# Title\n\n  First words. \nmore")),
      descriptionOf(part({}, "# Title\n")),
    ]).toEqual(["d", "First words.", "p:n"])
    expect(descriptionOf(part({}, "x".repeat(2000)))).toHaveLength(1024)
  })

  it("keeps for a skill what every program reads", () => {
    expect(
      standardSkillFields(
        part({ description: "d", license: "MIT", metadata: { a: 1 }, model: "opus", "allowed-tools": "Read" }),
        "n",
      ),
    ).toEqual({
      name: "n",
      description: "d",
      license: "MIT",
      compatibility: undefined,
      metadata: { a: 1 },
      "allowed-tools": "Read",
    })
    expect(standardSkillFields(part({ metadata: "x" }), "n")["metadata"]).toBeUndefined()
  })

  it.each([
    ["Do $ARGUMENTS", ["arguments"]],
    ["Do $1 and {{x}}", ["arguments"]],
    ["Now !`date`", ["shell output"]],
    ["See @src/a.ts", ["file contents"]],
    ["Mail a@x.example for $USD", []],
    ["$ARGUMENTS !`x` @f", ["arguments", "shell output", "file contents"]],
  ])("%j needs filling in with %j", (body, expected) => {
    expect(dynamicParts(body)).toEqual(expected)
  })
})

describe("a plugin for Codex", () => {
  it("has a manifest of its own with what it brings, and nothing of Claude's", () => {
    const report = codex(
      { "skills/s/SKILL.md": skill(), "skills/s/data.txt": "x", "lib/x.js": "1" },
      { homepage: "https://x.example", keywords: ["k"] },
    )
    expect(scratch.json("codex/.codex-plugin/plugin.json")).toEqual({
      name: "tool",
      version: "1.0.0",
      description: "d",
      author: { name: "A" },
      homepage: "https://x.example",
      keywords: ["k"],
      skills: "./skills/",
    })
    expect([readdirSync(scratch.at("codex")).toSorted(), existsSync(scratch.at("codex/skills/s/data.txt"))]).toEqual([
      [".codex-plugin", "lib", "skills"],
      true,
    ])
    expect([carried(report), lost(report)]).toEqual([["skill tool:s → skills/s"], []])
  })

  it("says what a skill loses, and turns plain commands into skills", () => {
    const report = codex({
      "skills/s/SKILL.md": "---\nname: s\nmodel: opus\ncontext: fork\n---\nx",
      "commands/db/go.md": "---\ndescription: Goes\n---\nGo.",
      "commands/args.md": "Do $1",
    })
    expect(carried(report)).toEqual([
      "skill tool:s → skills/s (without context, model)",
      "command tool:db:go → skills/source-command-db-go (as a skill)",
    ])
    expect(lost(report)).toEqual(["command tool:args: it uses arguments, which a skill cannot"])
    expect(scratch.read("codex/skills/source-command-db-go/SKILL.md")).toBe(
      "---\nname: source-command-db-go\ndescription: Goes\n---\n\nGo.",
    )
  })

  it("tells when two names become one, instead of letting one overwrite the other", () => {
    const report = codex({
      "skills/my_skill/SKILL.md": skill(),
      "skills/my-skill/SKILL.md": skill(),
      "commands/x_y.md": "X",
      "commands/x-y.md": "Y",
    })
    expect(carried(report)).toHaveLength(2)
    expect(lost(report)).toEqual([
      "skill tool:my_skill: it would have the same name as skill tool:my-skill",
      "command tool:x_y: it would have the same name as command tool:x-y",
    ])
  })

  it("gives long commands names Codex takes", () => {
    const report = codex({ [`commands/${"long-".repeat(14)}x.md`]: "X" })
    expect((report.carried[0]?.as ?? "").replace("skills/", "").length).toBeLessThanOrEqual(64)
  })

  it("carries servers Codex speaks to, headers under its own key, and names those it does not", () => {
    const report = codex({
      ".mcp.json": {
        a: { command: "x" },
        web: { type: "http", url: "https://x.example", headers: { H: "v" } },
        old: { type: "sse", url: "https://x.example" },
        sock: { type: "ws", url: "wss://x.example" },
        opt: { command: "x", args: ["${user_config.k}"] },
      },
    })
    expect(scratch.json("codex/.mcp.json")).toEqual({
      mcpServers: {
        a: { command: "x", env: { CLAUDE_PLUGIN_ROOT: scratch.at("codex") } },
        web: { type: "http", url: "https://x.example", headers: { H: "v" }, http_headers: { H: "v" } },
      },
    })
    expect(lost(report)).toEqual([
      "MCP server old: Codex does not speak sse",
      "MCP server sock: Codex does not speak ws",
      "MCP server opt: its option k is secret or not set, and Codex has none",
    ])
  })

  it("puts folders, options and defaults into a server, and says what is left to be written by hand", () => {
    const { plugin, inventory } = source({
      ".mcp.json": {
        a: {
          command: "${CLAUDE_PLUGIN_ROOT}/s.sh",
          args: ["${user_config.k}", "${PORT:-8080}", "${CLAUDE_PLUGIN_DATA}"],
          env: { T: "${TOKEN}" },
        },
      },
    })
    const known = { options: new Map([["k", "chosen"]]), data: "/data" }
    const report = written(translateToCodex(plugin, inventory, scratch.at("codex"), known))
    expect(scratch.json("codex/.mcp.json")).toEqual({
      mcpServers: {
        a: {
          command: `${scratch.at("codex")}/s.sh`,
          args: ["chosen", "8080", "/data"],
          env: { CLAUDE_PLUGIN_ROOT: scratch.at("codex"), CLAUDE_PLUGIN_DATA: "/data", T: "${TOKEN}" },
        },
      },
    })
    expect(carried(report)).toEqual(["MCP server a → .mcp.json (Codex does not fill in TOKEN: write it there)"])
  })

  it("carries hooks Codex runs, with their scripts, and says why it does not run the others", () => {
    const report = codex({
      "hooks/hooks.json": {
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [
                run(),
                { type: "http", url: "https://x.example" },
                run({ if: "Bash(git *)" }),
                run({ args: ["${user_config.k}"] }),
              ],
            },
          ],
          Notification: [{ hooks: [run()] }],
        },
      },
      "hooks/x.sh": "1",
    })
    expect(scratch.json("codex/hooks/hooks.json")).toEqual({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [run()] }] },
    })
    expect(existsSync(scratch.at("codex/hooks/x.sh"))).toBe(true)
    expect(lost(report).map((line) => line.split(": ")[1])).toEqual([
      "Codex runs commands only, not http hooks",
      'its "if" condition is unknown to Codex, and without it it would run too often',
      "it needs an option of the plugin, and Codex has none",
      "Codex has no such event",
    ])
  })

  it("has no hooks file when no hook came along", () => {
    codex({ "hooks/hooks.json": { hooks: { Notification: [{ hooks: [run()] }] } } })
    expect([
      existsSync(scratch.at("codex/hooks/hooks.json")),
      scratch.json("codex/.codex-plugin/plugin.json")["hooks"],
    ]).toEqual([false, undefined])
  })

  it("names everything else it leaves behind", () => {
    const report = codex(
      {
        "agents/a.md": skill("a"),
        "output-styles/o.md": "",
        "workflows/w.js": "",
        "themes/t.json": "{}",
        "bin/b": "",
        "monitors/monitors.json": [{ name: "m", command: "x" }],
        "settings.json": { agent: "a" },
      },
      { lspServers: { l: { command: "x", ...ext } }, channels: [{ server: "c" }], userConfig: {}, dependencies: ["d"] },
    )
    expect(report.lost.map(({ part }) => part)).toEqual([
      "agent tool:a",
      "output style tool:o",
      "LSP server l",
      "monitor m",
      "workflows/w.js",
      "themes/t.json",
      "channel c",
      "bin/b",
      "setting agent",
      "userConfig",
      "dependencies",
    ])
  })

  it("has the packages of its lockfile, which its servers load", () => {
    codex({ "package-lock.json": "{}", "node_modules/ms/index.js": "module.exports = 1", "server.mjs": "" })
    expect(scratch.read("codex/node_modules/ms/index.js")).toBe("module.exports = 1")
  })

  it("replaces an earlier translation whole", () => {
    codex({ "skills/old/SKILL.md": skill("old") })
    scratch.remove()
    scratch.write({ "codex/skills/stale/SKILL.md": "x", "codex/.mcp.json": "{}" })
    codex({ "skills/new/SKILL.md": skill("new") })
    expect([readdirSync(scratch.at("codex/skills")), existsSync(scratch.at("codex/.mcp.json"))]).toEqual([
      ["new"],
      false,
    ])
  })

  it("stands in a marketplace Codex can add", () => {
    const { plugin } = source({}, {}, "My.Tool")
    expect(codexFolder("/m", plugin)).toBe("/m/plugins/my-tool")
    listInCodex(scratch.at("market"), plugin)
    expect(scratch.json("market/.agents/plugins/marketplace.json")).toEqual({
      name: "chorus",
      interface: { displayName: "chorus" },
      plugins: [
        {
          name: "my-tool",
          source: { source: "local", path: "./plugins/my-tool" },
          policy: { installation: "AVAILABLE", authentication: "ON_USE" },
          category: "Developer Tools",
        },
      ],
    })
  })
})

describe("a plugin for OpenCode", () => {
  const fields = (name: string) => parse(scratch.read(name).split("---")[1] ?? "") as Record<string, unknown>

  it("brings its parts under its own name, with the plugin's folder written out", () => {
    const report = opencode({
      "skills/s/SKILL.md": `${skill()}Run \${CLAUDE_PLUGIN_ROOT}/x\n`,
      "skills/s/f.txt": "1",
      "commands/db/go.md": "---\ndescription: Goes\nallowed-tools: Bash\n---\nGo $1",
      "agents/r.md": "---\nname: r\ndescription: Reviews\nmodel: opus\ntools: Read, Bash(git *)\n---\nx",
    })
    expect(carried(report)).toEqual([
      "skill tool:s → skills/tool-s",
      "command tool:db:go → commands/tool-db-go.md (without its allowed tools)",
      "agent tool:r → agents/tool-r.md (with OpenCode's own choice of model)",
    ])
    expect(scratch.read("oc/skills/tool-s/SKILL.md")).toContain(`Run ${scratch.at("src")}/x`)
    expect(scratch.read("oc/skills/tool-s/f.txt")).toBe("1")
    expect(fields("oc/agents/tool-r.md")).toEqual({
      description: "Reviews",
      mode: "subagent",
      permission: { edit: "deny", bash: "allow", webfetch: "deny" },
    })
  })

  it.each([
    ["tools: [Edit, WebSearch]", { edit: "allow", bash: "deny", webfetch: "allow" }],
    ["tools: Read", { edit: "deny", bash: "deny", webfetch: "deny" }],
    ["color: red", undefined],
  ])("gives an agent with %s these rights: %j", (line, permission) => {
    opencode({ "agents/r.md": `---\nname: r\n${line}\n---\nx` })
    expect(fields("oc/agents/tool-r.md")["permission"]).toEqual(permission)
  })

  it("sets up servers in opencode.json, in OpenCode's own spelling", () => {
    opencode({
      ".mcp.json": {
        a: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/s.js"], env: { T: "${TOKEN:-none}" } },
        b: { type: "http", url: "https://${HOST}/x", headers: { A: "${KEY}" } },
      },
      ".lsp.json": {
        go: {
          command: "gopls",
          args: ["serve"],
          env: { ROOT: "${CLAUDE_PLUGIN_ROOT}" },
          initializationOptions: { x: 1 },
          ...ext,
        },
      },
    })
    expect(scratch.json("oc/opencode.json")).toEqual({
      $schema: "https://opencode.ai/config.json",
      mcp: {
        "tool-a": {
          type: "local",
          command: ["node", `${scratch.at("src")}/s.js`],
          environment: { CLAUDE_PLUGIN_ROOT: scratch.at("src"), T: "none" },
          enabled: true,
        },
        "tool-b": { type: "remote", url: "https://{env:HOST}/x", headers: { A: "{env:KEY}" }, enabled: true },
      },
      lsp: {
        go: {
          command: ["gopls", "serve"],
          extensions: [".x"],
          env: { CLAUDE_PLUGIN_ROOT: scratch.at("src"), ROOT: scratch.at("src") },
          initialization: { x: 1 },
        },
      },
    })
  })

  it("leaves people's own configuration, comments included, and their own language servers", () => {
    scratch.write({
      "oc/opencode.jsonc": '{\n  // mine\n  "theme": "dark",\n  "lsp": { "go": { "command": ["my-gopls"] } }\n}\n',
    })
    const report = opencode({ ".mcp.json": { a: { command: "x" } }, ".lsp.json": { go: { command: "gopls", ...ext } } })
    expect(scratch.read("oc/opencode.jsonc")).toContain("// mine")
    expect(scratch.read("oc/opencode.jsonc")).toContain('"my-gopls"')
    expect(lost(report)).toEqual(["LSP server go: opencode.json already has a language server of this name"])
    expect(existsSync(scratch.at("oc/opencode.json"))).toBe(false)
  })

  it("takes away what an earlier version of the plugin had set up, and nothing else", () => {
    scratch.write({
      "oc/opencode.json": { mcp: { mine: { type: "local", command: ["m"] } } },
      "oc/commands/mine.md": "x",
    })
    opencode({
      ".mcp.json": { old: { command: "x" }, kept: { command: "x" } },
      ".lsp.json": { go: { command: "g", ...ext } },
      "commands/old.md": "x",
    })
    expect(Object.keys(scratch.json("oc/opencode.json")["mcp"] as object)).toEqual(["mine", "tool-old", "tool-kept"])
    scratch.write({ "src/.mcp.json": { kept: { command: "y" } }, "src/.lsp.json": {} })
    const { plugin } = { plugin: readPlugin(scratch.at("src")) }
    translateToOpencode(plugin, { ...readInventory(plugin), commands: [] }, scratch.at("oc")).write()
    expect(scratch.json("oc/opencode.json")).toMatchObject({
      mcp: { mine: {}, "tool-kept": { command: ["y"] } },
    })
    expect(Object.keys(scratch.json("oc/opencode.json")["mcp"] as object)).toEqual(["mine", "tool-kept"])
    expect(readdirSync(scratch.at("oc/commands"))).toEqual(["mine.md"])
  })

  it("removes by its record only what can be its own", () => {
    scratch.write({
      "oc/chorus-plugins.json": { tool: ["../victim", "opencode.json", "skills/../../victim", "/etc/x"], broken: 7 },
      "oc/opencode.json": {},
      victim: "x",
    })
    opencode({})
    expect([existsSync(scratch.at("victim")), existsSync(scratch.at("oc/opencode.json"))]).toEqual([true, true])
  })

  it("tells when two names become one", () => {
    const report = opencode({
      "commands/x_y.md": "X",
      "commands/x-y.md": "Y",
      "agents/a_b.md": "A",
      "agents/a-b.md": "B",
    })
    expect(lost(report)).toEqual([
      "command tool:x_y: it would have the same name as command tool:x-y",
      "agent tool:a_b: it would have the same name as agent tool:a-b",
    ])
  })

  it("writes over nothing that is not its own, neither by a name nor through a link", () => {
    const mine = { mcp: { "tool-a": { type: "remote", url: "https://mine.example" } } }
    scratch.write({ "oc/opencode.json": mine, "oc/commands/tool-c.md": "mine", "oc/real.md": "mine" })
    scratch.write({ "src/real.md": skill(), "src/skills/s/x.txt": "" })
    scratch.link("src/skills/s/SKILL.md", "../../real.md")
    const report = opencode({ ".mcp.json": { a: { command: "x" } }, "commands/c.md": "C" })
    expect(lost(report)).toEqual([
      "command tool:c: commands/tool-c.md is there already, and is not from an earlier run",
      "MCP server a: opencode.json already has a server of this name",
    ])
    expect(scratch.json("oc/opencode.json")).toEqual(mine)
    expect([scratch.read("oc/commands/tool-c.md"), scratch.read("oc/real.md")]).toEqual(["mine", "mine"])
    expect(scratch.read("oc/skills/tool-s/SKILL.md")).toContain("name: tool-s")
  })

  it("writes nothing before it is told to", () => {
    const { plugin, inventory } = source({ "skills/s/SKILL.md": skill(), ".mcp.json": { a: { command: "x" } } })
    translateToOpencode(plugin, inventory, scratch.at("oc"))
    translateToCodex(plugin, inventory, scratch.at("codex"))
    expect([existsSync(scratch.at("oc")), existsSync(scratch.at("codex"))]).toEqual([false, false])
  })

  it("names everything it leaves behind", () => {
    const report = opencode(
      {
        "hooks/hooks.json": {
          hooks: {
            Stop: [
              { hooks: [run({ async: true }), run({ shell: "powershell" }), run({ args: ["${user_config.k}"] })] },
              { hooks: [{ type: "prompt", prompt: "p" }] },
            ],
            PreToolUse: [
              { matcher: "Bash", hooks: [run({ if: "Bash(git *)" })] },
              { matcher: "mcp__.*", hooks: [run()] },
              { matcher: "(", hooks: [run()] },
            ],
            SessionEnd: [{ hooks: [run()] }],
          },
        },
        "output-styles/o.md": "",
        "bin/b": "",
        "themes/t.json": "{}",
      },
      {
        channels: [{ server: "c" }],
        userConfig: { k: { type: "string", title: "K", description: "d" } },
        lspServers: { l: { command: "x", args: ["${user_config.k}"], ...ext } },
        mcpServers: { m: { command: "${user_config.k}" } },
      },
    )
    expect(report.lost.map(({ part }) => part)).toEqual([
      "MCP server m",
      "LSP server l",
      "hook Stop",
      "hook Stop",
      "hook Stop",
      "hook Stop",
      "hook PreToolUse(Bash)",
      "hook PreToolUse(mcp__.*)",
      "hook PreToolUse(()",
      "hook SessionEnd",
      "output style tool:o",
      "themes/t.json",
      "channel c",
      "bin/b",
      "userConfig",
    ])
  })
})
