const ANY_DEPTH = "**"
const MOST_BRACE_FORMS = 16

/** Brings a path or glob into the one form that is compared, or says why it cannot be one. */
export function normalGlob(text: string): { glob: string } | { fault: string } {
  const glob = text
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(\.\/)+/, "")
    .replace(/\/{2,}/g, "/")
    .replace(/\/$/, "")
  if (glob === "" || glob === ".") return { fault: "it names nothing; use ** for everything" }
  if (glob.startsWith("/") || /^[a-z]:/i.test(glob) || glob.startsWith("~"))
    return { fault: "it must be relative to the repository" }
  if (glob.split("/").includes("..")) return { fault: "it may not leave the repository" }
  return { glob }
}

/**
 * Whether two globs could both match some path. Errs towards yes: character classes count as any character, case is ignored
 * (some disks do), and a glob that names a folder, or any name at all, covers what is in it.
 */
export function globsOverlap(left: string, right: string): boolean {
  return forms(left).some((a) => forms(right).some((b) => segmentsOverlap(a.split("/"), b.split("/"))))
}

function segmentsOverlap(left: readonly string[], right: readonly string[]): boolean {
  const known = new Map<number, boolean>()
  const overlap = (i: number, j: number): boolean => {
    if (i === left.length) return namesFolder(left) || right.slice(j).every((rest) => rest === ANY_DEPTH)
    if (j === right.length) return namesFolder(right) || left.slice(i).every((rest) => rest === ANY_DEPTH)
    const key = i * (right.length + 1) + j
    const before = known.get(key)
    if (before !== undefined) return before
    const a = left[i] ?? ""
    const b = right[j] ?? ""
    const answer =
      a === ANY_DEPTH
        ? overlap(i + 1, j) || overlap(i, j + 1)
        : b === ANY_DEPTH
          ? overlap(i, j + 1) || overlap(i + 1, j)
          : textOverlap(a, b) && overlap(i + 1, j + 1)
    known.set(key, answer)
    return answer
  }
  return overlap(0, 0)
}

/** A pattern such as `*.md` means files; a plain name or `*` may mean folders. */
function namesFolder(segments: readonly string[]): boolean {
  const last = segments.at(-1) ?? ""
  return !/[*?]/.test(last) || /^\*+$/.test(last)
}

/** Whether two patterns of `*`, `?` and plain characters share a text. */
function textOverlap(left: string, right: string): boolean {
  const known = new Map<number, boolean>()
  const overlap = (i: number, j: number): boolean => {
    if (i === left.length && j === right.length) return true
    const key = i * (right.length + 1) + j
    const before = known.get(key)
    if (before !== undefined) return before
    const a = left[i]
    const b = right[j]
    let answer = false
    if (a === "*") answer = overlap(i + 1, j) || (b !== undefined && overlap(i, j + 1))
    else if (b === "*") answer = overlap(i, j + 1) || (a !== undefined && overlap(i + 1, j))
    else answer = a !== undefined && b !== undefined && (a === b || a === "?" || b === "?") && overlap(i + 1, j + 1)
    known.set(key, answer)
    return answer
  }
  return overlap(0, 0)
}

/** Spells braces out; where that would be too many, a brace counts as any text. */
function forms(glob: string): string[] {
  let spelled = [glob.toLowerCase().replaceAll(/\[[^\]/]*\]/g, "?")]
  for (
    let brace = /\{([^{}]*)\}/.exec(spelled[0] ?? "");
    brace !== null;
    brace = /\{([^{}]*)\}/.exec(spelled[0] ?? "")
  ) {
    const grown: string[] = spelled.flatMap((form) => {
      const found = /\{([^{}]*)\}/.exec(form)
      if (found === null) return [form]
      const [whole, inside = ""] = found
      return inside
        .split(",")
        .map((choice) => form.slice(0, found.index) + choice + form.slice(found.index + whole.length))
    })
    if (grown.length > MOST_BRACE_FORMS) return [anyBrace(glob.toLowerCase())]
    spelled = grown
  }
  return spelled.map((form) => form.replaceAll(/\*{3,}/g, ANY_DEPTH))
}

function anyBrace(glob: string): string {
  return glob.includes("{") ? `${glob.slice(0, glob.indexOf("{")).replace(/[^/]*$/, "")}${ANY_DEPTH}` : glob
}
