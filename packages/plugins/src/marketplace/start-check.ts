import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { checkUpdates, type AvailableUpdate } from "../install/update.ts"
import { isObject } from "../read/json.ts"
import { readKnown, type Marketplace } from "../state/records.ts"
import { declaredMarketplaces, readSettings, SCOPES } from "../state/settings.ts"
import { OFFICIAL_MARKETPLACES } from "../validate/name-check.ts"
import { isInPlace, updateMarketplace } from "./registry.ts"
import { applyWithdrawals, type Withdrawn } from "./withdrawal.ts"

const EVERY_MS = 24 * 60 * 60 * 1000

export interface StartCheck {
  readonly withdrawn: Withdrawn
  readonly updates: readonly AvailableUpdate[]
  readonly unreachable: readonly string[]
}

/**
 * What a session does when it starts: catalogues that update themselves are fetched once a day, renames and withdrawals are
 * followed, and newer versions are told. None is installed: new code runs only after somebody agreed to it.
 */
export async function checkAtStart(context: PluginContext): Promise<StartCheck> {
  const unreachable: string[] = []
  for (const [name, marketplace] of readKnown(context.home)) {
    if (!updatesItself(context, name, marketplace) || isInPlace(marketplace.origin) || isFresh(context, marketplace))
      continue
    try {
      await updateMarketplace(context, name)
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      unreachable.push(`${name}: ${error.message}`)
    }
  }
  return { withdrawn: await applyWithdrawals(context), updates: await checkUpdates(context), unreachable }
}

/** Settings decide first, then what is recorded; on their own only official marketplaces do. */
function updatesItself(context: PluginContext, name: string, marketplace: Marketplace): boolean {
  for (const scope of SCOPES.toReversed()) {
    const declared = declaredMarketplaces(readSettings(context.home, scope)).get(name)
    if (isObject(declared) && typeof declared["autoUpdate"] === "boolean") return declared["autoUpdate"]
  }
  return marketplace.autoUpdate ?? OFFICIAL_MARKETPLACES.has(name)
}

function isFresh(context: PluginContext, marketplace: Marketplace): boolean {
  return (
    marketplace.lastUpdated !== undefined && context.now().getTime() - Date.parse(marketplace.lastUpdated) < EVERY_MS
  )
}
