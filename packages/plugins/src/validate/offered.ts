import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { ChorusError, type PluginMessage } from "@chorus/contracts"
import { type Catalogue, readCatalogue } from "../marketplace/catalogue.ts"
import { kindInside, sourceFolder } from "../read/index.ts"
import { validatePath } from "./validate.ts"

/**
 * What there is to say about the plugins of a marketplace beyond what is told of it, as notes: the real validator reads
 * the catalogue and manifests alone, so its verdict is not changed by them.
 */
export function remarksOnOffered(path: string, told: readonly PluginMessage[]): PluginMessage[] {
  const catalogue = catalogueAt(resolve(path))
  if (catalogue === undefined) return []
  const { root, pluginRoot } = catalogue
  const entries = [...catalogue.entries.values()]
  const away = entries.filter(({ source }) => typeof source !== "string")
  const remarks = entries.flatMap(({ name, source }): PluginMessage[] => {
    const folder = typeof source === "string" ? sourceFolder(source, pluginRoot) : undefined
    // A plugin that is the marketplace's own folder is validated with it.
    if (folder === undefined || join(root, folder) === join(root, ".") || kindInside(root, folder) !== "directory")
      return []
    const isTold = (one: PluginMessage) =>
      told.some(({ code, file }) => code === one.code && join(root, file) === join(root, folder, one.file))
    const found = validatePath(join(root, folder)).messages.filter((one) => one.level !== "note" && !isTold(one))
    if (found.length === 0) return []
    const nouns = found.length === 1 ? "error or warning" : "errors or warnings"
    const codes = [...new Set(found.map(({ code }) => code))].join(", ")
    return [
      note(folder, "plugin_remarks", {
        message: `The plugin ${name} has ${found.length} ${nouns}: ${codes}.`,
        fix: `Read them: chorus plugin validate ${join(root, folder)}`,
      }),
    ]
  })
  if (away.length === 0) return remarks
  return [
    ...remarks,
    note(".claude-plugin/marketplace.json", "plugins_elsewhere", {
      message: `Not looked at, because they lie elsewhere: ${away.map(({ name }) => name).join(", ")}.`,
      fix: "Validate each where it lies.",
    }),
  ]
}

function catalogueAt(path: string): Catalogue | undefined {
  if (!path.endsWith(".json") && !existsSync(join(path, ".claude-plugin", "marketplace.json"))) return undefined
  try {
    return readCatalogue(path)
  } catch (error) {
    if (error instanceof ChorusError) return undefined
    throw error
  }
}

function note(file: string, code: string, told: { message: string; fix: string }): PluginMessage {
  return { level: "note", code, file, path: "", ...told }
}
