import { join } from "node:path"
import {
  isObject,
  isStringArray,
  isStringMap,
  type JsonObject,
  type JsonPath,
  kindInside,
  own,
  parseJson,
  readText,
  typeName,
} from "../read/files.ts"
import { brokenRenames, sourceFolder } from "../read/plugin.ts"
import { checkLinks } from "./contents-check.ts"
import { checkManifest, checkPerson } from "./manifest-check.ts"
import { checkImpersonation, checkMarketplaceName, isIdPart, OFFICIAL_MARKETPLACES } from "./name-check.ts"
import { checkRelevance } from "./relevance-check.ts"
import type { FindingFile, Report } from "./report.ts"
import { checkSourceBeyond, sourceFault } from "./source-check.ts"
import { reportUnknown } from "./unknown-field.ts"

const TOP_KEYS = [
  "$schema",
  "name",
  "owner",
  "plugins",
  "description",
  "version",
  "metadata",
  "forceRemoveDeletedPlugins",
  "allowCrossMarketplaceDependenciesOn",
  "renames",
]

/** Checks a catalogue. `root` is the folder relative sources start from. */
export function checkMarketplace(report: Report, file: FindingFile, catalogue: JsonObject, root: string): void {
  const fail = (path: JsonPath, message: string, fix?: string) =>
    report.error(file, { code: "marketplace_field", path, message, fix })
  checkMarketplaceName(report, file, own(catalogue, "name"))
  if (!isObject(own(catalogue, "owner")))
    fail(
      ["owner"],
      `A marketplace names its owner: an object; got ${typeName(own(catalogue, "owner"))}.`,
      'Add "owner": {"name": "…"}.',
    )
  else checkPerson(report, file, ["owner"], catalogue["owner"])
  for (const key of ["$schema", "description", "version"])
    if (Object.hasOwn(catalogue, key) && typeof catalogue[key] !== "string") fail([key], `"${key}" must be text.`)
  if (
    Object.hasOwn(catalogue, "forceRemoveDeletedPlugins") &&
    typeof catalogue["forceRemoveDeletedPlugins"] !== "boolean"
  )
    fail(["forceRemoveDeletedPlugins"], "It must be true or false.")
  if (
    Object.hasOwn(catalogue, "allowCrossMarketplaceDependenciesOn") &&
    !isStringArray(catalogue["allowCrossMarketplaceDependenciesOn"])
  )
    fail(["allowCrossMarketplaceDependenciesOn"], "It must be a list of marketplace names.")
  checkAbout(report, file, catalogue)
  for (const key of Object.keys(catalogue))
    if (!TOP_KEYS.includes(key)) reportUnknown(report, file, [key], TOP_KEYS, "marketplace")
  const plugins = own(catalogue, "plugins")
  if (!Array.isArray(plugins)) return fail(["plugins"], `"plugins" is a list; got ${typeName(plugins)}.`)
  if (plugins.length === 0)
    report.warning(file, { code: "marketplace_empty", path: ["plugins"], message: "The marketplace lists no plugins." })
  checkDuplicates(report, file, plugins)
  for (const [index, entry] of plugins.entries()) checkEntry(report, file, catalogue, index, entry, root)
  checkRenames(report, file, catalogue, plugins)
}

function checkAbout(report: Report, file: FindingFile, catalogue: JsonObject): void {
  const metadata = own(catalogue, "metadata")
  if (metadata !== undefined && !isObject(metadata))
    report.error(file, {
      code: "marketplace_field",
      path: ["metadata"],
      message: `"metadata" must be an object; got ${typeName(metadata)}.`,
    })
  const inner = isObject(metadata) ? metadata : {}
  for (const [key, value] of Object.entries(inner)) {
    if (!["description", "version", "pluginRoot"].includes(key))
      reportUnknown(report, file, ["metadata", key], ["description", "version", "pluginRoot"], "other")
    else if (typeof value !== "string")
      report.error(file, { code: "marketplace_field", path: ["metadata", key], message: `"${key}" must be text.` })
  }
  if (own(catalogue, "description") === undefined && own(inner, "description") === undefined)
    report.warning(file, {
      code: "description_missing",
      path: ["description"],
      message: "No description: people cannot see what this marketplace offers.",
    })
}

