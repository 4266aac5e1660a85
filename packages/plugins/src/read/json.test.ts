import { array, assert, jsonValue, nat, oneof, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { formatPath, isObject, isStringArray, isStringMap, lineAt, lineOf, own, parseJson, typeName } from "./files.ts"

describe("strict JSON", () => {
  it("is read with its text, and whatever JSON can say comes back as it was", () => {
    assert(
      property(jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(text)).toEqual({ text, value: JSON.parse(text), fault: undefined })
      }),
    )
  })

  it.each([
    ["a comment", '{"a":1} // x'],
    ["a trailing comma", '{"a":1,}'],
    ["single quotes", "{'a':1}"],
    ["nothing at all", ""],
    ["two values", "{}{}"],
    ["an unclosed list", "[1"],
  ])("refuses %s with the parser's words and without a value", (_what, text) => {
    const { value, fault } = parseJson(text)
    expect(value).toBeUndefined()
    expect(fault).toMatch(/JSON/)
  })

  it("drops a byte order mark only where that is asked for", () => {
    expect(parseJson("\uFEFF{}").value).toEqual({})
    expect(parseJson("\uFEFF{}", { bom: "refuse" }).value).toBeUndefined()
    expect(parseJson("\uFEFF\uFEFF{}").fault).toBeDefined()
  })
})

describe("kinds of values", () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ["{}", false],
    [undefined, false],
    [7, false],
  ])("%j is an object: %s", (value, expected) => {
    expect(isObject(value)).toBe(expected)
  })

  it.each([
    [null, "null"],
    [[], "array"],
    [{}, "object"],
    ["", "string"],
    [0, "number"],
    [false, "boolean"],
    [undefined, "undefined"],
  ])("%j is called %s", (value, expected) => {
    expect(typeName(value)).toBe(expected)
  })

  it("knows lists and maps of texts, and the empty ones are both", () => {
    expect([[], ["a", ""], ["a", 1], "a", { 0: "a" }].map(isStringArray)).toEqual([true, true, false, false, false])
    expect([{}, { a: "b" }, { a: 1 }, ["a"], null].map(isStringMap)).toEqual([true, true, false, false, false])
  })

  it("sees own properties alone, never what every object inherits", () => {
    for (const key of ["constructor", "toString", "__proto__", "hasOwnProperty"]) expect(own({}, key)).toBeUndefined()
    expect(own(JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>, "__proto__")).toEqual({ a: 1 })
  })
})

describe("the line of a value", () => {
  const text = `{
  "name": "p",
  "author": {
    "name": "A"
  },
  "list": [
    1,
    { "deep": true }
  ]
}`

  it.each([
    [["name"], 2],
    [["author"], 3],
    [["author", "name"], 4],
    [["list"], 6],
    [["list", 0], 7],
    [["list", 1, "deep"], 8],
    [[], 1],
  ])("of %j is %i", (path, line) => {
    expect(lineOf(text, path)).toBe(line)
  })

  it("of what is not there is that of the nearest thing around it", () => {
    expect(lineOf(text, ["author", "email"])).toBe(3)
    expect(lineOf(text, ["list", 9, "x"])).toBe(6)
    expect(lineOf(text, ["nowhere"])).toBe(1)
  })

  it("is told also behind a byte order mark", () => {
    expect(lineOf(`\uFEFF${text}`, ["author", "name"])).toBe(4)
  })

  it("is not known for a text that is nothing", () => {
    expect(lineOf("", ["a"])).toBeUndefined()
  })

  it("counts line ends before an offset, whatever the text", () => {
    assert(
      property(array(string({ maxLength: 5 })), nat(30), (lines, offset) => {
        const joined = lines.join("\n")
        const before = joined.slice(0, offset).split("\n").length - 1
        expect(lineAt(joined, offset)).toBe(before + 1)
      }),
    )
  })
})

describe("a path as people write it", () => {
  it.each([
    [[], ""],
    [["a"], "a"],
    [["plugins", 0, "source"], "plugins[0].source"],
    [["hooks", "PreToolUse", 1, "hooks", 0, "type"], "hooks.PreToolUse[1].hooks[0].type"],
    [[3], "[3]"],
  ])("%j reads %s", (path, text) => {
    expect(formatPath(path)).toBe(text)
  })

  it("names every place of a document differently", () => {
    const key = string({ minLength: 1, maxLength: 3 }).filter((text) => !/[.[\]]/.test(text))
    assert(
      property(
        array(oneof(key, nat(3)), { maxLength: 4 }),
        array(oneof(key, nat(3)), { maxLength: 4 }),
        (one, other) => {
          if (formatPath(one) === formatPath(other)) expect(one.map(String)).toEqual(other.map(String))
        },
      ),
    )
  })
})
