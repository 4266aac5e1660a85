import type { MachineInventory } from "@chorus/contracts"
import { checkAtStart, machineInventory, marketplaceOffers, type PluginContext } from "@chorus/plugins"

const DAY_MS = 24 * 60 * 60 * 1000

export interface PluginWatch {
  /** Takes the inventory again, for what changed on the server. */
  again(): void
  close(): void
}

/**
 * Tells which plugins this machine has and is offered: at once, and again after the check for updates that a session would
 * make when it starts. A companion lives longer than a session, so the check comes back every day.
 */
export function watchPlugins(context: () => PluginContext, report: (inventory: MachineInventory) => void): PluginWatch {
  let updates: ReadonlyMap<string, string> = new Map()
  let closed = false
  let queue: Promise<void> = Promise.resolve()
  const inOrder = (work: () => Promise<void>) => {
    // What cannot be read now is told next time; the companion's other work goes on.
    queue = queue.then(() => (closed ? undefined : work())).catch(() => undefined)
  }

  async function take(): Promise<void> {
    const inventory = await machineInventory(context())
    const offers = await marketplaceOffers(context())
    const plugins = inventory.plugins.map((plugin) => withUpdate(plugin, updates.get(plugin.id)))
    if (!closed) report({ ...inventory, plugins, offers })
  }

  async function check(): Promise<void> {
    const found = await checkAtStart(context())
    updates = new Map(
      found.updates.flatMap(({ id, available }) => (available === undefined ? [] : [[id, available] as const])),
    )
    await take()
  }

  inOrder(take)
  inOrder(check)
  const daily = setInterval(() => inOrder(check), DAY_MS)
  return {
    again: () => inOrder(take),
    close() {
      closed = true
      clearInterval(daily)
    },
  }
}

function withUpdate(
  plugin: MachineInventory["plugins"][number],
  update: string | undefined,
): MachineInventory["plugins"][number] {
  return update === undefined || update === plugin.version ? plugin : { ...plugin, update }
}
