import { rmSync } from "node:fs"
import type { PluginScope } from "@chorus/contracts"
import { forgetConfiguration } from "../config/configure.ts"
import { secretStore } from "../config/secret-store.ts"
import type { PluginContext } from "../context.ts"
import { recordConsent } from "../govern/consent.ts"
import { setPin } from "../govern/lock.ts"
import { dataFolder } from "../state/claude-home.ts"
import { appliesHere, changeInstalled, readInstalled } from "../state/records.ts"
import { setEnabled } from "../state/settings.ts"
import { markOrphaned, withPluginLock } from "./cache.ts"
import { dependencyEdges, dependentsOf, findInstalled, notInstalled } from "./find-installed.ts"
import { isAt, isUsed } from "./install.ts"

export interface Uninstalled {
  readonly id: string
  readonly scope: PluginScope
  readonly requiredBy: readonly string[]
  readonly pruned: readonly string[]
  readonly keptData: boolean
}

/** Removes a plugin from a scope. With its last scope go its options, secrets, data and consent. */
export async function uninstallPlugin(
  context: PluginContext,
  typed: string,
  options: { scope?: PluginScope | undefined; keepData?: boolean; prune?: boolean } = {},
): Promise<Uninstalled> {
  const { id, records } = findInstalled(context, typed)
  const scope = options.scope ?? records.find((record) => record.scope === "user")?.scope ?? records[0]?.scope ?? "user"
  if (!records.some((record) => isAt(context, record, scope))) throw notInstalled(typed, scope)
  const requiredBy = dependentsOf(context, id)
  await removeRecord(context, id, scope, options.keepData === true)
  const pruned = options.prune === true ? await prunePlugins(context, scope) : []
  return { id, scope, requiredBy, pruned, keptData: options.keepData === true }
}

/** Removes plugins that came only because others needed them and that nobody needs any more. */
export async function prunePlugins(
  context: PluginContext,
  scope: PluginScope,
  options: { dryRun?: boolean } = {},
): Promise<string[]> {
  const orphans = findOrphans(context, scope)
  if (options.dryRun !== true) for (const id of orphans) await removeRecord(context, id, scope, false)
  return orphans
}

/** Removes one installation without asking who needs it. */
export async function removeRecord(
  context: PluginContext,
  id: string,
  scope: PluginScope,
  keepData: boolean,
): Promise<void> {
  await withPluginLock(context.home, id, () => remove(context, id, scope, keepData))
}

async function remove(context: PluginContext, id: string, scope: PluginScope, keepData: boolean): Promise<void> {
  const { home } = context
  const gone = (readInstalled(home).get(id) ?? []).filter((record) => isAt(context, record, scope))
  await setEnabled(home, scope, new Map([[id, undefined]]))
  await changeInstalled(home, id, (records) => records.filter((record) => !isAt(context, record, scope)))
  await setPin(home, scope, id, undefined)
  for (const record of gone) if (!isUsed(home, record.installPath)) markOrphaned(record.installPath, context.now())
  if (readInstalled(home).has(id)) return
  await recordConsent(home, id, undefined, context.now())
  if (keepData) return
  await forgetConfiguration(home, secretStore(home, context.env), id)
  rmSync(dataFolder(home, id), { recursive: true, force: true })
}

function findOrphans(context: PluginContext, scope: PluginScope): string[] {
  const installed = readInstalled(context.home)
  const edges = dependencyEdges(context)
  const here = [...installed].filter(([, records]) => records.some((record) => appliesHere(context.home, record)))
  const wanted = new Set(
    here
      .filter(([, records]) => records.some((record) => appliesHere(context.home, record) && record.auto !== true))
      .map(([id]) => id),
  )
  const queue = [...wanted]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const needed of edges.get(next) ?? []) {
      if (wanted.has(needed)) continue
      wanted.add(needed)
      queue.push(needed)
    }
  }
  return here
    .filter(
      ([id, records]) =>
        !wanted.has(id) && records.some((record) => isAt(context, record, scope) && record.auto === true),
    )
    .map(([id]) => id)
}
