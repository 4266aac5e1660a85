import type { ExecutableSurface } from "@chorus/contracts"
import { valid } from "semver"
import type { PluginContext } from "../context.ts"
import { hashOrNone } from "../fetch/index.ts"
import type { LoadedPlugin } from "../load/loaded.ts"
import { isObject } from "../read/index.ts"
import { repairCommand } from "../install/installed.ts"
import { describePackages } from "../install/node-packages.ts"
import { openAllMarketplaces } from "../marketplace/registry.ts"
import { skeleton } from "../marketplace/name-guard.ts"
import { validatePath } from "../validate/validate.ts"
import { acceptedBefore } from "./consent.ts"
import { readPins } from "./lock-file.ts"
import { dangerOf } from "./download-shape.ts"
import { loadableFiles } from "./loadable.ts"
import { readPolicy } from "./policy.ts"
import { packagesStanding } from "./packages.ts"
import { executableSurface, surfaceChange } from "./surface.ts"

export interface AuditFinding {
  readonly id: string
  readonly severity: "high" | "medium" | "low"
  readonly code: string
  readonly message: string
  readonly fix: string
}

/** Looks at what is installed the way a wary colleague would. */
export function auditPlugins(context: PluginContext, plugins: readonly LoadedPlugin[]): AuditFinding[] {
  const { catalogues } = openAllMarketplaces(context)
  const sources = new Map<string, unknown>(
    [...catalogues].flatMap(([name, catalogue]) =>
      [...catalogue.entries.values()].map((entry) => [`${entry.name}@${name}`, entry.source] as const),
    ),
  )
  const { blocksLess, claudeOnly, unusedLists } = readPolicy(context.home)
  return [
    ...(blocksLess ? [BLOCKS_LESS] : []),
    ...plugins.flatMap((plugin) => auditOne(context, plugin, sources.get(plugin.id))),
    ...lookalikes(plugins),
    ...unusedLists.map((file): AuditFinding => ({
      id: "allowedPlugins",
      severity: "medium",
      code: "policy_ineffective",
      message: `The list of allowed plugins in ${file} has no effect: a project can deny plugins, not allow them.`,
      fix: "Name in deniedPlugins what it should not use, or set the list in your own or in managed settings.",
    })),
    ...claudeOnly.map((id): AuditFinding => ({
      id,
      severity: "low",
      code: "policy_claude_only",
      message: "Your organisation set this rule: Claude Code obeys it, Chorus does not apply it.",
      fix: "Nothing to do here; what must bind Chorus too is set by enabledPlugins, marketplaces and hooks.",
    })),
  ].sort((a, b) => weight(a) - weight(b) || (a.id < b.id ? -1 : 1))
}

const BLOCKS_LESS: AuditFinding = {
  id: "blockedMarketplaces",
  severity: "high",
  code: "policy_ineffective",
  message:
    "Your organisation's list of blocked marketplaces holds what nobody can read: Claude Code and Chorus block less.",
  fix: "Ask your administrator to correct it: a list of sources, each with its address or a pattern that is valid.",
}

function auditOne(context: PluginContext, plugin: LoadedPlugin, source: unknown): AuditFinding[] {
  const found: AuditFinding[] = []
  const add = (severity: AuditFinding["severity"], code: string, message: string, fix: string) =>
    found.push({ id: plugin.id, severity, code, message, fix })
  if (plugin.origin === "marketplace") auditPin(context, plugin, source, add)
  auditSurface(context, plugin, source, add)
  for (const message of validatePath(plugin.folder).messages) {
    if (message.code === "secret_in_file" || message.code === "mcp_literal_credential")
      add("high", message.code, `${message.file}: ${message.message}`, message.fix ?? "Remove it.")
    if (message.code === "mcp_cleartext")
      add("medium", message.code, `${message.file}: ${message.message}`, message.fix ?? "Use https.")
  }
  for (const { type, message } of plugin.notes)
    if (type === "other-version-runs")
      add("medium", "other_version_runs", message, "Keep one of them: chorus plugin uninstall with --scope.")
  for (const { type, message, next } of plugin.errors)
    if (type === "plugin-not-found") add("medium", "withdrawn", message, next ?? `chorus plugin uninstall ${plugin.id}`)
    else add("low", "load_error", message, next ?? LOAD_FIXES.get(type) ?? "Update or uninstall it.")
  return found
}

const LOAD_FIXES: ReadonlyMap<string, string> = new Map([
  ["dependency-unsatisfied", "Install or enable what it needs."],
  ["policy", "Nothing if that is right; otherwise ask your administrator."],
])

type Add = (severity: AuditFinding["severity"], code: string, message: string, fix: string) => void

