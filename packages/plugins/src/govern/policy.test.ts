import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { MarketplaceSource } from "@chorus/contracts"
import { useWorkbench } from "../../test/scratch.ts"
import { managedSettings } from "../state/claude-home.ts"
import { auditPlugins } from "./audit.ts"
import { checkMarketplacePolicy, checkPluginPolicy, pluginDenial, readPolicy, type Policy } from "./policy.ts"

const bench = useWorkbench()
const home = () => bench().context().home

/** The policy when the administrator, and the person, set this. */
function policyOf(managed: unknown, user: unknown = {}): Policy {
  bench().write("..", { "managed-settings.json": managed, "home/.claude/settings.json": user })
  return readPolicy(home())
}

const OPEN: Policy = {
  allowedMarketplaces: undefined,
  blockedMarketplaces: [],
  allowedPlugins: undefined,
  deniedPlugins: [],
  deniedHere: [],
  unusedLists: [],
  forced: new Map(),
  hooksOff: undefined,
  installedOnly: false,
  noSideload: false,
  noCommandSources: false,
  claudeOnly: [],
  blocksLess: false,
}

describe("a policy", () => {
  it("without settings allows everything", () => {
    expect(readPolicy(home())).toEqual(OPEN)
  })

  it("has everything the administrator says", () => {
    const rules = [{ source: "github", repo: "o/r" }]
    expect(
      policyOf({
        strictKnownMarketplaces: rules,
        blockedMarketplaces: rules,
        allowedPlugins: ["a"],
        deniedPlugins: ["b"],
        enabledPlugins: { "a@m": true },
        allowManagedHooksOnly: true,
        disableSideloadFlags: true,
        disableCommandPluginSources: true,
        strictPluginOnlyCustomization: true,
        channelsEnabled: true,
      }),
    ).toEqual({
      allowedMarketplaces: rules,
      blockedMarketplaces: rules,
      allowedPlugins: ["a"],
      deniedPlugins: ["b"],
      deniedHere: [],
      unusedLists: [],
      forced: new Map([["a@m", true]]),
      hooksOff: { why: "your organisation allows managed hooks only", forcedToo: false },
      installedOnly: true,
      noSideload: true,
      noCommandSources: true,
      claudeOnly: ["channelsEnabled"],
      blocksLess: false,
    })
  })

  it.each([
    "pluginTrustMessage",
    "pluginSuggestionMarketplaces",
    "allowedChannelPlugins",
    "channelsEnabled",
    "prependPlugins",
    "appendPlugins",
    "syncClaudeAiPlugins",
    "skillOverrides",
    "allowedHttpHookUrls",
    "httpHookAllowedEnvVars",
  ])("names %s, which binds Claude Code alone, and applies nothing of it", (key) => {
    expect(policyOf({ [key]: [] })).toEqual({ ...OPEN, claudeOnly: [key] })
    expect(auditPlugins(bench().context(), [])).toMatchObject([{ id: key, code: "policy_claude_only" }])
  })

  it("reads the list of marketplaces by its other name too, where the first is not there", () => {
    const rules = (repo: string) => [{ source: "github", repo }]
    expect(policyOf({ allowedMarketplaces: rules("a/b") }).allowedMarketplaces).toEqual(rules("a/b"))
    const both = { allowedMarketplaces: rules("a/b"), strictKnownMarketplaces: rules("c/d") }
    expect(policyOf(both).allowedMarketplaces).toEqual(rules("c/d"))
  })

  it("takes the files beside the administrator's one by name, each adding to the ones before", () => {
    bench().write("../managed-settings.d", {
      "10-a.json": { deniedPlugins: ["b"], enabledPlugins: { "x@m": false }, disableSideloadFlags: true },
      "20-b.json": { deniedPlugins: ["c"], disableSideloadFlags: false },
      ".hidden.json": { deniedPlugins: ["d"] },
    })
    expect(policyOf({ deniedPlugins: ["a"], enabledPlugins: { "y@m": true } })).toMatchObject({
      deniedPlugins: ["a", "b", "c"],
      forced: new Map([
        ["y@m", true],
        ["x@m", false],
      ]),
      noSideload: false,
    })
    bench().write("../managed-settings.d", { "30-c.json": "{" })
    expect(() => readPolicy(home())).toThrow(expect.objectContaining({ code: "policy_unreadable" }) as Error)
  })

  it("cannot be stepped out of by a variable where the administrator has a file", () => {
    const env = { CHORUS_MANAGED_SETTINGS: "/elsewhere.json" }
    const theirs = join(bench().write("etc", { "managed-settings.d/a.json": {} }), "managed-settings.json")
    expect(managedSettings(env, theirs)).toBe(theirs)
    expect(managedSettings(env, join(bench().fixtures, "none/managed-settings.json"))).toBe("/elsewhere.json")
  })

  it("adds what people deny themselves, and takes their own list only where the administrator has none", () => {
    expect(policyOf({ deniedPlugins: ["a"] }, { deniedPlugins: ["b"], allowedPlugins: ["c"] })).toMatchObject({
      deniedPlugins: ["a", "b"],
      allowedPlugins: ["c"],
    })
    expect(policyOf({ allowedPlugins: ["x"] }, { allowedPlugins: ["c"] }).allowedPlugins).toEqual(["x"])
  })

  it("does not take from people what is the administrator's to say", () => {
    expect(
      policyOf(
        {},
        {
          strictKnownMarketplaces: [],
          blockedMarketplaces: [{}],
          allowManagedHooksOnly: true,
          disableSideloadFlags: true,
          strictPluginOnlyCustomization: true,
          enabledPlugins: { "a@m": false },
        },
      ),
    ).toEqual(OPEN)
  })

  it.each([
    [{ strictKnownMarketplaces: "github" }, { allowedMarketplaces: [] }],
    [{ strictKnownMarketplaces: null }, { allowedMarketplaces: [] }],
    [{ allowedPlugins: "a" }, { allowedPlugins: [] }],
    [{ allowedPlugins: ["a", 7] }, { allowedPlugins: [] }],
  ])("of %j is %j: what cannot be read allows nothing", (managed, expected) => {
    expect(policyOf(managed)).toMatchObject(expected)
  })

  it.each([
    "x",
    ["o/r"],
    [{ source: "github" }],
    [{ source: "hostPattern", hostPattern: "(" }],
    [{ source: "hostPattern", hostPattern: "evil" }, null],
  ])(
    "of blocked marketplaces that nobody can read blocks less, as in Claude Code, and the audit says so: %j",
    (rules) => {
      expect(policyOf({ blockedMarketplaces: rules })).toMatchObject({ blocksLess: true })
      expect(auditPlugins(bench().context(), [])).toMatchObject([
        { id: "blockedMarketplaces", severity: "high", code: "policy_ineffective" },
      ])
    },
  )

  it.each([
    ["{ half", /cannot be read/],
    [[], /cannot be read/],
    [{ deniedPlugins: "a" }, /not a list/],
    [{ deniedPlugins: [1] }, /not a list/],
  ])("of %j stops everything", (managed, message) => {
    expect(() => policyOf(managed)).toThrow(
      expect.objectContaining({
        code: "policy_unreadable",
        status: 403,
        message: expect.stringMatching(message) as string,
      }) as Error,
    )
  })
})

