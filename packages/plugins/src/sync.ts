import { isDeepStrictEqual } from "node:util"
import { extraPlugins, pluginDeviations } from "@chorus/core"
import { ChorusError, type CuratedPlugin, type CuratedSet, type PluginDeviation } from "@chorus/contracts"
import { configure, readConfiguration, secretStore } from "./config/configure.ts"
import { pluginOptions } from "./config/option.ts"
import type { PluginContext } from "./context.ts"
import { type AskConsent } from "./govern/consent.ts"
import { readPins, setPin } from "./govern/lock-file.ts"
import { agreeToEnable } from "./govern/trust.ts"
import { isIntact, readInstalledPlugin, recordAt } from "./install/installed.ts"
import { installPlugin } from "./install/install.ts"
import { removeRecord, updatePlugin } from "./install/change.ts"
import { machineInventory } from "./load/machine-inventory.ts"
import { addMarketplace, sameSource } from "./marketplace/registry.ts"
import { removeMarketplace } from "./marketplace/withdrawal.ts"
import { readKnown, setEnabled } from "./state/index.ts"

export interface SyncResult {
  readonly done: readonly {
    id: string
    action: "installed" | "updated" | "removed" | "enabled" | "disabled" | "configured"
  }[]
  readonly failed: readonly { id: string; error: ChorusError }[]
  readonly deviations: readonly PluginDeviation[]
}

/** Gives this machine exactly the curated set. One plugin that fails does not keep the others; what still differs is told. */
export async function syncPlugins(
  context: PluginContext,
  set: CuratedSet,
  options: { ask: AskConsent },
): Promise<SyncResult> {
  const done: SyncResult["done"][number][] = []
  const failed: SyncResult["failed"][number][] = []
  const attempt = async (id: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      failed.push({ id, error })
    }
  }
  for (const [name, { source }] of Object.entries(set.marketplaces)) {
    await attempt(name, async () => {
      const known = readKnown(context.home).get(name)
      if (known !== undefined && !sameSource(known.origin, source)) await removeMarketplace(context, name)
      if (known === undefined || !isDeepStrictEqual(known.origin, source)) await addMarketplace(context, source, "user")
    })
  }
  for (const plugin of set.plugins)
    await attempt(plugin.id, () =>
      syncOne(context, plugin, options.ask, (action) => done.push({ id: plugin.id, action })),
    )
  if (set.exclusive) {
    for (const { id } of extraPlugins(await machineInventory(context), set)) {
      await attempt(id, async () => {
        await removeRecord(context, id, "user", false)
        done.push({ id, action: "removed" })
      })
    }
  }
  return { done, failed, deviations: pluginDeviations(await machineInventory(context), set) }
}

async function syncOne(
  context: PluginContext,
  wanted: CuratedPlugin,
  ask: AskConsent,
  did: (action: SyncResult["done"][number]["action"]) => void,
): Promise<void> {
  const { home } = context
  const locked = readPins(home, "user").get(wanted.id)
  const there = recordAt(context, wanted.id, "user")
  const right = there !== undefined && locked?.contentHash === wanted.contentHash && isIntact(home, there, locked)
  if (there === undefined) {
    await installPlugin(context, { plugin: wanted.id, scope: "user", ask, expect: wanted })
    did("installed")
  } else if (!right) {
    if (locked?.pinned === true) await setPin(home, "user", wanted.id, { ...locked, pinned: false })
    try {
      await updatePlugin(context, wanted.id, { scope: "user", ask, expect: wanted })
    } catch (error) {
      if (locked !== undefined) await setPin(home, "user", wanted.id, locked)
      throw error
    }
    did("updated")
  }
  const pin = readPins(home, "user").get(wanted.id)
  if (pin !== undefined) await setPin(home, "user", wanted.id, { ...pin, pinned: true })
  const now = (await machineInventory(context)).plugins.find((plugin) => plugin.id === wanted.id)
  if (now !== undefined && now.enabled !== wanted.enabled) {
    if (wanted.enabled) await agreeToEnable(context, [wanted.id], ask)
    await setEnabled(home, "user", new Map([[wanted.id, wanted.enabled]]))
    did(wanted.enabled ? "enabled" : "disabled")
  }
  const record = recordAt(context, wanted.id, "user")
  if (wanted.options === undefined || record === undefined) return
  const options = pluginOptions(readInstalledPlugin(context, wanted.id, record))
  const secrets = secretStore(home, context.env)
  const { values } = readConfiguration(home, secrets, wanted.id, options)
  const different = Object.entries(wanted.options).filter(([key, value]) => !isDeepStrictEqual(values.get(key), value))
  if (different.length === 0) return
  await configure(home, secrets, wanted.id, options, Object.fromEntries(different))
  did("configured")
}
