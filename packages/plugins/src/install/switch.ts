import { ChorusError, type PluginScope } from "@chorus/contracts"
import type { PluginContext } from "../context.ts"
import type { AskConsent } from "../govern/consent.ts"
import { agreeToEnable } from "../govern/trust.ts"
import { checkPluginPolicy, readPolicy } from "../govern/policy.ts"
import { appliesHere, enabledIn, readEnablement, readInstalled, readSettings, setEnabled } from "../state/index.ts"
import {
  dependencyEdges,
  dependentsOf,
  findInstalled,
  installedScope,
  recordsHere,
  skillsFolderOf,
} from "./installed.ts"

const NEAREST_FIRST: readonly PluginScope[] = ["local", "project", "user"]

export interface Switched {
  readonly id: string
  readonly scope: PluginScope
  /** Why it still is as before for this project, when a stronger scope says otherwise. */
  readonly note: string | undefined
  /** What it needs, and was off. */
  readonly also?: readonly string[]
}

/**
 * Turns a plugin on. What it needs must be installed; what it needs and is off is turned on with it. Whatever of them is not
 * what was agreed to is asked about first.
 */
export async function enablePlugin(
  context: PluginContext,
  typed: string,
  scope?: PluginScope,
  ask: AskConsent = () => false,
): Promise<Switched> {
  const { id, at } = findSwitch(context, typed, scope)
  checkPluginPolicy(readPolicy(context.home), id)
  if (enabledIn(readSettings(context.home, at)).get(id) === true)
    throw alreadySo(typed, "enabled", scope === undefined ? undefined : at)
  const edges = dependencyEdges(context)
  const missing = (edges.get(id) ?? []).filter((needed) => needed !== id && !readInstalled(context.home).has(needed))
  if (missing.length > 0)
    throw new ChorusError("dependency_missing", `${id} needs ${missing.join(", ")}, which is not installed.`, {
      status: 409,
      next: `Install it first: chorus plugin install ${missing[0]}.`,
      details: { dependencies: missing },
    })
  const on = [id, ...offBelow(context, id, edges)]
  await agreeToEnable(context, on, ask)
  // What it needs is turned on where it was turned off: said in a weaker scope, it would stay off.
  const places = Map.groupBy(on, (one) => (one === id ? at : (scope ?? scopeThatSays(context, one) ?? at)))
  for (const [place, some] of places) {
    // What only took back a weaker scope's word goes again: left as a word of its own, it would outlive the plugin there.
    const isInstalled = (one: string) => recordsHere(context, one).some((record) => record.scope === place)
    const isTakenBack = (one: string) => scope === undefined && !isInstalled(one) && isOnBelow(context, one, place)
    const word = (one: string) => (isTakenBack(one) ? undefined : true)
    await setEnabled(context.home, place, new Map(some.map((one) => [one, word(one)] as const)))
  }
  const notes = on.flatMap((one) => overruled(context, one, true, one === id ? "It" : one) ?? [])
  const also = on.filter((one) => one !== id)
  return { id, scope: at, note: notes.length === 0 ? undefined : notes.join(" "), also }
}

/** Turns a plugin off, unless one that is on needs it. */
export async function disablePlugin(context: PluginContext, typed: string, scope?: PluginScope): Promise<Switched> {
  const { id, at } = findSwitch(context, typed, scope)
  const enablement = readEnablement(context.home)
  const isUnsaid = scope === undefined && !enablement.has(id) && readInstalled(context.home).has(id)
  if (isUnsaid || enabledIn(readSettings(context.home, at)).get(id) === false)
    throw alreadySo(typed, "disabled", scope === undefined ? undefined : at)
  const needing = dependentsOf(context, id).filter((other) => enablement.get(other)?.enabled === true)
  if (needing.length > 0) {
    throw new ChorusError("required_by_dependents", `${id} is still needed by ${needing.join(", ")}.`, {
      status: 409,
      next: `Disable those first: ${[...needing, id].map((one) => `chorus plugin disable ${one}`).join(" && ")}.`,
      details: { disableFirst: needing, reverseDependents: needing.map((one) => one.slice(0, one.lastIndexOf("@"))) },
    })
  }
  await setEnabled(context.home, at, new Map([[id, false]]))
  return { id, scope: at, note: overruled(context, id, false) }
}

