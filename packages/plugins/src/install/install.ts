import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type InstalledPlugin, type PluginPin, type PluginScope } from "@chorus/contracts"
import { configure, readConfiguration, secretStore } from "../config/configure.ts"
import { pluginOptions, type PluginOption } from "../config/option.ts"
import type { PluginContext } from "../context.ts"
import { makeStage, sweepStages } from "../fetch/index.ts"
import { askConsent, type AskConsent, consentRequired, questionOf, recordConsent } from "../govern/consent.ts"
import { expectPin, readPins, setPin } from "../govern/lock-file.ts"
import { recordPackages } from "../govern/packages.ts"
import { checkPluginPolicy, readPolicy } from "../govern/policy.ts"
import { surfaceOf } from "../govern/surface.ts"
import { findMarketplace, openAllMarketplaces } from "../marketplace/registry.ts"
import { isObject, own, type Plugin } from "../read/index.ts"
import {
  changeInstalled,
  changeJsonFile,
  type ClaudeHome,
  enabledIn,
  readSettings,
  setEnabled,
  settingsPath,
} from "../state/index.ts"
import {
  expectFreeFolder,
  formatId,
  isAt,
  isIntact,
  isUsed,
  parseId,
  type PluginId,
  putInOrder,
  readInstalledPlugin,
  recordAt,
  withdrawnHere,
  withRecord,
} from "./installed.ts"
import { holdsPackages, markOrphaned, promote, withPluginLock } from "./cache.ts"
import { addLockedMarketplaces, agreeToWithdrawn, type Locked, lockedMarketplace } from "./locked.ts"
import { describePackages, installNodePackages } from "./node-packages.ts"
import { findByName, planInstall, requireEntry, startsDisabled } from "./plan.ts"
import { alsoTelling, refreshQuietly } from "./refresh.ts"
import { expectUnchanged, type StagedPlugin } from "./staged.ts"

export interface InstallRequest {
  /** `name@marketplace`, or a name alone when only one marketplace offers it. */
  readonly plugin: string
  readonly scope: PluginScope
  readonly ask: AskConsent
  readonly config?: Readonly<Record<string, unknown>> | undefined
  /** Somebody asked its marketplace before whether it still lists what is locked. */
  readonly looked?: boolean | undefined
  /** Install these bytes of it or nothing. */
  readonly expect?: Locked | undefined
  /** Take what is offered now, and lock that instead. */
  readonly newest?: boolean | undefined
}

export interface InstallResult {
  readonly id: string
  readonly scope: PluginScope
  readonly version: string
  readonly already: boolean
  readonly enabled: boolean
  readonly installPath: string
  readonly dependencies: readonly string[]
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
  readonly unset: readonly PluginOption[]
  readonly configApplied: readonly string[]
}

/**
 * Installs a plugin with what it needs: find, fetch, vet, ask, and only then write. Safe to run twice at once and to be
 * killed at any moment: until the last write the plugin is simply not there, and running it again finishes the job.
 */