function checkDuplicates(report: Report, file: FindingFile, plugins: readonly unknown[]): void {
  const places = new Map<string, number[]>()
  for (const [index, entry] of plugins.entries()) {
    if (isObject(entry) && typeof entry["name"] === "string")
      places.set(entry["name"], [...(places.get(entry["name"]) ?? []), index])
  }
  for (const [name, indexes] of places) {
    if (indexes.length > 1)
      for (const index of indexes)
        report.error(file, {
          code: "entry_duplicate",
          path: ["plugins", index, "name"],
          message: `Two entries are called "${name}".`,
        })
  }
}

function checkEntry(
  report: Report,
  file: FindingFile,
  catalogue: JsonObject,
  index: number,
  entry: unknown,
  root: string,
): void {
  const path = ["plugins", index]
  if (!isObject(entry))
    return report.error(file, { code: "entry_type", path, message: `An entry is an object; got ${typeName(entry)}.` })
  const official = OFFICIAL_MARKETPLACES.has(String(own(catalogue, "name")))
  checkEntryName(report, file, [...path, "name"], own(entry, "name"), official)
  const source = own(entry, "source")
  const metadata = own(catalogue, "metadata")
  const pluginRoot = isObject(metadata) ? own(metadata, "pluginRoot") : undefined
  const fault =
    source === undefined ? { path: [], message: 'An entry needs a "source".' } : sourceFault(source, { pluginRoot })
  if (fault !== undefined)
    report.error(file, {
      code: "source_invalid",
      path: [...path, "source", ...fault.path],
      message: fault.message,
      ...("fix" in fault ? { fix: fault.fix } : {}),
    })
  else checkSourceBeyond(report, file, [...path, "source"], source)
  checkOwnFields(report, file, path, entry)
  checkManifest(report, file, entry, { as: "entry", root: undefined, official }, path)
  if (typeof source === "string" && fault === undefined)
    checkListedPlugin(report, file, path, entry, root, sourceFolder(source, pluginRoot), official)
}

function checkEntryName(
  report: Report,
  file: FindingFile,
  path: (string | number)[],
  name: unknown,
  official: boolean,
): void {
  if (typeof name !== "string" || name === "")
    return report.error(file, { code: "name_missing", path, message: "An entry needs a name." })
  if (!isIdPart(name))
    report.error(file, {
      code: "name_not_an_id",
      path,
      message: `"${name}" cannot be installed: letters, digits, ".", "_" and "-" only, starting with a letter or digit.`,
    })
  if (name.length > 128)
    report.warning(file, {
      code: "name_long",
      path,
      message: "The name is longer than 128 characters; Claude Desktop does not accept it.",
    })
  checkImpersonation(report, file, path, name, official)
}

function checkOwnFields(report: Report, file: FindingFile, path: JsonPath, entry: JsonObject): void {
  const fail = (key: string, message: string) =>
    report.error(file, { code: "entry_field", path: [...path, key], message })
  if (Object.hasOwn(entry, "category") && typeof entry["category"] !== "string")
    fail("category", "category must be text.")
  if (Object.hasOwn(entry, "tags") && !isStringArray(entry["tags"])) fail("tags", "tags must be a list of texts.")
  if (Object.hasOwn(entry, "strict") && typeof entry["strict"] !== "boolean")
    fail("strict", "strict must be true or false.")
  if (Object.hasOwn(entry, "relevance")) checkRelevance(report, file, [...path, "relevance"], entry["relevance"])
  checkHeaders(report, file, path, entry)
}

