import { basename } from "node:path"
import type { ExecutableSurface } from "@chorus/contracts"
import { listTree } from "../fetch/index.ts"
import { flaggedLines } from "./download-shape.ts"
import { textOf } from "./file-change.ts"

/** What the files of a plugin hold that its commands may load, be it by `source`, `import`, `make` or `npm run`. */
export interface Loadable {
  readonly files: number
  /** Lines known to be dangerous or to fetch something. */
  readonly lines: readonly { path: string; line: number; does: string; text: string; dangerous: boolean }[]
  /** Files that nobody could look through: not text, or too long. */
  readonly unread: readonly string[]
}

/** Whether a plugin starts anything that could load a file of its own. */
export function startsPrograms({ items }: ExecutableSurface): boolean {
  return items.some(({ kind }) => !["connect", "setting", "download"].includes(kind))
}

/** Looks through every file except those shown already; of a plugin that starts nothing, through none. */
export function loadableFiles(
  folder: string,
  surface: ExecutableSurface,
  shown: ReadonlySet<string> = new Set(),
): Loadable {
  if (!startsPrograms(surface)) return { files: 0, lines: [], unread: [] }
  const all = listTree(folder)
    .filter(({ kind }) => kind === "file")
    .map(({ path }) => ({ path, text: textOf(folder, path) }))
  const files = all.filter(({ path }) => !shown.has(path))
  // Prose says what people may type; it runs only where a program names the file.
  const code = all.filter(({ path }) => !path.endsWith(".md"))
  const mayRun = (path: string) =>
    !path.endsWith(".md") || code.some(({ text }) => text?.includes(basename(path)) === true)
  // The command of a hook stands in a file too, and is told as what the hook does.
  const told = surface.items.map(({ does }) => JSON.stringify(does))
  const untold = (path: string, text: string) =>
    path.endsWith(".json") ? told.reduce((rest, command) => rest.replaceAll(command, '""'), text) : text
  return {
    files: files.length,
    lines: files.flatMap(({ path, text = "" }) => {
      const lines = flaggedLines(untold(path, text))
      return lines.length > 0 && mayRun(path) ? lines.map((one) => ({ path, ...one })) : []
    }),
    unread: files.filter(({ path, text }) => text === undefined && mayRun(path)).map(({ path }) => path),
  }
}
