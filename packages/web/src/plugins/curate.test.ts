import type { CuratedSet, InventoryPlugin, MachineInventory } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  canPin,
  isAgreed,
  knownOn,
  marketplaceOf,
  nameOf,
  shortHash,
  withChange,
  withoutPlugin,
  withPlugin,
} from "./curate.ts"

const set: CuratedSet = { revision: 3, marketplaces: {}, plugins: [], exclusive: false }
const plugin: InventoryPlugin = {
  id: "lint@tools",
  version: "1.0.0",
  scope: "user",
  enabled: true,
  contentHash: "c1",
  surfaceHash: "s1",
  surface: [{ kind: "hook", where: "Stop", does: "./x.sh" }],
  errors: [],
}
const inventory: MachineInventory = {
  machine: "laptop",
  takenAt: "",
  marketplaces: [{ name: "tools", source: { source: "github", repo: "acme/tools" } }],
  plugins: [plugin],
}

/** The set after these builds, as a machine has them, were approved one by one. */
function setOf(...builds: readonly Partial<InventoryPlugin>[]): CuratedSet {
  return builds.reduce<CuratedSet>(
    (now, build) => withPlugin(now, knownOn(inventory, { ...plugin, ...build })) ?? now,
    set,
  )
}

describe("approving a build", () => {
  it("pins exactly what a machine has and brings its marketplace along", () => {
    const next = withPlugin(set, knownOn(inventory, plugin))
    expect(next?.plugins).toEqual([
      {
        id: "lint@tools",
        version: "1.0.0",
        contentHash: "c1",
        surfaceHash: "s1",
        surface: plugin.surface,
        enabled: true,
        required: true,
      },
    ])
    expect(next?.marketplaces).toEqual({ tools: { source: { source: "github", repo: "acme/tools" } } })
    expect(next?.revision).toBe(3)
  })

  it("keeps what was decided about a plugin when other bytes are approved", () => {
    const loose = withChange(setOf({}), "lint@tools", { required: false, enabled: false })
    const next = withPlugin(loose, knownOn(inventory, { ...plugin, version: "2.0.0", contentHash: "c2" }))
    expect(next?.plugins).toEqual([
      {
        id: "lint@tools",
        version: "2.0.0",
        contentHash: "c2",
        surfaceHash: "s1",
        surface: plugin.surface,
        enabled: false,
        required: false,
      },
    ])
  })

  it("forgets the surface of the bytes before where the new one is not known", () => {
    const { surface: _, ...unseen } = plugin
    const next = withPlugin(setOf({}), knownOn(inventory, { ...unseen, version: "2.0.0" }))
    expect(next?.plugins[0]).not.toHaveProperty("surface")
  })

  it("leaves the place of a plugin in the set", () => {
    const three = setOf({ id: "a@tools" }, { id: "b@tools" }, { id: "c@tools" }, { id: "b@tools", version: "2.0.0" })
    expect(three.plugins.map(({ id, version }) => `${id} ${version}`)).toEqual([
      "a@tools 1.0.0",
      "b@tools 2.0.0",
      "c@tools 1.0.0",
    ])
  })

  it("does not move a marketplace the set knows already", () => {
    const known: CuratedSet = {
      ...set,
      marketplaces: { tools: { source: { source: "directory", path: "/srv/tools" } } },
    }
    expect(withPlugin(known, knownOn(inventory, plugin))?.marketplaces).toBe(known.marketplaces)
  })

  it("brings no marketplace along that the machine does not know", () => {
    expect(setOf({ id: "lint@elsewhere" }).marketplaces).toEqual({})
  })

  it("takes a marketplace for one of the set only when it is there, not because every object has such a name", () => {
    const odd: MachineInventory = {
      ...inventory,
      marketplaces: [{ name: "constructor", source: { source: "github", repo: "acme/odd" } }],
    }
    expect(
      Object.keys(withPlugin(set, knownOn(odd, { ...plugin, id: "lint@constructor" }))?.marketplaces ?? {}),
    ).toEqual(["constructor"])
  })

  it.each(["version", "contentHash", "surfaceHash"] as const)(
    "does not pin a build whose %s nobody can name",
    (field) => {
      const whole = knownOn(inventory, plugin)
      const unknown = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field)) as typeof whole
      expect([canPin(whole), canPin(unknown)]).toEqual([true, false])
      expect(withPlugin(set, unknown)).toBeUndefined()
    },
  )

  it("changes nothing of the set it was given", () => {
    const before = structuredClone(setOf({}))
    const given = structuredClone(before)
    withPlugin(given, knownOn(inventory, { ...plugin, version: "9.0.0" }))
    withoutPlugin(given, "lint@tools")
    withChange(given, "lint@tools", { enabled: false })
    expect(given).toEqual(before)
  })
})

