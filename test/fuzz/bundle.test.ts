/** @module-tag stress */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { exportLines, importIntoSqlite, openSqliteSnapshot } from "@chorus/store"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { BundleTally } from "../../packages/store/src/bundle.ts"
import { fillStore } from "../../packages/store/test/filled-store.ts"
import { cuts, hostileJson, mutated, runs, STABLE_CODE } from "./hostile.ts"

const NOW = new Date(0)
let directory: TemporaryDirectory
let bundle: string[]
let number = 0

beforeAll(async () => {
  directory = temporaryDirectory("chorus-bundle-")
  const path = join(directory.path, "full.sqlite")
  await fillStore(path)
  bundle = await exported(path)
})

afterAll(() => directory.remove())

it("a bundle that was changed anywhere is refused by code and leaves the place as it was, or says the same", async () => {
  const changes = fc.oneof(
    cuts.map(
      (places) => () =>
        mutated(Buffer.from(bundle.join("\n")), places)
          .toString("utf8")
          .split("\n"),
    ),
    fc.tuple(fc.nat(), fc.nat()).map(
      ([one, other]) =>
        () =>
          swapped(one, other),
    ),
    fc.tuple(fc.nat(), fc.oneof(hostileJson, fc.string())).map(
      ([at, line]) =>
        () =>
          bundle.with(at % bundle.length, typeof line === "string" ? line : (JSON.stringify(line) ?? "")),
    ),
  )
  await fc.assert(
    fc.asyncProperty(changes, async (make) => outcome(make())),
    runs(25, 3000),
  )
})

it("rows that were forged with a digest that fits are taken as data or refused, never run and never half", async () => {
  const values = fc.oneof(
    hostileJson,
    fc.constantFrom<unknown>("'; drop table tasks; --", "../../x", -1, 1e300, null, { base64: "!!" }),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), values, async (at, column, value) => outcome(forged(at, column, value))),
    runs(25, 3000),
  )
})

/** Imports, and holds what may come of it. */
async function outcome(lines: readonly string[]): Promise<void> {
  const folder = join(directory.path, `target-${++number}`)
  const target = join(folder, "chorus.sqlite")
  mkdirSync(folder)
  writeFileSync(join(folder, "before.txt"), "")
  const error = await importIntoSqlite(target, each(lines), { now: NOW }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error === undefined) {
    expect((await exported(target)).length).toBe(lines.length)
    return
  }
  expect(error, String(error)).toBeInstanceOf(ChorusError)
  expect((error as ChorusError).code).toMatch(STABLE_CODE)
  expect(readdirSync(folder)).toEqual(["before.txt"])
}

function swapped(one: number, other: number): string[] {
  const [a, b] = [one % bundle.length, other % bundle.length]
  return bundle.with(a, String(bundle[b])).with(b, String(bundle[a]))
}

/** One value of one row is another, and the end vouches for it. */
function forged(at: number, column: number, value: unknown): string[] {
  const rows = bundle.slice(1, -1)
  const index = at % rows.length
  const parsed = JSON.parse(String(rows[index])) as { table: string; row: Record<string, unknown> }
  const names = Object.keys(parsed.row)
  parsed.row[String(names[column % names.length])] = value
  const changed = rows.with(index, JSON.stringify(parsed))
  const tally = new BundleTally()
  for (const line of changed) tally.add((JSON.parse(line) as { table: string }).table, line)
  return [String(bundle[0]), ...changed, JSON.stringify(tally.end())]
}

async function exported(path: string): Promise<string[]> {
  const snapshot = await openSqliteSnapshot(path)
  const lines: string[] = []
  for await (const line of exportLines(snapshot, { version: "0", now: NOW, secrets: "scrubbed" })) lines.push(line)
  await snapshot.close()
  return lines
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
