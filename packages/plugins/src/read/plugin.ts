import { basename, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { checkManifest } from "../validate/manifest-check.ts"
import { Report } from "../validate/report.ts"
import { isObject, type JsonObject, kindInside, own, parseJson, readText } from "./files.ts"

export const MANIFEST_FILE = ".claude-plugin/plugin.json"
const DISPLAY = [
  "displayName",
  "description",
  "author",
  "homepage",
  "repository",
  "license",
  "keywords",
  "defaultEnabled",
]
const APPENDED = ["commands", "agents", "skills", "outputStyles", "themes"]
const COMPONENTS = ["commands", "agents", "skills", "hooks", "outputStyles", "themes"]

/** A plugin's folder together with the manifest that counts for it. */
export interface Plugin {
  readonly folder: string
  /** The namespace of its components. */
  readonly name: string
  readonly version: string | undefined
  readonly manifest: JsonObject
  readonly hasManifestFile: boolean
}

/**
 * Reads the plugin in a folder; `entry` is what its marketplace says about it and may stand in for a manifest. Throws
 * when it cannot be loaded.
 */
export function readPlugin(folder: string, entry?: JsonObject): Plugin {
  const file = readManifestFile(folder)
  if (file !== undefined) checkLoadable(folder, file)
  const manifest = merge(file, entry)
  const name = own(manifest, "name") ?? (entry === undefined ? undefined : own(entry, "name"))
  const version =
    own(manifest, "version") ??
    (entry === undefined ? undefined : own(entry, "version")) ??
    (file === undefined ? rootVersion(folder) : undefined)
  return {
    folder,
    name: typeof name === "string" && name !== "" ? name : basename(folder),
    version: typeof version === "string" && version !== "" ? version : undefined,
    manifest,
    hasManifestFile: file !== undefined,
  }
}

function readManifestFile(folder: string): JsonObject | undefined {
  const text = readText(join(folder, MANIFEST_FILE))
  if (text === undefined) return undefined
  const { value, fault } = parseJson(text)
  if (fault === undefined && isObject(value)) return value
  throw new ChorusError(
    "error_validation",
    `The plugin has a corrupt manifest (${MANIFEST_FILE}): ${fault ?? "it is not an object"}.`,
    { next: "Tell its author; chorus plugin validate shows the place." },
  )
}

/** A `plugin.json` beside the components (the Agent Plugins format) is no manifest here, but it says the version. */
function rootVersion(folder: string): unknown {
  if (kindInside(folder, "plugin.json") !== "file") return undefined
  const { value } = parseJson(readText(join(folder, "plugin.json")) ?? "")
  return isObject(value) ? own(value, "version") : undefined
}

/**
 * The schema of the manifest; its name is looked at where a plugin is made, and files it names when components load,
 * each on its own.
 */
function checkLoadable(folder: string, manifest: JsonObject): void {
  const report = new Report()
  checkManifest(report, { file: MANIFEST_FILE }, manifest, { as: "plugin", root: undefined, official: true })
  const faults = report.messages.filter((message) => message.level === "error" && message.code !== "name_reserved")
  if (faults.length === 0) return
  throw new ChorusError(
    "error_validation",
    `The plugin has an invalid manifest: ${faults.map((fault) => `${fault.path}: ${fault.message}`).join(" ")}`,
    { next: `Run chorus plugin validate ${folder}.`, details: { faults } },
  )
}

/** How a marketplace entry and plugin.json become one manifest. */
function merge(file: JsonObject | undefined, entry: JsonObject | undefined): JsonObject {
  if (entry === undefined) return file ?? {}
  if (file === undefined) return withoutEntryKeys(entry)
  const declares = COMPONENTS.some((key) => own(entry, key) !== undefined)
  if (own(entry, "strict") === false && declares) {
    throw new ChorusError(
      "manifests_conflict",
      `Both plugin.json and the marketplace entry of "${String(own(entry, "name"))}" declare components.`,
      { next: 'The marketplace should set "strict": true or keep the components in one place.' },
    )
  }
  const merged = new Map<string, unknown>(Object.entries(file))
  for (const key of DISPLAY) if (own(entry, key) !== undefined) merged.set(key, own(entry, key))
  for (const key of APPENDED)
    if (own(entry, key) !== undefined) merged.set(key, appended(own(file, key), own(entry, key)))
  const hooks = own(entry, "hooks")
  if (isObject(hooks)) merged.set("hooks", hooksWith(own(file, "hooks"), hooks))
  if (own(file, "version") === undefined && own(entry, "version") !== undefined)
    merged.set("version", own(entry, "version"))
  return Object.fromEntries(merged)
}

function appended(mine: unknown, more: unknown): unknown {
  if (mine === undefined) return more
  if (isObject(mine) && isObject(more)) return { ...mine, ...more }
  return [mine, more].flat()
}

/** The entry's groups replace the manifest's, event by event. */
function hooksWith(mine: unknown, more: JsonObject): unknown {
  if (mine === undefined) return more
  const parts = Array.isArray(mine) ? mine : [mine]
  return [
    ...parts.map((part) =>
      isObject(part) ? Object.fromEntries(Object.entries(part).filter(([event]) => !Object.hasOwn(more, event))) : part,
    ),
    more,
  ]
}

function withoutEntryKeys(entry: JsonObject): JsonObject {
  const entryOnly = new Set(["source", "category", "tags", "strict", "relevance", "headers", "headersHelper"])
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !entryOnly.has(key)))
}

/** The folder of a relative source, from the marketplace's root. */
export function sourceFolder(source: string, pluginRoot: unknown): string {
  if (source.startsWith("./") || source === ".") return source
  return typeof pluginRoot === "string" ? `${pluginRoot.replace(/\/+$/, "")}/${source}` : source
}

export type Rename =
  | { readonly kind: "to"; readonly name: string }
  | { readonly kind: "gone" }
  | { readonly kind: "broken"; readonly why: "cycle" | "target-missing" }

/** Follows `renames` from a name to what it is called today. Undefined when the name was never renamed. */
export function followRename(renames: JsonObject, name: string, live: ReadonlySet<string>): Rename | undefined {
  const seen = new Set<string>()
  let current = name
  while (Object.hasOwn(renames, current)) {
    if (seen.has(current)) return { kind: "broken", why: "cycle" }
    seen.add(current)
    const next = renames[current]
    if (next === null) return { kind: "gone" }
    if (typeof next !== "string") return { kind: "broken", why: "target-missing" }
    current = next
  }
  if (seen.size === 0) return undefined
  return live.has(current) ? { kind: "to", name: current } : { kind: "broken", why: "target-missing" }
}

export function* brokenRenames(
  renames: JsonObject,
  live: ReadonlySet<string>,
): Generator<[string, "cycle" | "target-missing"]> {
  for (const name of Object.keys(renames)) {
    const end = followRename(renames, name, live)
    if (end?.kind === "broken") yield [name, end.why]
  }
}

/** A field that is text, or undefined. */
export function stringField(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === "string" ? value : undefined
}

export function objectField(object: JsonObject, key: string): JsonObject {
  const value = own(object, key)
  return isObject(value) ? value : {}
}
