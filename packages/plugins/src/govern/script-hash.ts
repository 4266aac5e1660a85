import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { contentHash } from "../fetch/index.ts"
import { kindInside } from "../read/index.ts"

/** The hash of every file and folder of the plugin a command names, so that a changed script is a changed surface. */
export function scriptHash(folder: string, command: string): string | undefined {
  return hashOf(folder, namesIn(command))
}

/** The same for a file of the plugin, whatever it is called. */
export function fileHash(folder: string, file: string): string | undefined {
  return hashOf(folder, [file])
}

function hashOf(folder: string, names: readonly string[]): string | undefined {
  const found = names.flatMap((name): [string, string | Buffer][] => {
    const kind = kindInside(folder, name)
    if (kind === "file") return [[name, readFileSync(join(folder, name))]]
    return kind === "directory" ? [[name, contentHash(join(folder, name))]] : []
  })
  if (found.length === 0) return undefined
  const hash = createHash("sha256")
  for (const [name, content] of found) hash.update(name).update("\0").update(content)
  return hash.digest("hex")
}

/** The files among `paths` that a command starts; those of a skill are named from its own folder. */
export function scriptsOf(command: string, paths: readonly string[]): string[] {
  const [names, own] = [namesIn(command), namesIn(command, "CLAUDE_SKILL_DIR")]
  return paths.filter((path) => names.includes(path) || own.some((name) => path.endsWith(`/${name}`)))
}

/** What may be the name of a file: the word after the plugin's folder, and all of it up to a quote when it has spaces. */
function namesIn(command: string, folder = "CLAUDE_PLUGIN_ROOT"): string[] {
  return [...command.matchAll(new RegExp(String.raw`\$\{?${folder}\}?["']?/`, "g"))].flatMap((match) => {
    const rest = command.slice(match.index + match[0].length)
    return [...new Set([/^[\w./@+-]+/, /^[^"'`\n]+/].flatMap((shape) => shape.exec(rest)?.[0] ?? []))]
  })
}
