import type { CuratedSet, InventoryPlugin, MachineInventory } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { isAgreed, knownOn, shortHash, withChange, withoutPlugin, withPlugin } from "./curate.ts"

const set: CuratedSet = { revision: 3, marketplaces: {}, plugins: [], exclusive: false }
const plugin: InventoryPlugin = { id: "lint@tools", version: "1.0.0", scope: "user", enabled: true, contentHash: "c1", surfaceHash: "s1", surface: [{ kind: "hook", where: "Stop", does: "./x.sh" }], errors: [] }
const inventory: MachineInventory = { machine: "laptop", takenAt: "", marketplaces: [{ name: "tools", source: { source: "github", repo: "acme/tools" } }], plugins: [plugin] }

describe("curating plugins", () => {
  it("pins exactly what a machine has and brings its marketplace along", () => {
    const next = withPlugin(set, knownOn(inventory, plugin))
    expect(next?.plugins).toEqual([{ id: "lint@tools", version: "1.0.0", contentHash: "c1", surfaceHash: "s1", surface: plugin.surface, enabled: true, required: true }])
    expect(next?.marketplaces).toEqual({ tools: { source: { source: "github", repo: "acme/tools" } } })
    expect(next?.revision).toBe(3)
  })

  it("keeps what was decided about a plugin when other bytes are approved", () => {
    const first = withPlugin(set, knownOn(inventory, plugin))
    const loose = first && withChange(first, "lint@tools", { required: false })
    const next = loose && withPlugin(loose, knownOn(inventory, { ...plugin, version: "2.0.0", contentHash: "c2" }))
    expect(next?.plugins).toEqual([{ id: "lint@tools", version: "2.0.0", contentHash: "c2", surfaceHash: "s1", surface: plugin.surface, enabled: true, required: false }])
  })

  it("does not pin what nobody can name", () => {
    const { contentHash: _, ...unknown } = plugin
    expect(withPlugin(set, knownOn(inventory, unknown))).toBeUndefined()
  })

  it("drops a marketplace with its last plugin", () => {
    const one = withPlugin(set, knownOn(inventory, plugin))
    const two = one && withPlugin(one, knownOn(inventory, { ...plugin, id: "format@tools" }))
    const less = two && withoutPlugin(two, "lint@tools")
    expect(Object.keys(less?.marketplaces ?? {})).toEqual(["tools"])
    expect(less && withoutPlugin(less, "format@tools").marketplaces).toEqual({})
  })

  it("agrees only byte for byte", () => {
    const curated = withPlugin(set, knownOn(inventory, plugin))?.plugins[0]
    expect(isAgreed(plugin, curated)).toBe(true)
    expect(isAgreed({ ...plugin, surfaceHash: "other" }, curated)).toBe(false)
    expect(isAgreed(plugin, undefined)).toBe(false)
  })

  it("shortens hashes for reading", () => {
    expect(shortHash("sha256:0123456789abcdef0123")).toBe("0123456789ab")
  })
})
