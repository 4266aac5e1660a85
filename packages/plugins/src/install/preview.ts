import { join } from "node:path"
import { rmSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { makeStage, sweepStages } from "../fetch/index.ts"
import { pluginDenial, readPolicy } from "../govern/policy.ts"
import type { LoadedPlugin } from "../load/loaded.ts"
import { findMarketplace, openAllMarketplaces } from "../marketplace/registry.ts"
import { isObject } from "../read/index.ts"
import { formatId, parseId } from "./installed.ts"
import { findByName, requireEntry } from "./plan.ts"
import { stagePath, stagePlugin } from "./staged.ts"

/**
 * A plugin that a marketplace offers, read as an install would read it; nothing is installed. `look` sees it while it is there.
 * What only a command could produce is not produced.
 */
export async function previewPlugin<T>(
  context: PluginContext,
  typed: string,
  look: (plugin: LoadedPlugin, source: unknown) => T,
): Promise<T> {
  const root = typed.includes("@") ? parseId(typed) : findByName(context, typed)
  await findMarketplace(context, root.marketplace)
  const { catalogue, entry } = requireEntry(openAllMarketplaces(context).catalogues, root)
  const id = formatId(root)
  if (isObject(entry.source) && entry.source["source"] === "command")
    throw new ChorusError(
      "command_source_refused",
      `"${id}" is produced by running \`${String(entry.source["command"])}\`, which is not run to look at it.`,
      { status: 403, next: `The install shows it and asks: chorus plugin install ${id}.` },
    )
  const cache = join(context.home.plugins, "cache")
  sweepStages(cache)
  const stage = makeStage(cache)
  try {
    const { plugin, inventory, version, folder, runsFrom } = await stagePlugin(
      context,
      catalogue,
      entry,
      stagePath(stage, id),
    )
    const denial = pluginDenial(readPolicy(context.home), id)
    const loaded: LoadedPlugin = {
      id,
      origin: "marketplace",
      record: undefined,
      folder: runsFrom ?? folder,
      inPlace: runsFrom !== undefined,
      version,
      enabled: false,
      loads: false,
      plugin,
      inventory,
      errors: denial === undefined ? [] : [{ type: "policy", message: denial }],
      notes: [],
    }
    return look(loaded, entry.source)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
