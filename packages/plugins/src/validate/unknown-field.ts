import type { JsonPath } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const ELSEWHERE: readonly (readonly [string, readonly string[]])[] = [
  ["an npm package.json", ["main", "scripts", "type", "files", "private", "bin", "contributors"]],
  ["a VS Code or Cursor extension manifest", ["contributes", "activationEvents", "publisher", "categories", "preview"]],
  ["an MCPB/DXT manifest", ["dxt_version", "compatibility"]],
  ["an MCP server manifest", ["server", "tools", "prompts"]],
]
const ENTRY_ONLY = new Set(["category", "tags", "source", "strict", "relevance", "id"])

/** Says why a key nobody reads stands there: a slip of the pen, a key of another format, or of another file. */
export function reportUnknown(
  report: Report,
  file: FindingFile,
  path: JsonPath,
  known: Iterable<string>,
  in_: "plugin" | "entry" | "marketplace" | "other",
): void {
  const key = String(path.at(-1))
  if (in_ === "plugin" && ENTRY_ONLY.has(key)) {
    return report.warning(file, {
      code: "field_belongs_in_entry",
      path,
      message: `"${key}" belongs in the marketplace entry; in plugin.json nobody reads it.`,
    })
  }
  if (key === "capabilities")
    return report.warning(file, {
      code: "field_retired",
      path,
      message: '"capabilities" is no longer read.',
      fix: "Delete it.",
    })
  if (key === "user_config")
    return report.warning(file, {
      code: "field_misspelt",
      path,
      message: '"user_config" is the spelling of other tools.',
      fix: 'Write "userConfig".',
    })
  const near = [...known].find((name) => folded(name) === folded(key))
  if (near !== undefined)
    return report.warning(file, {
      code: "field_misspelt",
      path,
      message: `"${key}" is not read.`,
      fix: `Did you mean "${near}"?`,
    })
  const home = ELSEWHERE.find(([, keys]) => keys.includes(key))?.[0]
  report.warning(file, {
    code: "field_unknown",
    path,
    message:
      home === undefined
        ? `Unknown field "${key}"; it is ignored.`
        : `Unknown field "${key}", known from ${home}; it is ignored.`,
  })
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "").replace(/s$/, "")
}
