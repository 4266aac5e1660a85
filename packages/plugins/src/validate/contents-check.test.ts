import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { plugin, skill } from "../../test/workbench.ts"
import { checkReferences } from "./reference-check.ts"
import { checkContents, checkLooseContents } from "./contents-check.ts"
import { NotesOnly, Report } from "./report.ts"

const scratch = useFolder()

function found(tree: Record<string, unknown>, manifest: Record<string, unknown> = {}, check = checkContents) {
  const report = new Report()
  check(report, scratch.write(tree), manifest)
  return report.messages.map(({ level, code, file, path }) => `${level} ${code} ${file} ${path}`.trim())
}

describe("the files of a plugin", () => {
  it("in the standard places are all opened", () => {
    const tree = {
      "skills/s/SKILL.md": "",
      "commands/c.md": "",
      "agents/a.md": "",
      "hooks/hooks.json": {},
      ".mcp.json": { s: {} },
      ".lsp.json": [],
      "monitors/monitors.json": {},
      "settings.json": "{",
    }
    expect(found(tree)).toEqual([
      "warning frontmatter_missing skills/s/SKILL.md frontmatter",
      "warning frontmatter_missing commands/c.md frontmatter",
      "warning frontmatter_missing agents/a.md frontmatter",
      "error hooks_missing hooks/hooks.json root",
      "error mcp_server_invalid .mcp.json s.command",
      "warning lsp_file_invalid .lsp.json",
      "warning monitors_invalid monitors/monitors.json",
      "note settings_invalid settings.json",
    ])
  })

  it("that are right give nothing", () => {
    expect(
      found({
        "skills/s/SKILL.md": skill(),
        "commands/c.md": skill(),
        "agents/a.md": skill(),
        "hooks/hooks.json": { hooks: {} },
        ".mcp.json": {},
        ".lsp.json": {},
        "monitors/monitors.json": [],
        "settings.json": {},
      }),
    ).toEqual([])
  })

  it("that the manifest names for skills, commands and agents are our addition: they change no verdict", () => {
    const tree = { "more/x/SKILL.md": "", "one/SKILL.md": "", "c/d.md": "", "a.md": "" }
    expect(
      found(tree, {
        skills: ["./more", "./one", ".", "./gone"],
        commands: { k: { source: "./c/d.md" }, l: { content: "x" } },
        agents: "./a.md",
      }),
    ).toEqual([
      "note frontmatter_missing more/x/SKILL.md frontmatter",
      "note frontmatter_missing one/SKILL.md frontmatter",
      "note frontmatter_missing c/d.md frontmatter",
      "note frontmatter_missing a.md frontmatter",
    ])
  })

  it("that the manifest names for hooks and servers are opened like the standard ones, each once", () => {
    const tree = { "hooks/hooks.json": { hooks: { Bogus: [] } }, "h.json": {}, "m.json": { s: {} }, "l.json": "{" }
    expect(
      found(tree, {
        hooks: ["./hooks/hooks.json", "./h.json", { Stop: [] }],
        mcpServers: ["./m.json", "./b.mcpb"],
        lspServers: "./l.json",
      }),
    ).toEqual([
      "warning hook_event_unknown hooks/hooks.json hooks.Bogus",
      "error hooks_missing h.json root",
      "error mcp_server_invalid m.json s.command",
      "warning lsp_file_invalid l.json json",
    ])
  })

  it("of monitors are those of the manifest's path, or none when it lists them itself", () => {
    const tree = { "monitors/monitors.json": "{", "m.json": "{" }
    expect(found(tree, { experimental: { monitors: "./m.json" } })).toEqual(["warning monitors_invalid m.json json"])
    expect(found(tree, { monitors: [] })).toEqual([])
  })

  it.each([
    [["./extra"], true],
    [["./commands-extra"], true],
    [["./commands"], false],
    [["./commands/c.md"], false],
    [["./extra", "./commands/c.md"], false],
  ])("in a folder that the manifest passes over with %j are noted: %s", (commands, noted) => {
    expect(
      found({ "commands/c.md": skill(), "extra/e.md": skill(), "commands-extra/f.md": skill() }, { commands }),
    ).toEqual(noted ? ["note folder_shadowed commands/"] : [])
  })

  it("behind links out of the plugin are not opened", () => {
    scratch.link("hooks/hooks.json", "/etc/hostname")
    scratch.link("skills/s/SKILL.md", "/etc/hostname")
    expect(found({})).toEqual([])
  })
})

describe("a folder without a manifest", () => {
  it("is looked through when it holds skills, agents or commands", () => {
    const report = new Report()
    expect(
      checkLooseContents(
        report,
        scratch.write({ "skills/s/SKILL.md": "", "agents/team/a.md": "", "commands/c.md": skill() }),
      ),
    ).toBe(true)
    expect(report.messages.map(({ file }) => file)).toEqual(["skills/s/SKILL.md", "agents/team/a.md"])
  })

  it("is passed over when it holds none", () => {
    expect(checkLooseContents(new Report(), scratch.write({ "README.md": "" }))).toBe(false)
  })
})

