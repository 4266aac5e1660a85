import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** One way in which something is refused, as the source states it. */
export interface Fault {
  readonly code: string
  readonly status: number
  readonly says: string
  readonly next: string
}

interface Declaration {
  readonly text: string
  readonly file: string
}

interface Source {
  readonly declarations: ReadonlyMap<string, string>
  /** Local name → where it comes from. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>
}

const DECLARES = /^(?:export )?(?:async )?(?:function|const|class)\s+(\w+)/
const ROOMS = ["server", "core", "store"] as const

/** Finds what each operation can be refused with by following the names its code uses, file by file. */
export class FaultFinder {
  readonly #sources = new Map<string, Source>()
  readonly #packages: string

  constructor(packages: string) {
    this.#packages = packages
    for (const room of ROOMS)
      for (const file of sourcesBelow(join(packages, room, "src")))
        this.#sources.set(file, parse(readFileSync(file, "utf8")))
  }

  /** Every fault in these rooms, each code with all its messages. */
  all(): Fault[] {
    return [...this.#sources.values()].flatMap(({ declarations }) => [...declarations.values()].flatMap(faultsIn))
  }

  /** The codes that an operation bound to `noun.name` can throw itself. */
  of(noun: string, name: string): string[] {
    const bound = new RegExp(`(?:operation|costly)\\(\\s*${noun}\\.${name}\\b`)
    for (const [file, { declarations }] of this.#sources) {
      for (const text of declarations.values()) if (bound.test(text)) return this.#reachable({ text, file })
    }
    return []
  }

  #reachable(start: Declaration): string[] {
    const seen = new Set<string>()
    const codes = new Set<string>()
    const waiting = [start]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const { code } of faultsIn(next.text)) codes.add(code)
      for (const word of new Set(next.text.match(/[A-Za-z_]\w*/g))) {
        const found = this.#resolve(next.file, word)
        if (found === undefined || seen.has(`${found.file} ${word}`)) continue
        seen.add(`${found.file} ${word}`)
        waiting.push(found)
      }
    }
    return [...codes].sort()
  }

  #resolve(file: string, word: string): Declaration | undefined {
    const source = this.#sources.get(file)
    const own = source?.declarations.get(word)
    if (own !== undefined) return { text: own, file }
    const imported = source?.imports.get(word)
    if (imported === undefined) return undefined
    if (imported.from.startsWith(".")) return this.#resolve(resolve(dirname(file), imported.from), imported.name)
    const room = /^@chorus\/(\w+)/.exec(imported.from)?.[1]
    return room === undefined ? undefined : this.#inRoom(room, imported.name)
  }

  #inRoom(room: string, name: string): Declaration | undefined {
    const folder = join(this.#packages, room, "src")
    for (const [file, { declarations }] of this.#sources) {
      const text = file.startsWith(folder) ? declarations.get(name) : undefined
      if (text !== undefined) return { text, file }
    }
    return undefined
  }
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .sort()
}

/** House style puts every declaration at the beginning of a line, which is all that is needed to tell them apart. */
function parse(text: string): Source {
  const declarations = new Map<string, string>()
  let name: string | undefined
  for (const line of text.split("\n")) {
    const begins = DECLARES.exec(line)?.[1]
    if (begins !== undefined) name = begins
    else if (/^(import|interface|type|export) /.test(line)) name = undefined
    if (name !== undefined) declarations.set(name, `${declarations.get(name) ?? ""}${line}\n`)
  }
  return { declarations, imports: new Map(importsOf(text)) }
}

function importsOf(text: string): [string, { from: string; name: string }][] {
  return [...text.matchAll(/^import (?!type )\{([^}]*)\} from "([^"]+)"/gm)].flatMap(([, names = "", from = ""]) =>
    names.split(",").flatMap((one): [string, { from: string; name: string }][] => {
      const [, name, local] = /^\s*(?!type )(\w+)(?: as (\w+))?\s*$/.exec(one) ?? []
      return name === undefined ? [] : [[local ?? name, { from, name }]]
    }),
  )
}

function faultsIn(text: string): Fault[] {
  return text.split(/(?=new ChorusError\()/).flatMap((part): Fault[] => {
    const [head, code] = /^new ChorusError\(\s*"([a-z0-9_]+)",\s*/.exec(part) ?? []
    if (head === undefined || code === undefined) return []
    const next = /next:\s*(?=["`])/.exec(part)
    return [
      {
        code,
        status: Number(/status:\s*(\d{3})/.exec(part)?.[1] ?? 400),
        says: literalAt(part, head.length),
        next: next === null ? "" : literalAt(part, next.index + next[0].length),
      },
    ]
  })
}

/** The text of a literal that begins here, with what is filled in at run time left open. */
function literalAt(text: string, start: number): string {
  const quote = text[start]
  if (quote !== '"' && quote !== "`") return "…"
  let said = ""
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return said
    if (text[at] === "\\") said += text[++at] ?? ""
    else if (quote === "`" && text.startsWith("${", at)) {
      at = endOfFilling(text, at + 2)
      said += "…"
    } else said += text[at] ?? ""
  }
  return said
}

/** Where a `${…}` that began before `start` ends; fillings may hold literals with fillings of their own. */
function endOfFilling(text: string, start: number): number {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++
    if (text[at] === "}") depth--
    if (depth === 0) return at
  }
  return text.length
}
