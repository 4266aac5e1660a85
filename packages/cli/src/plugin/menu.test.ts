import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolders } from "../../test/command-line.ts"
import { manifest, type PluginShelf, stockedShelf } from "../../test/plugin-shelf.ts"

const folder = scratchFolders()
const ESC = "\u001b"
/** Ctrl-C leaves like Escape, without the moment in which a terminal waits whether more follows. */
const LEAVE = "\u0003"
let shelf: PluginShelf

beforeEach(async () => {
  shelf = await stockedShelf(folder())
})

type Keys = readonly (readonly [sees: string | RegExp, types: string])[]
const menu = (...person: Keys) => shelf.run([], { person })
const enabled = async () =>
  (await shelf.json<{ id: string; enabled: boolean }[]>(["list"]))
    .filter((plugin) => plugin.enabled)
    .map(({ id }) => id)

describe("the menu", () => {
  it("is the help where nobody is at a terminal", async () => {
    const { code, stdout } = await shelf.run([])
    expect(code).toBe(0)
    expect(stdout).toContain("Usage: chorus plugin")
  })

  it("counts what there is, and goes on Escape", async () => {
    const { code } = await menu([
      /Installed {2}0 plugins, 0 on[\s\S]*Browse {2}3 on offer[\s\S]*Marketplaces {2}1 added/,
      ESC,
    ])
    expect(code).toBe(0)
  })

  it("goes at once on Ctrl-C", async () => {
    expect((await menu([/Browse/, "\u0003"])).code).toBe(0)
  })

  it("installs for the scope that is chosen, after consent", async () => {
    await menu(
      [/Browse/, "brow\r"],
      [/calm@tools/, "busy\r"],
      [/Install busy@tools for/, "\r"],
      [/Allow this/, "y\r"],
      [/Installed {2}2 plugins, 2 on/, LEAVE],
    )
    expect((await enabled()).toSorted()).toEqual(["busy@tools", "calm@tools"])
  })

  it("installs nothing without consent, shows why and goes on", async () => {
    const { code, stderr } = await menu(
      [/Browse/, "brow\r"],
      [/calm@tools/, "busy\r"],
      [/Install busy@tools for/, "\r"],
      [/Allow this/, "n\r"],
      [/Installed {2}0 plugins/, LEAVE],
    )
    expect(code).toBe(0)
    expect(stderr).toContain("[consent_required]")
    expect(await enabled()).toEqual([])
  })

  it("switches a plugin off and on", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    await menu(
      [/Installed/, "\r"],
      [/● calm@tools/, "\r"],
      [/Disable/, "\r"],
      [/○ calm@tools/, LEAVE],
      [/Installed {2}1 plugin, 0 on/, LEAVE],
    )
    expect(await enabled()).toEqual([])
    await menu(
      [/Installed/, "\r"],
      [/○ calm@tools/, "\r"],
      [/Enable/, "\r"],
      [/● calm@tools/, LEAVE],
      [/Installed {2}1 plugin, 1 on/, LEAVE],
    )
    expect(await enabled()).toEqual(["calm@tools"])
  })

  it("says when a plugin stays on all the same, and by whose word", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    writeFileSync(join(shelf.home, "..", "managed.json"), JSON.stringify({ enabledPlugins: { "calm@tools": true } }))
    const { stdout } = await menu(
      [/Installed/, "\r"],
      [/● calm@tools/, "\r"],
      [/Disable/, "\r"],
      [/● calm@tools/, LEAVE],
      [/Installed/, LEAVE],
    )
    expect(stdout).toContain("It stays on here: managed settings say so.")
  })

  it("opens without looking for newer versions, finds them when asked and updates", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    shelf.put({ "calm/.claude-plugin/plugin.json": manifest("calm", { version: "1.1.0" }) })
    const { stdout } = await menu(
      [/Updates {2}look for newer versions/, "upd\r"],
      [/Looking for newer versions[\s\S]*calm@tools {2}1\.0\.0 → 1\.1\.0/, "\r"],
      [/updated[\s\S]*Installed {2}1 plugin/, LEAVE],
    )
    expect(stdout.indexOf("Installed")).toBeLessThan(stdout.indexOf("Looking"))
    expect(await shelf.json(["list"])).toMatchObject([{ version: "1.1.0" }])
  })

  it("holds a plugin that is not held, and lets go of one that is", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    for (const [label, other, held] of [
      ["Hold at this version", "Let updates through", true],
      ["Let updates through", "Hold at this version", false],
    ] as const) {
      const { stdout } = await menu(
        [/Installed/, "\r"],
        [/● calm@tools/, "\r"],
        [new RegExp(label), `${label.slice(0, 4)}\r`],
        [/● calm@tools/, LEAVE],
        [/Installed {2}1 plugin/, LEAVE],
      )
      expect(stdout).not.toContain(other)
      expect(await shelf.json(["list"])).toMatchObject([{ pinned: held }])
    }
  })

  it("sets options", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    const { stdout } = await menu(
      [/Installed/, "\r"],
      [/● calm@tools/, "\r"],
      [/Configure/, "conf\r"],
      [/Tone/, "high\r"],
      [/Key/, "\r"],
      [/● calm@tools/, LEAVE],
      [/Installed {2}1 plugin/, LEAVE],
    )
    expect(stdout).toContain("saved tone")
    expect(await shelf.json(["configure", "calm@tools"])).toMatchObject({ configured: ["tone"] })
  })

  it("removes a plugin only when that is confirmed", async () => {
    await shelf.run(["install", "calm@tools", "--config", "tone=low"])
    await menu(
      [/Installed/, "\r"],
      [/● calm@tools/, "\r"],
      [/Disable/, "unins\r"],
      [/Remove calm@tools with its options and data\?/, "\r"],
      [/● calm@tools/, LEAVE],
      [/Installed/, LEAVE],
    )
    expect(await enabled()).toEqual(["calm@tools"])
    await menu(
      [/Installed/, "\r"],
      [/● calm@tools/, "\r"],
      [/Disable/, "unins\r"],
      [/Remove calm@tools/, "y\r"],
      [/Installed plugins: nothing here/, LEAVE],
      [/Installed {2}0 plugins/, LEAVE],
    )
    expect(await enabled()).toEqual([])
  })

  it("shows what to look at and waits until it was read", async () => {
    await shelf.run(["install", "busy@tools", "--yes"])
    expect((await menu([/Audit/, "audit\r"], [/Enter goes back/, "\r"], [/Audit/, LEAVE])).code).toBe(0)
  })

  it("adds a marketplace, tells of one that cannot be added, and removes one", async () => {
    await shelf.run(["marketplace", "remove", "tools"])
    const failed = await menu(
      [/Marketplaces {2}0 added/, "market\r"],
      [/Add a marketplace/, "\r"],
      [/owner\/repo, address, folder/, "/no/such/folder\r"],
      [/Marketplaces {2}0 added/, LEAVE],
    )
    expect(failed.stderr).toMatch(/error .*\/no\/such\/folder/)
    await menu(
      [/Marketplaces {2}0 added/, "market\r"],
      [/Add a marketplace/, "\r"],
      [/owner\/repo/, `${shelf.market}\r`],
      [/Marketplaces {2}1 added/, LEAVE],
    )
    await menu(
      [/Marketplaces {2}1 added/, "market\r"],
      [/tools {2}3 plugins/, "\r"],
      [/Update[\s\S]*Remove/, "remove\r"],
      [/Remove tools and its plugins\?/, "y\r"],
      [/Marketplaces {2}0 added/, LEAVE],
    )
    expect(await shelf.json(["marketplace", "list"])).toEqual([])
  })
})

describe("the menu's pages by name", () => {
  it.each([
    ["manage", ["manage"], /Installed plugins: nothing here/],
    ["install without a name", ["install"], /calm@tools {2}Only words/],
  ])("%s", async (_, argv, shows) => {
    const { stdout } = await shelf.run(argv, {
      person: [
        [shows, LEAVE],
        [/Browse/, LEAVE],
      ],
    })
    expect(stdout).toContain("Plugins")
  })
})
