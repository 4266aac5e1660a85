import { describe, expect, it } from "vitest"
import { findings, useFolder } from "../../test/scratch.ts"
import { checkComponents, optionKeys } from "./component-check.ts"
import { checkPath, checkPaths, pathFault } from "./path-check.ts"

const scratch = useFolder()

const found = (
  manifest: Record<string, unknown>,
  as: "plugin" | "entry" = "plugin",
  root: string | undefined = scratch.path,
) => findings((report, file) => checkComponents(report, file, manifest, { as, root }, []))

describe("the parts a manifest declares", () => {
  it("are right when they are there and of the right kind", () => {
    scratch.write({
      "s/SKILL.md": "",
      "c.md": "",
      "a.md": "",
      "h.json": "",
      "m.json": "",
      "b.mcpb": "",
      "l.json": "",
      "o.md": "",
      "w.js": "",
      "t/x.json": "",
      "mon.json": "",
    })
    const all = {
      skills: [".", "./s"],
      commands: "./c.md",
      agents: ["./a.md"],
      hooks: ["./h.json", { Stop: [] }],
      mcpServers: ["./m.json", "./b.mcpb", { s: { command: "x" } }],
      lspServers: "./l.json",
      outputStyles: "./o.md",
      workflows: "./w.js",
      experimental: { themes: "./t", monitors: "./mon.json", evals: ["./e"] },
    }
    expect(found(all)).toEqual([])
  })

  it.each([
    ["skills", "./f.md", "error path_kind skills"],
    ["skills", 7, "error path_type skills"],
    ["skills", ["./d", 7], "error path_type skills"],
    ["skills", "./gone", "error path_not_found skills"],
    ["commands", "f.md", "error path_invalid commands"],
    ["commands", ["./f.md", "./../x.md"], "error path_invalid commands[1]"],
    ["agents", "./d", "error path_extension agents"],
    ["agents", "./f.txt", "error path_extension agents"],
    ["hooks", "./f.md", "error path_extension hooks"],
    ["hooks", 7, "error hooks_type hooks"],
    ["hooks", [["./x"]], "error path_extension hooks[0][0]"],
    ["hooks", { hooks: { PreToolUse: [] } }, "error hooks_wrapped hooks.hooks"],
    ["hooks", { hooks: { Stop: [] } }, "warning hooks_wrapped hooks.hooks"],
    ["mcpServers", 7, "error mcp_type mcpServers"],
    ["mcpServers", "./f.md", "error path_extension mcpServers"],
    ["mcpServers", "https://x.example/a.zip", "error mcp_bundle_url mcpServers"],
    ["mcpServers", "https://", "error mcp_bundle_url mcpServers"],
    ["mcpServers", "https://x.example/a.mcpb?x=1", "note runtime_download mcpServers"],
    ["mcpServers", [{ s: {} }], "error mcp_server_invalid mcpServers[0].s.command"],
    ["lspServers", true, "error lsp_type lspServers"],
    ["lspServers", [{ g: {} }], "error lsp_server_invalid lspServers[0].g.command"],
    ["lspServers", "./f.md", "error path_extension lspServers"],
    ["outputStyles", "./gone.md", "error path_not_found outputStyles"],
    ["workflows", {}, "error path_type workflows"],
    ["experimental", [], "warning field_ignored experimental"],
    ["experimental", { theme: "./d" }, "warning field_misspelt experimental.theme"],
    ["experimental", { evals: 7 }, "error path_type experimental.evals"],
    ["experimental", { monitors: 7 }, "error monitors_type experimental.monitors"],
    ["experimental", { monitors: [{}] }, "error monitor_invalid experimental.monitors[0].name"],
    ["experimental", { themes: "./gone" }, "error path_not_found experimental.themes"],
  ])("%s %j gives: %s", (key, value, finding) => {
    scratch.write({ "f.md": "", "f.txt": "", "d/x": "" })
    expect(found({ [key]: value })[0]).toBe(finding)
  })

  it("at the top level are experimental in a plugin, and only checked in an entry", () => {
    scratch.write({ "t/x.json": "" })
    expect(found({ themes: "./t" })).toEqual(["warning field_experimental themes"])
    expect(found({ themes: "./t" }, "entry")).toEqual([])
    expect(found({ monitors: "./gone.json" })).toEqual([
      "warning field_experimental monitors",
      "error path_not_found monitors",
    ])
  })

  it("are judged by their text alone where the files are not at hand", () => {
    expect(
      findings((report, file) =>
        checkComponents(
          report,
          file,
          { commands: ["./gone.md", "x"], skills: "./gone" },
          { as: "entry", root: undefined },
          ["plugins", 0],
        ),
      ),
    ).toEqual(["error path_invalid plugins[0].commands[1]"])
  })

  it("named undefined or inherited are not declared", () => {
    expect(found({ skills: undefined })).toEqual([])
  })
})

