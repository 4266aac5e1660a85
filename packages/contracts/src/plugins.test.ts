import { describe, expect, it } from "vitest"
import { describeAnswer } from "../test/contract.ts"
import {
  CuratedPlugin,
  CuratedSet,
  ExecutableSurface,
  InstalledPlugin,
  InventoryPlugin,
  KnownMarketplace,
  MachineInventory,
  MarketplaceSource,
  PluginDeviation,
  PluginLock,
  PluginMessage,
  PluginOffer,
  PluginPin,
  PluginScope,
  SurfaceItem,
  ValidationReport,
} from "./plugins.ts"

const AT = "2026-03-01T10:00:00.000Z"
const item: SurfaceItem = { kind: "hook", where: "hooks/hooks.json", does: "runs lint.sh", script: "ab" }

describe("where a marketplace comes from", () => {
  it.each([
    { source: "directory", path: "/plugins" },
    { source: "file", path: "/plugins/marketplace.json" },
    { source: "git", url: "https://example.org/a.git", ref: "main", path: "market", sparsePaths: ["market"] },
    { source: "github", repo: "a/b", ref: "v1", path: "market", sparsePaths: ["market"] },
    { source: "npm", package: "@a/b", version: "1.0.0", registry: "https://example.org" },
    { source: "url", url: "https://example.org/m.json", headers: { authorization: "x" } },
    { source: "archive", url: "https://example.org/m.zip", sha256: "ab" },
    { source: "settings", name: "house", plugins: [{ name: "lint" }], owner: { name: "Ada" } },
  ])("may be $source, with the keys that others wrote", (source) => {
    const written = { ...source, "x-note": "mine" }
    expect(MarketplaceSource.parse(written)).toEqual(written)
  })

  it.each([
    ["a place nobody knows", { source: "ftp", url: "ftp://example.org" }],
    ["a directory without a path", { source: "directory" }],
    ["GitHub without a repository", { source: "github", url: "https://github.com/a/b" }],
    ["npm without a package", { source: "npm", version: "1.0.0" }],
    ["settings without plugins", { source: "settings" }],
    ["headers that are no texts", { source: "url", url: "https://example.org", headers: { a: 1 } }],
  ])("is not %s", (_, source) => expect(MarketplaceSource.safeParse(source).success).toBe(false))
})

describeAnswer(
  "KnownMarketplace",
  KnownMarketplace,
  { source: { source: "github", repo: "a/b" }, installLocation: "/m", lastUpdated: AT, autoUpdate: true, kept: 1 },
  {
    mayBeNull: ["kept"],
    mayBeLeftOut: ["lastUpdated", "autoUpdate", "kept"],
  },
)

describeAnswer(
  "InstalledPlugin",
  InstalledPlugin,
  {
    scope: "user",
    projectPath: "/house",
    installPath: "/cache/lint",
    version: "1.0.0",
    installedAt: AT,
    lastUpdated: AT,
    gitCommitSha: "abc",
    resolvedVersion: "1.0.0",
    auto: true,
  },
  { mayBeLeftOut: ["projectPath", "installedAt", "lastUpdated", "gitCommitSha", "resolvedVersion", "auto"] },
)

describeAnswer(
  "PluginMessage",
  PluginMessage,
  {
    level: "error",
    code: "bad_name",
    file: "plugin.json",
    path: "name",
    line: 3,
    message: "It has blanks.",
    fix: "Use dashes.",
  },
  { mayBeLeftOut: ["line", "fix"] },
)

describeAnswer("ValidationReport", ValidationReport, { verdict: "warnings", messages: [] })

describeAnswer("SurfaceItem", SurfaceItem, item, { mayBeLeftOut: ["script"] })

describeAnswer("ExecutableSurface", ExecutableSurface, { items: [item], sha256: "ab" })

describeAnswer(
  "PluginPin",
  PluginPin,
  {
    version: "1.0.0",
    contentHash: "c",
    surfaceHash: "s",
    source: { source: "npm" },
    gitCommitSha: "abc",
    pinned: true,
  },
  {
    mayBeNull: ["source"],
    mayBeLeftOut: ["gitCommitSha", "pinned"],
  },
)

describeAnswer("PluginLock", PluginLock, {
  version: 1,
  plugins: { "lint@house": { version: "1.0.0", contentHash: "c", surfaceHash: "s", source: null } },
})

