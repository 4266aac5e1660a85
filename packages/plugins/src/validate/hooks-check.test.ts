import { describe, expect, it } from "vitest"
import { findings, useFolder } from "../../test/scratch.ts"
import { checkEventMap, groupFault, handlerFault, unquotedRoot, type HooksPlace } from "./hooks-check.ts"
import { checkHooksFile } from "./hooks-file-check.ts"

describe("a handler", () => {
  it.each([
    { type: "command", command: "x" },
    {
      type: "command",
      command: "",
      args: ["a"],
      shell: "powershell",
      async: true,
      asyncRewake: false,
      onFailure: "block",
      timeout: 0.5,
      once: true,
      if: "Bash(git *)",
      statusMessage: "…",
    },
    { type: "http", url: "https://x.example/y", headers: { A: "b" }, allowedEnvVars: ["T"], onFailure: "continue" },
    { type: "mcp_tool", server: "s", tool: "t", input: {} },
    { type: "prompt", prompt: "p", model: "m", continueOnBlock: true },
    { type: "agent", prompt: "p", model: "m" },
    { type: "command", command: "x", novel: { any: 1 } },
  ])("%j can be loaded", (handler) => {
    expect(handlerFault(handler)).toBeUndefined()
  })

  it.each([
    [null, "a hook must be an object; got null"],
    ["echo", "a hook must be an object; got string"],
    [[], "a hook must be an object; got array"],
    [{}, 'the hook has no "type"'],
    [{ type: "Command" }, 'unknown hook type "Command"'],
    [{ type: "toString" }, 'unknown hook type "toString"'],
    [{ type: 1 }, "unknown hook type 1"],
    [{ type: "command" }, "command hook: command is missing"],
    [{ type: "command", command: ["x"] }, "command hook: command must be text; got array"],
    [{ type: "command", command: "x", args: "y" }, "command hook: args must be a list of texts; got string"],
    [{ type: "command", command: "x", shell: "fish" }, "command hook: shell must be one of bash, powershell"],
    [{ type: "command", command: "x", async: "yes" }, "command hook: async must be true or false; got string"],
    [{ type: "command", command: "x", onFailure: "ignore" }, "command hook: onFailure must be one of continue, block"],
    [{ type: "command", command: "x", timeout: 0 }, "command hook: timeout must be a number above 0, in seconds"],
    [{ type: "command", command: "x", timeout: "5" }, "command hook: timeout must be a number above 0, in seconds"],
    [{ type: "command", command: "x", if: 1 }, "command hook: if must be text; got number"],
    [{ type: "command", command: "x", once: 1 }, "command hook: once must be true or false; got number"],
    [{ type: "http" }, "http hook: url is missing"],
    [{ type: "http", url: "x" }, "http hook: url must be a full URL"],
    [
      { type: "http", url: "https://x.example", headers: { A: 1 } },
      "http hook: headers must map names to texts; got object",
    ],
    [{ type: "mcp_tool", server: "s" }, "mcp_tool hook: tool is missing"],
    [{ type: "mcp_tool", server: "s", tool: "t", input: "x" }, "mcp_tool hook: input must be an object; got string"],
    [{ type: "prompt" }, "prompt hook: prompt is missing"],
    [{ type: "agent", prompt: "p", model: 4 }, "agent hook: model must be text; got number"],
  ])("%j cannot: %s", (handler, fault) => {
    expect(handlerFault(handler)).toBe(fault)
  })
})

describe("a group", () => {
  it.each([
    [{ hooks: [] }, undefined],
    [{ matcher: "", hooks: [] }, undefined],
    [{ type: "command", command: "x" }, 'the group needs a list "hooks" with the hooks inside it'],
    [{ hooks: {} }, 'the group needs a list "hooks" with the hooks inside it'],
    [{ matcher: ["Bash"], hooks: [] }, "matcher must be text; got array"],
    [[], 'a group must be an object with "hooks"; got array'],
  ])("%j: %s", (group, fault) => {
    expect(groupFault(group)).toBe(fault)
  })
})

