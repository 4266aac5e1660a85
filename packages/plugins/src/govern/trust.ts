import { ChorusError, type PluginPin } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash } from "../fetch/tree.ts"
import { findInstalled } from "../install/installed.ts"
import { loadPlugins } from "../load/load.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { askConsent, type AskConsent, readPins, recordConsent, setPin } from "./consent.ts"
import { recordPackages } from "./packages.ts"
import { executableSurface } from "./surface.ts"

/** Accepts what an installed plugin is now: shows what it does, locks its bytes. For plugins another program installed or somebody changed. */
export async function trustPlugin(context: PluginContext, typed: string, ask: AskConsent): Promise<PluginPin> {
  const { id } = findInstalled(context, typed)
  const loaded = (await loadPlugins(context)).plugins.find((plugin) => plugin.id === id)
  if (loaded?.plugin === undefined || loaded.inventory === undefined || loaded.record === undefined)
    throw new ChorusError("plugin_unreadable", `${id} cannot be read: ${loaded?.errors[0]?.message ?? "it is gone"}`, {
      status: 409,
      next: `Reinstall it: chorus plugin uninstall ${id} && chorus plugin install ${id}.`,
    })
  const source = sourceOf(context, id)
  const surface = executableSurface(loaded.plugin, loaded.inventory, source)
  const hash = contentHash(loaded.folder)
  await askConsent(context.home, [{ id, version: loaded.version, surface }], ask)
  if (contentHash(loaded.folder) !== hash)
    throw new ChorusError("changed_after_consent", `${id} changed while you looked at it.`, {
      status: 409,
      next: "Look again.",
    })
  const pin: PluginPin = {
    version: loaded.version,
    contentHash: hash,
    surfaceHash: surface.sha256,
    source,
    ...(loaded.record.gitCommitSha === undefined ? {} : { gitCommitSha: loaded.record.gitCommitSha }),
  }
  await setPin(context.home, loaded.record.scope, id, pin)
  await recordPackages(context.home, loaded.folder)
  await recordConsent(context.home, id, surface, context.now())
  return pin
}

/** Holds a plugin at the bytes it has: updates leave it alone until it is released. */
export async function setPinned(context: PluginContext, typed: string, pinned: boolean): Promise<PluginPin> {
  const { id, records } = findInstalled(context, typed)
  const scope = records[0]?.scope ?? "user"
  const pin = readPins(context.home, scope).get(id)
  if (pin === undefined)
    throw new ChorusError("not_locked", `${id} was not installed through Chorus, so there is nothing to hold it at.`, {
      status: 409,
      next: `First: chorus plugin trust ${id}.`,
    })
  const changed: PluginPin = { ...pin, pinned }
  await setPin(context.home, scope, id, changed)
  return changed
}

function sourceOf(context: PluginContext, id: string): unknown {
  const at = id.lastIndexOf("@")
  return openAllMarketplaces(context)
    .catalogues.get(id.slice(at + 1))
    ?.entries.get(id.slice(0, at))?.source
}
