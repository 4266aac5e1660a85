import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { gzipSync } from "node:zlib"
import { ChorusError } from "@chorus/contracts"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { unpack } from "../../packages/plugins/src/fetch/archive.ts"
import { cuts, mutated, runs, STABLE_CODE } from "./hostile.ts"
import { tarOf, zipOf } from "./archive-bytes.ts"

let directory: TemporaryDirectory
let inside: string

beforeAll(() => {
  directory = temporaryDirectory("chorus-archives-")
  inside = join(directory.path, "a", "b", "unpacked")
})

afterAll(() => directory.remove())

const plain = fc.constantFrom(
  "plugin.json",
  "a",
  "a/b",
  "a/b/c",
  "a/",
  ".",
  "./",
  "./a",
  "a//b",
  "a/./b",
  "a/.",
  "x".repeat(300),
  "é",
  "e\u0301",
  "A",
  "con",
)
const names = fc.oneof(
  { weight: 3, arbitrary: plain },
  fc.constantFrom(
    "plugin.json",
    "skills/a/SKILL.md",
    "../out",
    "a/../../out",
    "/etc/out",
    "a\\..\\out",
    "C:/out",
    "a//b",
    ".",
    "./",
    "./x",
    "a/.",
    "",
    "a/",
    "con",
    "x".repeat(300),
    "a/b",
    "a",
    "é",
    "\u202ea",
    "a\u0000b",
    "..",
    "...",
    "a/..",
    "%2e%2e/x",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
)
const entries = fc.array(
  fc.record({
    name: names,
    content: fc.uint8Array({ maxLength: 40 }),
    mode: seldom(0o100644, 0, 0o100755, 0o040755, 0o120777, 0o060644, 0o104755),
    type: seldom("0", "5", "1", "2", "3", "6", "x", "g", "L", "K", "S", "Z"),
    claims: seldom<number | undefined>(undefined, 0, 1, 0xffff, 0x7fffffff, 0xfffffffe),
    offset: seldom<number | undefined>(undefined, 0, 5, 0x7fffffff, 0xfffffff0),
    stored: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

it.each(["zip", "tar", "tar.gz"] as const)(
  "a made-up %s unpacks inside its folder or is refused by code",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(entries, fc.option(cuts, { nil: undefined, freq: 1 }), async (listed, changes) => {
        const whole = kind === "zip" ? zipOf(listed) : tarOf(listed)
        const spoiled = changes === undefined ? whole : mutated(whole, changes)
        await outcome(kind === "tar.gz" ? gzipSync(spoiled) : spoiled)
      }),
      runs(120, 20_000),
    )
  },
)

it("an archive whose packed bytes were spoiled is refused by code", async () => {
  const whole = gzipSync(tarOf([{ name: "plugin.json", content: Buffer.alloc(5000, "x"), type: "0" }]))
  await fc.assert(
    fc.asyncProperty(cuts, async (changes) => outcome(mutated(whole, changes))),
    runs(100, 10_000),
  )
})

/** Mostly what is right, so that what is wrong is tried one thing at a time. */
function seldom<T>(usual: T, ...odd: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })
}

async function outcome(bytes: Uint8Array): Promise<void> {
  rmSync(inside, { recursive: true, force: true })
  mkdirSync(join(inside, ".."), { recursive: true })
  const archive = join(directory.path, "archive")
  writeFileSync(archive, bytes)
  const error = await unpack(archive, inside).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error !== undefined) {
    expect(error, error instanceof Error ? (error.stack ?? "") : String(error)).toBeInstanceOf(ChorusError)
    expect((error as ChorusError).code).toMatch(STABLE_CODE)
  }
  expect(outside()).toEqual(["a", "a/b", "archive"])
  if (existsSync(inside))
    for (const entry of readdirSync(inside, { recursive: true, withFileTypes: true }))
      expect(entry.isFile() || entry.isDirectory(), entry.name).toBe(true)
  expect(statSync(join(directory.path, "archive")).size).toBe(bytes.length)
}

/** What lies around the folder that was unpacked into. */
function outside(): string[] {
  return readdirSync(directory.path, { recursive: true, withFileTypes: true })
    .map((entry) => relative(directory.path, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith(join("a", "b", "unpacked")))
    .toSorted()
}
