import { withoutSecrets } from "@chorus/core"
import { git, type GitOptions } from "./git.ts"
import type { Merged } from "./merge.ts"

const MOST_FILES = 5
const MOST_PLACES = 3
const MOST_LINES = 30
const MOST_IN_ALL = 3000

type Against = Extract<Merged, { conflicts: readonly string[] }>

/** Where both sides changed the same lines: the line of the branch, and what both made of it, as git writes that. */
export interface Place {
  readonly line: number
  readonly lines: readonly string[]
}

/** The places of a file that a merge has left with its marks, which name the two sides instead of commits. */
export function conflictPlaces(marked: string, branch: string): Place[] {
  const places: Place[] = []
  let [line, side]: [number, "both" | "branch" | "work"] = [1, "both"]
  let lines: string[] = []
  for (const text of marked.split("\n")) {
    if (side === "both" && text.startsWith("<<<<<<< ")) {
      side = "branch"
      lines = [`<<<<<<< ${branch}`]
      places.push({ line, lines })
      continue
    }
    if (side === "work" && text.startsWith(">>>>>>> ")) {
      side = "both"
      lines.push(">>>>>>> the work")
      continue
    }
    if (side !== "both") lines.push(text)
    if (side === "branch" && text === "=======") side = "work"
    else if (side !== "work") line++
  }
  return places
}

/** The first places of the files that conflict, for whoever mends it: as indented text, without what looks secret. */
export async function conflictText(
  repository: string,
  { conflicts, marked }: Against,
  branch: string,
  env: NonNullable<GitOptions["env"]>,
): Promise<string> {
  const told: string[] = []
  for (const file of conflicts.slice(0, MOST_FILES)) {
    // What one side took away has no lines.
    const text = await git(repository, ["cat-file", "blob", `${marked}:${file}`], { env }).catch(() => "")
    if (text.includes("\0")) continue
    for (const { line, lines } of conflictPlaces(withoutSecrets(file, text), branch).slice(0, MOST_PLACES)) {
      const shown = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines
      told.push(`${file}, line ${line}:\n\n${shown.map((one) => `    ${one}`).join("\n")}`)
    }
  }
  const whole = told.join("\n\n")
  return whole.length > MOST_IN_ALL ? `${whole.slice(0, MOST_IN_ALL)}…` : whole
}