export async function installPlugin(context: PluginContext, request: InstallRequest): Promise<InstallResult> {
  const locks = locksFor(context, request)
  if (request.scope === "project" && isNamed([...readPins(context.home, "project").keys()], request.plugin))
    await addLockedMarketplaces(context, request.ask)
  const { root, stopped } = await select(context, request, locks)
  const id = formatId(root)
  checkPluginPolicy(readPolicy(context.home), id)
  expectFreeFolder(context.home, id)
  const cache = join(context.home.plugins, "cache")
  sweepStages(cache)
  const there = recordAt(context, id, request.scope)
  if (there !== undefined && request.newest !== true && isIntact(context.home, there, locks.get(id)))
    return alreadyInstalled(context, request, id, there, stopped)
  const isNewHere = request.scope === "project" && there === undefined && locks.has(id)
  const withdrawn = isNewHere && request.looked !== true ? await agreeToWithdrawn(context, [id], request.ask) : []
  const said = there === undefined ? undefined : enabledIn(readSettings(context.home, request.scope)).get(id)
  const stage = makeStage(cache)
  try {
    const plan = await planInstall(context, {
      root,
      scope: request.scope,
      stage,
      renew: new Set(),
      locks,
      acceptCommand: (name, source) => acceptCommand(name, source, request.ask),
    })
    for (const staged of plan.staged) expectPin(request.scope, locks.get(staged.id), staged)
    await askConsent(context.home, plan.staged, request.ask)
    for (const staged of plan.staged) expectUnchanged(staged)
    const notes = isNewHere ? takenOut(context, id) : []
    for (const staged of plan.staged)
      notes.push(
        ...(await commit(context, staged, request.scope, {
          auto: staged.id !== id,
          keepSwitch: staged.id === id && said !== undefined,
        })),
      )
    const main = requireStaged(plan.staged, id)
    const installPath = recordAt(context, id, request.scope)?.installPath ?? ""
    const configured = await applyConfig(context, id, { ...main.plugin, folder: installPath }, request.config)
    return {
      id,
      scope: request.scope,
      version: main.version,
      already: false,
      enabled: said ?? !startsDisabled(main),
      installPath,
      dependencies: plan.staged.map((staged) => staged.id).filter((other) => other !== id),
      warnings: [
        ...stopped,
        ...withdrawn,
        ...withdrawnHere(context, id, request.scope),
        ...plan.warnings,
        ...configured.warnings,
        ...problemsOf(main),
      ],
      notes: [
        ...notes,
        ...plan.staged.flatMap((staged) => staged.notes),
        ...plan.staged
          .filter((staged) => staged.fromCache)
          .map((staged) => `${staged.id} came from the cache: there is no network.`),
      ],
      unset: configured.unset,
      configApplied: configured.applied,
    }
  } catch (error) {
    throw alsoTelling(error, stopped)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Claude Code takes a plugin out of a project's settings and leaves the lock, which then brings it back. */
function takenOut({ home }: PluginContext, id: string): string[] {
  if (!existsSync(settingsPath(home, "project")) || enabledIn(readSettings(home, "project")).has(id)) return []
  return [
    `The project's settings did not name ${id}, and turn it on now, as its lock names it. If the project does without ` +
      `it: chorus plugin uninstall ${id} --scope project.`,
  ]
}

/** Writes one vetted and accepted plugin: files, pin and consent, record, and last the switch. */
export async function commit(
  context: PluginContext,
  staged: StagedPlugin,
  scope: PluginScope,
  options: CommitOptions,
): Promise<string[]> {
  return withPluginLock(context.home, staged.id, () => write(context, staged, scope, options))
}

interface CommitOptions {
  readonly auto: boolean
  readonly keepSwitch?: boolean
}

async function write(
  context: PluginContext,
  staged: StagedPlugin,
  scope: PluginScope,
  options: CommitOptions,
): Promise<string[]> {
  const { home } = context
  const now = context.now()
  const lacksPackages = staged.fetched.inPlace === undefined && !holdsPackages(home, staged, scope)
  const wantsPackages = lacksPackages && !context.network.offline
  const areToBeHad = lacksPackages && "installs" in (describePackages(staged.folder) ?? {})
  const note = wantsPackages
    ? await installNodePackages(context, staged.folder)
    : areToBeHad
      ? "Its Node packages were not installed: there is no network."
      : undefined
  const notes = note === undefined ? [] : [`${staged.id}: ${note}`]
  const installPath = await promote(home, staged, scope)
  if (lacksPackages) await recordPackages(home, installPath, { lacking: note !== undefined && areToBeHad })
  if (wantsPackages && note === undefined) await forgetFailures(home, staged.plugin.name)
  const before = recordAt(context, staged.id, scope)
  const pin: PluginPin = {
    version: staged.version,
    contentHash: staged.contentHash,
    surfaceHash: staged.surface.sha256,
    source: staged.entry.source,
    ...(staged.fetched.from === undefined ? {} : { fetchFrom: staged.fetched.from }),
    ...(staged.fetched.commit === undefined ? {} : { gitCommitSha: staged.fetched.commit }),
    ...(staged.resolvedVersion === undefined ? {} : { resolvedVersion: staged.resolvedVersion }),
  }
  const marketplace = scope === "project" ? await lockedMarketplace(context, staged) : undefined
  await setPin(home, scope, staged.id, pin, marketplace)
  await recordConsent(home, staged.id, { surface: staged.surface, folder: installPath }, now)
  const record = recordOf(context, staged, scope, installPath, before, options.auto)
  await changeInstalled(home, staged.id, (records) => withRecord(records, record, (one) => isAt(context, one, scope)))
  if (before !== undefined && before.installPath !== installPath && !isUsed(home, before.installPath))
    markOrphaned(before.installPath, now)
  if (options.keepSwitch === true) return notes
  const on = options.auto || !startsDisabled(staged)
  if (!(options.auto && enabledIn(readSettings(home, scope)).has(staged.id)))
    await setEnabled(home, scope, new Map([[staged.id, on]]))
  return notes
}

/** Claude Code remembers servers that did not start and does not start them again for a while; now they can. */
async function forgetFailures(home: ClaudeHome, plugin: string): Promise<void> {
  const notes = join(home.config, "mcp-needs-auth-cache.json")
  if (!existsSync(notes)) return
  await changeJsonFile(home, notes, (content) => {
    for (const server of Object.keys(content)) if (server.startsWith(`plugin:${plugin}:`)) delete content[server]
  })
}

function recordOf(
  context: PluginContext,
  staged: StagedPlugin,
  scope: PluginScope,
  installPath: string,
  before: InstalledPlugin | undefined,
  auto: boolean,
): InstalledPlugin {
  const now = context.now().toISOString()
  const told = new Set(["gitCommitSha", "resolvedVersion", "sourceCommand", "sourceProducerPath"])
  const kept = Object.fromEntries(Object.entries(before ?? {}).filter(([key]) => !told.has(key)))
  const { source } = staged.entry
  return {
    ...kept,
    scope,
    ...(scope === "user" ? {} : { projectPath: context.home.project }),
    installPath,
    version: staged.version,
    installedAt: before?.installedAt ?? now,
    lastUpdated: now,
    ...(staged.fetched.commit === undefined ? {} : { gitCommitSha: staged.fetched.commit }),
    ...(staged.resolvedVersion === undefined ? {} : { resolvedVersion: staged.resolvedVersion }),
    ...(auto && before === undefined ? { auto: true } : {}),
    ...(isObject(source) && source["source"] === "command"
      ? { sourceCommand: String(source["command"]), sourceProducerPath: staged.fetched.producer }
      : {}),
  }
}

async function select(
  context: PluginContext,
  request: InstallRequest,
  locks: ReadonlyMap<string, Locked>,
): Promise<{ root: PluginId; stopped: readonly string[] }> {
  if (!request.plugin.includes("@")) return { root: findByName(context, request.plugin), stopped: [] }
  const id = parseId(request.plugin)
  const lock = locks.get(request.plugin)
  const known = await findMarketplace(context, id.marketplace)
  const stopped =
    lock?.fetchFrom !== undefined
      ? []
      : await refreshQuietly(context, id.marketplace, { ask: request.ask, force: !known.entries.has(id.name) })
  try {
    requireEntry(openAllMarketplaces(context).catalogues, id, lock)
  } catch (error) {
    throw alsoTelling(error, stopped)
  }
  return { root: id, stopped }
}

/**
 * A project's lock binds whoever works there; on one's own machine a pin without its plugin is what a broken-off
 * install left.
 */
function locksFor(context: PluginContext, { scope, plugin, expect, newest }: InstallRequest): Map<string, Locked> {
  const locks = new Map<string, Locked>(
    [...readPins(context.home, scope)].filter(
      ([id]) => scope === "project" || recordAt(context, id, scope) !== undefined,
    ),
  )
  if (newest === true) for (const id of locks.keys()) if (isNamed([id], plugin)) locks.delete(id)
  return expect === undefined ? locks : locks.set(plugin, expect)
}

/** Whether somebody who typed this means one of these. */
function isNamed(ids: readonly string[], typed: string): boolean {
  return ids.some((id) => id === typed || id.startsWith(`${typed}@`))
}

export async function acceptCommand(id: string, source: unknown, ask: AskConsent): Promise<void> {
  if (!isObject(source)) return
  const surface = surfaceOf([{ kind: "install-command", where: "to install it", does: String(source["command"]) }])
  const question = questionOf([
    { id, version: "", why: "install-command", surface, added: surface.items, removed: [], files: [], tree: undefined },
  ])
  if (await ask(question)) return
  throw new ChorusError(
    "command_source_refused",
    `"${id}" is produced by running \`${String(source["command"])}\` on this machine; it was not run.`,
    {
      status: 403,
      next: consentRequired(question).next,
      details: { sha256: question.sha256, command: source["command"] },
    },
  )
}

async function alreadyInstalled(
  context: PluginContext,
  request: InstallRequest,
  id: string,
  record: InstalledPlugin,
  stopped: readonly string[],
): Promise<InstallResult> {
  const plugin = readInstalledPlugin(context, id, record)
  const said = enabledIn(readSettings(context.home, request.scope)).get(id)
  const enabled = said ?? own(plugin.manifest, "defaultEnabled") !== false
  if (said === undefined) await setEnabled(context.home, request.scope, new Map([[id, enabled]]))
  if (record.auto === true)
    await changeInstalled(context.home, id, (records) =>
      records.map((one) => (isAt(context, one, request.scope) ? withoutAuto(one) : one)),
    )
  await putInOrder(context.home, id)
  const configured = await applyConfig(context, id, plugin, request.config)
  return {
    id,
    scope: request.scope,
    version: record.version,
    already: true,
    enabled,
    installPath: record.installPath,
    dependencies: [],
    warnings: [...stopped, ...withdrawnHere(context, id, request.scope), ...configured.warnings],
    notes: [],
    unset: configured.unset,
    configApplied: configured.applied,
  }
}

async function applyConfig(
  context: PluginContext,
  id: string,
  plugin: Plugin,
  config: Readonly<Record<string, unknown>> | undefined,
) {
  const options = pluginOptions(plugin)
  const secrets = secretStore(context.home, context.env)
  const warnings: string[] = []
  let applied: string[] = []
  if (config !== undefined && Object.keys(config).length > 0) {
    try {
      applied = await configure(context.home, secrets, id, options, config)
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error
      warnings.push(`Installed, but the options were not set: ${error.message} ${error.next ?? ""}`.trim())
    }
  }
  return { applied, warnings, unset: readConfiguration(context.home, secrets, id, options).unset }
}

function withoutAuto(record: InstalledPlugin): InstalledPlugin {
  const { auto: _auto, ...rest } = record
  return rest
}

function problemsOf(staged: StagedPlugin): string[] {
  return staged.inventory.problems
    .filter((problem) => problem.type !== "folder-shadowed-by-manifest")
    .map((problem) =>
      problem.fatal
        ? `${problem.message}: a hook that may guard permissions, so the plugin will not load.`
        : problem.message,
    )
}

function requireStaged(staged: readonly StagedPlugin[], id: string): StagedPlugin {
  const found = staged.find((one) => one.id === id)
  if (found === undefined) throw new Error(`${id} was planned and not staged`)
  return found
}
