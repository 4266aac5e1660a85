/** What the scripts of a `package.json` say, by their names. */
export type Scripts = Readonly<Record<string, string>>

export interface CheckedTree {
  /** What the work changed. */
  readonly changed: readonly string[]
  /** The scripts before the work and as they are now. */
  readonly before: Scripts
  readonly now: Scripts
}

const RUN = /\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?([\w:.-]+)/g

/**
 * What a command runs that the work itself changed: a file it names, a script it goes through, a file which that names.
 */
export function touchedBy(command: string, { changed, before, now }: CheckedTree): string[] {
  const [words, scripts] = [new Set<string>(), new Set<string>()]
  const open = [command]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const word of text.split(/[\s;&|"'()=<>]+/)) words.add(word.replace(/^\.\//, ""))
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
      (path === "package.json" && [...scripts].some((name) => before[name] !== now[name])) ||
      (path === "Makefile" && words.has("make")),
  )
}
