import { collectsTests, isTestFile, isTestSettings } from "./test-files.ts"

/** What the scripts of a `package.json` say, by their names. */
export type Scripts = Readonly<Record<string, string>>

export interface CheckedTree {
  /** What the work changed. */
  readonly changed: readonly string[]
  /** Of that, what lost lines which were there before. */
  readonly rewritten: readonly string[]
  /** The scripts before the work and as they are now. */
  readonly before: Scripts
  readonly now: Scripts
}

const RUN = /\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]+)/g

/** Where a shell puts a command together while it runs, what is read may be run. */
const SUBSTITUTION = /[$<]\(|`/
/** Programs that run nothing of what they are given and compare it with nothing that the work could have changed. */
const READERS = new Set(
  "[ cat cut echo egrep false fgrep file grep head ls printf stat tail test tr true uniq wc".split(" "),
)
/** Patterns from a file, which the work may have written. */
const PATTERN_FILE = /\s(?:-\w*f|--file)/

/**
 * What a command runs that the work itself changed: a file it names, a script it goes through, a file which that names;
 * of tests that it collects, what says which those are, and tests that are not as they were. Further tests prove more,
 * and a file that is only read is the very thing the work was to change.
 */
export function touchedBy(command: string, { changed, rewritten, before, now }: CheckedTree): string[] {
  const [words, scripts] = [new Set<string>(), new Set<string>()]
  const open = [command]
  let collects = false
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    collects ||= collectsTests(text)
    for (const word of runBy(text)) words.add(word)
    for (const [, name = ""] of text.matchAll(RUN)) {
      for (const script of [`pre${name}`, name, `post${name}`]) {
        if (scripts.has(script)) continue
        scripts.add(script)
        open.push(...[before[script], now[script]].filter((body) => body !== undefined))
      }
    }
  }
  return changed.filter(
    (path) =>
      words.has(path) ||
      (collects && (isTestSettings(path) || (isTestFile(path) && rewritten.includes(path)))) ||
      (path === "package.json" && [...scripts].some((name) => before[name] !== now[name])) ||
      (path === "Makefile" && words.has("make")),
  )
}

/** The words of a command, paths as git names them, save of what it only reads. */
export function runBy(command: string): string[] {
  return pipelinesOf(command)
    .filter((pipeline) => !onlyReads(pipeline))
    .flatMap((pipeline) => wordsOf(pipeline).map((word) => word.replace(/^\.\//, "")))
}

function pipelinesOf(command: string): string[] {
  return SUBSTITUTION.test(command) ? [command] : command.split(/;|&&|\|\||&|\n/)
}

function onlyReads(pipeline: string): boolean {
  if (SUBSTITUTION.test(pipeline)) return false
  return pipeline.split("|").every((part) => {
    const program = programOf(part)
    return READERS.has(program) && !(program.endsWith("grep") && PATTERN_FILE.test(part))
  })
}

function programOf(command: string): string {
  const [program = ""] = command
    .trim()
    .replace(/^(?:!\s+|\w+=\S*\s+)+/, "")
    .split(/\s+/)
  return program
}

function wordsOf(text: string): string[] {
  return text.split(/[\s;&|"'()=<>`]+/)
}