describe("what a machine has, as something to choose", () => {
  it("is the build without what only that machine decides", () => {
    expect(knownOn(inventory, { ...plugin, errors: ["broken"], update: "2.0.0" })).toEqual({
      id: "lint@tools",
      version: "1.0.0",
      contentHash: "c1",
      surfaceHash: "s1",
      surface: plugin.surface,
      source: { source: "github", repo: "acme/tools" },
      installedOn: ["laptop"],
      offeredOn: [],
      approved: false,
    })
  })
})

describe("taking a plugin out", () => {
  it("drops a marketplace with its last plugin", () => {
    const less = withoutPlugin(setOf({}, { id: "format@tools" }), "lint@tools")
    expect(Object.keys(less.marketplaces)).toEqual(["tools"])
    expect(withoutPlugin(less, "format@tools")).toEqual(set)
  })

  it("leaves other marketplaces, also those nothing comes from", () => {
    const other = { other: { source: { source: "github", repo: "acme/other" } } } as const
    const rich: CuratedSet = { ...setOf({}), marketplaces: { ...setOf({}).marketplaces, ...other } }
    expect(withoutPlugin(rich, "lint@tools").marketplaces).toEqual(other)
  })

  it("undoes what putting in did, whatever else is there", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 5 })
    fc.assert(
      fc.property(names, (others) => {
        const before = setOf(...others.map((name) => ({ id: `${name}@tools` })), { id: "keeps@tools" })
        const added = withPlugin(before, knownOn(inventory, { ...plugin, id: "NEW@tools" }))
        expect(added && withoutPlugin(added, "NEW@tools")).toEqual(before)
      }),
    )
  })
})

describe("a decision about one plugin", () => {
  it("is about that one alone", () => {
    const two = withChange(setOf({ id: "a@tools" }, { id: "b@tools" }), "b@tools", { enabled: false })
    expect(two.plugins.map(({ enabled }) => enabled)).toEqual([true, false])
    expect(withChange(two, "c@tools", { enabled: false })).toEqual(two)
  })
})

describe("agreeing", () => {
  const curated = setOf({}).plugins[0]

  it("is byte for byte", () => {
    expect(isAgreed(plugin, curated)).toBe(true)
    expect(isAgreed(plugin, undefined)).toBe(false)
  })

  it.each([{ version: "1.0.1" }, { contentHash: "other" }, { surfaceHash: "other" }])(
    "ends with another %o",
    (change) => {
      expect(isAgreed({ ...plugin, ...change }, curated)).toBe(false)
    },
  )
})

describe("names", () => {
  it.each([
    ["lint@tools", "lint", "tools"],
    ["@acme/lint@tools", "@acme/lint", "tools"],
    ["a@b@c", "a@b", "c"],
  ])("%s is %s from %s", (id, name, market) => {
    expect([nameOf(id), marketplaceOf(id)]).toEqual([name, market])
  })

  it.each([
    ["sha256:0123456789abcdef0123", "0123456789ab"],
    ["sha256-0123456789abcdef0123", "0123456789ab"],
    ["0123456789abcdef0123", "0123456789ab"],
    ["short", "short"],
  ])("%s is read aloud as %s", (hash, short) => {
    expect(shortHash(hash)).toBe(short)
  })
})
