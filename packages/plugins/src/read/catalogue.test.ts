import { array, assert, constant, constantFrom, oneof, property, tuple } from "fast-check"
import { describe, expect, it } from "vitest"
import { brokenRenames, followRename, objectField, sourceFolder, stringField } from "./plugin.ts"

describe("the folder of a relative source", () => {
  it.each([
    ["./a", undefined, "./a"],
    ["./a", "./plugins", "./a"],
    [".", "./plugins", "."],
    ["a", "./plugins", "./plugins/a"],
    ["a", "./plugins///", "./plugins/a"],
    ["a", undefined, "a"],
    ["a", 7, "a"],
  ])("%s with pluginRoot %j is %s", (source, pluginRoot, folder) => {
    expect(sourceFolder(source, pluginRoot)).toBe(folder)
  })
})

describe("a rename", () => {
  const live = new Set(["c", "d"])

  it("of a name that never changed is none", () => {
    expect(followRename({ a: "c" }, "c", live)).toBeUndefined()
    expect(followRename({}, "gone", live)).toBeUndefined()
  })

  it("is followed to what is listed today", () => {
    expect(followRename({ a: "b", b: "c" }, "a", live)).toEqual({ kind: "to", name: "c" })
  })

  it("to null says that the plugin is gone, also at the end of a chain", () => {
    expect(followRename({ a: "b", b: null }, "a", live)).toEqual({ kind: "gone" })
  })

  it.each([
    ["to itself", { a: "a" }, "cycle"],
    ["in a circle", { a: "b", b: "e", e: "a" }, "cycle"],
    ["to what nobody lists", { a: "x" }, "target-missing"],
    ["to a number", { a: 7 }, "target-missing"],
  ] as const)("%s is broken", (_how, renames, why) => {
    expect(followRename(renames, "a", live)).toEqual({ kind: "broken", why })
  })

  it("takes no property every object has for a rename", () => {
    expect(followRename({}, "constructor", live)).toBeUndefined()
    expect(followRename({ a: "toString" }, "a", live)).toEqual({ kind: "broken", why: "target-missing" })
  })

  it("ends for every map, and only at a listed name", () => {
    const name = constantFrom("a", "b", "c", "d", "e")
    assert(
      property(array(tuple(name, oneof(name, constant(null)))), name, (pairs, start) => {
        const end = followRename(Object.fromEntries(pairs), start, live)
        if (end?.kind === "to") expect(live).toContain(end.name)
        if (end === undefined) expect(Object.fromEntries(pairs)).not.toHaveProperty(start)
      }),
    )
  })

  it("that is broken is listed by its name with the reason", () => {
    expect([...brokenRenames({ a: "c", b: "x", e: "f", f: "e", g: null }, live)]).toEqual([
      ["b", "target-missing"],
      ["e", "cycle"],
      ["f", "cycle"],
    ])
  })
})

describe("a field", () => {
  it("is text or nothing, an object or an empty one", () => {
    expect([stringField({ a: "x" }, "a"), stringField({ a: 1 }, "a"), stringField({}, "toString")]).toEqual([
      "x",
      undefined,
      undefined,
    ])
    expect([objectField({ a: { b: 1 } }, "a"), objectField({ a: [] }, "a"), objectField({}, "constructor")]).toEqual([
      { b: 1 },
      {},
      {},
    ])
  })
})
