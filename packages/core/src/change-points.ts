import { runBy } from "./check-files.ts"
import { globsOverlap } from "./glob-conflict.ts"
import { patchRows } from "./patch.ts"
import { isTestFile, isTestSettings } from "./test-files.ts"

/** A file of a change, as far as it can be told what deserves a look before the rest. */
export interface PointedFile {
  readonly path: string
  readonly oldPath: string | null
  readonly status: string
  readonly oldMode: string | null
  readonly newMode: string | null
  /** Empty where the patch is not at hand. */
  readonly patch: string
}

export type ChangePointKind =
  | "deleted_test"
  | "criterion"
  | "dependency"
  | "executable"
  | "sensitive"
  | "reserved"
  | "overlap"

/** Something in a change that whoever reads it should see before the list of files. */
export interface ChangePoint {
  readonly kind: ChangePointKind
  readonly path: string
  readonly what: string
}

export interface ChangeCircumstances {
  /** The commands by which the task's criteria are checked. */
  readonly commands: readonly string[]
  /** Paths that others say they are changing. */
  readonly reserved: readonly { readonly glob: string; readonly agent: string }[]
}

const CASE = /^\s*[xf]?(it|test|describe)(\.\w+)*\(|^\s*(async )?def test_|^\s*func Test[A-Z]|^\s*#\[test\]|^\s*@Test\b/
/** What keeps a test from being run, or all others. */
const OFF =
  /\b(it|test|describe|context|suite)(\.\w+)*\.(skip|todo|fixme|fails|failing|only|skipIf|runIf)\b|^\s*[xf](it|test|describe|context)\(|^\s*@(pytest\.mark\.(skip|skipif|xfail)|unittest\.(skip|expectedFailure)|Disabled|Ignore)\b|\b(pytest\.skip|self\.skipTest|t\.Skip(Now|f)?)\(|^\s*#\[ignore/
const SENSITIVE: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)\.github\/workflows\/|(^|\/)\.gitlab-ci\.yml$|(^|\/)\.circleci\/|(^|\/)Jenkinsfile$/, "what CI runs"],
  [/(^|\/)(Dockerfile|Containerfile)[^/]*$|(^|\/)(docker-)?compose[^/]*\.ya?ml$/, "what is deployed"],
  [/(^|\/)\.(env|npmrc|netrc|pypirc)(\.|$)|\.(pem|key|p12|pfx)$|(^|\/)id_(rsa|ed25519)/, "may hold secrets"],
  [/(^|\/)\.(husky|githooks)\/|(^|\/)\.gitattributes$|(^|\/)\.gitmodules$|(^|\/)\.pre-commit-config/, "what git runs"],
  [/(^|\/)\.(claude|codex|cursor|vscode)\/|(^|\/)(CLAUDE|AGENTS)\.md$|(^|\/)\.mcp\.json$/, "what agents are told"],
  [/(^|\/)migrations?\/|\.sql$/i, "changes a database"],
]
const MANIFESTS: readonly (readonly [RegExp, RegExp])[] = [
  [/(^|\/)package\.json$/, /^\s*"(@?[\w./-]+)":\s*"(?:[~^<>=*\d]|npm:|git|file:|https?:|workspace:|latest)/],
  [/(^|\/)requirements[^/]*\.txt$/, /^\s*([A-Za-z][\w.-]*)\s*(?:[<>=~![;@]|$)/],
  [/(^|\/)pyproject\.toml$/, /^\s*"?([A-Za-z][\w.-]*)"?\s*(?:=\s*["{]|[<>=~!]=)/],
  [/(^|\/)Cargo\.toml$/, /^\s*([A-Za-z][\w-]*)\s*=\s*["{]/],
  [/(^|\/)go\.mod$/, /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+v/],
  [/(^|\/)Gemfile$/, /^\s*gem\s+["']([\w-]+)/],
]
const NO_DEPENDENCY = /^(version|name|edition|node|npm|requires-python|description|license|type|main|module)$/

/** What to look at first: what weakens the checks, brings in the code of others, or lies where harm is done. */
export function changePoints(
  files: readonly PointedFile[],
  { commands, reserved }: ChangeCircumstances,
): ChangePoint[] {
  return files.flatMap((file) => {
    const rows = patchRows(file.patch)
    const removed = rows.flatMap(({ kind, text }) => (kind === "removed" ? [text] : []))
    const added = rows.flatMap(({ kind, text }) => (kind === "added" ? [text] : []))
    const point = (kind: ChangePointKind, what: string): ChangePoint => ({ kind, path: file.path, what })
    const lost = removed.filter((line) => CASE.test(line)).length - added.filter((line) => CASE.test(line)).length
    const off = removed.filter((line) => OFF.test(line)).length - added.filter((line) => OFF.test(line)).length
    const packages = dependenciesIn(file.path, added).filter(
      (name) => !dependenciesIn(file.path, removed).includes(name),
    )
    const said = isTestSettings(file.path) ? "how tests are run" : SENSITIVE.find(([path]) => path.test(file.path))?.[1]
    const command = commands.find((words) => runs(words, file, [...added, ...removed]))
    const holder = reserved.find(({ glob }) => globsOverlap(glob, file.path))
    return [
      ...(file.status === "deleted" && isTestFile(file.path) ? [point("deleted_test", "a test file was deleted")] : []),
      ...(file.status !== "deleted" && lost > 0 && isTestFile(file.path)
        ? [point("deleted_test", `${lost} ${lost === 1 ? "test" : "tests"} fewer`)]
        : []),
      ...(off < 0 && isTestFile(file.path)
        ? [point("deleted_test", `switched off in ${-off} ${off === -1 ? "place" : "places"}`)]
        : []),
      ...(command === undefined ? [] : [point("criterion", `a criterion runs it: ${command}`)]),
      ...packages.map((name) => point("dependency", name)),
      ...(file.newMode === "100755" && file.oldMode !== "100755" ? [point("executable", "it can be run now")] : []),
      ...(said === undefined ? [] : [point("sensitive", said)]),
      ...(holder === undefined ? [] : [point("reserved", `${holder.agent} reserved ${holder.glob}`)]),
    ]
  })
}

function dependenciesIn(path: string, lines: readonly string[]): string[] {
  const read = MANIFESTS.find(([manifest]) => manifest.test(path))?.[1]
  if (read === undefined) return []
  return lines.flatMap((line) => {
    const name = read.exec(line)?.[1]
    return name === undefined || NO_DEPENDENCY.test(name) ? [] : [name]
  })
}

/** Whether the command of a criterion runs this file, or goes through a script that stands in it. */
function runs(command: string, file: PointedFile, lines: readonly string[]): boolean {
  const words = runBy(command)
  if ([file.path, file.oldPath].some((path) => path !== null && words.includes(path))) return true
  const script = /\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([\w:-]+)/.exec(command)?.[1]
  if (script !== undefined && /(^|\/)package\.json$/.test(file.path))
    return lines.some((line) => new RegExp(`^\\s*"(pre|post)?${script}"\\s*:`).test(line))
  return /\bmake\b/.test(command) && /(^|\/)Makefile$/.test(file.path)
}
