import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { ChorusError, type InstalledPlugin, type PluginPin } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import { hashOrNone } from "../fetch/index.ts"
import { lockPath, readPins } from "../govern/lock-file.ts"
import { packagesStanding } from "../govern/packages.ts"
import { pluginDenial } from "../govern/policy.ts"
import { loadPlugins } from "../load/load.ts"
import type { LoadMessage } from "../load/loaded.ts"
import { enabledIn, readEnablement, readInstalled, readSettings } from "../state/index.ts"

export interface LockFinding {
  readonly id: string
  readonly kind: "missing" | "changed" | "not_locked" | "withdrawn" | "denied" | "off"
  readonly message: string
}

/** The same context for the project a folder belongs to: the nearest one upwards, as git looks, that has a lock. */
export function inLockedProject(context: PluginContext): PluginContext {
  for (let project = context.home.project; ; project = dirname(project)) {
    const home = { ...context.home, project }
    if (existsSync(lockPath(home, "project"))) return { ...context, home }
    if (project === dirname(project)) break
  }
  throw new ChorusError(
    "lock_missing",
    `There is no ${lockPath(context.home, "project")}, nor such a lock in any folder above it.`,
    { status: 404, next: "Go to the project, or make its lock: chorus plugin install <plugin> --scope project." },
  )
}

const PACKAGES_WRONG: ReadonlyMap<string, string> = new Map([
  ["missing", "Its Node packages could not be fetched, so what needs them fails: run chorus plugin lock to try again."],
  ["changed", "The Node packages beside it changed on disk since they were installed: chorus plugin lock brings them."],
])

/** Claude Code loads what settings turn on; taking a plugin out of a project, it leaves its lock alone. */
function unmentioned(id: string): string {
  return (
    `No settings turn it on, so it does not load. Either turn it on (chorus plugin enable ${id} --scope project), or, if ` +
    `the project does without it now, take it out of the lock (chorus plugin uninstall ${id} --scope project).`
  )
}

/** How this project's plugins differ from its lock file. */
export async function checkLock(context: PluginContext): Promise<LockFinding[]> {
  const { home } = context
  const { plugins, policy } = await loadPlugins(context)
  const enablement = readEnablement(home)
  const pins = readPins(home, "project")
  const installed = readInstalled(home)
  const records = new Map(
    [...installed].flatMap(([id, all]) =>
      all.filter((one) => one.scope === "project" && one.projectPath === home.project).map((one) => [id, one] as const),
    ),
  )
  const switched = [...enabledIn(readSettings(home, "project"))].filter(([, on]) => on).map(([id]) => id)
  // What runs counts: of a local marketplace that is its own folder, not the copy, and of several installations the
  // first.
  const loadedAs = (id: string) => plugins.find((plugin) => plugin.id === id)
  const words = (id: string, record: InstalledPlugin, pin: PluginPin) => {
    const { inPlace, folder, version } = loadedAs(id) ?? {}
    if (inPlace !== true && hashOrNone(record.installPath) === pin.contentHash)
      return `Claude Code runs ${version ?? ""} of it here, another installation, and the lock names ${pin.version}: run chorus plugin lock.`
    const way =
      inPlace === true
        ? `they lie in ${folder ?? ""}; put them back, or lock what is there with chorus plugin trust ${id}`
        : "chorus plugin lock brings those"
    return `Its files are not those of ${pin.version} that the lock names: ${way}.`
  }
  const findings: LockFinding[] = []
  for (const [id, pin] of pins) {
    const record = records.get(id)
    const denial = pluginDenial(policy, id)
    const denied: Pick<LoadMessage, "message" | "next"> | undefined =
      loadedAs(id)?.errors.find(({ type }) => type === "policy") ??
      (denial === undefined ? undefined : { message: `It is locked, and Chorus will not install it: ${denial}.` })
    if (denied !== undefined)
      findings.push({ id, kind: "denied", message: [denied.message, denied.next].filter(Boolean).join(" ") })
    if (record === undefined && denied !== undefined) continue
    if (record !== undefined && !enablement.has(id)) findings.push({ id, kind: "off", message: unmentioned(id) })
    if (record === undefined)
      findings.push({
        id,
        kind: "missing",
        message: `It is locked at ${pin.version} and not installed here: run chorus plugin lock.`,
      })
    else if (hashOrNone(loadedAs(id)?.folder ?? record.installPath) !== pin.contentHash)
      findings.push({ id, kind: "changed", message: words(id, record, pin) })
    else {
      const message = PACKAGES_WRONG.get(packagesStanding(home, record.installPath))
      if (message !== undefined) findings.push({ id, kind: "changed", message })
    }
    const gone = loadedAs(id)?.errors.find(({ type }) => type === "plugin-not-found")
    if (gone !== undefined)
      findings.push({ id, kind: "withdrawn", message: [gone.message, gone.next].filter(Boolean).join(" ") })
  }
  for (const id of new Set([...records.keys(), ...switched])) {
    if (pins.has(id)) continue
    const command = records.has(id) ? `trust ${id}` : `install ${id} --scope project`
    findings.push({
      id,
      kind: "not_locked",
      message: `The project uses it, and ${lockPath(home, "project")} does not name it: run chorus plugin ${command}.`,
    })
  }
  return findings.sort((a, b) => (a.id < b.id ? -1 : 1))
}
