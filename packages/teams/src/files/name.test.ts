import { expect, test } from "vitest"
import { fileNameOf, isSafeName, safeName, sameName } from "./name.ts"

test.each([
  "alice",
  "researcher-01",
  "a.b_c",
  "session-0a1b2c3d",
  "e132a923-0000-4000-8000-000000000001",
  "团队",
  "Ünal",
])("takes %s", (name) => {
  expect(safeName("agent", name)).toBe(name)
  expect(safeName("team", name)).toBe(name)
})

test("a member's name may have spaces between words, as its files are named otherwise; a team's is a folder", () => {
  expect(safeName("agent", "code reviewer two")).toBe("code reviewer two")
  for (const name of [" a", "a ", "a  b", "a\tb", "a\u00a0b"])
    expect(() => safeName("agent", name), name).toThrowError(expect.objectContaining({ code: "bad_name" }))
})

test.each([
  "",
  "..",
  "../x",
  "a/b",
  "a\\b",
  ".hidden",
  "a..b",
  "dot.",
  "a b",
  "a\nb",
  "a\u0000b",
  "a\u202eb",
  "x@y",
  "*",
  "con",
  "NUL",
  "com1.txt",
  "lpt9",
  "a".repeat(65),
])("refuses %j", (name) => {
  expect(isSafeName(name)).toBe(false)
  if (name !== "a b") expect(() => safeName("agent", name)).toThrowError(expect.objectContaining({ code: "bad_name" }))
  expect(() => safeName("team", name)).toThrowError(expect.objectContaining({ code: "bad_name" }))
})

test.each([
  ["code reviewer", "code-reviewer"],
  ["v1.dev", "v1-dev"],
  ["größe", "gr--e"],
  ["../x", "---x"],
  ["researcher_01-b", "researcher_01-b"],
])("the files of %j are called %j, as Claude Code calls them", (name, file) => {
  expect(fileNameOf(name)).toBe(file)
})

test("names that differ only in case or composition are one name", () => {
  expect(sameName("Alice", "alice")).toBe(true)
  expect(sameName("\u00e9", "e\u0301")).toBe(true)
  expect(sameName("alice", "bob")).toBe(false)
})