describe("commands given as a map", () => {
  it.each([
    [{ content: "x" }, []],
    [{ source: "./f.md", description: "d", argumentHint: "h", model: "m", allowedTools: ["Bash"] }, []],
    ["x", ["error command_invalid commands.c"]],
    [{}, ["error command_source commands.c"]],
    [{ content: "" }, ["error command_source commands.c"]],
    [{ content: "x", source: "./f.md" }, ["error command_source commands.c"]],
    [{ content: 7 }, ["error command_invalid commands.c.content"]],
    [{ source: 7 }, ["error command_invalid commands.c.source"]],
    [{ source: "./gone.md" }, ["error path_not_found commands.c.source"]],
    [
      { content: "x", description: 1, model: 2 },
      ["error command_invalid commands.c.description", "error command_invalid commands.c.model"],
    ],
    [{ content: "x", allowedTools: "Bash" }, ["error command_invalid commands.c.allowedTools"]],
  ])("%j: %j", (command, expected) => {
    scratch.write({ "f.md": "" })
    expect(found({ commands: { c: command } })).toEqual(expected)
  })
})

describe("the options servers may use", () => {
  it("are the plugin's for all of them, and a channel's for its own server", () => {
    const keys = optionKeys({
      userConfig: { a: {} },
      channels: [
        { server: "s", userConfig: { b: {} } },
        { server: "s", userConfig: { c: {} } },
        { server: "t" },
        "x",
        { userConfig: {} },
      ],
    })
    expect([...keys.shared]).toEqual(["a"])
    expect([...keys.byServer].map(([server, options]) => [server, [...options]])).toEqual([
      ["s", ["b", "c"]],
      ["t", []],
    ])
  })

  it("are none where nothing is declared", () => {
    expect(optionKeys({})).toEqual({ shared: new Set(), byServer: new Map() })
  })
})

describe("a path of a part", () => {
  it.each([
    ["./a", undefined],
    ["./", undefined],
    ["./a/..b", undefined],
    ["a", 'must start with "./"'],
    ["", 'must start with "./"'],
    ["/a", 'must start with "./"'],
    ["~/a", 'must start with "./"'],
    ["./..", 'contains ".."'],
    ["./a\\..\\b", 'contains ".."'],
  ])("%s: %s", (path, fault) => {
    expect(pathFault(path)).toBe(fault)
  })

  it("is a folder where a dot may stand for the plugin itself", () => {
    const kinds: unknown[] = []
    findings((report, file) =>
      kinds.push(
        checkPath(report, file, [], ".", { root: scratch.path, allowDot: true }),
        checkPath(report, file, [], ".", { root: scratch.path }),
      ),
    )
    expect(kinds).toEqual(["directory", undefined])
  })

  it("with a pattern in it is told that nobody expands it", () => {
    const fixes: (string | undefined)[] = []
    findings((report, file) => {
      for (const path of ["./*.md", "./${X}.md", "./plain.md"])
        checkPath(report, file, [], path, { root: scratch.path })
      fixes.push(...report.messages.map(({ fix }) => fix))
    })
    expect(fixes).toEqual([expect.stringContaining("one by one"), expect.stringContaining("one by one"), undefined])
  })

  it("in a list is kept when it can be read", () => {
    scratch.write({ "a.md": "", "b.md": "" })
    let kept: string[] = []
    findings(
      (report, file) =>
        (kept = checkPaths(report, file, ["x"], ["./a.md", "./gone.md", "./b.md"], { root: scratch.path })),
    )
    expect(kept).toEqual(["./a.md", "./b.md"])
  })
})
