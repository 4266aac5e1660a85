import { statSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject, type JsonPath, kindInside, own, parseJson, readText } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

const FILES = ["hooks/hooks.json", ".mcp.json", ".lsp.json", "monitors/monitors.json"]
const REFERENCE = /\$\{?CLAUDE_PLUGIN_ROOT\}?["']?\/([\w./@+-]+)/g

/**
 * Reports commands that start a file of the plugin which is not there or may not run. The real validator looks at none.
 */
export function checkReferences(report: Report, root: string, manifest: JsonObject): void {
  const manifestText = readText(join(root, ".claude-plugin/plugin.json"))
  for (const key of ["hooks", "mcpServers", "lspServers", "monitors", "experimental"]) {
    look(report, root, { file: ".claude-plugin/plugin.json", text: manifestText }, own(manifest, key), [key])
  }
  const named = ["hooks", "mcpServers", "lspServers"].flatMap((key) =>
    [own(manifest, key)].flat().filter((path) => typeof path === "string"),
  )
  for (const file of new Set([...FILES, ...named.map((path) => join(path))])) {
    if (!file.endsWith(".json") || kindInside(root, file) !== "file") continue
    const text = readText(join(root, file)) ?? ""
    look(report, root, { file, text }, parseJson(text).value, [])
  }
}

function look(report: Report, root: string, file: FindingFile, value: unknown, path: JsonPath): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) look(report, root, file, item, [...path, index])
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) look(report, root, file, item, [...path, key])
  else if (typeof value === "string") checkText(report, root, file, value, path)
}

function checkText(report: Report, root: string, file: FindingFile, text: string, path: JsonPath): void {
  for (const match of text.matchAll(REFERENCE)) {
    const name = (match[1] ?? "").replace(/[.,]$/, "")
    const kind = kindInside(root, name)
    if (kind === "missing")
      report.warning(file, {
        code: "reference_missing",
        path,
        message: `${name} is started from here, but the plugin has no such file.`,
        fix: "Add the file or correct the path; a file that a build creates must be shipped.",
      })
    // The shell is given nothing but the file, so the file itself must be allowed to run.
    const isStarted = path.at(-1) === "command" && /^["']?$/.test(text.slice(0, match.index))
    if (kind === "file" && isStarted && !isExecutable(join(root, name)))
      report.warning(file, {
        code: "reference_not_executable",
        path,
        message: `${name} is started from here, but it is not executable.`,
        fix: `chmod +x ${name}, or start it with its interpreter.`,
      })
    if (kind === "escapes")
      report.warning(file, { code: "reference_escapes", path, message: `${name} leads out of the plugin's folder.` })
  }
  if (text.includes("${plugin_root}"))
    report.note(file, {
      code: "variable_unknown",
      path,
      message: "${plugin_root} is not replaced.",
      fix: "Write ${CLAUDE_PLUGIN_ROOT}.",
    })
}

/** Windows knows no such right; what is made there is judged where it is installed. */
function isExecutable(path: string): boolean {
  return process.platform === "win32" || (statSync(path).mode & 0o111) !== 0
}