describe("an event map", () => {
  const found = (map: Record<string, unknown>, place?: HooksPlace) =>
    findings((report, file) => checkEventMap(report, file, ["hooks"], map, place))
  const one = (handler: unknown) => [{ hooks: [handler] }]
  const good = { type: "command", command: "x" }

  it("with every kind of handler where it runs gives nothing", () => {
    expect(
      found({
        PreToolUse: one(good),
        SessionStart: one({ type: "mcp_tool", server: "s", tool: "t" }),
        Stop: one({ type: "agent", prompt: "p" }),
      }),
    ).toEqual([])
  })

  it("that guards permissions must load whole; elsewhere what is broken is only left out; an entry must be right throughout", () => {
    const broken = { type: "command" }
    expect(found({ PreToolUse: one(broken), Stop: one(broken) })).toEqual([
      "error hook_gating_unloadable hooks.PreToolUse[0].hooks[0]",
      "warning hook_ignored hooks.Stop[0].hooks[0]",
    ])
    expect(found({ Stop: one(broken) }, "entry")).toEqual(["error hook_gating_unloadable hooks.Stop[0].hooks[0]"])
    expect(found({ PermissionRequest: {}, Stop: {} })).toEqual([
      "error hook_gating_unloadable hooks.PermissionRequest",
      "warning hook_ignored hooks.Stop",
    ])
    expect(found({ Stop: ["x"] })).toEqual(["warning hook_ignored hooks.Stop[0]"])
  })

  it("with an event nobody knows says how it is spelt, if it is near", () => {
    expect(found({ pretooluse: [], Bogus: [] })).toEqual([
      "warning hook_event_unknown hooks.pretooluse",
      "warning hook_event_unknown hooks.Bogus",
    ])
    expect(found({ Bogus: [] }, "entry")).toEqual(["error hook_event_unknown hooks.Bogus"])
    const fixes: (string | undefined)[] = []
    findings((report, file) => {
      checkEventMap(report, file, [], { sessionstart: [], Bogus: [] })
      fixes.push(...report.messages.map(({ fix }) => fix))
    })
    expect(fixes).toEqual(['Write "SessionStart".', "See the list of hook events."])
  })

  it("tells what passes and then never works", () => {
    expect(found({ SessionStart: one({ type: "http", url: "https://x.example" }) })).toEqual([
      "warning hook_type_never_runs hooks.SessionStart[0].hooks[0].type",
    ])
    expect(found({ Stop: one({ ...good, command: "x ${user_config.k}" }) })).toEqual([
      "note user_config_in_shell hooks.Stop[0].hooks[0].command",
    ])
    expect(found({ Stop: one({ ...good, command: "x ${user_config.k}", args: [] }) })).toEqual([])
    expect(
      found({
        Stop: one({ ...good, if: "Bash" }),
        PostToolUse: one({ ...good, if: "Bash" }),
        PermissionDenied: one({ ...good, if: "Bash" }),
      }),
    ).toEqual(["note hook_if_never_matches hooks.Stop[0].hooks[0].if"])
    expect(found({ Stop: one({ ...good, timeout: 999 }), SessionEnd: one({ ...good, timeout: 1000 }) })).toEqual([
      "note hook_timeout_seconds hooks.SessionEnd[0].hooks[0].timeout",
    ])
  })

  it("warns of an unquoted folder in a file, and only notes it in a manifest", () => {
    const loose = { PostToolUse: one({ ...good, command: "${CLAUDE_PLUGIN_ROOT}/x.sh" }) }
    expect(found(loose)).toEqual(["warning hook_root_unquoted hooks.PostToolUse[0].hooks[0].command"])
    expect(found(loose, "manifest")).toEqual(["note hook_root_unquoted hooks.PostToolUse[0].hooks[0].command"])
    for (const more of [{ args: [] }, { shell: "powershell" }])
      expect(found({ PostToolUse: one({ ...good, command: "${CLAUDE_PLUGIN_ROOT}/x.sh", ...more }) })).toEqual([])
  })
})

describe("a plugin's folder outside quotes", () => {
  it.each([
    ["${CLAUDE_PLUGIN_ROOT}/x", "CLAUDE_PLUGIN_ROOT"],
    ["sh $CLAUDE_PLUGIN_DATA/x", "CLAUDE_PLUGIN_DATA"],
    ['"a" ${CLAUDE_PROJECT_DIR}', "CLAUDE_PROJECT_DIR"],
    ['"${CLAUDE_PLUGIN_ROOT}"/x', undefined],
    ["'${CLAUDE_PLUGIN_ROOT}'/x", undefined],
    [String.raw`\${CLAUDE_PLUGIN_ROOT}`, undefined],
    [String.raw`\"${"${CLAUDE_PLUGIN_ROOT}"}`, "CLAUDE_PLUGIN_ROOT"],
    [`it's "\${CLAUDE_PLUGIN_ROOT}"`, undefined],
    ["$CLAUDE_PLUGIN_ROOTS/x", undefined],
    ["$HOME/x", undefined],
    ["", undefined],
  ])("in %s: %s", (command, variable) => {
    expect(unquotedRoot(command)).toBe(variable)
  })
})

describe("a hooks file", () => {
  const scratch = useFolder()
  const found = (text: unknown) =>
    findings((report) =>
      checkHooksFile(report, scratch.path, "hooks/hooks.json", typeof text === "string" ? text : JSON.stringify(text)),
    )

  it.each([
    ["{", "error json_invalid json"],
    ['\uFEFF{"hooks":{}}', "error json_invalid json"],
    [[], "error hooks_not_object root"],
    [{ PreToolUse: [], PermissionRequest: [] }, "error hooks_unwrapped PreToolUse"],
    [{ Stop: [] }, "error hooks_missing root"],
    [{ modules: [] }, "error hooks_missing root"],
    [{ hooks: [] }, "error hooks_not_object hooks"],
    [{ hooks: {}, description: 7 }, "error description_type description"],
    [{ hooks: {}, modules: "x.js" }, "error modules_type modules"],
    [{ modules: ["./gone.js"] }, "error path_not_found modules[0]"],
    [{ hooks: { Bogus: [] } }, "warning hook_event_unknown hooks.Bogus"],
  ])("%j gives: %s", (content, finding) => {
    expect(found(content)).toEqual([finding])
  })

  it.each([
    [{ hooks: {} }],
    [{ hooks: {}, description: "d", configuration: {} }],
    [{ hooks: {}, PreToolUse: "beside" }],
  ])("%j is right", (content) => {
    expect(found(content)).toEqual([])
  })

  it("may load one module that is there, and it is named as what runs inside the agent", () => {
    scratch.write({ "hooks/r.js": "", "hooks/s.js": "" })
    expect(found({ modules: ["./r.js"] })).toEqual(["note hooks_module modules[0]"])
    expect(found({ modules: ["./r.js", "./s.js"] })).toEqual([
      "error modules_many modules[1]",
      "note hooks_module modules[0]",
      "note hooks_module modules[1]",
    ])
    expect(found({ modules: ["../../x.js"] })).toEqual(["error path_not_found modules[0]"])
  })
})
