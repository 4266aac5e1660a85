import { describe, expect, it } from "vitest"
import { plugin as manifest } from "../../test/workbench.ts"
import { useFolder } from "../../test/scratch.ts"
import { GATING_EVENTS, HANDLER_TYPES, HOOK_EVENTS } from "./hook-events.ts"
import { readInventory } from "./inventory.ts"
import { readPlugin } from "./plugin.ts"

const scratch = useFolder()
const run = (command: string) => ({ type: "command", command })
const group = (command: string, matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [run(command)],
})

/** Hooks in a few words, and what was left out. */
function read(tree: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const inventory = readInventory(
    readPlugin(scratch.write({ ".claude-plugin/plugin.json": manifest("p", more), ...tree })),
  )
  return {
    hooks: inventory.hooks.map(
      (hook) => `${hook.event}${hook.matcher === undefined ? "" : `(${hook.matcher})`} ${hook.type} ${hook.file}`,
    ),
    modules: inventory.modules,
    problems: inventory.problems.map(({ type, fatal, message }) => `${type}${fatal ? " fatal" : ""}: ${message}`),
  }
}

const fileOf = (map: unknown, more: Record<string, unknown> = {}) => ({ "hooks/hooks.json": { hooks: map, ...more } })

describe("the hooks of a plugin", () => {
  it("come from its hooks file, each with its event, matcher and handler", () => {
    const { hooks, problems } = read(
      fileOf({
        PreToolUse: [group("a", "Bash"), { hooks: [run("b"), { type: "http", url: "https://x.example" }] }],
        Stop: [group("c")],
      }),
    )
    expect(hooks).toEqual([
      "PreToolUse(Bash) command hooks/hooks.json",
      "PreToolUse command hooks/hooks.json",
      "PreToolUse http hooks/hooks.json",
      "Stop command hooks/hooks.json",
    ])
    expect(problems).toEqual([])
  })

  it("come then from what the manifest names and holds, in its order", () => {
    const tree = { ...fileOf({ Stop: [group("1")] }), "more/h.json": { hooks: { Stop: [group("2")] } } }
    expect(read(tree, { hooks: [{ SessionEnd: [group("3")] }, "./more/h.json"] }).hooks).toEqual([
      "Stop command hooks/hooks.json",
      "SessionEnd command .claude-plugin/plugin.json",
      "Stop command more/h.json",
    ])
  })

  it("count once when the manifest names the standard file again", () => {
    expect(read(fileOf({ Stop: [group("1")] }), { hooks: "./hooks/hooks.json" }).hooks).toEqual([
      "Stop command hooks/hooks.json",
    ])
  })

  it("are none without a file, and nobody complains", () => {
    expect(read({})).toEqual({ hooks: [], modules: [], problems: [] })
  })

  it("bring modules along, named from the folder of their file", () => {
    expect(read({ "hooks/hooks.json": { modules: ["./register.js"] }, "hooks/register.js": "" }).modules).toEqual([
      "hooks/register.js",
    ])
  })
})

describe("a hooks file that cannot be read", () => {
  it.each([
    ["half a file", "{", /hooks\/hooks\.json: .*JSON/],
    ["a list", "[]", /not an object/],
    ["a byte order mark", '\uFEFF{"hooks":{}}', /JSON/],
    ["neither hooks nor modules", "{}", /neither hooks nor modules/],
    ["hooks as a list", '{"hooks":[]}', /"hooks" is not an object/],
  ])("(%s) is told and leaves the rest of the plugin alone", (_what, text, message) => {
    const { hooks, problems } = read({ "hooks/hooks.json": text })
    expect(hooks).toEqual([])
    expect(problems).toEqual([expect.stringMatching(message)])
    expect(problems[0]).toMatch(/^hook-load-failed: /)
  })

  it("is fatal when a guarding event stands outside its wrapper", () => {
    expect(read({ "hooks/hooks.json": { PreToolUse: [group("guard")] } }).problems).toEqual([
      'hook-load-failed fatal: hooks/hooks.json: PreToolUse stands outside "hooks"',
    ])
  })

  it("is not fatal for a key beside the wrapper: the real program reads past it", () => {
    const { hooks, problems } = read(
      fileOf({ Stop: [group("a")] }, { PreToolUse: "a note of its author", description: "d" }),
    )
    expect([hooks, problems]).toEqual([["Stop command hooks/hooks.json"], []])
  })

  it("is told when the manifest names it, and how", () => {
    scratch.link("out.json", "/etc/hostname")
    expect(read({}, { hooks: ["./gone.json", "./out.json"] }).problems).toEqual([
      "hook-load-failed: hooks path not found: ./gone.json",
      "hook-load-failed: hooks path escapes plugin directory: ./out.json",
    ])
  })
})

describe("a hook that cannot be loaded", () => {
  const broken: readonly (readonly [string, unknown, string])[] = [
    ["groups that are no list", {}, "not a list of groups"],
    ["a group that is text", ["x"], 'a group must be an object with "hooks"; got string'],
    ["a group without hooks", [{ matcher: "Bash" }], 'the group needs a list "hooks" with the hooks inside it'],
    ["a matcher that is no text", [{ matcher: 1, hooks: [] }], "matcher must be text; got number"],
    ["a handler without a type", [{ hooks: [{ command: "x" }] }], 'the hook has no "type"'],
    ["a handler of an unknown type", [{ hooks: [{ type: "magic" }] }], 'unknown hook type "magic"'],
    ["a command without a command", [{ hooks: [{ type: "command" }] }], "command hook: command is missing"],
  ]

  it.each(broken)("(%s) is left out on an ordinary event", (_what, groups, why) => {
    const { hooks, problems } = read(fileOf({ Stop: groups, SessionEnd: [group("kept")] }))
    expect(hooks).toEqual(["SessionEnd command hooks/hooks.json"])
    expect(problems).toEqual([`hook-load-failed: hooks/hooks.json: Stop: ${why}`])
  })

  it.each(broken)("(%s) is fatal on an event that guards permissions", (_what, groups, why) => {
    for (const event of GATING_EVENTS)
      expect(read(fileOf({ [event]: groups })).problems).toEqual([
        `hook-load-failed fatal: hooks/hooks.json: ${event}: ${why}`,
      ])
  })

  it("for an unknown event is told and never fatal", () => {
    expect(read(fileOf({ preToolUse: [group("x")], toString: [group("y")] })).problems).toEqual([
      "hook-load-failed: hooks/hooks.json: preToolUse: unknown event",
      "hook-load-failed: hooks/hooks.json: toString: unknown event",
    ])
  })

  it("leaves its neighbours in the same group alone", () => {
    const { hooks, problems } = read(
      fileOf({ Stop: [{ hooks: [run("a"), { type: "command", command: 7 }, run("b")] }] }),
    )
    expect(hooks).toHaveLength(2)
    expect(problems).toEqual([
      "hook-load-failed: hooks/hooks.json: Stop: command hook: command must be text; got number",
    ])
  })
})

describe("the events of Claude Code", () => {
  it("are thirty-three, and those that guard permissions are among them and take every kind of handler", () => {
    expect(HOOK_EVENTS.size).toBe(33)
    for (const event of GATING_EVENTS) expect(HOOK_EVENTS.get(event)).toEqual(HANDLER_TYPES)
  })

  it("at the start of a session take commands and tools alone", () => {
    expect([HOOK_EVENTS.get("SessionStart"), HOOK_EVENTS.get("Setup")]).toEqual([
      ["command", "mcp_tool"],
      ["command", "mcp_tool"],
    ])
  })
})
