import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { plugin as manifest } from "../../test/workbench.ts"
import { useFolder } from "../../test/scratch.ts"
import { isBundle, readBundle } from "./servers.ts"
import { readInventory } from "./inventory.ts"
import { readPlugin } from "./plugin.ts"

const scratch = useFolder()

function read(tree: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return readInventory(readPlugin(scratch.write({ ".claude-plugin/plugin.json": manifest("p", more), ...tree })))
}

const messages = (inventory: ReturnType<typeof read>) =>
  inventory.problems.map(({ part, message, fatal }) => `${fatal ? "fatal " : ""}${part}: ${message}`)
const stdio = (command: string) => ({ command })
const language = (command: string) => ({ command, extensionToLanguage: { ".x": "x" } })

describe("the MCP servers of a plugin", () => {
  it.each([
    ["wrapped", { mcpServers: { a: stdio("x") } }],
    ["bare", { a: stdio("x") }],
    ["wrapped, with other keys beside", { mcpServers: { a: stdio("x") }, inputs: [] }],
  ])("are read from .mcp.json, %s", (_how, content) => {
    expect(read({ ".mcp.json": content }).mcpServers).toEqual([
      { name: "a", config: { command: "x" }, file: ".mcp.json" },
    ])
  })

  it("are those of the file first and then the manifest's; of two with one name the later counts", () => {
    const inventory = read(
      { ".mcp.json": { a: stdio("file"), b: stdio("b") }, "more.json": { c: stdio("c") } },
      { mcpServers: [{ a: stdio("manifest") }, "./more.json"] },
    )
    expect(inventory.mcpServers.map(({ name, config, file }) => [name, config["command"], file])).toEqual([
      ["a", "manifest", ".claude-plugin/plugin.json"],
      ["b", "b", ".mcp.json"],
      ["c", "c", "./more.json"],
    ])
  })

  it("are left out one by one when they are broken, with the reason", () => {
    const inventory = read({
      ".mcp.json": {
        good: stdio("x"),
        noCommand: {},
        text: "x",
        odd: { type: "carrier-pigeon" },
        remote: { type: "http" },
      },
    })
    expect(inventory.mcpServers.map(({ name }) => name)).toEqual(["good"])
    expect(messages(inventory)).toEqual([
      'mcpServers: .mcp.json: server "noCommand" was left out: needs a command to start',
      'mcpServers: .mcp.json: server "text" was left out: must be an object; got string',
      'mcpServers: .mcp.json: server "odd" was left out: unknown type "carrier-pigeon"',
      'mcpServers: .mcp.json: server "remote" was left out: needs a url',
    ])
  })

  it("are none of a file that is no JSON, starts with a byte order mark or holds no map", () => {
    expect(messages(read({ ".mcp.json": "{" }))).toEqual([expect.stringMatching(/^mcpServers: \.mcp\.json: .*JSON/)])
    expect(read({ ".mcp.json": `\uFEFF${JSON.stringify({ a: stdio("x") })}` }).mcpServers).toEqual([])
    expect(messages(read({ ".mcp.json": [] }))).toEqual(["mcpServers: .mcp.json: not a map of servers"])
  })

  it("are told when the file that the manifest names is not there", () => {
    expect(messages(read({}, { mcpServers: "./gone.json" }))).toEqual([
      "mcpServers: mcpServers path not found: ./gone.json",
    ])
  })
})

