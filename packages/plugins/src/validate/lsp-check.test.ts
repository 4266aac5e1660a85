import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkLspFile, checkLspServers, lspFault } from "./lsp-check.ts"

const go = { command: "gopls", extensionToLanguage: { ".go": "go" } }

describe("a language server", () => {
  it.each([
    [{}],
    [{ command: "/opt/my tools/gopls" }],
    [
      {
        args: ["serve"],
        transport: "socket",
        env: { A: "b" },
        workspaceFolder: "x",
        startupTimeout: 1,
        shutdownTimeout: 1,
        requestTimeout: 1,
        restartOnCrash: true,
        maxRestarts: 0,
        diagnostics: false,
        initializationOptions: 7,
        settings: null,
      },
    ],
  ])("with %j can be loaded", (more) => {
    expect(lspFault({ ...go, ...more })).toBeUndefined()
  })

  it.each([
    [{ command: undefined }, "command is missing"],
    [{ command: "" }, "command is missing"],
    [{ command: "gopls serve" }, "command may not contain spaces; use args"],
    [{ extensionToLanguage: {} }, "extensionToLanguage must map at least one extension to a language"],
    [{ extensionToLanguage: [".go"] }, "extensionToLanguage must map at least one extension to a language"],
    [{ extensionToLanguage: { go: "go" } }, "extensionToLanguage maps extensions that start with a dot to languages"],
    [{ extensionToLanguage: { ".": "go" } }, "extensionToLanguage maps extensions that start with a dot to languages"],
    [{ extensionToLanguage: { ".go": "" } }, "extensionToLanguage maps extensions that start with a dot to languages"],
    [{ args: "serve" }, "args must be a list of texts"],
    [{ transport: "tcp" }, "transport must be stdio or socket"],
    [{ env: { A: 1 } }, "env must map names to texts"],
    [{ workspaceFolder: 1 }, "workspaceFolder must be text"],
    [{ startupTimeout: 0 }, "startupTimeout must be a whole number of milliseconds above 0"],
    [{ requestTimeout: 1.5 }, "requestTimeout must be a whole number of milliseconds above 0"],
    [{ maxRestarts: -1 }, "maxRestarts must be a whole number, 0 or more"],
    [{ restartOnCrash: "yes" }, "restartOnCrash must be true or false"],
    [{ diagnostics: 1 }, "diagnostics must be true or false"],
    [{ type: "stdio" }, 'unknown key "type"'],
  ])("with %j cannot: %s", (more, message) => {
    expect(lspFault({ ...go, ...more })?.message).toBe(message)
  })

  it("is an object", () => {
    expect([lspFault("gopls")?.message, lspFault(null)?.message]).toEqual([
      "must be an object; got string",
      "must be an object; got null",
    ])
  })
})

describe("language servers in a manifest and in a file", () => {
  it("are errors in the manifest, each at its key", () => {
    expect(
      findings((report, file) => checkLspServers(report, file, ["lspServers"], { go, a: {}, b: { ...go, x: 1 } })),
    ).toEqual(["error lsp_server_invalid lspServers.a.command", "error lsp_server_invalid lspServers.b.x"])
  })

  const inFile = (text: string) => findings((report) => checkLspFile(report, ".lsp.json", text))

  it("are warnings in a file, which the real validator never opens", () => {
    expect(inFile(JSON.stringify({ go }))).toEqual([])
    expect(inFile(`\uFEFF${JSON.stringify({ go })}`)).toEqual([])
    expect(inFile("{")).toEqual(["warning lsp_file_invalid json"])
    expect(inFile("[]")).toEqual(["warning lsp_file_invalid"])
    expect(inFile(JSON.stringify({ go, bad: { command: "a b" } }))).toEqual(["warning lsp_file_invalid bad.command"])
  })
})
