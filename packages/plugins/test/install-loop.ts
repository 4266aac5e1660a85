// Run as a process of its own: installs and uninstalls for ever, until it is killed.
import { flushCompileCache } from "node:module"
import { installPlugin, networkPolicy, pluginContext, uninstallPlugin, updateMarketplace } from "@chorus/plugins"
import { ChorusError } from "@chorus/contracts"

const [project, ...ids] = process.argv.slice(2)
const context = pluginContext({ project: project ?? "", network: networkPolicy({}) })
// Whoever is killed keeps nothing for the next one otherwise.
flushCompileCache()
process.stdout.write("ready\n")
for (;;) {
  for (const plugin of ids) {
    await quietly(installPlugin(context, { plugin, scope: "user", ask: () => true }))
    await quietly(updateMarketplace(context, plugin.slice(plugin.indexOf("@") + 1)))
    await quietly(uninstallPlugin(context, plugin))
  }
}

/** Another process may be doing the opposite; only faults that are no answer to a caller count. */
async function quietly(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof ChorusError && error.status < 500) return
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  }
}
