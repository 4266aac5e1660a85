import type { CuratedPlugin, CuratedSet, InventoryPlugin, MachineInventory } from "@chorus/contracts"

/** Whether a machine told enough to pin what it has. */
export function canPin(plugin: InventoryPlugin): boolean {
  return plugin.contentHash !== undefined && plugin.surfaceHash !== undefined
}

/** Whether what a machine has is byte for byte what the set asks for. */
export function isAgreed(plugin: InventoryPlugin, curated: CuratedPlugin | undefined): boolean {
  return curated !== undefined && curated.version === plugin.version && curated.contentHash === plugin.contentHash && curated.surfaceHash === plugin.surfaceHash
}

/** The set with exactly what this machine has; its marketplace comes along. Undefined when the machine does not say what that is. */
export function withPlugin(set: CuratedSet, inventory: MachineInventory, plugin: InventoryPlugin): CuratedSet | undefined {
  const { contentHash, surfaceHash, id, version } = plugin
  if (contentHash === undefined || surfaceHash === undefined) return undefined
  const known = set.plugins.find((each) => each.id === id)
  const pinned: CuratedPlugin = { enabled: true, required: true, ...known, id, version, contentHash, surfaceHash }
  const plugins = known === undefined ? [...set.plugins, pinned] : set.plugins.map((each) => (each === known ? pinned : each))
  const market = inventory.marketplaces.find(({ name }) => name === marketplaceOf(id))
  const marketplaces = market === undefined || Object.hasOwn(set.marketplaces, market.name) ? set.marketplaces : { ...set.marketplaces, [market.name]: { source: market.source } }
  return { ...set, plugins, marketplaces }
}

/** The set without a plugin, and without a marketplace nothing comes from any more. */
export function withoutPlugin(set: CuratedSet, id: string): CuratedSet {
  const plugins = set.plugins.filter((plugin) => plugin.id !== id)
  const used = new Set(plugins.map((plugin) => marketplaceOf(plugin.id)))
  const market = marketplaceOf(id)
  if (used.has(market)) return { ...set, plugins }
  return { ...set, plugins, marketplaces: Object.fromEntries(Object.entries(set.marketplaces).filter(([name]) => name !== market)) }
}

export function withChange(set: CuratedSet, id: string, change: Partial<Pick<CuratedPlugin, "enabled" | "required">>): CuratedSet {
  return { ...set, plugins: set.plugins.map((plugin) => (plugin.id === id ? { ...plugin, ...change } : plugin)) }
}

export function marketplaceOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1)
}

/** A hash short enough to read aloud; the whole is one hover away. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256[:-]/, "").slice(0, 12)
}
