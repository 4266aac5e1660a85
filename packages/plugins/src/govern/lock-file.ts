import { createHash } from "node:crypto"
import { join, resolve } from "node:path"
import { ChorusError, LockedMarketplace, PluginPin, type PluginScope } from "@chorus/contracts"
import { isObject } from "../read/index.ts"
import { changeJsonFile, type ClaudeHome, readInstalled, readJsonFile, section } from "../state/index.ts"

/**
 * A project's lock is in its repository, so that everybody gets the same bytes; the others stay on this machine, what is
 * one's own in a project apart from other projects.
 */
export function lockPath(home: ClaudeHome, scope: PluginScope): string {
  if (scope === "project") return join(home.project, ".claude", "plugin-lock.json")
  return scope === "local" ? localLock(home) : join(home.chorus, "lock.json")
}

function localLock({ chorus, project }: ClaudeHome): string {
  const name = createHash("sha256").update(project).digest("hex").slice(0, 16)
  return join(chorus, "local-locks", `${name}.json`)
}

export function readPins(home: ClaudeHome, scope: PluginScope): Map<string, PluginPin> {
  const pins = pinsIn(home, scope)
  if (scope !== "local") return pins
  // Up to 0.20 they stood among the user's.
  const isUsers = (id: string) =>
    readInstalled(home)
      .get(id)
      ?.some((one) => one.scope === "user") === true
  return new Map([...[...pinsIn(home, "user")].filter(([id]) => !isUsers(id)), ...pins])
}

function pinsIn(home: ClaudeHome, scope: PluginScope): Map<string, PluginPin> {
  const plugins = readJsonFile(lockPath(home, scope))["plugins"]
  const pins = new Map<string, PluginPin>()
  for (const [id, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const parsed = PluginPin.safeParse(value)
    if (!parsed.success)
      throw new ChorusError(
        "lock_unreadable",
        `The pin of ${id} in ${lockPath(home, scope)} cannot be read, so it cannot be kept.`,
        { next: "Repair or remove that entry." },
      )
    pins.set(id, parsed.data)
  }
  return pins
}

/** The marketplaces a project's lock names, as they are on this machine: a path in the lock starts at the project. */
export function readLockedMarketplaces(home: ClaudeHome): Map<string, LockedMarketplace> {
  const named = readJsonFile(lockPath(home, "project"))["marketplaces"]
  return new Map(
    Object.entries(isObject(named) ? named : {}).flatMap(([name, value]) => {
      const { data } = LockedMarketplace.safeParse(value)
      if (data === undefined) return []
      const { source } = data
      const isFolder = source.source === "directory" || source.source === "file"
      const here = isFolder ? { ...source, path: resolve(home.project, source.path) } : source
      return [[name, { ...data, source: here }] as const]
    }),
  )
}

/** The commit or npm version of its marketplace that listed a locked plugin, where the lock tells. */
export function listedAt(home: ClaudeHome, scope: PluginScope, id: string): string | undefined {
  const from = readPins(home, scope).get(id)?.fetchFrom
  if (from?.["source"] === "marketplace") return from["sha"]
  return scope === "project" ? readLockedMarketplaces(home).get(marketplaceOf(id))?.version : undefined
}

/** What happens to a plugin that its marketplace no longer lists. */
export function withdrawnFrom(id: string): string {
  return `The marketplace "${marketplaceOf(id)}" does not list ${id} any more, so Claude Code does not load it.`
}

/** What to do about it, where it was listed at `at`. */
export function afterWithdrawal(id: string, at: string | undefined): string {
  const remove = `chorus plugin uninstall ${id}`
  if (at === undefined) return `Remove it (${remove}), or ask the owner of the marketplace to bring it back.`
  return (
    `Either remove it (${remove}), or put the marketplace back to where it lists it, until its next update ` +
    `(chorus plugin marketplace update ${marketplaceOf(id)} --at ${at}).`
  )
}

/** Sets or, with undefined, removes a pin. `marketplace` is where it came from; one without pins goes. */
export async function setPin(
  home: ClaudeHome,
  scope: PluginScope,
  id: string,
  pin: PluginPin | undefined,
  marketplace?: LockedMarketplace,
): Promise<void> {
  const there = readJsonFile(lockPath(home, scope))["plugins"]
  if (pin === undefined && !(isObject(there) && Object.hasOwn(there, id))) return
  await changeJsonFile(
    home,
    lockPath(home, scope),
    (content) => {
      content["version"] = 1
      const plugins = section(content, "plugins")
      // Parsing gives every pin the same order of keys, so that a diff of the lock shows what changed and nothing else.
      if (pin === undefined) delete plugins[id]
      else plugins[id] = PluginPin.parse({ ...aboutOthers(plugins[id]), ...pin })
      const marketplaces = section(content, "marketplaces")
      if (marketplace !== undefined) marketplaces[marketplaceOf(id)] = marketplace
      const used = new Set(Object.keys(plugins).map(marketplaceOf))
      for (const name of Object.keys(marketplaces)) if (!used.has(name)) delete marketplaces[name]
      if (used.size === 0) for (const key of ["version", "plugins"]) delete content[key]
      if (Object.keys(marketplaces).length === 0) delete content["marketplaces"]
    },
    { mode: 0o644, dropEmpty: true },
  )
}

function marketplaceOf(id: string): string {
  return id.slice(id.lastIndexOf("@") + 1)
}

/** What a pin holds besides where its bytes came from, which is not true of the next ones. */
function aboutOthers(pin: unknown): Record<string, unknown> {
  if (!isObject(pin)) return {}
  const { fetchFrom: _from, gitCommitSha: _commit, resolvedVersion: _version, ...kept } = pin
  return kept
}

/** The command that takes what is offered now, and locks that instead. */
export function newestCommand(id: string, scope: PluginScope): string {
  return `chorus plugin install ${id} --newest${scope === "user" ? "" : ` --scope ${scope}`}`
}

/** Refuses bytes other than the locked ones. */
export function expectPin(
  scope: PluginScope,
  pin: { contentHash: string; version: string; pinned?: boolean | undefined } | undefined,
  found: { id: string; contentHash: string; version: string },
): void {
  if (pin === undefined || pin.contentHash === found.contentHash) return
  const { id } = found
  const what =
    pin.version === found.version
      ? `version ${found.version} now has other content than when it was locked`
      : `version ${pin.version} is locked, and ${found.version} is offered`
  throw new ChorusError("pin_mismatch", `${id} was not installed: ${what}.`, {
    status: 409,
    next:
      `Either take what is offered now, which changes the lock (${newestCommand(id, scope)}), or ask its ` +
      "publisher for what is locked.",
    details: { expected: pin.contentHash, found: found.contentHash },
  })
}
