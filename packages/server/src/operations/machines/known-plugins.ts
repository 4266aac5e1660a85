import type { CuratedSet, MachineInventory, machines } from "@chorus/contracts"

type Known = machines.KnownPlugin
type PluginOffer = NonNullable<MachineInventory["offers"]>[number]

/** Every build of every plugin the machines know, each once, by name; of one plugin the approved build first. */
export function knownPlugins(inventories: readonly MachineInventory[], set: CuratedSet): Known[] {
  const known = new Map<string, Known>()
  const note = (offer: PluginOffer, more: Pick<Known, "source" | "installedOn" | "offeredOn">) => {
    const key = [offer.id, offer.contentHash ?? offer.version ?? ""].join(" ")
    const before = known.get(key)
    known.set(key, {
      ...offer,
      ...before,
      ...(more.source === undefined ? {} : { source: more.source }),
      ...(before?.surface === undefined && offer.surface !== undefined ? shown(offer) : {}),
      ...(before?.description === undefined && offer.description !== undefined
        ? { description: offer.description }
        : {}),
      installedOn: [...new Set([...(before?.installedOn ?? []), ...more.installedOn])],
      offeredOn: [...new Set([...(before?.offeredOn ?? []), ...more.offeredOn])],
      approved: set.plugins.some((plugin) => plugin.id === offer.id && plugin.contentHash === offer.contentHash),
    })
  }
  for (const { machine, marketplaces, plugins, offers = [] } of inventories) {
    const from = (id: string) => ({ source: marketplaces.find(({ name }) => name === marketplaceOf(id))?.source })
    for (const { scope: _scope, enabled: _enabled, errors: _errors, update: _update, ...plugin } of plugins)
      note(plugin, { ...from(plugin.id), installedOn: [machine], offeredOn: [] })
    for (const offer of offers) note(offer, { ...from(offer.id), installedOn: [], offeredOn: [machine] })
  }
  for (const { enabled: _enabled, required: _required, options: _options, ...plugin } of set.plugins) {
    const source = set.marketplaces[marketplaceOf(plugin.id)]?.source
    note(plugin, { source, installedOn: [], offeredOn: [] })
  }
  const described = new Map(
    [...known.values()].flatMap(({ id, description }) =>
      description === undefined ? [] : [[id, description] as const],
    ),
  )
  return [...known.values()]
    .map((plugin) => ({ ...plugin, ...(described.has(plugin.id) ? { description: described.get(plugin.id) } : {}) }))
    .sort(
      (a, b) =>
        a.id.localeCompare(b.id) ||
        Number(b.approved) - Number(a.approved) ||
        (b.version ?? "").localeCompare(a.version ?? "", undefined, { numeric: true }),
    )
}

function shown({ surface, surfaceHash, unseen }: PluginOffer): Pick<PluginOffer, "surface" | "surfaceHash" | "unseen"> {
  return { surface, ...(surfaceHash === undefined ? {} : { surfaceHash }), ...(unseen === undefined ? {} : { unseen }) }
}

function marketplaceOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1)
}