function checkHeaders(report: Report, file: FindingFile, path: JsonPath, entry: JsonObject): void {
  const [headers, helper, source] = [own(entry, "headers"), own(entry, "headersHelper"), own(entry, "source")]
  if (headers === undefined && helper === undefined) return
  if (headers !== undefined && !isStringMap(headers))
    return report.error(file, {
      code: "entry_field",
      path: [...path, "headers"],
      message: "headers must map names to texts.",
    })
  const isArchive = isObject(source) && source["source"] === "archive"
  if (!isArchive)
    return report.warning(file, {
      code: "headers_without_effect",
      path: [...path, headers === undefined ? "headersHelper" : "headers"],
      message: "Headers are sent for archive sources only.",
    })
  for (const name of Object.keys(headers ?? {}))
    if (/^(host|cookie|x-forwarded-.*)$/i.test(name))
      report.warning(file, {
        code: "header_dropped",
        path: [...path, "headers", name],
        message: `"${name}" steers the request and is dropped.`,
      })
  if (helper === undefined) return
  if (own(entry, "strict") !== false)
    report.error(file, {
      code: "headers_helper_strict",
      path: [...path, "headersHelper"],
      message: 'An entry with headersHelper must say "strict": false and hold its whole manifest.',
    })
  if (!Object.hasOwn(source, "sha256"))
    report.warning(file, {
      code: "archive_unpinned",
      path: [...path, "source", "sha256"],
      message: "The archive is fetched with credentials but not pinned.",
      fix: "Add sha256.",
    })
}

/** A listed plugin that lies beside the catalogue: its folder must be there, and its manifest is read too. */
function checkListedPlugin(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  entry: JsonObject,
  root: string,
  folder: string,
  official: boolean,
): void {
  const kind = kindInside(root, folder)
  if (kind !== "directory")
    return report.warning(file, {
      code: "source_folder_missing",
      path: [...path, "source"],
      message:
        kind === "escapes"
          ? `${folder} leads out of the marketplace.`
          : `The folder ${folder} is not there; the plugin cannot be installed.`,
    })
  checkLinks(report, join(root, folder), root)
  const name = join(folder, ".claude-plugin/plugin.json")
  const text = readText(join(root, name))
  if (text === undefined) return
  const inner: FindingFile = { file: name, text, prefix: `plugins[${String(path[1])}] → ` }
  const { value, fault } = parseJson(text)
  if (fault !== undefined)
    return report.error(inner, {
      code: "json_invalid",
      path: ["json"],
      offset: 0,
      message: `Not valid JSON: ${fault}.`,
    })
  if (!isObject(value))
    return report.error(inner, { code: "manifest_not_object", path: ["root"], message: "A manifest is an object." })
  checkManifest(report, inner, value, { as: "plugin", root: join(root, folder), official })
  const [listed, own_] = [own(entry, "version"), own(value, "version")]
  if (typeof listed === "string" && typeof own_ === "string" && listed !== own_) {
    report.warning(file, {
      code: "version_mismatch",
      path: [...path, "version"],
      message: `The entry says ${listed}, plugin.json says ${own_}; plugin.json wins.`,
      fix: "Keep the version in one place.",
    })
  }
}

function checkRenames(report: Report, file: FindingFile, catalogue: JsonObject, plugins: readonly unknown[]): void {
  const renames = own(catalogue, "renames")
  if (renames === undefined) return
  if (!isObject(renames))
    return report.error(file, {
      code: "renames_invalid",
      path: ["renames"],
      message: `"renames" maps old names to new ones; got ${typeName(renames)}.`,
    })
  const live = new Set(
    plugins.flatMap((entry) => (isObject(entry) && typeof entry["name"] === "string" ? [entry["name"]] : [])),
  )
  for (const [name, why] of brokenRenames(renames, live)) {
    report.error(file, {
      code: "renames_unresolved",
      path: ["renames", name],
      message:
        why === "cycle"
          ? `The renames of "${name}" go round in a circle.`
          : `"${name}" is renamed to something that is neither listed nor renamed.`,
      fix: "End at a listed plugin, or at null.",
    })
  }
}
