import { ChorusError, type PluginPin, type PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { contentHash } from "../fetch/index.ts"
import { findInstalled, installedScope, notInstalled, repairCommand } from "../install/installed.ts"
import { loadPlugins } from "../load/load.ts"
import type { LoadedPlugin } from "../load/loaded.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { askConsent, type AskConsent, recordConsent } from "./consent.ts"
import { readPins, setPin } from "./lock-file.ts"
import { recordPackages } from "./packages.ts"
import { executableSurface } from "./surface.ts"

/** Accepts what an installed plugin is now: shows what it does, locks its bytes. For plugins another program installed or somebody changed. */
export async function trustPlugin(
  context: PluginContext,
  typed: string,
  ask: AskConsent,
  named?: PluginScope,
): Promise<{ pin: PluginPin; warnings: readonly string[] }> {
  const { id, records } = findInstalled(context, typed)
  const scope = named ?? installedScope(typed, records)
  const record = records.find((one) => one.scope === scope)
  if (scope === undefined || record === undefined) throw notInstalled(typed, scope)
  const loaded = (await loadPlugins(context)).plugins.find((plugin) => plugin.id === id)
  if (loaded?.inPlace === false && loaded.folder !== record.installPath)
    throw new ChorusError("other_version_runs", `Claude Code runs ${loaded.version} of ${id}, another installation.`, {
      status: 409,
      next: `To run that of ${scope} scope: ${repairCommand(id, scope)}.`,
    })
  const [agreed] = loaded?.record === undefined ? [] : await agreeTo(context, [loaded], ask)
  if (loaded?.record === undefined || agreed === undefined)
    throw new ChorusError("plugin_unreadable", `${id} cannot be read: ${loaded?.errors[0]?.message ?? "it is gone"}`, {
      status: 409,
      next: `Bring back what is locked: ${repairCommand(id, scope)}.`,
    })
  const before = readPins(context.home, scope).get(id)
  const pin: PluginPin = {
    version: loaded.version,
    contentHash: agreed.hash,
    surfaceHash: agreed.surface.sha256,
    source: sourceOf(context, id),
    ...(record.gitCommitSha === undefined ? {} : { gitCommitSha: record.gitCommitSha }),
    ...(before?.contentHash === agreed.hash ? before : {}),
  }
  await setPin(context.home, scope, id, pin)
  await recordPackages(context.home, loaded.folder)
  const isOnlyHere = scope === "project" && pin.fetchFrom === undefined && !loaded.inPlace
  const warnings = isOnlyHere
    ? ["Nobody else gets these bytes by the lock: they came from no address that it could name."]
    : []
  return { pin, warnings }
}

/** Asks about installed plugins that are not what was agreed to, before they are turned on. */
export async function agreeToEnable(context: PluginContext, ids: readonly string[], ask: AskConsent): Promise<void> {
  const { plugins } = await loadPlugins(context)
  const wanted = plugins.filter(({ id }) => ids.includes(id))
  await agreeTo(context, wanted, ask)
}

/** Asks once about all that are not what was agreed to before, and remembers the answer. */
export async function agreeTo(context: PluginContext, plugins: readonly LoadedPlugin[], ask: AskConsent) {
  const agreed = plugins.flatMap(({ id, version, folder, plugin, inventory, inPlace }) =>
    plugin === undefined || inventory === undefined
      ? []
      : [
          {
            id,
            version,
            folder,
            runsFrom: inPlace ? folder : undefined,
            surface: executableSurface(plugin, inventory, sourceOf(context, id)),
            hash: contentHash(folder),
          },
        ],
  )
  await askConsent(context.home, agreed, ask)
  for (const { id, folder, surface, hash } of agreed) {
    if (contentHash(folder) !== hash)
      throw new ChorusError("changed_after_consent", `${id} changed while you looked at it.`, {
        status: 409,
        next: "Look again.",
      })
    await recordConsent(context.home, id, { surface, folder }, context.now())
  }
  return agreed
}

/** Holds a plugin at the bytes it has: updates leave it alone until it is released. */
export async function setPinned(
  context: PluginContext,
  typed: string,
  pinned: boolean,
  named?: PluginScope,
): Promise<PluginPin> {
  const { id, records } = findInstalled(context, typed)
  const scope = named ?? installedScope(typed, records)
  if (scope === undefined) throw notInstalled(typed)
  const pin = readPins(context.home, scope).get(id)
  if (pin === undefined)
    throw new ChorusError("not_locked", `${id} was not installed through Chorus, so there is nothing to hold it at.`, {
      status: 409,
      next: `First: chorus plugin trust ${id}.`,
    })
  const changed: PluginPin = { ...pin, pinned: pinned ? true : undefined }
  await setPin(context.home, scope, id, changed)
  return changed
}

function sourceOf(context: PluginContext, id: string): unknown {
  const at = id.lastIndexOf("@")
  return openAllMarketplaces(context)
    .catalogues.get(id.slice(at + 1))
    ?.entries.get(id.slice(0, at))?.source
}
