import type { CuratedSet, InventoryPlugin, MachineInventory, PluginDeviation } from "@chorus/contracts"

/** How a machine's plugins differ from the set its workspace agreed on. */
export function pluginDeviations(inventory: MachineInventory, set: CuratedSet): PluginDeviation[] {
  const have = new Map(inventory.plugins.map((plugin) => [plugin.id, plugin]))
  const wrong = set.plugins.flatMap((wanted): PluginDeviation[] => {
    const found = have.get(wanted.id)
    if (found !== undefined) return differences(found, wanted)
    return wanted.required ? [{ id: wanted.id, kind: "missing", expected: wanted.version }] : []
  })
  return [
    ...wrong,
    ...extraPlugins(inventory, set).map((plugin): PluginDeviation => ({
      id: plugin.id,
      kind: "extra",
      actual: plugin.version,
    })),
  ]
}

/** Plugins from a curated marketplace that are not in the set; an exclusive set has them removed. */
export function extraPlugins(inventory: MachineInventory, set: CuratedSet): InventoryPlugin[] {
  const wanted = new Set(set.plugins.map(({ id }) => id))
  return inventory.plugins.filter(
    ({ id }) => !wanted.has(id) && Object.hasOwn(set.marketplaces, id.slice(id.lastIndexOf("@") + 1)),
  )
}

function differences(found: InventoryPlugin, wanted: CuratedSet["plugins"][number]): PluginDeviation[] {
  const { id } = wanted
  const deviations: PluginDeviation[] = []
  if (found.version !== wanted.version)
    deviations.push({ id, kind: "wrong_version", expected: wanted.version, actual: found.version })
  else if (found.contentHash !== wanted.contentHash)
    deviations.push({ id, kind: "changed_content", expected: wanted.contentHash, actual: found.contentHash })
  if (found.enabled !== wanted.enabled) deviations.push({ id, kind: found.enabled ? "enabled" : "disabled" })
  return [...deviations, ...found.errors.map((error): PluginDeviation => ({ id, kind: "load_error", actual: error }))]
}
