import { array, assert, property, stringMatching, tuple } from "fast-check"
import { parse } from "yaml"
import { expect, test } from "vitest"
import { readFrontmatter } from "./frontmatter.ts"

const fields = (block: string) => {
  const front = readFrontmatter(`---\n${block}\n---\nbody`)
  return front.kind === "fields" ? front.fields : front.kind
}

test("values that are not YAML are read as text", () => {
  expect(fields("description: Use when: x: y\nargument-hint: [a] [b]\nname: [x")).toEqual({
    description: "Use when: x: y",
    "argument-hint": "[a] [b]",
    name: "[x",
  })
})

test("a quote that never ends stays a fault, and so does a tab where the real program refuses it", () => {
  expect(fields('description: "open')).toBe("broken")
  expect(fields("name: a\n\tfoo: 1")).toBe("broken")
  expect(fields("description: |\n\tx")).toBe("broken")
  expect(fields("description: >\n  x\n\ty")).toBe("broken")
  expect(fields("tools: [Read,\n\tBash]")).toBe("broken")
})

test("tabs may indent what is below a key, as in the real program", () => {
  expect(fields("name: a\nallowed-tools:\n\t- Read\n  - Bash")).toEqual({
    name: "a",
    "allowed-tools": ["Read", "Bash"],
  })
  expect(fields("metadata:\n\tk:\n\t\tm: 3\n\tl: w")).toEqual({ metadata: { k: { m: 3 }, l: "w" } })
  expect(fields("\tname: a\n\tdescription: x")).toEqual({ name: "a", description: "x" })
  expect(fields("description: x\n\ty z")).toEqual({ description: "x y z" })
})

test("only a block at the very top counts", () => {
  expect(readFrontmatter("\n---\na: b\n---\n").kind).toBe("none")
  expect(readFrontmatter("---\na: b\n").kind).toBe("none")
  expect(readFrontmatter("\uFEFF---\r\na: b\r\n---\r\nx")).toMatchObject({
    kind: "fields",
    fields: { a: "b" },
    body: "x",
  })
})

test("the short way for plain lines reads what YAML reads", () => {
  const word = stringMatching(/^[A-Za-z][A-Za-z0-9 .;()/_-]{0,20}$/)
  assert(
    property(array(tuple(stringMatching(/^[a-z][a-z-]{0,8}$/), word), { minLength: 1, maxLength: 5 }), (pairs) => {
      const block = pairs.map(([key, value]) => `${key}: ${value}`).join("\n")
      expect(fields(block)).toEqual(parse(block, { uniqueKeys: false }))
    }),
  )
})

const blockOf = (text: string) => readFrontmatter(text)

test("the body is what follows the block, to the letter", () => {
  for (const [text, body] of [
    ["---\na: b\n---\nbody\n", "body\n"],
    ["---\na: b\n---", ""],
    ["---\na: b\n---  \n\nbody", "\nbody"],
    ["---\n---\nbody", "body"],
    ["---\r\na: b\r\n---\r\nline\r\n", "line\r\n"],
    ["---\na: b\n---\n---\nc: d\n---\n", "---\nc: d\n---\n"],
  ] as const)
    expect([text, blockOf(text)]).toEqual([text, expect.objectContaining({ kind: "fields", body })])
})

test("a block of nothing, of comments or of null has no fields", () => {
  for (const block of ["", "# only a comment", "null", "~"]) expect([block, fields(block)]).toEqual([block, {}])
})

test("a block that is a list or a word is no mapping, and is called what it is", () => {
  expect(blockOf("---\n- a\n- b\n---\n")).toEqual({ kind: "not-a-mapping", got: "array" })
  expect(blockOf("---\njust words\n---\n")).toEqual({ kind: "not-a-mapping", got: "string" })
  expect(blockOf("---\n42\n---\n")).toEqual({ kind: "not-a-mapping", got: "number" })
})

test("numbers, truth and lists keep their kind; words that YAML could take for them are not guessed at", () => {
  expect(fields("a: 1\nb: true\nc: [x, y]\nd:\n  - p\n  - q\ne: 1.0.0")).toEqual({
    a: 1,
    b: true,
    c: ["x", "y"],
    d: ["p", "q"],
    e: "1.0.0",
  })
  expect(fields("a: true\nb: Null")).toEqual({ a: true, b: null })
})

test("text over several lines and nested maps are read as YAML reads them", () => {
  expect(fields("description: >-\n  one\n  two\nmetadata:\n  a:\n    b: c")).toEqual({
    description: "one two",
    metadata: { a: { b: "c" } },
  })
  expect(fields("text: |\n  one\n  two")).toEqual({ text: "one\ntwo\n" })
})

test("of a key that is there twice the later counts", () => {
  expect(fields("name: a\nname: b")).toEqual({ name: "b" })
  expect(fields("name: a\nname: [b]")).toEqual({ name: ["b"] })
})

test("a document made to unfold to far more than was written is not unfolded: its values stay text", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x]",
    ...Array.from(
      { length: 6 },
      (_, index) =>
        `${"bcdefg"[index]}: &${"bcdefg"[index]} [${Array.from({ length: 8 }, () => `*${"abcdef"[index]}`).join(", ")}]`,
    ),
  ].join("\n")
  expect(fields(bomb)).toMatchObject({ a: "&a [x, x, x, x, x, x, x, x]", g: "&g [*f, *f, *f, *f, *f, *f, *f, *f]" })
})

test("keys that every object has are fields like any other", () => {
  const read = fields("constructor: a\ntoString: b")
  expect(read).toEqual(
    Object.fromEntries([
      ["constructor", "a"],
      ["toString", "b"],
    ]),
  )
})
