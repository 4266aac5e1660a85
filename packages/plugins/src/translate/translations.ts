import { join } from "node:path"
import { isObject } from "../read/index.ts"
import { changeJsonFile, type ClaudeHome, type MutableJson, readJsonFile, section } from "../state/index.ts"
import { removeFromCodex } from "./codex.ts"
import { removeFromOpencode } from "./opencode.ts"

/** A plugin's parts in the folder of another program. */
export interface TranslatedTo {
  readonly target: "codex" | "opencode"
  readonly folder: string
  /** What the plugin is called there. */
  readonly name: string
}

/** Remembers where an installed plugin was translated to. Of two with one name in one folder, the later replaced the earlier. */
export async function recordTranslation(home: ClaudeHome, id: string, { target, folder, name }: TranslatedTo) {
  await changeJsonFile(home, translationsPath(home), (content) => {
    section(section(content, target), folder)[name] = id
  })
}

/** Takes a plugin that goes out of every folder it was translated to, and tells which. */
export async function removeTranslations(home: ClaudeHome, id: string): Promise<TranslatedTo[]> {
  const found = translationsIn(readJsonFile(translationsPath(home))).filter((one) => one.id === id)
  if (found.length === 0) return []
  for (const { target, folder, name } of found)
    (target === "codex" ? removeFromCodex : removeFromOpencode)(folder, name)
  const forget = (content: MutableJson) => {
    for (const { target, folder, name } of found) {
      const folders = section(content, target)
      delete section(folders, folder)[name]
      if (Object.keys(section(folders, folder)).length === 0) delete folders[folder]
      if (Object.keys(folders).length === 0) delete content[target]
    }
  }
  await changeJsonFile(home, translationsPath(home), forget, { dropEmpty: true })
  return found.map(({ target, folder, name }) => ({ target, folder, name }))
}

function translationsIn(content: Readonly<Record<string, unknown>>): (TranslatedTo & { id: unknown })[] {
  return (["codex", "opencode"] as const).flatMap((target) =>
    entriesOf(content[target]).flatMap(([folder, plugins]) =>
      entriesOf(plugins).map(([name, id]) => ({ target, folder, name, id })),
    ),
  )
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function translationsPath(home: ClaudeHome): string {
  return join(home.chorus, "translations.json")
}
