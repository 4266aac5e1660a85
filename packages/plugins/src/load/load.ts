import { satisfies, valid } from "semver"
import type { PluginContext } from "../context.ts"
import { readPolicy, type Policy } from "../govern/policy.ts"
import { dependenciesIn, formatId } from "../install/installed.ts"
import { fromMarketplaces, fromSession, fromSkillFolders } from "./assemble.ts"
import type { LoadedPlugin, LoadMessage } from "./loaded.ts"

export interface LoadOptions {
  /** Folders given for this session only. */
  readonly sessionFolders?: readonly string[]
  /** Addresses of archives, for this session only. */
  readonly sessionUrls?: readonly string[]
  readonly builtins?: readonly LoadedPlugin[]
}

export interface LoadResult {
  readonly plugins: readonly LoadedPlugin[]
  readonly policy: Policy
}

/** What this machine would run here and now: every source is read, names are settled, and what lacks its dependencies is set aside. */
export async function loadPlugins(context: PluginContext, options: LoadOptions = {}): Promise<LoadResult> {
  const policy = readPolicy(context.home)
  const [session, marketplaces, skillFolders] = await Promise.all([
    fromSession(context, policy, options.sessionFolders ?? [], options.sessionUrls ?? []),
    fromMarketplaces(context, policy),
    fromSkillFolders(context, policy),
  ])
  const settled = settleNames([...session, ...marketplaces, ...skillFolders, ...(options.builtins ?? [])], policy)
  return { plugins: demoteUnsatisfied(settled).map((plugin) => applyHookPolicy(plugin, policy)), policy }
}

/** Of plugins with one name, the strongest origin loads: what the administrator names, then the session, then marketplaces. */
export function settleNames(plugins: readonly LoadedPlugin[], policy: Policy): LoadedPlugin[] {
  const rank = (plugin: LoadedPlugin) =>
    policy.forced.get(plugin.id) === true
      ? 0
      : ["session", "marketplace", "skills-dir", "builtin"].indexOf(plugin.origin) + 1
  const taken = new Map<string, LoadedPlugin>()
  const winners = new Set<LoadedPlugin>()
  for (const plugin of plugins.toSorted((a, b) => rank(a) - rank(b))) {
    const name = plugin.plugin?.name
    if (name === undefined || !plugin.loads || taken.has(name)) continue
    taken.set(name, plugin)
    winners.add(plugin)
  }
  return plugins.map((plugin) => {
    const winner = plugin.plugin === undefined ? undefined : taken.get(plugin.plugin.name)
    if (!plugin.loads || winners.has(plugin) || winner === undefined) return plugin
    const message: LoadMessage = {
      type: "name-taken",
      message: `Not loaded: the name "${plugin.plugin?.name ?? ""}" is already taken by ${winner.id}.`,
    }
    return {
      ...plugin,
      loads: false,
      errors: winner.origin === "session" ? plugin.errors : [...plugin.errors, message],
    }
  })
}

/** Sets aside what needs a plugin that is missing, off or of another version, and then what needs those, until nothing changes. */
export function demoteUnsatisfied(plugins: readonly LoadedPlugin[]): LoadedPlugin[] {
  let current = [...plugins]
  for (;;) {
    const next = current.map((plugin) => {
      const fault = plugin.loads ? dependencyFault(plugin, current) : undefined
      return fault === undefined
        ? plugin
        : {
            ...plugin,
            loads: false,
            errors: [...plugin.errors, { type: "dependency-unsatisfied" as const, message: fault }],
          }
    })
    if (next.every((plugin, index) => plugin.loads === current[index]?.loads)) return current
    current = next
  }
}

function dependencyFault(plugin: LoadedPlugin, all: readonly LoadedPlugin[]): string | undefined {
  const marketplace = plugin.id.slice(plugin.id.lastIndexOf("@") + 1)
  for (const dependency of dependenciesIn(plugin.plugin?.manifest ?? {}, marketplace)) {
    const id = formatId(dependency)
    if (id === plugin.id) continue
    const session = all.find(
      (other) => other.origin === "session" && other.loads && other.plugin?.name === dependency.name,
    )
    if (session !== undefined) continue
    const found = all.find((other) => other.id === id)
    if (found === undefined) return `It needs "${id}", which is not installed. Run chorus plugin install ${id}.`
    if (!found.loads) return `It needs "${id}", which is ${found.enabled ? "not loaded" : "disabled"}.`
    const version = valid(found.record?.resolvedVersion ?? null) ?? valid(found.plugin?.version ?? null)
    if (dependency.range !== undefined && (version === null || !satisfies(version, dependency.range)))
      return `It needs "${id}" ${dependency.range}, and ${version ?? found.version} is installed.`
  }
  return undefined
}

/** Hooks that settings turn off are not there; the list says why. */
function applyHookPolicy(plugin: LoadedPlugin, { hooksOff, forced }: Policy): LoadedPlugin {
  const { inventory } = plugin
  if (hooksOff === undefined || inventory === undefined) return plugin
  if (inventory.hooks.length + inventory.modules.length === 0) return plugin
  if (forced.get(plugin.id) === true && !hooksOff.forcedToo) return plugin
  const note: LoadMessage = { type: "policy", message: `Its hooks do not run: ${hooksOff.why}.` }
  return { ...plugin, inventory: { ...inventory, hooks: [], modules: [] }, notes: [...plugin.notes, note] }
}
