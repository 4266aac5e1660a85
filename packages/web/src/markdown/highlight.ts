export type Shade = "comment" | "string" | "number" | "keyword" | "added" | "removed"

export interface Piece {
  readonly text: string
  readonly shade?: Shade
}

const C_LIKE =
  "abstract as async await break case catch class const continue default defer delete do else enum export extends false final finally fn for from func function go if impl implements import in instanceof interface let loop match mod mut new nil null of override package private protected pub public return self static struct super switch this throw trait true try type typeof undefined use var void while yield"
const PYTHON =
  "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield"
const SHELL = "case do done echo elif else esac exit export fi for function if in local return set then until while"
const SQL =
  "and as asc begin between by case commit create delete desc distinct drop else end exists from group having if in index insert into is join key left like limit not null on or order primary references returning right select set table then transaction union unique update values when where with"

const WORDS: Readonly<Record<string, string>> = { c: C_LIKE, python: PYTHON, shell: SHELL, sql: SQL }
const COMMENTS: Readonly<Record<string, string>> = {
  c: "\\/\\/[^\\n]*|\\/\\*[^]*?(?:\\*\\/|$)",
  python: "#[^\\n]*",
  shell: "(?<![^\\s])#[^\\n]*",
  sql: "--[^\\n]*|\\/\\*[^]*?(?:\\*\\/|$)",
}

const FAMILY: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    c: "c cpp cs css dart go java javascript js json json5 jsonc jsx kotlin kt php rs rust scala swift ts tsx typescript",
    python: "py python rb ruby toml yaml yml",
    shell: "bash console dockerfile sh shell zsh",
    sql: "pgsql sql sqlite",
  }).flatMap(([family, names]) => names.split(" ").map((name) => [name, family])),
)

const rules = new Map<string, RegExp>()

/** Code in shaded pieces, as far as a few rules can tell; an unknown language comes back whole. */
export function shaded(code: string, language: string): readonly Piece[] {
  const name = language.toLowerCase()
  if (name === "diff" || name === "patch") return diffPieces(code)
  const family = FAMILY[name]
  if (family === undefined || code.length > 20_000) return [{ text: code }]
  const rule = ruleOf(family)
  const pieces: Piece[] = []
  let from = 0
  for (const match of code.matchAll(rule)) {
    const shade =
      match[1] !== undefined
        ? "comment"
        : match[2] !== undefined
          ? "string"
          : match[3] !== undefined
            ? "number"
            : "keyword"
    if (match.index > from) pieces.push({ text: code.slice(from, match.index) })
    pieces.push({ text: match[0], shade })
    from = match.index + match[0].length
  }
  if (from < code.length) pieces.push({ text: code.slice(from) })
  return pieces
}

function ruleOf(family: string): RegExp {
  const known = rules.get(family)
  if (known !== undefined) return known
  const words = (WORDS[family] ?? "").split(" ").join("|")
  const strings = `"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'|\`(?:\\\\.|[^\`\\\\])*\``
  const rule = new RegExp(
    `(${COMMENTS[family] ?? "(?!)"})|(${strings})|(\\b\\d[\\d_.a-fx]*\\b)|\\b(?:${words})\\b`,
    family === "sql" ? "gi" : "g",
  )
  rules.set(family, rule)
  return rule
}

function diffPieces(code: string): Piece[] {
  return code.split(/(?<=\n)/).map((line): Piece => {
    if (line.startsWith("+")) return { text: line, shade: "added" }
    if (line.startsWith("-")) return { text: line, shade: "removed" }
    return line.startsWith("@@") ? { text: line, shade: "comment" } : { text: line }
  })
}