describe("a plugin under a policy", () => {
  const denial = (policy: Partial<Policy>, id = "tool@team") => pluginDenial({ ...OPEN, ...policy }, id)

  it.each([
    ["tool", true],
    ["TOOL", true],
    ["tool@team", true],
    ["Tool@Team", true],
    ["*@team", true],
    ["tool@other", false],
    ["*@other", false],
    ["*", false],
    ["too", false],
    ["", false],
  ])("is named by %s: %s", (rule, named) => {
    expect(denial({ deniedPlugins: [rule] })).toBe(named ? "it is on the list of denied plugins" : undefined)
    expect(denial({ allowedPlugins: [rule] })).toBe(named ? undefined : "it is not on the list of allowed plugins")
  })

  it("is denied before it is allowed, and before it is forced on", () => {
    expect(denial({ allowedPlugins: ["tool"], deniedPlugins: ["tool"] })).toBe("it is on the list of denied plugins")
    expect(denial({ forced: new Map([["tool@team", true]]), deniedPlugins: ["tool"] })).toBe(
      "it is on the list of denied plugins",
    )
    expect(denial({ forced: new Map([["tool@team", true]]), allowedPlugins: [] })).toBeUndefined()
    expect(denial({ forced: new Map([["tool@team", false]]), allowedPlugins: ["tool"] })).toBe(
      "your organisation turned it off",
    )
  })

  it("that is denied is refused with the reason and whom to ask", () => {
    expect(() => checkPluginPolicy({ ...OPEN, deniedPlugins: ["tool"] }, "tool@team")).toThrow(
      expect.objectContaining({
        code: "error_policy",
        status: 403,
        message: 'The plugin "tool@team" may not be installed or turned on: it is on the list of denied plugins.',
        next: expect.stringMatching(/^Ask whoever keeps the list\. Your own is in your/) as string,
      }) as Error,
    )
    expect(() => checkPluginPolicy(OPEN, "tool@team")).not.toThrow()
  })
})

