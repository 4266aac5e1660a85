import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkMcpFile, checkServers, serverFault, serversIn, type OptionKeys } from "./mcp-check.ts"

const NO_OPTIONS: OptionKeys = { shared: new Set(), byServer: new Map() }
const SECRET = `${"ghp_"}${"aB3d".repeat(9)}`

describe("a server", () => {
  it.each([
    { command: "x" },
    { type: "stdio", command: "x", args: ["a"], env: { A: "b" }, timeout: 5, alwaysLoad: true },
    { type: "http", url: "https://x.example" },
    { type: "streamable-http", url: "${URL}/x" },
    { type: "sse", url: "http://127.0.0.1:1", headers: { A: "b" }, headersHelper: "h", oauth: {} },
    { type: "ws", url: "wss://x.example" },
    { type: "http", url: "" },
    { command: "x", novel: true },
  ])("%j can be loaded", (server) => {
    expect(serverFault(server)).toBeUndefined()
  })

  it.each([
    [7, "must be an object; got number", undefined],
    [{ type: "sdk" }, "servers of type sdk belong to the host program", ["type"]],
    [{ type: "grpc", command: "x" }, 'unknown type "grpc"', ["type"]],
    [{ type: "constructor", command: "x" }, 'unknown type "constructor"', ["type"]],
    [{}, "needs a command to start", ["command"]],
    [{ command: "" }, "needs a command to start", ["command"]],
    [{ url: "https://x.example" }, "needs a command to start", ["command"]],
    [{ command: "x", args: "y" }, "args must be a list of texts; got string", ["args"]],
    [{ command: "x", env: { PORT: 8080 } }, "env must map names to texts", ["env"]],
    [{ type: "http" }, "needs a url", ["url"]],
    [{ type: "http", url: "x.example" }, '"x.example" is not a full URL', ["url"]],
    [{ type: "http", url: "https://x.example", headers: { A: 1 } }, "headers must map names to texts", ["headers"]],
    [{ type: "http", url: "https://x.example", headersHelper: 1 }, "headersHelper must be text", ["headersHelper"]],
    [{ type: "http", url: "https://x.example", oauth: "x" }, "oauth must be an object", ["oauth"]],
    [{ command: "x", timeout: "5" }, "timeout must be a number of milliseconds", ["timeout"]],
    [{ command: "x", alwaysLoad: 1 }, "alwaysLoad must be true or false", ["alwaysLoad"]],
  ])("%j cannot: %s", (server, message, path) => {
    expect(serverFault(server)).toMatchObject({ message, ...(path === undefined ? {} : { path }) })
  })

  it("with an address and no type is told what to add, and with neither another thing", () => {
    expect([serverFault({ url: "https://x.example" })?.fix, serverFault({})?.fix]).toEqual([
      'Add "type": "http" beside the url.',
      'Add "command".',
    ])
  })
})

describe("the servers of a file", () => {
  it.each([
    [
      { mcpServers: { a: 1 }, x: 2 },
      { servers: { a: 1 }, path: ["mcpServers"] },
    ],
    [{ a: 1 }, { servers: { a: 1 }, path: [] }],
    [{ mcpServers: [] }, { servers: {}, path: ["mcpServers"] }],
    [{ mcpServers: "x" }, { servers: { mcpServers: "x" }, path: [] }],
    [[], undefined],
    [null, undefined],
  ])("%j are %j", (value, found) => {
    expect(serversIn(value)).toEqual(found)
  })

  const found = (text: unknown) =>
    findings((report) =>
      checkMcpFile(report, ".mcp.json", typeof text === "string" ? text : JSON.stringify(text), NO_OPTIONS),
    )

  it.each([
    ["{", ["error json_invalid json"]],
    ["\uFEFF{}", ["error json_invalid json"]],
    ["7", ["error mcp_not_object root"]],
    [[], ["note mcp_not_object root"]],
    [{}, []],
    [{ mcpServers: { a: {} } }, ["error mcp_server_invalid mcpServers.a.command"]],
    [{ a: { command: "x", args: [1] } }, ["error mcp_server_invalid a.args"]],
    [{ servers: { a: { command: "x" } } }, ["error mcp_server_invalid servers.command"]],
  ])("%j gives: %j", (content, expected) => {
    expect(found(content)).toEqual(expected)
  })
})

describe("what a server may not do although it loads", () => {
  const found = (server: unknown, options: OptionKeys | undefined = NO_OPTIONS) =>
    findings((report, file) => checkServers(report, file, ["mcpServers"], { s: server }, options))
  const inEntry = (server: unknown) =>
    findings((report, file) => checkServers(report, file, ["mcpServers"], { s: server }, undefined))

  it("uses no option that nobody declared, wherever it stands", () => {
    const server = { command: "x", args: ["${user_config.a}"], env: { T: "${user_config.b}-${user_config.c}" } }
    expect(
      found(server, {
        shared: new Set(["a"]),
        byServer: new Map([
          ["s", new Set(["b"])],
          ["other", new Set(["c"])],
        ]),
      }),
    ).toEqual(["error user_config_undeclared mcpServers.s.env.T"])
    expect(found(server)).toEqual([
      "error user_config_undeclared mcpServers.s.args[0]",
      "error user_config_undeclared mcpServers.s.env.T",
      "error user_config_undeclared mcpServers.s.env.T",
    ])
  })

  it("puts no option into the command that makes its headers, declared or not", () => {
    const server = { type: "http", url: "https://x.example", headersHelper: "h ${user_config.a}" }
    expect(found(server, { shared: new Set(["a"]), byServer: new Map() })).toEqual([
      "error user_config_in_helper mcpServers.s.headersHelper",
    ])
  })

  it.each([
    ["http://x.example", true],
    ["ws://x.example", true],
    ["http://localhost:1", false],
    ["http://127.9.9.9", false],
    ["http://[::1]/", false],
    ["https://x.example", false],
    ["http://${HOST}", true],
  ])("%s speaks in the clear: %s", (url, clear) => {
    expect(found({ type: url.startsWith("ws") ? "ws" : "http", url })).toEqual(
      clear ? ["warning mcp_cleartext mcpServers.s.url"] : [],
    )
  })

  it.each([
    ["Authorization", `Bearer ${SECRET}`, true],
    ["X-Anything", SECRET, true],
    ["X-Api-Key", "0123456789abcdef", true],
    ["X-Api-Key", "0123456789abcde", false],
    ["Authorization", "Bearer ${TOKEN}", false],
    ["Authorization", "put your token here", false],
    ["Accept", "0123456789abcdef0123", false],
  ])("the header %s: %s carries a credential: %s", (name, value, carries) => {
    expect(found({ type: "http", url: "https://x.example", headers: { [name]: value } })).toEqual(
      carries ? [`warning mcp_literal_credential mcpServers.s.headers.${name}`] : [],
    )
  })

  it("is only noted in a marketplace entry, of which the real program checks the shape alone", () => {
    expect(inEntry({ type: "http", url: "http://x.example", headers: { Authorization: `Bearer ${SECRET}` } })).toEqual([
      "note mcp_cleartext mcpServers.s.url",
      "note mcp_literal_credential mcpServers.s.headers.Authorization",
    ])
    expect(inEntry({ type: "http", url: "nowhere" })).toEqual(["note mcp_server_invalid mcpServers.s.url"])
    expect(inEntry({ command: "x", args: ["${user_config.any}"] })).toEqual([])
    expect(inEntry({ type: "http" })).toEqual(["error mcp_server_invalid mcpServers.s.url"])
  })
})