/** Turns off every plugin that is on here, each in the scope whose word counts. What the administrator keeps on is told. */
export async function disableAll(
  context: PluginContext,
  scope?: PluginScope,
): Promise<{ off: string[]; stillOn: string[] }> {
  const on = () => {
    const enablement = readEnablement(context.home)
    return [...readInstalled(context.home)].flatMap(([id, records]) => {
      const here = records.find((record) => appliesHere(context.home, record))
      return here === undefined || enablement.get(id)?.enabled !== true ? [] : [{ id, installed: here.scope }]
    })
  }
  const before = on().map((one) => ({ ...one, at: scope ?? scopeThatSays(context, one.id) ?? one.installed }))
  for (const [at, some] of Map.groupBy(before, (one) => one.at))
    await setEnabled(context.home, at, new Map(some.map(({ id }) => [id, false])))
  const stillOn = on().map(({ id }) => id)
  return { off: before.map(({ id }) => id).filter((id) => !stillOn.includes(id)), stillOn }
}

/** What is switched, and where: the nearest scope that already says something, so that it has an effect, else where it is installed. */
function findSwitch(
  context: PluginContext,
  typed: string,
  scope: PluginScope | undefined,
): { id: string; at: PluginScope } {
  // What lies in a skills folder is in no record, nor has to be what settings turn on.
  const isOnAlone = readEnablement(context.home).get(typed)?.enabled === true && !readInstalled(context.home).has(typed)
  const isUnrecorded = isOnAlone || skillsFolderOf(context, typed) !== undefined
  const { id, records } = isUnrecorded ? { id: typed, records: [] } : findInstalled(context, typed)
  const at = scope ?? installedScope(typed, records) ?? "user"
  return { id, at: scope ?? scopeThatSays(context, id) ?? at }
}

function scopeThatSays(context: PluginContext, id: string): PluginScope | undefined {
  return NEAREST_FIRST.find((scope) => enabledIn(readSettings(context.home, scope)).has(id))
}

/** Whether the scopes weaker than this one turn a plugin on. */
function isOnBelow(context: PluginContext, id: string, scope: PluginScope): boolean {
  const weaker = NEAREST_FIRST.slice(NEAREST_FIRST.indexOf(scope) + 1)
  const says = weaker.map((one) => enabledIn(readSettings(context.home, one)).get(id))
  return says.find((word) => word !== undefined) === true
}

function offBelow(context: PluginContext, id: string, edges: ReadonlyMap<string, readonly string[]>): string[] {
  const enablement = readEnablement(context.home)
  const seen = new Set<string>([id])
  const queue = [id]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const needed of edges.get(next) ?? []) if (!seen.has(needed)) queue.push(seen.add(needed) && needed)
  }
  return [...seen].filter((one) => one !== id && enablement.get(one)?.enabled !== true)
}

function overruled(context: PluginContext, id: string, wanted: boolean, called = "It"): string | undefined {
  const now = readEnablement(context.home).get(id)
  return now === undefined || now.enabled === wanted
    ? undefined
    : `${called} stays ${now.enabled ? "on" : "off"} here: ${now.decidedBy} settings say so.`
}

function alreadySo(typed: string, state: string, scope: PluginScope | undefined): ChorusError {
  return new ChorusError(
    "already_in_goal_state",
    `The plugin "${typed}" is already ${state}${scope === undefined ? "" : ` in ${scope} scope`}.`,
    { status: 409, next: "Nothing to do.", details: { alreadyInGoalState: true } },
  )
}
