import { ChorusError, type MarketplaceSource } from "@chorus/contracts"
import { canonicalGitUrl, githubUrl } from "../fetch/index.ts"
import { isObject, isStringArray, type JsonObject } from "../read/index.ts"
import { type ClaudeHome, enabledIn, readJsonFile, readSettings, settingsPath } from "../state/index.ts"

/** What the administrator allows. Lists that are there but cannot be read allow nothing. */
export interface Policy {
  /** Undefined: no limit. An empty list: nothing. */
  readonly allowedMarketplaces: readonly JsonObject[] | undefined
  readonly blockedMarketplaces: readonly JsonObject[]
  readonly allowedPlugins: readonly string[] | undefined
  readonly deniedPlugins: readonly string[]
  /** What a project denies where one works in it; it cannot take away what the administrator forces on. */
  readonly deniedHere: readonly string[]
  /** Files with a list of allowed plugins that has no effect there. */
  readonly unusedLists: readonly string[]
  /** Plugins the administrator forces on or off. */
  readonly forced: ReadonlyMap<string, boolean>
  /** Why hooks do not run, and whether that holds for plugins the administrator forces on. Undefined: they run. */
  readonly hooksOff: { readonly why: string; readonly forcedToo: boolean } | undefined
  /** Plugins among the skills count as a person's own customisation. */
  readonly installedOnly: boolean
  readonly noSideload: boolean
  readonly noCommandSources: boolean
  /** Keys the administrator set that Claude Code obeys and Chorus has nothing to do with. */
  readonly claudeOnly: readonly string[]
  /** The list of blocked marketplaces holds what nobody can read: as in Claude Code, that part blocks nothing. */
  readonly blocksLess: boolean
}

const EVERYBODY = { own: true, project: true }

const CLAUDE_ONLY = [
  "pluginTrustMessage",
  "pluginSuggestionMarketplaces",
  "allowedChannelPlugins",
  "channelsEnabled",
  "prependPlugins",
  "appendPlugins",
  "syncClaudeAiPlugins",
  "skillOverrides",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
]

/**
 * Reads managed settings, and the deny and allow lists people set for themselves and for a project, unless those are
 * not to count. Unreadable managed settings stop everything.
 */
export function readPolicy(home: ClaudeHome, count: { own: boolean; project: boolean } = EVERYBODY): Policy {
  const managed = readManaged(home)
  const user = count.own ? readJsonFile(settingsPath(home, "user")) : {}
  const project = (["project", "local"] as const).map((scope) => settingsPath(home, scope))
  return {
    allowedMarketplaces: sourceList(managed, "strictKnownMarketplaces") ?? sourceList(managed, "allowedMarketplaces"),
    blockedMarketplaces: sourceList(managed, "blockedMarketplaces") ?? [],
    allowedPlugins: nameList(managed, "allowedPlugins") ?? nameList(user, "allowedPlugins"),
    deniedPlugins: [...denied(managed, home.managedSettings), ...denied(user, settingsPath(home, "user"))],
    deniedHere: count.project ? project.flatMap((file) => denied(readJsonFile(file), file)) : [],
    unusedLists: project.filter((file) => Object.hasOwn(readJsonFile(file), "allowedPlugins")),
    forced: enabledIn(managed),
    hooksOff: hooksOff(home, managed),
    installedOnly: isLimited(managed["strictPluginOnlyCustomization"]),
    noSideload: managed["disableSideloadFlags"] === true,
    noCommandSources: managed["disableCommandPluginSources"] === true,
    claudeOnly: CLAUDE_ONLY.filter((key) => Object.hasOwn(managed, key)),
    blocksLess: !isReadable(managed["blockedMarketplaces"] ?? []),
  }
}

/** Throws when a marketplace may not be used. Blocked wins over allowed. */
export function checkMarketplacePolicy(policy: Policy, name: string, source: MarketplaceSource): void {
  if (policy.blockedMarketplaces.some((rule) => blocks(rule, source))) {
    throw new ChorusError("error_policy", `The marketplace "${name}" is blocked by your organisation.`, {
      status: 403,
      next: "Ask your administrator.",
    })
  }
  if (policy.allowedMarketplaces === undefined || policy.allowedMarketplaces.some((rule) => allows(rule, source)))
    return
  throw new ChorusError(
    "error_policy",
    `The marketplace "${name}" is not on your organisation's list of allowed marketplaces.`,
    { status: 403, next: "Ask your administrator to add it." },
  )
}

/** Why a plugin may not be installed or loaded, or undefined when it may. Deny wins. */
export function pluginDenial(policy: Policy, id: string): string | undefined {
  return policy.forced.get(id) === false ? "your organisation turned it off" : listDenial(policy, id)
}

/** The same by the lists alone, which Claude Code does not know. */
export function listDenial(policy: Policy, id: string): string | undefined {
  if (policy.deniedPlugins.some((rule) => names(rule, id))) return "it is on the list of denied plugins"
  if (policy.forced.get(id) === true) return undefined
  if (policy.deniedHere.some((rule) => names(rule, id))) return "it is on this project's list of denied plugins"
  if (policy.allowedPlugins !== undefined && !policy.allowedPlugins.some((rule) => names(rule, id)))
    return "it is not on the list of allowed plugins"
  return undefined
}

export function checkPluginPolicy(policy: Policy, id: string): void {
  const why = pluginDenial(policy, id)
  if (why !== undefined)
    throw new ChorusError("error_policy", `The plugin "${id}" may not be installed or turned on: ${why}.`, {
      status: 403,
      next: "Ask whoever keeps the list. Your own is in your ~/.claude/settings.json, a project's in its .claude/settings.json.",
    })
}

