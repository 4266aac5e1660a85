import { z } from "zod"

/** One finding of `chorus plugin validate`. */
export const PluginMessage = z.object({
  level: z.enum(["error", "warning", "note"]),
  code: z.string(),
  file: z.string(),
  path: z.string(),
  line: z.number().int().positive().optional(),
  message: z.string(),
  fix: z.string().optional(),
})
export type PluginMessage = z.infer<typeof PluginMessage>

export const ValidationReport = z.object({
  verdict: z.enum(["valid", "warnings", "errors"]),
  messages: z.array(PluginMessage),
})
export type ValidationReport = z.infer<typeof ValidationReport>

export const PluginScope = z.enum(["user", "project", "local", "managed"])
export type PluginScope = z.infer<typeof PluginScope>

/** Where a marketplace comes from, as Claude Code keeps it in known_marketplaces.json and extraKnownMarketplaces. Unknown keys survive. */
export const MarketplaceSource = z.discriminatedUnion("source", [
  z.looseObject({ source: z.literal("directory"), path: z.string() }),
  z.looseObject({ source: z.literal("file"), path: z.string() }),
  z.looseObject({
    source: z.literal("git"),
    url: z.string(),
    ref: z.string().optional(),
    path: z.string().optional(),
    sparsePaths: z.array(z.string()).optional(),
  }),
  z.looseObject({
    source: z.literal("github"),
    repo: z.string(),
    ref: z.string().optional(),
    path: z.string().optional(),
    sparsePaths: z.array(z.string()).optional(),
  }),
  z.looseObject({
    source: z.literal("npm"),
    package: z.string(),
    version: z.string().optional(),
    registry: z.string().optional(),
  }),
  z.looseObject({ source: z.literal("url"), url: z.string(), headers: z.record(z.string(), z.string()).optional() }),
  z.looseObject({ source: z.literal("archive"), url: z.string(), sha256: z.string().optional() }),
  z.looseObject({
    source: z.literal("settings"),
    name: z.string().optional(),
    plugins: z.array(z.unknown()),
    owner: z.unknown().optional(),
  }),
])
export type MarketplaceSource = z.infer<typeof MarketplaceSource>

export const KnownMarketplace = z.looseObject({
  source: MarketplaceSource,
  installLocation: z.string(),
  lastUpdated: z.string().optional(),
  autoUpdate: z.boolean().optional(),
})
export type KnownMarketplace = z.infer<typeof KnownMarketplace>

/** One installation in installed_plugins.json v2. */
export const InstalledPlugin = z.looseObject({
  scope: PluginScope,
  projectPath: z.string().optional(),
  installPath: z.string(),
  version: z.string(),
  installedAt: z.string().optional(),
  lastUpdated: z.string().optional(),
  gitCommitSha: z.string().optional(),
  resolvedVersion: z.string().optional(),
  auto: z.boolean().optional(),
})
export type InstalledPlugin = z.infer<typeof InstalledPlugin>

/** One thing a plugin can make the machine do. `run` starts a program, `download` fetches code at run time, `connect` talks to a host. */
export const SurfaceItem = z.object({
  kind: z.enum([
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
  ]),
  where: z.string(),
  does: z.string(),
  /** sha256 of the script it starts, where that script is part of the plugin. */
  script: z.string().optional(),
})
export type SurfaceItem = z.infer<typeof SurfaceItem>

export const ExecutableSurface = z.object({ items: z.array(SurfaceItem), sha256: z.string() })
export type ExecutableSurface = z.infer<typeof ExecutableSurface>

/** Where exactly some bytes can be had again: a commit, an archive by its hash, an npm version by its digest. */
const FetchFrom = z.record(z.string().max(32), z.string().max(2000))

