import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { runAgent, type ScratchHome, scratchHome } from "@chorus/testing"
import { validatePath } from "@chorus/plugins"

type Json = Record<string, unknown>
interface Case {
  case: string
  target: string
  files: Record<string, unknown>
}

const RUNS = Number(process.env["MANIFESTS"] ?? 500)
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
const AT_ONCE = 2
const FIXTURES = join(import.meta.dirname, "../fixtures")
const DEVIATIONS = JSON.parse(readFileSync(join(FIXTURES, "deviations.json"), "utf8")) as Record<
  "codes" | "cases",
  Json
>
const MANIFEST = ".claude-plugin/plugin.json"
const CATALOGUE = ".claude-plugin/marketplace.json"
const STRANGE = [
  "",
  " ",
  "./x",
  "../x",
  "x y",
  "ünï",
  "https://x",
  "1.0",
  null,
  0,
  -1,
  true,
  [],
  {},
  [""],
  [{}],
  { a: 1 },
]

test(`${RUNS} manifests nobody wrote get the verdict of the real program`, { timeout: RUNS * 30_000 }, async () => {
  await using home = scratchHome()
  const random = generator(SEED)
  const bases = cases()
  const queue = Array.from({ length: RUNS }, (_, index) => ({
    index,
    ...mutated(pick(random, bases), random),
  })).values()
  const different: string[] = []
  const verdicts = new Map<string, number>()
  const work = async () => {
    for (const { index, target, files, changed } of queue) {
      const root = join(home.path, `m${index}`)
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true })
        writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content))
      }
      const theirs = await realVerdict(home, join(root, target))
      const ours = validatePath(join(root, target))
      verdicts.set(theirs.verdict, (verdicts.get(theirs.verdict) ?? 0) + 1)
      if (ours.verdict === theirs.verdict) continue
      const told = ours.messages.filter(({ level }) => level !== "note")
      const isListed = told.some(({ code }) => Object.hasOwn(DEVIATIONS.codes, code))
      different.push(
        [
          `${isListed ? "listed" : "not listed"}: ${target} ${changed} ${JSON.stringify(files[changed] ?? files[`p/${changed}`])}`,
          `  real program: ${theirs.verdict} ${theirs.words}`,
          `  ours: ${ours.verdict} ${told.map(({ level, code, path }) => `${level} ${code} ${path}`).join("; ")}`,
        ].join("\n"),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  for (const one of different) console.log(one)
  console.log(`${RUNS - different.length} of ${RUNS} verdicts agree (SEED=${SEED}):`, Object.fromEntries(verdicts))
  expect(different.length / RUNS).toBeLessThanOrEqual(0.01)
})

async function realVerdict(home: ScratchHome, root: string): Promise<{ verdict: string; words: string }> {
  const args = ["plugin", "validate", root, "--json"]
  const { stdout } = await runAgent({ agent: "claude-code", args, home, timeout: 300_000 })
  const report = JSON.parse(stdout) as { success: boolean; manifest: Json | null; contents: Json[] }
  const parts = [...(report.manifest === null ? [] : [report.manifest]), ...report.contents]
  const told = (key: string) => parts.flatMap((part) => (part[key] ?? []) as unknown[])
  const verdict = report.success ? (told("warnings").length > 0 ? "warnings" : "valid") : "errors"
  return { verdict, words: JSON.stringify([...told("errors"), ...told("warnings")]).slice(0, 300) }
}

/**
 * The known cases that have a JSON file to change; together they use every field of manifests, catalogues, hooks and
 * servers. Those of which the verdict differs as they stand say nothing about a change.
 */
function cases(): Case[] {
  const all = JSON.parse(gunzipSync(readFileSync(join(FIXTURES, "verdicts.json.gz"))).toString("utf8")) as Case[]
  return all.filter(
    ({ case: name, files }) =>
      !Object.hasOwn(DEVIATIONS.cases, name) &&
      jsonFiles(files).length > 0 &&
      !JSON.stringify(files).includes("__bytes_utf16__"),
  )
}

function jsonFiles(files: Record<string, unknown>): string[] {
  return Object.keys(files).filter((name) => objectsIn(files[name]).length > 0)
}

/** One to three changes somewhere in a JSON file of a case: a value made strange, a key gone, a key more. */
function mutated(base: Case, random: () => number): Case & { changed: string } {
  const { target, files } = structuredClone(base)
  const changed = pick(random, jsonFiles(files))
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const at = pick(random, objectsIn(files[changed]))
    const key = pick(random, [...Object.keys(at), "novel"])
    if (random() < 0.3) delete at[key]
    else at[key] = structuredClone(pick(random, STRANGE))
  }
  return { ...base, ...asked(target, files, random), changed }
}

/** A plugin may also be asked about by its manifest, or by a marketplace that lists it. */
function asked(target: string, files: Case["files"], random: () => number): Pick<Case, "target" | "files"> {
  const way = random()
  if (target !== "." || !Object.hasOwn(files, MANIFEST) || Object.hasOwn(files, CATALOGUE) || way >= 0.4)
    return { target, files }
  if (way < 0.2) return { target: MANIFEST, files }
  const plugin = Object.entries(files).map(([name, content]) => [`p/${name}`, content] as const)
  const catalogue = { name: "m", owner: { name: "O" }, description: "d", plugins: [{ name: "p", source: "./p" }] }
  return { target, files: { ...Object.fromEntries(plugin), [CATALOGUE]: catalogue } }
}

function objectsIn(value: unknown): Json[] {
  if (typeof value !== "object" || value === null) return []
  const below = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? below : [value as Json, ...below]
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
