import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { isNetworkError } from "../fetch/index.ts"
import type { AskConsent } from "../govern/consent.ts"
import { isInPlace, requireKnown, updateMarketplace } from "../marketplace/registry.ts"

const REFRESH_AFTER_MS = 30_000

/** A newer catalogue when there is one to be had; without a network the one at hand. Tells what it stopped. */
export async function refreshQuietly(
  context: PluginContext,
  name: string,
  options: { force?: boolean; ask?: AskConsent } = {},
): Promise<readonly string[]> {
  const known = requireKnown(context, name)
  if (isInPlace(known.origin) || known.origin.source === "settings") return []
  if (
    options.force !== true &&
    known.lastUpdated !== undefined &&
    context.now().getTime() - Date.parse(known.lastUpdated) < REFRESH_AFTER_MS
  )
    return []
  try {
    return (await updateMarketplace(context, name, { ask: options.ask })).warnings
  } catch (error) {
    if (!isNetworkError(error)) throw error
    return []
  }
}

/** A failure after a newer catalogue came; what that one stopped is told all the same. */
export function alsoTelling(error: unknown, stopped: readonly string[]): unknown {
  if (!(error instanceof ChorusError) || stopped.length === 0) return error
  return new ChorusError(error.code, [error.message, ...stopped].join(" "), error)
}
