import { join } from "node:path"
import { readText } from "../read/files.ts"
import { checkPath } from "./path-check.ts"
import type { FindingFile, Report } from "./report.ts"

const OUTSIDE = "reaches outside the file; what others build on must stand by itself"
const RUNS = "declares something that runs; the file holds types only"
const WORD_FAULTS: readonly (readonly [where: "anywhere" | "top", pattern: RegExp, fault: string])[] = [
  ["anywhere", /\bimport\b(?!\s*\??:)|\bfrom(?=\s*["'])|\brequire(?=\s*\()/g, OUTSIDE],
  ["anywhere", /\b(?:const|let|var|function|class|enum)(?=\s+[\w$])/g, RUNS],
  ["top", /\bexport\b(?!\s+(?:type|interface)\b)/g, 'is followed by "type" or "interface" and nothing else'],
  ["top", /\bdeclare\b(?!\s+module\s+(["'])claude-code\1\s*\{)/g, "opens only \"declare module 'claude-code'\""],
  ["top", /(?<=^[ \t]*|[;}][ \t]*)(?:interface|type)(?=\s+[\w$])/gm, "needs export, or it is global for everybody"],
  ["top", /(?<=^[ \t]*|[;}][ \t]*)(?:namespace|global|module)\b/gm, "is neither an exported type nor an interface"],
]

/** Checks the `.d.ts` that says what a plugin offers to others: types alone, and nothing from elsewhere. */
export function checkTypes(report: Report, file: FindingFile, types: unknown, root: string): void {
  if (typeof types !== "string")
    return report.error(file, {
      code: "types_invalid",
      path: ["types"],
      message: '"types" is the path of a .d.ts file.',
    })
  if (checkPath(report, file, ["types"], types, { root, extensions: [".d.ts"], only: "file" }) !== "file") return
  const text = readText(join(root, types)) ?? ""
  const fail = (offset: number, message: string) =>
    report.error({ file: types, text }, { code: "types_invalid", offset, message })
  const reference = /^[ \t]*\/\/\/[ \t]*<reference/m.exec(text)
  if (reference !== null) fail(reference.index, `A reference ${OUTSIDE}.`)
  const code = withoutWords(text)
  const { top, isBalanced } = outsideBraces(code)
  if (!isBalanced) fail(text.length, "The file does not parse: its braces do not match.")
  for (const [where, pattern, fault] of WORD_FAULTS)
    for (const match of (where === "top" ? top : code).matchAll(pattern)) fail(match.index, `"${match[0]}" ${fault}.`)
}

/** The text with comments and the insides of strings blanked; every other letter stays where it is. A module's name stays. */
function withoutWords(text: string): string {
  return text.replace(/\/\/.*|\/\*[\s\S]*?\*\/|(["'`])(?:\\[\s\S]|(?!\1)[^\\])*\1/g, (found, quote?: string) => {
    if (quote === undefined) return blank(found)
    return found.slice(1, -1) === "claude-code" ? found : `${quote}${blank(found.slice(1, -1))}${quote}`
  })
}

function outsideBraces(code: string): { top: string; isBalanced: boolean } {
  let depth = 0
  const top = code.replace(/[{}]|[^{}]+/g, (part) => {
    if (part === "{") return depth++ === 0 ? part : " "
    if (part === "}") return --depth === 0 ? part : " "
    return depth === 0 ? part : blank(part)
  })
  return { top, isBalanced: depth === 0 }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ")
}
