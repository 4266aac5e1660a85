import { hostname } from "node:os"
import { join } from "node:path"
import {
  ChorusError,
  type ExecutableSurface,
  type MachineInventory,
  type PluginScope,
  type SurfaceItem,
} from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash, gitHead, hashOrNone } from "../fetch/index.ts"
import { readPins } from "../govern/lock-file.ts"
import { executableSurface } from "../govern/surface.ts"
import { versionOf } from "../install/version.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { isInPlace, openAllMarketplaces } from "../marketplace/registry.ts"
import { kindInside, readInventory, readPlugin, sourceFolder, stringField } from "../read/index.ts"
import { readKnown } from "../state/index.ts"
import { loadPlugins } from "./load.ts"

type Offer = NonNullable<MachineInventory["offers"]>[number]

const MOST_OFFERS = 2000
const MOST_ITEMS = 100
const MOST_TEXT = 500
/** What all offers may weigh together: a report travels in one call. */
const MOST_BYTES = 2 * 1024 * 1024

/** What this machine has, in the shape the server keeps. */
export async function machineInventory(context: PluginContext): Promise<MachineInventory> {
  const { plugins } = await loadPlugins(context)
  const { catalogues } = openAllMarketplaces(context)
  const sourceOf = (id: string) =>
    catalogues.get(id.slice(id.lastIndexOf("@") + 1))?.entries.get(id.slice(0, id.lastIndexOf("@")))?.source
  const pinOf = (id: string, scope: PluginScope) => readPins(context.home, scope).get(id)
  return {
    machine: hostname(),
    takenAt: context.now().toISOString(),
    ...(context.claudeVersion === undefined ? {} : { claudeVersion: context.claudeVersion }),
    marketplaces: [...readKnown(context.home)].map(([name, { origin }]) => ({ name, source: origin })),
    plugins: plugins
      .filter((plugin) => plugin.origin === "marketplace" && plugin.record !== undefined)
      .map((plugin) => {
        const hash = hashOrNone(plugin.folder)
        const scope = plugin.record?.scope ?? "user"
        const pin = pinOf(plugin.id, scope)
        const surface =
          plugin.plugin === undefined || plugin.inventory === undefined
            ? undefined
            : executableSurface(plugin.plugin, plugin.inventory, sourceOf(plugin.id))
        return {
          id: plugin.id,
          version: plugin.version,
          scope,
          enabled: plugin.enabled,
          ...(hash === undefined ? {} : { contentHash: hash }),
          ...(pin?.fetchFrom === undefined || pin.contentHash !== hash ? {} : { fetchFrom: pin.fetchFrom }),
          ...(surface === undefined ? {} : shown(surface)),
          errors: plugin.errors.map((error) => error.message),
        }
      }),
  }
}

/** What the marketplaces of this machine offer, for people to browse. Nothing is fetched for it: what lies elsewhere is told without its bytes. */
export async function marketplaceOffers(context: PluginContext): Promise<Offer[]> {
  const known = readKnown(context.home)
  const offers: Offer[] = []
  let bytes = 0
  for (const [name, catalogue] of openAllMarketplaces(context).catalogues) {
    const source = known.get(name)?.source
    const commit =
      source === undefined || isInPlace(source) || source.source === "settings"
        ? undefined
        : await gitHead(catalogue.root, { policy: context.network }).catch(() => undefined)
    for (const entry of catalogue.entries.values()) {
      if (offers.length === MOST_OFFERS) return offers
      const offer = offerOf(catalogue, entry, commit)
      bytes += JSON.stringify(offer).length
      offers.push(bytes > MOST_BYTES ? withoutSurface(offer) : offer)
    }
  }
  return offers
}

function offerOf(catalogue: Catalogue, entry: CatalogueEntry, commit: string | undefined): Offer {
  const told = {
    id: `${entry.name}@${catalogue.name}`,
    version: stringField(entry.data, "version"),
    description: stringField(entry.data, "description")?.slice(0, MOST_TEXT),
  }
  const offer = {
    id: told.id,
    ...(told.version === undefined ? {} : { version: told.version }),
    ...(told.description === undefined ? {} : { description: told.description }),
  }
  if (entry.problem !== undefined) return { ...offer, problem: entry.problem.slice(0, MOST_TEXT) }
  if (typeof entry.source !== "string") return offer
  const folder = sourceFolder(entry.source, catalogue.pluginRoot)
  if (kindInside(catalogue.root, folder) !== "directory")
    return { ...offer, problem: `The folder ${folder} is not in the marketplace.` }
  try {
    const hash = contentHash(join(catalogue.root, folder), catalogue.root)
    const plugin = readPlugin(join(catalogue.root, folder), entry.data)
    const description = stringField(plugin.manifest, "description")
    return {
      ...offer,
      ...(offer.description === undefined && description !== undefined
        ? { description: description.slice(0, MOST_TEXT) }
        : {}),
      version: versionOf({ source: entry.source, manifestVersion: plugin.version, commit, contentHash: hash }),
      contentHash: hash,
      ...shown(executableSurface(plugin, readInventory(plugin), entry.source)),
    }
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    return { ...offer, problem: error.message.slice(0, MOST_TEXT) }
  }
}

/** A surface as people read it; the hash stays that of the whole. */
function shown({ items, sha256 }: ExecutableSurface): { surfaceHash: string; surface: SurfaceItem[]; unseen?: number } {
  const surface = items
    .slice(0, MOST_ITEMS)
    .map((item) => ({ ...item, where: shortened(item.where), does: shortened(item.does) }))
  return { surfaceHash: sha256, surface, ...(items.length > MOST_ITEMS ? { unseen: items.length - MOST_ITEMS } : {}) }
}

function withoutSurface({ surface: _surface, unseen: _unseen, ...offer }: Offer): Offer {
  return offer
}

function shortened(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`
}
