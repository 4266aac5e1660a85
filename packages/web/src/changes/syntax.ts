import { common, createLowlight } from "lowlight"
import type { ShownRow } from "./diff-rows.ts"

/** A stretch of a line and what it is; stretches without a colour are left out. */
export type Shade = readonly [from: number, to: number, what: string]

interface Node {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}

const MOST_ROWS = 20_000
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  py: "python",
  rs: "rust",
  rb: "ruby",
  kt: "kotlin",
  cs: "csharp",
  h: "c",
  cc: "cpp",
  hpp: "cpp",
  sh: "bash",
  zsh: "bash",
  yml: "yaml",
  md: "markdown",
  html: "xml",
  svg: "xml",
  vue: "xml",
  toml: "ini",
  mk: "makefile",
}
/** Of files that are known by their whole name; most of what stands in a Dockerfile is shell. */
const NAMES: Readonly<Record<string, string>> = {
  dockerfile: "bash",
  containerfile: "bash",
  makefile: "makefile",
  gnumakefile: "makefile",
  gemfile: "ruby",
  rakefile: "ruby",
}
const lowlight = createLowlight(common)

/** The colours of each row; each side of a hunk is read by itself, so that a quote that was removed colours nothing that follows. */
export function shadesOf(path: string, rows: readonly ShownRow[]): (readonly Shade[])[] {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const extension = /\.([^./]+)$/.exec(name)?.[1] ?? ""
  const language = NAMES[name] ?? LANGUAGES[extension] ?? extension
  if (!lowlight.registered(language) || rows.length > MOST_ROWS) return []
  const shades: (readonly Shade[])[] = rows.map(() => [])
  let hunk: number[] = []
  const read = () => {
    for (const gone of ["added", "removed"]) {
      const side = hunk.filter((at) => rows[at]?.kind !== gone)
      const lines = linesOf(language, side.map((at) => rows[at]?.text ?? "").join("\n"))
      side.forEach((at, place) => {
        if (gone === "removed" || rows[at]?.kind === "removed") shades[at] = lines[place] ?? []
      })
    }
    hunk = []
  }
  rows.forEach(({ kind }, at) => {
    if (kind === "hunk") read()
    else if (kind !== "note") hunk.push(at)
  })
  read()
  return shades
}

function linesOf(language: string, text: string): Shade[][] {
  const lines: Shade[][] = [[]]
  let column = 0
  const walk = (node: Node, what: string) => {
    const name = Array.isArray(node.properties?.className) ? String(node.properties.className[0]) : what
    for (const child of node.children ?? []) walk(child, name)
    const [first = "", ...more] = (node.value ?? "").split("\n")
    put(first, what)
    for (const rest of more) {
      lines.push([])
      column = 0
      put(rest, what)
    }
  }
  const put = (piece: string, what: string) => {
    if (what !== "" && piece !== "") lines.at(-1)?.push([column, column + piece.length, what.replace(/^hljs-/, "")])
    column += piece.length
  }
  walk(lowlight.highlight(language, text) as Node, "")
  return lines
}
