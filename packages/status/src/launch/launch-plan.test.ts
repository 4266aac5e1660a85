import { describe, expect, it } from "vitest"
import { claudeArguments } from "../claude/settings-flag.ts"
import { codexArguments, trustedHash } from "../codex/hook-flags.ts"
import { openCodeConfigContent } from "../opencode/config-content.ts"
import { planLaunch } from "./launch-plan.ts"

const EMITTER = "/opt/it's here/emit.pl"

describe("claude", () => {
  it("gets our hooks before the person's arguments", () => {
    const args = claudeArguments(["-p", "hello"], EMITTER) ?? []
    expect([args[0], ...args.slice(2)]).toEqual(["--settings", "-p", "hello"])
    const settings = JSON.parse(args[1] ?? "") as { hooks: Record<string, unknown> }
    expect(settings.hooks["Stop"]).toEqual([{ hooks: [{ type: "command", command: EMITTER, args: [], timeout: 3 }] }])
  })

  it.each([
    ["as text", ["--settings", '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}']],
    ["joined", ['--settings={"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}']],
    ["as a file", ["--settings", "/my/settings.json"]],
  ])("keeps the person's own settings %s", (_name, given) => {
    const file = '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}'
    const args = claudeArguments(["-c", ...given, "go"], EMITTER, { readFile: () => file }) ?? []
    expect(args.filter((arg) => arg.startsWith("--settings"))).toHaveLength(1)
    expect([args[0], args[1], args[3]]).toEqual(["-c", "--settings", "go"])
    const settings = JSON.parse(args[2] ?? "") as { model: string; hooks: Record<string, unknown[]> }
    expect(settings.model).toBe("opus")
    expect(settings.hooks["Stop"]).toHaveLength(2)
    expect(JSON.stringify(settings.hooks["Stop"]?.[0])).toContain("mine")
  })

  it("gets only events it knows when it is old enough to drop all hooks over one it does not", () => {
    const events = (version?: string) =>
      Object.keys((JSON.parse(claudeArguments([], EMITTER, { version })?.[1] ?? "{}") as { hooks: object }).hooks)
    for (const old of ["2.1.41", "2.1.197", "2.1.256", "1.9.999"]) expect(events(old)).not.toContain("StopFailure")
    for (const current of ["2.1.257", "2.1.325", "2.2.0", "3.0.0", undefined])
      expect(events(current)).toContain("StopFailure")
  })

  it.each([[["mcp", "list"]], [["--version"]], [["doctor"]], [["--remote-control"]], [["--settings", "{broken"]]])(
    "is left alone with %j",
    (args) => {
      expect(claudeArguments(args, EMITTER)).toBeUndefined()
    },
  )
})

describe("codex", () => {
  it("gets hooks and their trust for this launch, and nothing that trusts more", () => {
    const args = codexArguments(["exec", "hello"], EMITTER) ?? []
    expect(args.slice(-2)).toEqual(["exec", "hello"])
    expect(args).toContain(
      `hooks.Stop=[{hooks=[{type="command",command="exec '/opt/it'\\\\''s here/emit.pl'",timeout=3}]}]`,
    )
    const trust = args.find((arg) => arg.startsWith("hooks.state=")) ?? ""
    expect(trust).toContain(`"/<session-flags>/config.toml:user_prompt_submit:0:0"={trusted_hash="sha256:`)
    expect(args.join(" ")).not.toMatch(/notify|bypass/)
  })

  it("computes the hash Codex compares with", () => {
    expect(trustedHash("UserPromptSubmit", "exec '/opt/emit.pl'")).toBe(
      "sha256:b82e24dda01f322ccfe73f065780bfbf77247eb1a312adecef5a2ff905a03e95",
    )
  })

  it.each([[["login"]], [["mcp", "list"]], [["--help"]], [["agents"]]])("is left alone with %j", (args) => {
    expect(codexArguments(args, EMITTER)).toBeUndefined()
  })
})

describe("opencode", () => {
  it("gets our plugin beside the person's", () => {
    expect(JSON.parse(openCodeConfigContent(undefined, "/p/plugin.ts") ?? "")).toEqual({
      plugin: ["file:///p/plugin.ts"],
    })
    const theirs = '{"theme":"x","plugin":["mine"]}'
    expect(JSON.parse(openCodeConfigContent(theirs, "/p/plugin.ts") ?? "")).toEqual({
      theme: "x",
      plugin: ["mine", "file:///p/plugin.ts"],
    })
    expect(openCodeConfigContent("{broken", "/p/plugin.ts")).toBeUndefined()
  })
})

describe("a plan", () => {
  const programs = { emitter: EMITTER, launcher: undefined, oscReader: "/opt/osc.pl", opencodePlugin: "/p/plugin.ts" }
  const request = { args: ["x"], env: {}, programs, socketPath: "/s", terminalId: "t" }

  it("names the socket, the terminal and the agent, and changes no other variable", () => {
    expect(planLaunch({ ...request, agent: "claude", place: { terminal: "pts-3-k2f" } }).env).toEqual({
      CHORUS_SOCK: "/s",
      CHORUS_TERMINAL_ID: "t",
      CHORUS_TERMINAL: "pts-3-k2f",
      CHORUS_TAB: "",
      CHORUS_ONCE: "",
      CHORUS_AGENT_VERSION: "",
      CHORUS_AGENT: "claude",
    })
    expect(Object.keys(planLaunch({ ...request, agent: "codex" }).env)).toContain("CHORUS_OSC_READER")
    expect(Object.keys(planLaunch({ ...request, agent: "opencode" }).env)).toContain("OPENCODE_CONFIG_CONTENT")
  })

  it("says why a launch reports nothing, and adds nothing to it", () => {
    expect(planLaunch({ ...request, agent: "opencode", args: ["--pure"] })).toEqual({
      args: ["--pure"],
      env: {},
      unreported: expect.stringContaining("--pure"),
    })
  })
})
