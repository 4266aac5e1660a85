import { expect, test } from "vitest"
import type { Policy } from "../govern/policy.ts"
import type { Inventory } from "../read/inventory.ts"
import { demoteUnsatisfied, settleNames } from "./load.ts"
import type { LoadedPlugin, PluginOrigin } from "./loaded.ts"

const policy: Policy = {
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

function loaded(
  id: string,
  more: { origin?: PluginOrigin; name?: string; version?: string; dependencies?: unknown[]; loads?: boolean } = {},
): LoadedPlugin {
  const name = more.name ?? id.slice(0, id.lastIndexOf("@"))
  const plugin = {
    folder: "/x",
    name,
    version: more.version ?? "1.0.0",
    manifest: { name, dependencies: more.dependencies ?? [] },
    hasManifestFile: true,
  }
  const inventory: Inventory = {
    commands: [],
    agents: [],
    skills: [],
    outputStyles: [],
    workflows: [],
    themes: [],
    hooks: [],
    modules: [],
    mcpServers: [],
    bundles: [],
    lspServers: [],
    monitors: [],
    channels: [],
    binaries: [],
    settings: {},
    problems: [],
  }
  return {
    id,
    origin: more.origin ?? "marketplace",
    record: undefined,
    folder: "/x",
    inPlace: false,
    version: plugin.version,
    enabled: true,
    loads: more.loads ?? true,
    plugin,
    inventory,
    errors: [],
    notes: [],
  }
}

const loading = (plugins: readonly LoadedPlugin[]) =>
  plugins.filter((plugin) => plugin.loads).map((plugin) => plugin.id)

test("of one name the session's copy loads before the marketplace's, and a forced one before all", () => {
  const all = [
    loaded("a@m"),
    loaded("a@inline", { origin: "session" }),
    loaded("a@skills-dir", { origin: "skills-dir" }),
  ]
  expect(loading(settleNames(all, policy))).toEqual(["a@inline"])
  expect(loading(settleNames(all, { ...policy, forced: new Map([["a@m", true]]) }))).toEqual(["a@m"])
  const settled = settleNames([loaded("a@m"), loaded("b@m", { name: "a" })], policy)
  expect(settled.map((plugin) => plugin.errors.map((error) => error.type))).toEqual([[], ["name-taken"]])
})

test("what lacks its dependencies is set aside, and so is what needs it, down the chain", () => {
  const chain = [
    loaded("a@m", { dependencies: ["b"] }),
    loaded("b@m", { dependencies: ["c"] }),
    loaded("c@m", { dependencies: ["gone"] }),
    loaded("d@m"),
  ]
  expect(loading(demoteUnsatisfied(chain))).toEqual(["d@m"])
})

test("ranges are compared with the installed version, cycles hold each other, a session copy satisfies any range", () => {
  const needs = (range: string) => [
    loaded("a@m", { dependencies: [{ name: "b", version: range }] }),
    loaded("b@m", { version: "2.1.0" }),
  ]
  expect(loading(demoteUnsatisfied(needs("^2.0")))).toEqual(["a@m", "b@m"])
  expect(loading(demoteUnsatisfied(needs("^3.0")))).toEqual(["b@m"])
  expect(
    loading(demoteUnsatisfied([loaded("a@m", { dependencies: ["b"] }), loaded("b@m", { dependencies: ["a"] })])),
  ).toEqual(["a@m", "b@m"])
  expect(
    loading(
      demoteUnsatisfied([
        loaded("a@m", { dependencies: [{ name: "b", version: "^9" }] }),
        loaded("b@inline", { origin: "session" }),
      ]),
    ),
  ).toEqual(["a@m", "b@inline"])
})