describe("the language servers of a plugin", () => {
  it("are read from .lsp.json, with or without a byte order mark, and from the manifest", () => {
    const inventory = read(
      { ".lsp.json": `\uFEFF${JSON.stringify({ go: language("gopls") })}` },
      { lspServers: { rust: language("ra") } },
    )
    expect(inventory.lspServers.map(({ name, file }) => [name, file])).toEqual([
      ["go", ".lsp.json"],
      ["rust", ".claude-plugin/plugin.json"],
    ])
  })

  it("are none of a file with one that is broken", () => {
    const inventory = read({ ".lsp.json": { good: language("x"), bad: { command: "x" } } })
    expect(inventory.lspServers).toEqual([])
    expect(messages(inventory)).toEqual(["lspServers: .lsp.json: one of its servers is invalid, so none of them loads"])
  })

  it("in a wrapper are one server called like the wrapper, and broken: the real reader knows none", () => {
    expect(read({ ".lsp.json": { lspServers: { go: language("gopls") } } }).lspServers).toEqual([])
  })

  it("take no bundle: a path there is a file of servers", () => {
    expect(read({}, { lspServers: "./x.json" }).bundles).toEqual([])
  })
})

describe("an MCP bundle", () => {
  const notes = { name: "notes", server: { mcp_config: { command: "node", args: ["s.js"] } } }
  const pack = (files: Record<string, string>) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])))

  it.each([
    ["./a.mcpb", true],
    ["./A.DXT", true],
    ["https://x.example/a.json", true],
    ["HTTP://x.example/a", true],
    ["./servers.json", false],
    ["./mcpb", false],
  ])("%s: %s", (part, expected) => {
    expect(isBundle(part)).toBe(expected)
  })

  it("names itself, says how it is started and has the digest of its bytes", () => {
    scratch.write({ "notes.mcpb": pack({ "manifest.json": JSON.stringify(notes), "s.js": "" }) })
    const sha256 = createHash("sha256")
      .update(readFileSync(scratch.at("notes.mcpb")))
      .digest("hex")
    expect(readBundle(scratch.path, "./notes.mcpb")).toEqual({
      path: "./notes.mcpb",
      server: { name: "notes", config: { command: "node", args: ["s.js"] }, sha256, userConfig: {} },
    })
  })

  it("that lies elsewhere is named by its address alone: nothing is fetched to read it", () => {
    expect(readBundle(scratch.path, "https://x.example/a.mcpb")).toEqual({ path: "https://x.example/a.mcpb" })
  })

  it.each([
    ["without a manifest", { "other.json": "{}" }, "it holds no manifest.json"],
    ["with a broken manifest", { "manifest.json": "{" }, /its manifest\.json is not an object: .*JSON/],
    ["with a list for a manifest", { "manifest.json": "[]" }, "its manifest.json is not an object"],
    ["without a name", { "manifest.json": JSON.stringify({ ...notes, name: "" }) }, "its manifest.json gives no name"],
    [
      "without a server",
      { "manifest.json": '{"name":"n"}' },
      /its server\.mcp_config must be an object; got undefined/,
    ],
    [
      "without a command",
      { "manifest.json": '{"name":"n","server":{"mcp_config":{}}}' },
      "its server.mcp_config needs a command to start",
    ],
  ])("%s cannot be started, and why is told", (_what, files, why) => {
    scratch.write({ "b.mcpb": pack(files) })
    expect(() => readBundle(scratch.path, "./b.mcpb")).toThrow(
      expect.objectContaining({
        code: "bundle_unusable",
        message: expect.stringMatching(why) as string,
        next: "Tell the plugin's author.",
      }) as Error,
    )
  })

  it("that is no archive, is missing or leads out of the plugin is a problem of its own", () => {
    scratch.link("out.mcpb", "/etc/hostname")
    const inventory = read(
      { "text.mcpb": "no archive" },
      { mcpServers: ["./text.mcpb", "./gone.mcpb", "./out.mcpb", { a: stdio("x") }] },
    )
    expect(inventory.mcpServers.map(({ name }) => name)).toEqual(["a"])
    expect(messages(inventory)).toEqual([
      "mcpServers: The plugin was refused: it is not a zip archive. Nothing was installed.",
      "mcpServers: The MCP bundle ./gone.mcpb cannot be started: it is not in the plugin.",
      "mcpServers: The MCP bundle ./out.mcpb cannot be started: it is not in the plugin.",
    ])
  })
})
