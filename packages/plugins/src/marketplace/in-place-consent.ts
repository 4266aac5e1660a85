import { join } from "node:path"
import type { ExecutableSurface, PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash } from "../fetch/tree.ts"
import { askConsent, recordConsent, type AskConsent } from "../govern/consent.ts"
import { setPin } from "../govern/lock.ts"
import { executableSurface } from "../govern/surface.ts"
import { kindInside } from "../read/files.ts"
import { sourceFolder } from "../read/catalogue.ts"
import { readInventory } from "../read/inventory.ts"
import { readPlugin } from "../read/plugin.ts"
import { readInstalled } from "../state/records.ts"
import type { Catalogue } from "./catalogue.ts"

interface Changed {
  readonly id: string
  readonly version: string
  readonly surface: ExecutableSurface
  readonly contentHash: string
  readonly source: unknown
  readonly scopes: readonly PluginScope[]
}

/**
 * A fetched marketplace whose plugins run from its own folder changes them the moment it is replaced. So whoever replaces it is
 * asked first what is asked for any update. Returns what to record once the new copy is in place.
 */
export async function askBeforeReplacing(
  context: PluginContext,
  next: Catalogue,
  name: string,
  ask: AskConsent,
): Promise<() => Promise<void>> {
  const changed = [...readInstalled(context.home)].flatMap(([id, records]): Changed[] => {
    const entry = id.endsWith(`@${name}`) ? next.entries.get(id.slice(0, -name.length - 1)) : undefined
    if (entry === undefined || typeof entry.source !== "string") return []
    const folder = sourceFolder(entry.source, next.pluginRoot)
    if (kindInside(next.root, folder) !== "directory") return []
    const plugin = readPlugin(join(next.root, folder), entry.data)
    return [
      {
        id,
        version: plugin.version ?? "unknown",
        surface: executableSurface(plugin, readInventory(plugin), entry.source),
        contentHash: contentHash(plugin.folder),
        source: entry.source,
        scopes: records.map((record) => record.scope),
      },
    ]
  })
  await askConsent(context.home, changed, ask)
  return async () => {
    for (const one of changed) {
      for (const scope of one.scopes)
        await setPin(context.home, scope, one.id, {
          version: one.version,
          contentHash: one.contentHash,
          surfaceHash: one.surface.sha256,
          source: one.source,
        })
      await recordConsent(context.home, one.id, one.surface, context.now())
    }
  }
}
