import { array, assert, property, stringMatching, tuple } from "fast-check"
import { parse } from "yaml"
import { expect, test } from "vitest"
import { readFrontmatter } from "./frontmatter.ts"

const fields = (block: string) => {
  const front = readFrontmatter(`---\n${block}\n---\nbody`)
  return front.kind === "fields" ? front.fields : front.kind
}

test("values that are not YAML are read as text", () => {
  expect(fields("description: Use when: x: y\nargument-hint: [a] [b]\nname: [x")).toEqual({ description: "Use when: x: y", "argument-hint": "[a] [b]", name: "[x" })
})

test("a quote that never ends and a tab for an indent stay faults", () => {
  expect(fields('description: "open')).toBe("broken")
  expect(fields("name: a\n\tfoo: 1")).toBe("broken")
})

test("only a block at the very top counts", () => {
  expect(readFrontmatter("\n---\na: b\n---\n").kind).toBe("none")
  expect(readFrontmatter("---\na: b\n").kind).toBe("none")
  expect(readFrontmatter("\uFEFF---\r\na: b\r\n---\r\nx")).toMatchObject({ kind: "fields", fields: { a: "b" }, body: "x" })
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