/** A pin in a plugin lock file: exactly these bytes. */
export const PluginPin = z.looseObject({
  version: z.string(),
  contentHash: z.string(),
  surfaceHash: z.string(),
  source: z.unknown(),
  fetchFrom: FetchFrom.optional(),
  gitCommitSha: z.string().optional(),
  resolvedVersion: z.string().optional(),
  pinned: z.boolean().optional(),
})
export type PluginPin = z.infer<typeof PluginPin>

/** A marketplace in a plugin lock file: where it comes from, and the commit or release that was there. */
export const LockedMarketplace = z.looseObject({ source: MarketplaceSource, version: z.string().optional() })
export type LockedMarketplace = z.infer<typeof LockedMarketplace>

export const PluginLock = z.looseObject({
  version: z.literal(1),
  plugins: z.record(z.string(), PluginPin),
  marketplaces: z.record(z.string(), LockedMarketplace).optional(),
})
export type PluginLock = z.infer<typeof PluginLock>

/** A plugin an admin chose for a team, with the exact bytes and the surface they approved. */
export const CuratedPlugin = z.object({
  id: z.string(),
  version: z.string(),
  contentHash: z.string(),
  surfaceHash: z.string(),
  fetchFrom: FetchFrom.optional(),
  enabled: z.boolean().default(true),
  required: z.boolean().default(true),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  /** What the person who approved it was shown. */
  surface: z.array(SurfaceItem).max(200).optional(),
})
export type CuratedPlugin = z.infer<typeof CuratedPlugin>

/** The whole of what every member's machine should have: what `chorus plugin sync` takes. */
export const CuratedSet = z.object({
  revision: z.number().int().nonnegative(),
  marketplaces: z.record(z.string(), z.object({ source: MarketplaceSource })),
  plugins: z.array(CuratedPlugin),
  /** When true, a plugin from a curated marketplace that is not in the set is removed. */
  exclusive: z.boolean().default(false),
})
export type CuratedSet = z.infer<typeof CuratedSet>

/** What a person reads before agreeing. `unseen` counts what did not fit: then the surface is not shown whole. */
const shownSurface = {
  surface: z.array(SurfaceItem).max(200).optional(),
  unseen: z.number().int().positive().optional(),
}

/** A plugin a marketplace of some machine offers. Its bytes are known where they lie in the marketplace's own folder. */
export const PluginOffer = z.object({
  id: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  contentHash: z.string().optional(),
  surfaceHash: z.string().optional(),
  fetchFrom: FetchFrom.optional(),
  ...shownSurface,
  problem: z.string().optional(),
})
export type PluginOffer = z.infer<typeof PluginOffer>

export const InventoryPlugin = z.object({
  id: z.string(),
  version: z.string(),
  scope: PluginScope,
  enabled: z.boolean(),
  contentHash: z.string().optional(),
  surfaceHash: z.string().optional(),
  fetchFrom: FetchFrom.optional(),
  ...shownSurface,
  /** The version its marketplace offers instead, where a newer one was found. */
  update: z.string().optional(),
  errors: z.array(z.string()),
})
export type InventoryPlugin = z.infer<typeof InventoryPlugin>

/** What one machine has, as the companion reports it. */
export const MachineInventory = z.object({
  machine: z.string(),
  takenAt: z.string(),
  claudeVersion: z.string().optional(),
  marketplaces: z.array(z.object({ name: z.string(), source: MarketplaceSource })),
  plugins: z.array(InventoryPlugin),
  offers: z.array(PluginOffer).max(2000).optional(),
})
export type MachineInventory = z.infer<typeof MachineInventory>

/** One way in which a machine differs from the curated set. */
export const PluginDeviation = z.object({
  id: z.string(),
  kind: z.enum([
    "missing",
    "extra",
    "wrong_version",
    "changed_content",
    "changed_surface",
    "disabled",
    "enabled",
    "load_error",
  ]),
  expected: z.string().optional(),
  actual: z.string().optional(),
})
export type PluginDeviation = z.infer<typeof PluginDeviation>