function auditPin(context: PluginContext, plugin: LoadedPlugin, source: unknown, add: Add): void {
  const scope = plugin.record?.scope ?? "user"
  const pin = plugin.record === undefined ? undefined : readPins(context.home, scope).get(plugin.id)
  const repair = `Bring back what is locked: ${repairCommand(plugin.id, scope)}`
  const accept = plugin.record === undefined ? `chorus plugin install ${plugin.id}` : `chorus plugin trust ${plugin.id}`
  if (pin === undefined)
    add("medium", "unlocked", "It was not installed through Chorus, so its bytes are not locked.", accept)
  else {
    const now = hashOrNone(plugin.folder)
    if (now === undefined) add("high", "files_missing", `Its files at ${plugin.folder} cannot be read.`, `${repair}.`)
    else if (now !== pin.contentHash)
      add(
        "high",
        "changed_on_disk",
        plugin.inPlace
          ? "Its folder changed since you installed it, and it runs from there."
          : scope === "project"
            ? "Its files are not those that the project's lock names: they or the lock changed since it was installed."
            : "Its files changed on disk since it was installed.",
        plugin.inPlace
          ? `Put the folder back as it was, or look at the change, then chorus plugin trust ${plugin.id}.`
          : `${repair}. Or look at the change, then chorus plugin trust ${plugin.id}.`,
      )
  }
  const packages = packagesStanding(context.home, plugin.folder)
  if (packages === "changed")
    add(
      "high",
      "packages_changed",
      "The Node packages beside it changed on disk since they were installed.",
      `${repair}. Or look at the change, then chorus plugin trust ${plugin.id}.`,
    )
  if (packages === "missing")
    add(
      "medium",
      "packages_missing",
      "Its Node packages could not be fetched when it was installed, so what needs them fails.",
      `Try again: ${repairCommand(plugin.id, scope)}.`,
    )
  if (packages === "unknown")
    add(
      "medium",
      "packages_unlocked",
      "Its Node packages were not installed through Chorus, so nobody can say whether they are what its lockfile names.",
      `chorus plugin trust ${plugin.id}`,
    )
  if (plugin.inPlace)
    add(
      "low",
      "runs_in_place",
      `It runs from ${plugin.folder}; whoever writes there decides what it does.`,
      "Install it from a repository with a pinned commit.",
    )
  if (
    isObject(source) &&
    ["github", "url", "git-subdir"].includes(String(source["source"])) &&
    source["sha"] === undefined
  )
    add(
      "low",
      "source_unpinned",
      "Its marketplace names a branch, not a commit; the next update brings whatever is there.",
      "Ask the marketplace's owner to pin a sha.",
    )
  if (isObject(source) && source["source"] === "archive" && source["sha256"] === undefined)
    add(
      "low",
      "source_unpinned",
      "Its archive is not pinned by a digest.",
      "Ask the marketplace's owner to add sha256.",
    )
  if (isObject(source) && source["source"] === "npm" && valid(String(source["version"])) === null)
    add("low", "source_unpinned", "Its npm version is a range.", "Ask the marketplace's owner to name one version.")
}

function auditSurface(context: PluginContext, plugin: LoadedPlugin, source: unknown, add: Add): void {
  if (plugin.plugin === undefined || plugin.inventory === undefined) return
  const surface = executableSurface(plugin.plugin, plugin.inventory, source)
  const packages = describePackages(plugin.folder)
  const byLockfile = packages !== undefined && "installs" in packages ? packages.installs : undefined
  for (const item of surface.items) {
    const danger = dangerOf(item.does)
    if (danger !== undefined)
      add(
        "high",
        "dangerous_shape",
        `${item.kind} ${item.where}: ${danger}: ${item.does}`,
        "Disable it until you know why.",
      )
    // What the lockfile names has its digests, and the lockfile is in the plugin's own hash.
    if (item.kind === "download" && item.does !== byLockfile)
      add(
        "medium",
        "runtime_download",
        `${item.where}: ${item.does}; no pin covers that.`,
        "Ask its author to ship the code or to pin an exact version.",
      )
  }
  auditFiles(plugin, surface, add)
  const accepted = acceptedBefore(context.home, plugin.id)?.surface
  if (accepted === undefined && surface.items.length > 0)
    add(
      "medium",
      "no_consent",
      `It can do ${surface.items.length} things on this machine that you never agreed to.`,
      `chorus plugin details ${plugin.id}, then chorus plugin ${plugin.record === undefined ? "install" : "trust"} ${plugin.id}.`,
    )
  const added = accepted === undefined ? [] : surfaceChange(accepted, surface).added
  if (added.length > 0)
    add(
      "high",
      "surface_changed",
      `It now does what you did not agree to: ${added.map((item) => item.does).join("; ")}`,
      `Look at it, then chorus plugin trust ${plugin.id}.`,
    )
}

/** What a file holds that a command may load counts as what the command does. */
function auditFiles({ folder }: LoadedPlugin, surface: ExecutableSurface, add: Add): void {
  for (const { path, line, does, text, dangerous } of loadableFiles(folder, surface).lines)
    if (dangerous) add("high", "dangerous_shape", `${path}:${line}: ${does}: ${text}`, "Disable it until you know why.")
    else
      add(
        "medium",
        "runtime_download",
        `${path}:${line}: ${does}; no pin covers that.`,
        "Ask its author to ship the code or to pin an exact version.",
      )
}

/** Two plugins whose names are drawn alike; one of them may hope to be taken for the other. */
function lookalikes(plugins: readonly LoadedPlugin[]): AuditFinding[] {
  const seen = new Map<string, string>()
  return plugins.flatMap(({ id }) => {
    const name = id.slice(0, id.lastIndexOf("@"))
    const folded = skeleton(name).replaceAll(/[._-]/g, "")
    const other = seen.get(folded)
    seen.set(folded, id)
    if (other === undefined || other.slice(0, other.lastIndexOf("@")) === name) return []
    return [
      {
        id,
        severity: "medium" as const,
        code: "name_lookalike",
        message: `Its name is easily taken for ${other}.`,
        fix: "Make sure you meant both.",
      },
    ]
  })
}

function weight(finding: AuditFinding): number {
  return ["high", "medium", "low"].indexOf(finding.severity)
}
