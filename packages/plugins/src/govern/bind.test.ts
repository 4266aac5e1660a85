import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, plugin, yes } from "../../test/workbench.ts"
import { installPlugin } from "../install/install.ts"
import { loadPlugins } from "../load/load.ts"
import { bindClaudeCode } from "./bind.ts"

const bench = useWorkbench()
const manage = (settings: unknown) => bench().write("..", { "managed-settings.json": settings })
const written = () => bench().json(join(bench().root, "managed-settings.d/90-chorus.json"))

const bind = (own = false) => bindClaudeCode(bench().context(), () => true, { own })

async function have(...names: string[]): Promise<void> {
  await bench().addLocal(
    "m",
    [...names, "offered"].map((name) => ({ name, source: `./${name}` })),
    Object.fromEntries([...names, "offered"].map((name) => [`${name}/.claude-plugin/plugin.json`, plugin(name)])),
  )
  for (const name of names) await installPlugin(bench().context(), { plugin: `${name}@m`, scope: "user", ask: yes })
}

describe("binding Claude Code", () => {
  it("writes what lists deny, installed or on offer, as settings that Claude Code obeys, and the list then says so", async () => {
    await have("a", "b")
    manage({ deniedPlugins: ["a", "offered", "far@away", "*@other"], enabledPlugins: { "a@m": true } })
    const told = async () => (await loadPlugins(bench().context())).plugins.flatMap(({ errors }) => errors)
    expect(await told()).toMatchObject([{ message: expect.stringContaining("Claude Code will, until") as string }])
    expect(await bind()).toMatchObject({ denied: ["a@m", "far@away", "offered@m"] })
    expect(written()).toEqual({ enabledPlugins: { "a@m": false, "far@away": false, "offered@m": false } })
    expect(await told()).toMatchObject([{ message: "Not loaded: your organisation turned it off" }])
  })

  it("writes what is not on a list of allowed plugins, and releases what is allowed again", async () => {
    await have("a", "b")
    bench().write("../home/.claude/skills", { "mine/.claude-plugin/plugin.json": plugin("mine") })
    manage({ allowedPlugins: ["a"] })
    expect((await bind()).denied).toEqual(["b@m", "mine@skills-dir", "offered@m"])
    manage({ allowedPlugins: ["a", "b@m", "mine"] })
    expect((await bind()).denied).toEqual(["offered@m"])
    manage({})
    expect(await bind()).toMatchObject({ written: true, denied: [], released: ["offered@m"] })
    expect(existsSync(join(bench().root, "managed-settings.d"))).toBe(false)
  })

  it("writes nothing where nothing is denied", async () => {
    await have("a")
    expect((await bind()).denied).toEqual([])
    expect(existsSync(join(bench().root, "managed-settings.d"))).toBe(false)
  })

  it("takes one's own lists only when told so, those of a project never, and writes nothing unseen", async () => {
    await have("a", "b", "c")
    bench().write("../home/.claude", { "settings.json": { ...bench().settings, deniedPlugins: ["a"] } })
    bench().write("../proj/.claude", { "settings.json": { deniedPlugins: ["b"] } })
    expect(await bind()).toMatchObject({ written: false, denied: [], leftOut: ["a@m"] })
    const seen: unknown[] = []
    await bindClaudeCode(bench().context(), (binding) => (seen.push(binding), false), { own: true })
    expect(seen).toMatchObject([{ denied: ["a@m"], released: [] }])
    expect(existsSync(join(bench().root, "managed-settings.d"))).toBe(false)
    await bind(true)
    expect(written()).toEqual({ enabledPlugins: { "a@m": false } })
  })

  it("is the administrator's to do", async () => {
    bench().write("../home/.claude", { "settings.json": { deniedPlugins: ["a@m"] } })
    // Nobody makes folders there, not even the one whom no permission stops.
    const { home } = bench().context()
    const elsewhere = bench().context({ home: { ...home, managedSettings: "/sys/chorus/managed-settings.json" } })
    expect(await codeOf(bindClaudeCode(elsewhere, () => true, { own: true }))).toBe("not_permitted")
  })
})
