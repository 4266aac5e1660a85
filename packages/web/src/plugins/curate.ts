import type { CuratedPlugin, CuratedSet, InventoryPlugin, MachineInventory, machines } from "@chorus/contracts"

type Known = machines.KnownPlugin
/** What a build of a plugin is told apart by. */
type Build = Pick<Known, "version" | "contentHash" | "surfaceHash">

/** Whether enough is known to pin a build: its version, its bytes and what it does. */
export function canPin({ version, contentHash, surfaceHash }: Build): boolean {
  return version !== undefined && contentHash !== undefined && surfaceHash !== undefined
}

/** Whether a build is byte for byte what the set asks for. */
export function isAgreed(plugin: Build, curated: CuratedPlugin | undefined): boolean {
  return (
    curated !== undefined &&
    curated.version === plugin.version &&
    curated.contentHash === plugin.contentHash &&
    curated.surfaceHash === plugin.surfaceHash
  )
}

/** What a machine has, as something to choose. */
export function knownOn(inventory: MachineInventory, plugin: InventoryPlugin): Known {
  const { scope: _scope, enabled: _enabled, errors: _errors, update: _update, ...build } = plugin
  const source = inventory.marketplaces.find(({ name }) => name === marketplaceOf(plugin.id))?.source
  return {
    ...build,
    ...(source === undefined ? {} : { source }),
    installedOn: [inventory.machine],
    offeredOn: [],
    approved: false,
  }
}

/** The set with exactly this build; its marketplace comes along. Undefined when nobody can say which bytes that are. */
export function withPlugin(set: CuratedSet, plugin: Known): CuratedSet | undefined {
  const { contentHash, surfaceHash, id, version, surface, source, fetchFrom } = plugin
  if (contentHash === undefined || surfaceHash === undefined || version === undefined) return undefined
  const known = set.plugins.find((each) => each.id === id)
  const { surface: _before, fetchFrom: _from, ...kept } = known ?? { enabled: true, required: true }
  const pinned: CuratedPlugin = {
    ...kept,
    id,
    version,
    contentHash,
    surfaceHash,
    ...(fetchFrom === undefined ? {} : { fetchFrom }),
    ...(surface === undefined ? {} : { surface }),
  }
  const plugins =
    known === undefined ? [...set.plugins, pinned] : set.plugins.map((each) => (each === known ? pinned : each))
  const market = marketplaceOf(id)
  const marketplaces =
    source === undefined || Object.hasOwn(set.marketplaces, market)
      ? set.marketplaces
      : { ...set.marketplaces, [market]: { source } }
  return { ...set, plugins, marketplaces }
}

/** The set without a plugin, and without a marketplace nothing comes from any more. */
export function withoutPlugin(set: CuratedSet, id: string): CuratedSet {
  const plugins = set.plugins.filter((plugin) => plugin.id !== id)
  const used = new Set(plugins.map((plugin) => marketplaceOf(plugin.id)))
  const market = marketplaceOf(id)
  if (used.has(market)) return { ...set, plugins }
  return {
    ...set,
    plugins,
    marketplaces: Object.fromEntries(Object.entries(set.marketplaces).filter(([name]) => name !== market)),
  }
}

export function withChange(
  set: CuratedSet,
  id: string,
  change: Partial<Pick<CuratedPlugin, "enabled" | "required">>,
): CuratedSet {
  return { ...set, plugins: set.plugins.map((plugin) => (plugin.id === id ? { ...plugin, ...change } : plugin)) }
}

export function nameOf(id: string): string {
  return id.slice(0, id.lastIndexOf("@"))
}

export function marketplaceOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1)
}

/** A hash short enough to read aloud; the whole is one hover away. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256[:-]/, "").slice(0, 12)
}