/** As in Claude Code, people may turn hooks off, but not those of plugins that the administrator forces on. */
function hooksOff(home: ClaudeHome, managed: JsonObject): Policy["hooksOff"] {
  if (managed["disableAllHooks"] === true) return { why: "your organisation turned all hooks off", forcedToo: true }
  if (managed["allowManagedHooksOnly"] === true)
    return { why: "your organisation allows managed hooks only", forcedToo: false }
  const scope = (["user", "project", "local"] as const).find(
    (one) => readSettings(home, one)["disableAllHooks"] === true,
  )
  return scope === undefined ? undefined : { why: `${scope} settings turn all hooks off`, forcedToo: false }
}

/** Claude Code takes any list with something in it, and any value it does not know, as a limit. */
function isLimited(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
}

function readManaged(home: ClaudeHome): JsonObject {
  try {
    return readSettings(home, "managed")
  } catch (error) {
    throw new ChorusError(
      "policy_unreadable",
      `Your organisation's settings at ${home.managedSettings} cannot be read, so nothing is allowed.`,
      { status: 403, next: "Ask your administrator to repair the file.", cause: error },
    )
  }
}

/** `name` covers every marketplace, `name@marketplace` one, `*@marketplace` all of one. */
function names(rule: string, id: string): boolean {
  const [name, origin] = splitId(id)
  const [ruleName, ruleOrigin] = splitId(rule)
  if (ruleOrigin !== undefined && ruleOrigin.toLowerCase() !== origin?.toLowerCase()) return false
  return ruleName === "*" ? ruleOrigin !== undefined : ruleName.toLowerCase() === name.toLowerCase()
}

function splitId(id: string): [string, string | undefined] {
  const at = id.lastIndexOf("@")
  return at <= 0 ? [id, undefined] : [id.slice(0, at), id.slice(at + 1)]
}

/** Allowing is exact: every key that says where from must be equal or absent on both sides. */
function allows(rule: JsonObject, source: MarketplaceSource): boolean {
  if (rule["source"] === "hostPattern") return matches(rule["hostPattern"], hostOf(source))
  if (rule["source"] === "pathPattern")
    return matches(
      rule["pathPattern"],
      source.source === "directory" || source.source === "file" ? source.path : undefined,
    )
  if (rule["source"] !== source.source) return false
  if (rule["source"] === "github" && typeof rule["repo"] === "string" && rule["repo"].endsWith("/*")) {
    return source.source === "github" && source.repo.toLowerCase().startsWith(rule["repo"].slice(0, -1).toLowerCase())
  }
  return ["repo", "url", "ref", "path", "package", "version", "registry", "name"].every(
    (key) => rule[key] === (source as JsonObject)[key],
  )
}

/** Blocking is wide: other spellings of the address and every ref are covered. */
function blocks(rule: JsonObject, source: MarketplaceSource): boolean {
  if (rule["source"] === "hostPattern" || rule["source"] === "pathPattern") return allows(rule, source)
  const [mine, theirs] = [addressOf(rule), addressOf(source as JsonObject)]
  if (mine === undefined || theirs === undefined) return false
  if (mine.endsWith("/*") ? !theirs.startsWith(mine.slice(0, -1)) : mine !== theirs) return false
  return rule["ref"] === undefined || rule["ref"] === (source as JsonObject)["ref"]
}

function addressOf(source: JsonObject): string | undefined {
  if (source["source"] === "github" && typeof source["repo"] === "string")
    return canonicalGitUrl(githubUrl(source["repo"]))
  if (typeof source["url"] === "string") return canonicalGitUrl(source["url"])
  if (typeof source["package"] === "string") return `npm:${source["package"].toLowerCase()}`
  return typeof source["path"] === "string" ? source["path"] : undefined
}

function hostOf(source: MarketplaceSource): string | undefined {
  if (source.source === "github") return "github.com"
  return source.source === "git" || source.source === "url" || source.source === "archive"
    ? canonicalGitUrl(source.url).split("/")[0]
    : undefined
}

/** Whether every rule of a list of sources can hold. */
function isReadable(rules: unknown): boolean {
  if (!Array.isArray(rules)) return false
  return rules.every((rule: unknown) => {
    if (!isObject(rule)) return false
    const pattern = rule[String(rule["source"])]
    if (rule["source"] !== "hostPattern" && rule["source"] !== "pathPattern") return addressOf(rule) !== undefined
    return typeof pattern === "string" && compiled(pattern) !== undefined
  })
}

function matches(pattern: unknown, text: string | undefined): boolean {
  return typeof pattern === "string" && text !== undefined && compiled(pattern)?.test(text) === true
}

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}

function sourceList(settings: JsonObject, key: string): JsonObject[] | undefined {
  if (!Object.hasOwn(settings, key)) return undefined
  const value = settings[key]
  return Array.isArray(value) ? value.filter(isObject) : []
}

function nameList(settings: JsonObject, key: string): string[] | undefined {
  if (!Object.hasOwn(settings, key)) return undefined
  const value = settings[key]
  return isStringArray(value) ? value : []
}

/** A deny list that cannot be read denies everything. */
function denied(settings: JsonObject, file: string): string[] {
  const value = settings["deniedPlugins"]
  if (value === undefined) return []
  if (isStringArray(value)) return value
  throw new ChorusError(
    "policy_unreadable",
    `"deniedPlugins" in ${file} is not a list of names, so nothing is allowed.`,
    { status: 403, next: 'Write it as a list: "deniedPlugins": ["name", "name@marketplace", "*@marketplace"].' },
  )
}
