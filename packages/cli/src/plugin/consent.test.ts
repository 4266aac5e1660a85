import { expect, test } from "vitest"
import { describeQuestion } from "./consent.ts"
import { parsePairs } from "./pairs.ts"

test("an update shows what it adds and takes away", () => {
  const item = (does: string) => ({ kind: "hook" as const, where: "Stop", does })
  const text = describeQuestion({ sha256: "d1", plugins: [{ id: "a@m", version: "2", why: "changed", surface: { items: [item("old"), item("new")], sha256: "s" }, added: [item("new")], removed: [item("gone")] }] })
  expect(text).toMatch(/^ {4}hook {12}Stop {2}old$/m)
  expect(text).toMatch(/^ {2}\+ hook {12}Stop {2}new$/m)
  expect(text).toMatch(/^ {2}- hook {12}Stop {2}gone$/m)
  expect(text).toContain("sha256 d1")
})

test("key=value pairs keep further equals signs, and a key given twice is a list", () => {
  expect(parsePairs(["a=b=c", "l=1", "l=2", "e="])).toEqual({ a: "b=c", l: ["1", "2"], e: "" })
  expect(() => parsePairs(["novalue"])).toThrow("key=value")
})