describe("a file that a command starts", () => {
  const started = (command: string) => ({ Stop: [{ hooks: [{ type: "command", command }] }] })
  const looked = (tree: Record<string, unknown>, manifest: Record<string, unknown> = {}) =>
    found({ ".claude-plugin/plugin.json": plugin("p", manifest), ...tree }, manifest, checkReferences)

  it.each([
    '"${CLAUDE_PLUGIN_ROOT}/gone.sh"',
    "$CLAUDE_PLUGIN_ROOT/gone.sh --x",
    '"${CLAUDE_PLUGIN_ROOT}"/gone.sh',
    "sh -c '${CLAUDE_PLUGIN_ROOT}/gone.sh.'",
  ])("is missed: %s", (command) => {
    expect(looked({ "hooks/hooks.json": { hooks: started(command) } })).toEqual([
      "warning reference_missing hooks/hooks.json hooks.Stop[0].hooks[0].command",
    ])
  })

  it("that is there, or lies elsewhere on the machine, is not", () => {
    const commands = [
      '"${CLAUDE_PLUGIN_ROOT}/bin/run.sh"',
      "${CLAUDE_PLUGIN_ROOT}/bin",
      "/usr/bin/env node",
      "${CLAUDE_PLUGIN_DATA}/x",
    ]
    scratch.write({ "bin/run.sh": "" })
    scratch.executable("bin/run.sh")
    for (const command of commands)
      expect([command, looked({ "bin/run.sh": "", "hooks/hooks.json": { hooks: started(command) } })]).toEqual([
        command,
        [],
      ])
  })

  it.each([
    ['"${CLAUDE_PLUGIN_ROOT}/run.sh" --x', 1],
    ["$CLAUDE_PLUGIN_ROOT/run.sh", 1],
    ['sh "${CLAUDE_PLUGIN_ROOT}/run.sh"', 0],
  ])("must be executable where nothing else starts it: %s", (command, times) => {
    expect(looked({ "run.sh": "", "hooks/hooks.json": { hooks: started(command) } })).toEqual(
      Array.from(
        { length: times },
        () => "warning reference_not_executable hooks/hooks.json hooks.Stop[0].hooks[0].command",
      ),
    )
  })

  it("is looked for in every file that starts something, in the standard places and where the manifest says", () => {
    const gone = "${CLAUDE_PLUGIN_ROOT}/gone"
    const tree = {
      ".mcp.json": { s: { command: "node", args: [gone] } },
      ".lsp.json": { l: { command: gone } },
      "monitors/monitors.json": [{ command: gone }],
      "more.json": { hooks: started(gone) },
    }
    expect(
      looked(tree, {
        hooks: "./more.json",
        mcpServers: { t: { command: gone } },
        experimental: { monitors: [{ command: gone }] },
      }),
    ).toEqual([
      "warning reference_missing .claude-plugin/plugin.json mcpServers.t.command",
      "warning reference_missing .claude-plugin/plugin.json experimental.monitors[0].command",
      "warning reference_missing .mcp.json s.args[0]",
      "warning reference_missing .lsp.json l.command",
      "warning reference_missing monitors/monitors.json [0].command",
      "warning reference_missing more.json hooks.Stop[0].hooks[0].command",
    ])
  })

  it("may not lie outside the plugin, and ${plugin_root} is no variable", () => {
    expect(
      looked({ ".mcp.json": { s: { command: "${CLAUDE_PLUGIN_ROOT}/../other/run", args: ["${plugin_root}/x"] } } }),
    ).toEqual(["warning reference_escapes .mcp.json s.command", "note variable_unknown .mcp.json s.args[0]"])
  })
})

describe("a report", () => {
  it("is as bad as its worst message", () => {
    const verdict = (...levels: ("error" | "warning" | "note")[]) => {
      const report = new Report()
      for (const level of levels) report[level]({ file: "f" }, { code: "c", message: "m" })
      return [report.result().verdict, report.hasErrors]
    }
    expect([verdict(), verdict("note"), verdict("note", "warning"), verdict("warning", "error", "note")]).toEqual([
      ["valid", false],
      ["valid", false],
      ["warnings", false],
      ["errors", true],
    ])
  })

  it("names the line by the path or by the place in the text, and none without the text", () => {
    const report = new Report()
    const text = '{\n  "a": {\n    "b": 1\n  }\n}'
    report.error({ file: "f", text }, { code: "c", path: ["a", "b"], message: "m" })
    report.error({ file: "f", text }, { code: "c", path: ["json"], offset: 12, message: "m" })
    report.error({ file: "f" }, { code: "c", path: ["a"], message: "m", fix: "x" })
    report.error({ file: "f", text, prefix: "plugins[0] → " }, { code: "c", path: ["a"], message: "m" })
    expect(report.messages.map(({ path, line, fix }) => [path, line, fix])).toEqual([
      ["a.b", 3, undefined],
      ["json", 3, undefined],
      ["a", undefined, "x"],
      ["plugins[0] → a", 2, undefined],
    ])
  })

  it("of notes only passes everything on without making it worse", () => {
    const into = new Report()
    const notes = new NotesOnly(into)
    for (const level of ["error", "warning", "note"] as const)
      notes[level]({ file: "f" }, { code: level, message: "m" })
    expect(into.messages.map(({ level, code }) => [level, code])).toEqual([
      ["note", "error"],
      ["note", "warning"],
      ["note", "note"],
    ])
    expect(into.result().verdict).toBe("valid")
  })
})