describe("a marketplace under a policy", () => {
  const verdict = (policy: Partial<Policy>, source: MarketplaceSource) => {
    try {
      checkMarketplacePolicy({ ...OPEN, ...policy }, "m", source)
    } catch (error) {
      return /is blocked/.test((error as Error).message) ? "blocked" : "not allowed"
    }
    return "fine"
  }
  const github = (repo: string, ref?: string): MarketplaceSource => ({
    source: "github",
    repo,
    ...(ref === undefined ? {} : { ref }),
  })
  const git = (url: string, ref?: string): MarketplaceSource => ({
    source: "git",
    url,
    ...(ref === undefined ? {} : { ref }),
  })

  it.each([
    [{ source: "github", repo: "o/r" }, github("o/r"), true],
    [{ source: "github", repo: "o/r" }, github("o/other"), false],
    [{ source: "github", repo: "o/r" }, github("o/r", "v1"), false],
    [{ source: "github", repo: "o/r", ref: "v1" }, github("o/r", "v1"), true],
    [{ source: "github", repo: "O/*" }, github("o/anything"), true],
    [{ source: "github", repo: "o/*" }, github("other/x"), false],
    [{ source: "github", repo: "o/*" }, git("https://github.com/o/x"), false],
    [{ source: "github", repo: "o/r" }, git("https://github.com/o/r.git"), false],
    [{ source: "directory", path: "/a" }, { source: "directory", path: "/a" }, true],
    [{ source: "directory", path: "/a" }, { source: "directory", path: "/a/b" }, false],
    [{ source: "pathPattern", pathPattern: "^/opt/" }, { source: "directory", path: "/opt/x" }, true],
    [{ source: "pathPattern", pathPattern: "^/opt/" }, { source: "file", path: "/opt/m.json" }, true],
    [{ source: "pathPattern", pathPattern: "^/opt/" }, git("https://x.example/opt/"), false],
    [{ source: "hostPattern", hostPattern: "^git\\.corp$" }, git("https://git.corp/a/b"), true],
    [{ source: "hostPattern", hostPattern: "^git\\.corp$" }, git("git@git.corp:a/b"), true],
    [{ source: "hostPattern", hostPattern: "^github\\.com$" }, github("o/r"), true],
    [{ source: "hostPattern", hostPattern: "^x\\.example$" }, { source: "url", url: "https://x.example/m.json" }, true],
    [{ source: "hostPattern", hostPattern: "^x\\.example$" }, { source: "directory", path: "/x.example" }, false],
    [{ source: "hostPattern", hostPattern: "(" }, github("o/r"), false],
    [{ source: "hostPattern" }, github("o/r"), false],
    [{ source: "npm", package: "p" }, { source: "npm", package: "p" }, true],
    [{ source: "npm", package: "p" }, { source: "npm", package: "p", registry: "https://r.example" }, false],
    [{ source: "settings", name: "n" }, { source: "settings", name: "n", plugins: [] }, true],
    [{}, github("o/r"), false],
  ] as [Record<string, unknown>, MarketplaceSource, boolean][])("allowed as %j, %j: %s", (rule, source, allowed) => {
    expect(verdict({ allowedMarketplaces: [rule] }, source)).toBe(allowed ? "fine" : "not allowed")
  })

  it.each([
    [{ source: "github", repo: "Evil/Repo" }, github("evil/repo"), true],
    [{ source: "github", repo: "evil/repo" }, github("evil/repo", "v1"), true],
    [{ source: "github", repo: "evil/repo" }, git("git@github.com:evil/repo.git"), true],
    [{ source: "github", repo: "evil/repo" }, git("ssh://git@github.com/evil/repo/"), true],
    [{ source: "github", repo: "evil/repo", ref: "bad" }, github("evil/repo", "good"), false],
    [{ source: "github", repo: "evil/repo", ref: "bad" }, git("https://github.com/evil/repo", "bad"), true],
    [{ source: "github", repo: "evil/*" }, git("https://github.com/evil/other"), true],
    [{ source: "github", repo: "evil/*" }, github("evilish/x"), false],
    [{ source: "url", url: "https://x.example/m.json" }, { source: "url", url: "http://X.example/m.json" }, true],
    [{ source: "npm", package: "Bad" }, { source: "npm", package: "bad", version: "2" }, true],
    [{ source: "directory", path: "/a" }, { source: "directory", path: "/a" }, true],
    [{ source: "directory", path: "/a" }, { source: "directory", path: "/b" }, false],
    [{ source: "hostPattern", hostPattern: "bad" }, git("https://bad.example/x"), true],
    [{}, github("o/r"), false],
  ] as [Record<string, unknown>, MarketplaceSource, boolean][])("blocked as %j, %j: %s", (rule, source, blocked) => {
    expect(verdict({ blockedMarketplaces: [rule] }, source)).toBe(blocked ? "blocked" : "fine")
  })

  it("is blocked although it is allowed, and not allowed by an empty list", () => {
    const rule = { source: "github", repo: "o/r" }
    expect(verdict({ allowedMarketplaces: [rule], blockedMarketplaces: [rule] }, github("o/r"))).toBe("blocked")
    expect(verdict({ allowedMarketplaces: [] }, github("o/r"))).toBe("not allowed")
  })
})