describe("a lock file", () => {
  it("of another version is not read by guessing", () =>
    expect(PluginLock.safeParse({ version: 2, plugins: {} }).success).toBe(false))
})

describeAnswer(
  "PluginOffer",
  PluginOffer,
  {
    id: "lint@house",
    version: "1.0.0",
    description: "Lints.",
    contentHash: "c",
    surfaceHash: "s",
    surface: [item],
    unseen: 1,
    problem: "x",
  },
  {
    mayBeLeftOut: ["version", "description", "contentHash", "surfaceHash", "surface", "unseen", "problem"],
  },
)

describeAnswer(
  "InventoryPlugin",
  InventoryPlugin,
  {
    id: "lint@house",
    version: "1.0.0",
    scope: "project",
    enabled: true,
    contentHash: "c",
    surfaceHash: "s",
    surface: [item],
    unseen: 1,
    update: "1.1.0",
    errors: ["It does not load."],
  },
  { mayBeLeftOut: ["contentHash", "surfaceHash", "surface", "unseen", "update"] },
)

describeAnswer(
  "MachineInventory",
  MachineInventory,
  {
    machine: "laptop",
    takenAt: AT,
    claudeVersion: "2.1.325",
    marketplaces: [{ name: "house", source: { source: "directory", path: "/m" } }],
    plugins: [],
    offers: [{ id: "lint@house" }],
  },
  { mayBeLeftOut: ["claudeVersion", "offers"] },
)

describeAnswer(
  "PluginDeviation",
  PluginDeviation,
  { id: "lint@house", kind: "changed_surface", expected: "s", actual: "t" },
  { mayBeLeftOut: ["expected", "actual"] },
)

describe("a plugin that was chosen for everybody", () => {
  const chosen = { id: "lint@house", version: "1.0.0", contentHash: "c", surfaceHash: "s" }

  it("is on and required where nothing else is said", () =>
    expect(CuratedPlugin.parse(chosen)).toEqual({ ...chosen, enabled: true, required: true }))

  it("names the exact bytes and what they make a machine do", () => {
    for (const field of ["version", "contentHash", "surfaceHash"])
      expect(CuratedPlugin.safeParse({ ...chosen, [field]: undefined }).success, field).toBe(false)
  })

  it("shows up to 200 things it does", () => {
    const takes = (length: number) =>
      CuratedPlugin.safeParse({ ...chosen, surface: Array.from({ length }, () => item) }).success
    expect([takes(200), takes(201)]).toEqual([true, false])
  })

  it("belongs to a set that leaves other plugins alone where nothing else is said", () => {
    expect(CuratedSet.parse({ revision: 0, marketplaces: {}, plugins: [] })).toEqual({
      revision: 0,
      marketplaces: {},
      plugins: [],
      exclusive: false,
    })
  })
})

describe("what did not fit into a surface", () => {
  it.each([0, -1, 1.5])("is not counted as %d: then it is shown whole", (unseen) =>
    expect(PluginOffer.safeParse({ id: "lint@house", unseen }).success).toBe(false),
  )
})

describe("what a machine offers", () => {
  it("is 2,000 plugins at most", () => {
    const inventory = (length: number) => ({
      machine: "laptop",
      takenAt: AT,
      marketplaces: [],
      plugins: [],
      offers: Array.from({ length }, (_, n) => ({ id: `p${n}@house` })),
    })
    expect([2000, 2001].map((length) => MachineInventory.safeParse(inventory(length)).success)).toEqual([true, false])
  })
})

describe("the words for plugins", () => {
  it("are four scopes", () => expect(PluginScope.options).toEqual(["user", "project", "local", "managed"]))

  it("are twelve things a plugin can make a machine do", () => {
    expect(SurfaceItem.shape.kind.options).toEqual([
      "hook",
      "mcp",
      "lsp",
      "monitor",
      "binary",
      "module",
      "inline-command",
      "setting",
      "install-command",
      "download",
      "connect",
      "workflow",
    ])
  })

  it("are eight ways to differ from the chosen set", () => {
    expect(PluginDeviation.shape.kind.options).toEqual([
      "missing",
      "extra",
      "wrong_version",
      "changed_content",
      "changed_surface",
      "disabled",
      "enabled",
      "load_error",
    ])
  })
})
