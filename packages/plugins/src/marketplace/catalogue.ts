import { existsSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import { pathToFileURL } from "node:url"
import { ChorusError } from "@chorus/contracts"
import {
  isObject,
  isStringArray,
  type JsonObject,
  objectField,
  own,
  parseJson,
  readText,
  stringField,
} from "../read/index.ts"
import { isIdPart } from "../validate/name-check.ts"
import { isUnknownKind, sourceFault } from "../validate/source-check.ts"

export const CATALOGUE_FILE = ".claude-plugin/marketplace.json"

/** One plugin a marketplace offers. `problem` says why it cannot be installed; the others still can. */
export interface CatalogueEntry {
  readonly name: string
  readonly source: unknown
  readonly data: JsonObject
  readonly problem: string | undefined
}

export interface Catalogue {
  readonly name: string
  /** The folder relative sources start from. */
  readonly root: string
  readonly data: JsonObject
  readonly entries: ReadonlyMap<string, CatalogueEntry>
  readonly renames: JsonObject
  readonly pluginRoot: unknown
  readonly allowsDependenciesOn: readonly string[]
  readonly removesDeleted: boolean
}

/**
 * Reads the catalogue below a folder, or a catalogue file of any name. A fetched one is called by where it came from:
 * its own folder may be gone when people read about it.
 */
export function readCatalogue(location: string, trustedHosts?: ReadonlySet<string>, fetchedFrom?: string): Catalogue {
  const there = statSync(location, { throwIfNoEntry: false })
  const isFile = there === undefined ? location.endsWith(".json") : there.isFile()
  const file = isFile ? location : join(location, CATALOGUE_FILE)
  const folder = dirname(location)
  const root = isFile ? (basename(folder) === ".claude-plugin" ? dirname(folder) : folder) : location
  const text = readText(file)
  if (text === undefined)
    throw new ChorusError(
      "manifest_missing",
      fetchedFrom === undefined
        ? `There is no marketplace at ${location}: ${file} is missing.`
        : `There is no marketplace at ${fetchedFrom}: its catalogue is missing.`,
      {
        status: 404,
        next:
          fetchedFrom === undefined && isBareRepository(location)
            ? `It is a bare git repository: chorus plugin marketplace add ${pathToFileURL(location).href}`
            : `Create ${CATALOGUE_FILE}, or check the path.`,
      },
    )
  const called = fetchedFrom ?? file
  const { value, fault } = parseJson(text)
  if (fault !== undefined || !isObject(value)) throw invalid(called, fault ?? "it is not an object")
  return catalogueOf(value, root, called, trustedHosts)
}

function isBareRepository(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)))
}

export function catalogueOf(
  value: JsonObject,
  root: string,
  called: string,
  trustedHosts?: ReadonlySet<string>,
): Catalogue {
  const name = stringField(value, "name")
  const plugins = own(value, "plugins")
  if (name === undefined || name === "") throw invalid(called, "it has no name")
  if (!isObject(own(value, "owner"))) throw invalid(called, "it names no owner")
  if (!Array.isArray(plugins)) throw invalid(called, '"plugins" is not a list')
  const pluginRoot = own(objectField(value, "metadata"), "pluginRoot")
  const allows = own(value, "allowCrossMarketplaceDependenciesOn")
  return {
    name,
    root,
    data: value,
    pluginRoot,
    entries: new Map(
      plugins.flatMap((entry) => entryOf(entry, pluginRoot, trustedHosts)).map((entry) => [entry.name, entry]),
    ),
    renames: objectField(value, "renames"),
    allowsDependenciesOn: isStringArray(allows) ? allows : [],
    removesDeleted: own(value, "forceRemoveDeletedPlugins") === true,
  }
}

/** A catalogue whose relative sources cannot be used. */
export function withoutFolders(catalogue: Catalogue, why: string): Catalogue {
  const entries = [...catalogue.entries].map(
    ([name, entry]) =>
      [
        name,
        typeof entry.source === "string" ? { ...entry, problem: `${why}, so it takes no relative source` } : entry,
      ] as const,
  )
  return { ...catalogue, entries: new Map(entries) }
}

/** An entry without a usable name is dropped; one with a bad source stays visible with its problem. */
function entryOf(entry: unknown, pluginRoot: unknown, trustedHosts: ReadonlySet<string> | undefined): CatalogueEntry[] {
  if (!isObject(entry)) return []
  const name = own(entry, "name")
  if (typeof name !== "string" || !isIdPart(name)) return []
  const source = own(entry, "source")
  return [{ name, source, data: entry, problem: problemOf(source, pluginRoot, trustedHosts) }]
}

function problemOf(
  source: unknown,
  pluginRoot: unknown,
  trustedHosts: ReadonlySet<string> | undefined,
): string | undefined {
  if (source === undefined) return "it has no source"
  if (isUnknownKind(source))
    return `it uses a kind of source that is not supported (${JSON.stringify(isObject(source) ? source["source"] : source)})`
  const fault = sourceFault(source, { pluginRoot, ...(trustedHosts === undefined ? {} : { trustedHosts }) })
  return fault === undefined
    ? undefined
    : `source${fault.path.map((part) => `.${part}`).join("")}: ${fault.message}${fault.fix === undefined ? "" : ` ${fault.fix}`}`
}

function invalid(called: string, why: string): ChorusError {
  return new ChorusError("manifest_invalid", `${called} is not a marketplace: ${why}.`, {
    next: isAbsolute(called) ? `Run chorus plugin validate ${dirname(dirname(called))}.` : "Tell its owner.",
  })
}
