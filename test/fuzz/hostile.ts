import { join } from "node:path"
import { exportLines, openSqliteSnapshot } from "@chorus/store"
import * as fc from "fast-check"

export const STRESS = process.env["CHORUS_STRESS"] === "1"

/** The same inputs every day, so that a landing never fails by chance; other ones, and many more, under stress. */
export function runs(everyday: number, stress: number): fc.Parameters<unknown> {
  return STRESS ? { numRuns: stress } : { numRuns: everyday, seed: 20_261_115 }
}

const SPOILERS = [
  "",
  " ",
  "\u0000",
  "\u001b[2J",
  "\r\n\r\n",
  "../../etc/passwd",
  "/etc/passwd",
  "C:\\x",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-0",
  "1e999",
  "'; drop table tasks; --",
  '"',
  "\\",
  "`id`",
  "$(id)",
  "a;ls",
  "%00",
  "%2e%2e%2f",
  "{{7*7}}",
  "${7*7}",
  "<script>1</script>",
  "javascript:1",
  "\u202eevil",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "é".normalize("NFD"),
  "𝕏".repeat(50),
  "x".repeat(70_000),
  "[[[[[[[[",
  '{"a":',
  "0x10",
  "٣",
  "\u2028",
  "true",
  "-1",
  "9007199254740993",
]

/** Text that has broken something somewhere before, and text nobody thought of. */
export const hostileText = fc.oneof(
  fc.constantFrom(...SPOILERS),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 200 }),
)

/** Any JSON at all, with names that every object has among its keys. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}),
    hostileText,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom("__proto__", "constructor", "prototype", "toJSON", "length", "uuid", "name", "then"),
        fc.string({ maxLength: 8 }),
      ),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
}))["value"] as fc.Arbitrary<unknown>

export interface Cut {
  readonly at: number
  readonly drop: number
  readonly put: Uint8Array
}

/** Places in a file, as shares of its length, where bytes are taken out and others put in. */
export const cuts: fc.Arbitrary<Cut[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 600 })),
    put: fc.uint8Array({ maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 5 },
)

export function mutated(bytes: Uint8Array, changes: readonly Cut[]): Buffer {
  return changes.reduce<Buffer>((whole, { at, drop, put }) => {
    const from = Math.floor(at * whole.length)
    return Buffer.concat([whole.subarray(0, from), put, whole.subarray(from + drop)])
  }, Buffer.from(bytes))
}

/** The whole store as text, but for what goes on by itself: when a key was last used, and tries to deliver. */
export async function everythingIn(directory: string): Promise<string> {
  const snapshot = await openSqliteSnapshot(join(directory, "chorus.sqlite"))
  const lines: string[] = []
  for await (const line of exportLines(snapshot, { secrets: "kept", version: "1", now: new Date(0) })) {
    if (line.startsWith('{"table":"deliveries"') || line.startsWith('{"end"')) continue
    lines.push(
      /^\{"table":"(agents|apiKeys)"/.test(line)
        ? line.replace(/"(lastUsedAt|lastActiveAt)":("[^"]*"|null)/g, "")
        : line,
    )
  }
  await snapshot.close()
  return lines.join("\n")
}

/** What an error may be called: a name for programs, the same in every version. */
export const STABLE_CODE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/
