import { type EntryKind, isStringArray, type JsonPath, kindInside } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

/** Why a component path may not be used, from its text alone. */
export function pathFault(path: string): string | undefined {
  if (path.split(/[\\/]/).includes("..")) return 'contains ".."'
  if (!path.startsWith("./")) return 'must start with "./"'
  return undefined
}

interface PathRules {
  /** Undefined when the folder is not at hand: then only the text is checked. */
  readonly root: string | undefined
  readonly extensions?: readonly string[]
  readonly allowDot?: boolean
  readonly only?: "file" | "directory"
}

/** Checks one component path. Returns what it points to, or undefined when nothing there can be read. */
export function checkPath(
  report: Report,
  file: FindingFile,
  at: JsonPath,
  path: string,
  rules: PathRules,
): EntryKind | undefined {
  if (rules.allowDot === true && path === ".") return "directory"
  const fault = pathFault(path)
  if (fault !== undefined) {
    report.error(file, {
      code: "path_invalid",
      path: at,
      message: `The path "${path}" ${fault}.`,
      fix: 'Write it from the plugin\'s folder: "./…".',
    })
    return undefined
  }
  if (rules.extensions !== undefined && !rules.extensions.some((extension) => path.endsWith(extension))) {
    report.error(file, {
      code: "path_extension",
      path: at,
      message: `"${path}" must end with ${rules.extensions.join(" or ")}.`,
    })
    return undefined
  }
  if (rules.root === undefined) return undefined
  const kind = kindInside(rules.root, path)
  if (kind === "missing")
    report.error(file, {
      code: "path_not_found",
      path: at,
      message: `"${path}" is not there, so it will not load.`,
      fix: /[*?{$]/.test(path) ? "Name the files one by one: patterns and variables are not expanded." : undefined,
    })
  if (kind === "escapes")
    report.error(file, { code: "path_escapes", path: at, message: `"${path}" leads out of the plugin's folder.` })
  if (kind === "missing" || kind === "escapes") return undefined
  if (rules.only !== undefined && kind !== rules.only) {
    report.error(file, {
      code: "path_kind",
      path: at,
      message:
        rules.only === "directory"
          ? `"${path}" is a file; name the folder that holds SKILL.md.`
          : `"${path}" is a folder; name a file.`,
    })
    return undefined
  }
  return kind
}

/** Checks a key that holds a path or a list of paths; returns those that can be read. */
export function checkPaths(
  report: Report,
  file: FindingFile,
  at: JsonPath,
  value: unknown,
  rules: PathRules,
): string[] {
  if (typeof value === "string") return checkPath(report, file, at, value, rules) === undefined ? [] : [value]
  if (!isStringArray(value)) {
    report.error(file, { code: "path_type", path: at, message: `${String(at.at(-1))} is a path or a list of paths.` })
    return []
  }
  return value.filter((path, index) => checkPath(report, file, [...at, index], path, rules) !== undefined)
}
