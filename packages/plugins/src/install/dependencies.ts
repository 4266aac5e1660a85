import { ChorusError } from "@chorus/contracts"
import type { Catalogue } from "../marketplace/catalogue.ts"
import { dependenciesIn, type Dependency, formatId, type PluginId } from "./installed.ts"

export interface ClosureFacts {
  /** Undefined when no such marketplace was added. */
  readonly catalogueOf: (marketplace: string) => Catalogue | undefined
  readonly isInstalled: (id: string) => boolean
}

/** A plugin to install with the ranges everybody in the closure asks of it. */
export interface Needed extends PluginId {
  readonly ranges: readonly string[]
}

/**
 * What must be installed for `root`, as far as marketplace entries tell: dependencies first, root last. Throws on a
 * cycle, on what nobody offers, and on a dependency in a marketplace that the root's marketplace does not vouch for.
 */
export function closureOf(root: PluginId, facts: ClosureFacts): Needed[] {
  const order: string[] = []
  const ids = new Map<string, PluginId>()
  const ranges = new Map<string, string[]>()
  visit(root, [])
  return order.map((key) => ({ ...requireId(ids, key), ranges: ranges.get(key) ?? [] }))

  function visit(id: PluginId, way: readonly string[]): void {
    const key = formatId(id)
    if (way.includes(key)) throw cycle([...way.slice(way.indexOf(key)), key])
    if (order.includes(key)) return
    ids.set(key, id)
    for (const dependency of entryDependencies(id, facts)) {
      checkReach(root, id, dependency, facts)
      noteRange(ranges, dependency)
      visit(dependency, [...way, key])
    }
    order.push(key)
  }
}

function entryDependencies(id: PluginId, facts: ClosureFacts): Dependency[] {
  const entry = facts.catalogueOf(id.marketplace)?.entries.get(id.name)
  return entry === undefined ? [] : dependenciesIn(entry.data, id.marketplace)
}

/** Throws when a dependency may not or cannot be installed on behalf of `root`. */
export function checkReach(root: PluginId, by: PluginId, dependency: Dependency, facts: ClosureFacts): void {
  const id = formatId(dependency)
  if (facts.isInstalled(id)) return
  const allowed = facts.catalogueOf(root.marketplace)?.allowsDependenciesOn ?? []
  if (dependency.marketplace !== root.marketplace && !allowed.includes(dependency.marketplace)) {
    throw new ChorusError(
      "dependency_resolution_failed",
      `"${id}", which ${formatId(by)} needs, is in another marketplace, and "${root.marketplace}" does not vouch for "${dependency.marketplace}".`,
      {
        status: 409,
        next: `Install it yourself first (chorus plugin install ${id}), or ask the owner of "${root.marketplace}" to list "${dependency.marketplace}" under allowCrossMarketplaceDependenciesOn.`,
      },
    )
  }
  if (facts.catalogueOf(dependency.marketplace)?.entries.has(dependency.name) === true) return
  throw new ChorusError(
    "dependency_resolution_failed",
    `"${id}", which ${formatId(by)} needs, is offered by no marketplace you added.`,
    { status: 404, next: `Add the marketplace "${dependency.marketplace}", or ask the plugin's author.` },
  )
}

function noteRange(ranges: Map<string, string[]>, dependency: Dependency): void {
  if (dependency.range === undefined) return
  const key = formatId(dependency)
  ranges.set(key, [...(ranges.get(key) ?? []), dependency.range])
}

function cycle(way: readonly string[]): ChorusError {
  return new ChorusError("dependency_resolution_failed", `Dependency cycle: ${way.join(" → ")}.`, {
    status: 409,
    next: "One of them must stop needing the next; tell the marketplace's owner.",
    details: { cycle: way },
  })
}

function requireId(ids: ReadonlyMap<string, PluginId>, key: string): PluginId {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`no id for ${key}`)
  return id
}

/** The first cycle among plugins that declare each other in plugin.json; they load, but people should know. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  for (const start of edges.keys()) {
    const found = walk(start, [])
    if (found !== undefined) return found
  }
  return undefined

  function walk(at: string, way: string[]): string[] | undefined {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at]
    if (done.has(at)) return undefined
    for (const next of edges.get(at) ?? []) {
      const found = walk(next, [...way, at])
      if (found !== undefined) return found
    }
    done.add(at)
    return undefined
  }
}
