import type { CuratedSet, MachineInventory } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { extraPlugins, pluginDeviations } from "./plugin-deviations.ts"

const wanted = { id: "lint@team", version: "1.0.0", contentHash: "a", surfaceHash: "s", enabled: true, required: true }
const set: CuratedSet = {
  revision: 1,
  marketplaces: { team: { source: { source: "directory", path: "/m" } } },
  plugins: [wanted],
  exclusive: false,
}
const found: MachineInventory["plugins"][number] = {
  id: "lint@team",
  version: "1.0.0",
  scope: "user",
  enabled: true,
  contentHash: "a",
  errors: [],
}

function machine(...plugins: MachineInventory["plugins"]): MachineInventory {
  return { machine: "m", takenAt: "2026-01-01T00:00:00.000Z", marketplaces: [], plugins }
}

describe("pluginDeviations", () => {
  it("finds nothing where the machine has exactly the set", () => {
    expect(pluginDeviations(machine(found), set)).toEqual([])
  })

  it.each([
    ["a missing plugin", machine(), "missing"],
    ["another version", machine({ ...found, version: "2.0.0" }), "wrong_version"],
    ["other bytes under the same version", machine({ ...found, contentHash: "b" }), "changed_content"],
    ["one that was switched off", machine({ ...found, enabled: false }), "disabled"],
    ["one that does not load", machine({ ...found, errors: ["bad hook"] }), "load_error"],
  ])("tells %s", (_, inventory, kind) => {
    expect(pluginDeviations(inventory, set).map((deviation) => deviation.kind)).toEqual([kind])
  })

  it("does not miss what is optional", () => {
    expect(pluginDeviations(machine(), { ...set, plugins: [{ ...wanted, required: false }] })).toEqual([])
  })
})

describe("extraPlugins", () => {
  it("names what comes from a curated marketplace and is not in the set, and leaves others' alone", () => {
    expect(
      extraPlugins(machine(found, { ...found, id: "other@team" }, { ...found, id: "mine@elsewhere" }), set).map(
        ({ id }) => id,
      ),
    ).toEqual(["other@team"])
  })
})

describe("a deviation", () => {
  it("says what was expected and what is there", () => {
    expect(pluginDeviations(machine({ ...found, version: "2.0.0" }), set)).toEqual([
      { id: "lint@team", kind: "wrong_version", expected: "1.0.0", actual: "2.0.0" },
    ])
    expect(pluginDeviations(machine({ ...found, contentHash: "b" }), set)).toEqual([
      { id: "lint@team", kind: "changed_content", expected: "a", actual: "b" },
    ])
  })

  it("of the version is told alone: other bytes are no wonder then", () => {
    expect(
      pluginDeviations(machine({ ...found, version: "2.0.0", contentHash: "b" }), set).map(({ kind }) => kind),
    ).toEqual(["wrong_version"])
  })

  it("may be several at once, each load error among them", () => {
    expect(
      pluginDeviations(machine({ ...found, version: "2.0.0", enabled: false, errors: ["one", "two"] }), set).map(
        ({ kind, actual }) => [kind, actual],
      ),
    ).toEqual([
      ["wrong_version", "2.0.0"],
      ["disabled", undefined],
      ["load_error", "one"],
      ["load_error", "two"],
    ])
  })

  it("is a plugin that is on and should be off", () => {
    expect(pluginDeviations(machine(found), { ...set, plugins: [{ ...wanted, enabled: false }] })).toEqual([
      { id: "lint@team", kind: "enabled" },
    ])
  })

  it("is a plugin beyond the set, told with its version", () => {
    expect(pluginDeviations(machine(found, { ...found, id: "more@team", version: "3.0.0" }), set)).toEqual([
      { id: "more@team", kind: "extra", actual: "3.0.0" },
    ])
  })

  it("is not taken for one by a name that objects have anyway", () => {
    expect(extraPlugins(machine({ ...found, id: "x@constructor" }, { ...found, id: "x@toString" }), set)).toEqual([])
  })
})
