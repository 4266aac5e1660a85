import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, plugin, yes, type Tree } from "../../test/workbench.ts"
import { installedOptions } from "../install/installed.ts"
import { installPlugin } from "../install/install.ts"
import { uninstallPlugin } from "../install/change.ts"
import { configure, readConfiguration, secretStore } from "./configure.ts"

const bench = useWorkbench()
const context = () => bench().context()
const secrets = () => secretStore(context().home, bench().env)
const text = { type: "string", title: "T", description: "d" }

const bundle = (name: string, userConfig: Tree) =>
  bench().zip({
    "manifest.json": JSON.stringify({
      name,
      version: "1.0.0",
      server: { type: "node", mcp_config: { command: "node", args: ["s.js"] } },
      user_config: userConfig,
    }),
  })

/** A plugin with an option of its own and two bundles that ask for more. */
async function offer(): Promise<void> {
  const tree = {
    "p/.claude-plugin/plugin.json": plugin("p", {
      userConfig: { own: text },
      mcpServers: ["./notes.mcpb", "./mail.dxt", "https://x.example/far.mcpb"],
    }),
    "p/notes.mcpb": bundle("notes", {
      key: { ...text, sensitive: true, required: true },
      count: { ...text, type: "number", min: 1, max: 5 },
      tags: { ...text, multiple: true },
      folder: { ...text, type: "directory" },
    }),
    "p/mail.dxt": bundle("mail", { key: text, only: { ...text, type: "boolean" } }),
  }
  await bench().addLocal("m", [{ name: "p", source: "./p" }], tree)
}

async function have() {
  await offer()
  await installPlugin(context(), { plugin: "p@m", scope: "user", ask: yes })
}

const known = () => installedOptions(context(), "p").options
const set = (values: Record<string, unknown>) => configure(context().home, secrets(), "p@m", known(), values)
const now = () => readConfiguration(context().home, secrets(), "p@m", known())
const credentials = () => bench().json(bench().claude(".credentials.json"))

describe("the options of a bundle", () => {
  it("are asked for beside the plugin's own, each by its server", async () => {
    await have()
    expect(known().map(({ key, server, required, sensitive }) => [key, server, required, sensitive])).toEqual([
      ["own", undefined, false, false],
      ["notes.key", "notes", true, true],
      ["notes.count", "notes", false, false],
      ["notes.tags", "notes", false, false],
      ["notes.folder", "notes", false, false],
      ["mail.key", "mail", false, false],
      ["mail.only", "mail", false, false],
    ])
  })

  it("are kept where Claude Code looks for them: plain ones by server, secrets apart", async () => {
    await have()
    const folder = join(bench().project, "data")
    mkdirSync(folder)
    expect(
      await set({
        "notes.key": "S3",
        "notes.count": "3",
        "notes.tags": "a, b",
        "notes.folder": "data",
        "mail.key": "plain",
        "mail.only": "yes",
        own: "mine",
      }),
    ).toEqual(["notes.count", "notes.tags", "notes.folder", "mail.key", "mail.only", "own", "notes.key"])
    expect(bench().settings["pluginConfigs"]).toEqual({
      "p@m": {
        mcpServers: { notes: { count: 3, tags: "a,b", folder }, mail: { key: "plain", only: true } },
        options: { own: "mine" },
      },
    })
    expect(credentials()).toEqual({ pluginSecrets: { "p@m/notes": { key: "S3" } } })
    expect([Object.fromEntries(now().values), now().unset]).toEqual([
      {
        own: "mine",
        "notes.key": "S3",
        "notes.count": 3,
        "notes.tags": "a,b",
        "notes.folder": folder,
        "mail.key": "plain",
        "mail.only": true,
      },
      [],
    ])
  })

  it("may be called by their field alone when only one is called so", async () => {
    await have()
    expect(await set({ count: 2, only: "no" })).toEqual(["notes.count", "mail.only"])
    await expect(set({ key: "x" })).rejects.toMatchObject({
      code: "option_unknown",
      message: 'p@m has no option "key".',
      next: "Its options: own, notes.key, notes.count, notes.tags, notes.folder, mail.key, mail.only.",
    })
    expect(await codeOf(set({ "other.count": 1 }))).toBe("option_unknown")
  })

  it("are checked like any other, and one that does not fit keeps all from being set", async () => {
    await have()
    for (const wrong of [
      { "notes.count": 6 },
      { "notes.folder": "nowhere" },
      { "notes.key": "" },
      { "mail.only": "maybe" },
    ])
      expect([wrong, await codeOf(set({ own: "x", ...wrong }))]).toEqual([wrong, "option_refused"])
    expect(now().values.size).toBe(0)
  })

  it("of an administrator come before one's own", async () => {
    await have()
    await set({ "notes.count": 2 })
    bench().write("..", {
      "managed-settings.json": { pluginConfigs: { "p@m": { mcpServers: { notes: { count: 5 } } } } },
    })
    expect(now().values.get("notes.count")).toBe(5)
  })

  it("are set with an install, and what is not set is told", async () => {
    await offer()
    const result = await installPlugin(context(), {
      plugin: "p@m",
      scope: "user",
      ask: yes,
      config: { "notes.key": "S3", own: "mine" },
    })
    expect([result.configApplied, result.unset.map(({ key }) => key)]).toEqual([
      ["own", "notes.key"],
      ["notes.count", "notes.tags", "notes.folder", "mail.key", "mail.only"],
    ])
    expect(
      (await installPlugin(context(), { plugin: "p@m", scope: "user", ask: yes, config: { "mail.only": true } }))
        .configApplied,
    ).toEqual(["mail.only"])
  })

  it("go with the plugin, secrets of every bundle included, and no other plugin's", async () => {
    await have()
    await set({ "notes.key": "S3", "mail.key": "x" })
    await secrets().change("p@mm/notes", { key: "another's" })
    await uninstallPlugin(context(), "p")
    expect([bench().settings["pluginConfigs"], credentials()]).toEqual([
      {},
      { pluginSecrets: { "p@mm/notes": { key: "another's" } } },
    ])
  })

  it("are none of a bundle that cannot be read or asks oddly", async () => {
    await bench().addLocal("m", [{ name: "p", source: "./p" }], {
      "p/.claude-plugin/plugin.json": plugin("p", { mcpServers: ["./broken.mcpb", "./odd.mcpb"] }),
      "p/broken.mcpb": "no zip",
      "p/odd.mcpb": bundle("odd", { a: "text", b: 7 }),
    })
    await installPlugin(context(), { plugin: "p@m", scope: "user", ask: yes })
    expect(known()).toEqual([])
  })
})

describe("the options of an installed plugin", () => {
  it("may stand in its marketplace entry alone", async () => {
    await bench().addLocal("m", [{ name: "p", source: "./p", userConfig: { url: text } }], {
      "p/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\n",
    })
    await installPlugin(context(), { plugin: "p@m", scope: "user", ask: yes })
    expect(known().map(({ key }) => key)).toEqual(["url"])
    expect(await set({ url: "https://x.example" })).toEqual(["url"])
    expect((await installPlugin(context(), { plugin: "p@m", scope: "user", ask: yes })).unset).toEqual([])
  })

  it("of a plugin that is installed in another project only are not asked for here", async () => {
    await offer()
    const elsewhere = { ...context(), home: { ...context().home, project: "/elsewhere" } }
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: { "p@m": [{ scope: "local", projectPath: bench().project, installPath: "/x", version: "1" }] },
      },
    })
    expect(() => installedOptions(elsewhere, "p")).toThrow(expect.objectContaining({ code: "not_installed" }) as Error)
  })
})
