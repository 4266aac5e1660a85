import type { MachineInventory } from "@chorus/contracts"
import { pluginContext } from "@chorus/plugins"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { scratchFolders } from "../../test/command-line.ts"
import { type PluginShelf, stockedShelf } from "../../test/plugin-shelf.ts"
import { watchPlugins } from "./plugin-watch.ts"

const folder = scratchFolders()
let shelf: PluginShelf

beforeEach(async () => {
  shelf = await stockedShelf(folder())
  await shelf.run(["install", "calm@tools"])
})

const context = () =>
  pluginContext({
    env: { HOME: shelf.home, CHORUS_OFFLINE: "1", CHORUS_SECRETS: "file" },
    project: shelf.home,
    claudeVersion: "2.1.325",
  })

describe("the plugins of a machine", () => {
  it("are told at once and after the check for updates, with what is offered", async () => {
    const told: MachineInventory[] = []
    const watch = watchPlugins(context, (inventory) => told.push(inventory))
    await vi.waitFor(() => expect(told).toHaveLength(2), 60_000)
    watch.close()
    expect(told[0]?.plugins.map(({ id, version }) => [id, version])).toEqual([["calm@tools", "1.0.0"]])
    expect(told[0]?.offers?.map(({ id }) => id).toSorted()).toEqual(
      expect.arrayContaining(["busy@tools", "calm@tools"]),
    )
    expect(told[1]?.plugins[0]).not.toHaveProperty("update")
  })

  it("are told again when the server's set changes", async () => {
    const told: MachineInventory[] = []
    const watch = watchPlugins(context, (inventory) => told.push(inventory))
    await vi.waitFor(() => expect(told).toHaveLength(2), 60_000)
    await shelf.run(["uninstall", "calm"])
    watch.again()
    await vi.waitFor(() => expect(told).toHaveLength(3), 60_000)
    expect(told[2]?.plugins).toEqual([])
    watch.close()
  })

  it("are not told after the watch is closed, and a look that fails does not end it", async () => {
    const told: MachineInventory[] = []
    let fails = true
    const watch = watchPlugins(
      () => {
        if (fails) throw new Error("unreadable")
        return context()
      },
      (inventory) => told.push(inventory),
    )
    await new Promise(setImmediate)
    fails = false
    watch.again()
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(0), 60_000)
    watch.close()
    const before = told.length
    watch.again()
    await new Promise(setImmediate)
    expect(told).toHaveLength(before)
  })
})
