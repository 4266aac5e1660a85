import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { useWorkbench } from "../../test/scratch.ts"
import { codeOf, market, plugin, skill, yes, type Tree } from "../../test/workbench.ts"
import { auditPlugins } from "../govern/audit.ts"
import { installPlugin } from "../install/install.ts"
import { disablePlugin } from "../install/switch.ts"
import { addMarketplace } from "../marketplace/registry.ts"
import { installedNext } from "./assemble.ts"
import { contributionOf, estimateTokens } from "./contribution.ts"
import { loadPlugins } from "./load.ts"

const bench = useWorkbench()
const load = (sessionFolders: readonly string[] = []) => loadPlugins(bench().context(), { sessionFolders })
const manage = (settings: unknown) => bench().write("..", { "managed-settings.json": settings })

async function have(name: string, more: Tree = {}, tree: Tree = {}, scope: "user" | "project" = "user"): Promise<void> {
  await bench().addLocal(`${name}-m`, [{ name, source: `./${name}` }], {
    [`${name}/.claude-plugin/plugin.json`]: plugin(name, more),
    ...Object.fromEntries(Object.entries(tree).map(([file, content]) => [`${name}/${file}`, content])),
  })
  await installPlugin(bench().context(), { plugin: `${name}@${name}-m`, scope, ask: yes })
}

/** What loads, and what is told about it. */
const told = async (folders?: readonly string[]) =>
  (await load(folders)).plugins.map(({ id, loads, errors, notes }) => [
    id,
    loads,
    [...errors, ...notes].map(({ type }) => type).join(),
  ])

describe("plugins from marketplaces", () => {
  it("of a folder on this machine are run from that folder, as it is now", async () => {
    await have("a")
    bench().write("a-m/a", { "skills/new/SKILL.md": skill("new") })
    const [loaded] = (await load()).plugins
    expect(loaded).toMatchObject({
      id: "a@a-m",
      origin: "marketplace",
      inPlace: true,
      folder: join(bench().fixtures, "a-m/a"),
      version: "1.0.0",
    })
    expect(loaded?.inventory?.skills.map(({ name }) => name)).toEqual(["a:new"])
  })

  it("whose marketplace's folder is gone are run from the cache, and say what is wrong with the marketplace", async () => {
    await have("a")
    renameSync(join(bench().fixtures, "a-m"), join(bench().fixtures, "moved"))
    const [loaded] = (await load()).plugins
    expect(loaded).toMatchObject({
      id: "a@a-m",
      inPlace: false,
      folder: bench().claude("plugins/cache/a-m/a/1.0.0"),
      loads: false,
      errors: [{ type: "policy", message: expect.stringContaining("There is no marketplace") as string }],
    })
  })

  it("whose own folder left the marketplace are run from the cache", async () => {
    await have("a")
    rmSync(join(bench().fixtures, "a-m/a"), { recursive: true })
    expect((await load()).plugins).toMatchObject([{ id: "a@a-m", inPlace: false, loads: true }])
  })

  it("whose files are gone everywhere say so", async () => {
    await have("a")
    for (const folder of [join(bench().fixtures, "a-m/a"), bench().claude("plugins/cache")])
      rmSync(folder, { recursive: true })
    expect((await load()).plugins).toMatchObject([
      {
        loads: false,
        version: "1.0.0",
        plugin: undefined,
        inventory: undefined,
        errors: [{ type: "generic-error", message: expect.stringContaining("is gone") as string }],
      },
    ])
  })

  it("of another project do not count here", async () => {
    await have("a", {}, {}, "project")
    const elsewhere = { ...bench().context(), home: { ...bench().context().home, project: "/elsewhere" } }
    expect((await loadPlugins(elsewhere)).plugins).toEqual([])
    expect((await load()).plugins.map(({ id }) => id)).toEqual(["a@a-m"])
  })

  it("installed in several scopes are loaded once, from the strongest", async () => {
    await have("a")
    await installPlugin(bench().context(), { plugin: "a@a-m", scope: "project", ask: yes })
    expect((await load()).plugins).toMatchObject([{ record: { scope: "project" } }])
  })

  it("start off when they say so and nobody switched them on", async () => {
    await have("a", { defaultEnabled: false })
    expect((await load()).plugins).toMatchObject([{ enabled: false, loads: false }])
    const { enabledPlugins: _, ...rest } = bench().settings
    writeFileSync(bench().claude("settings.json"), JSON.stringify(rest))
    expect((await load()).plugins).toMatchObject([{ enabled: false, loads: false }])
  })

  // Observed with Claude Code 2.1.41, 2.1.197 and 2.1.325: a plugin is on where settings say `true`, and nowhere else.
  it.each([[{}], [{ "a@a-m": ["1.0.0"] }], [["a@a-m"]]])("that settings name as %j are off", async (enabledPlugins) => {
    await have("a", { defaultEnabled: true })
    writeFileSync(bench().claude("settings.json"), JSON.stringify({ ...bench().settings, enabledPlugins }))
    expect((await load()).plugins).toMatchObject([{ enabled: false, loads: false }])
  })

  // Observed with Claude Code 2.1.197 and 2.1.325: of a folder it needs no record, from elsewhere it makes one itself.
  it("that settings turn on and nobody installed are run from a folder, and else come with the next start", async () => {
    await have("a")
    await have("b")
    const url = `file://${bench().fixtures}/far`
    bench().commit("far", {
      ".claude-plugin/marketplace.json": market("far", [{ name: "c", source: "./c" }]),
      "c/x": "",
    })
    await addMarketplace(bench().context(), { source: "git", url }, "user")
    writeFileSync(bench().claude("plugins/installed_plugins.json"), "{}")
    bench().write("../proj/.claude", {
      "settings.json": { enabledPlugins: { "b@b-m": false, "c@far": true, "gone@a-m": true, "x@nowhere": true } },
    })
    const { plugins } = await load()
    expect(plugins).toMatchObject([
      { id: "a@a-m", inPlace: true, loads: true, record: undefined, notes: [{ type: "not-installed" }] },
    ])
    expect(auditPlugins(bench().context(), plugins)).toContainEqual(
      expect.objectContaining({ code: "unlocked", fix: "chorus plugin install a@a-m" }),
    )
    expect(installedNext(bench().context())).toEqual(["c@far"])
    await disablePlugin(bench().context(), "a@a-m")
    expect((await load()).plugins).toEqual([])
  })

  it("that weaker settings switched off in vain say so", async () => {
    await have("a")
    bench().write("../home/.claude", { "settings.json": { ...bench().settings, enabledPlugins: { "a@a-m": false } } })
    bench().write("../proj/.claude", { "settings.json": { enabledPlugins: { "a@a-m": true } } })
    expect((await load()).plugins).toMatchObject([
      {
        loads: true,
        errors: [],
        notes: [
          { type: "ineffective-disable", message: "Disabled in weaker settings, but project settings enable it." },
        ],
      },
    ])
  })

  it("for another version of Claude Code load from a folder with a note, and from the cache not at all", async () => {
    await have("a", { engines: { "claude-code": ">=99" } })
    expect((await load()).plugins).toMatchObject([
      {
        loads: true,
        errors: [],
        notes: [{ type: "engine-range-exempt", message: expect.stringContaining("loads anyway") as string }],
      },
    ])
    rmSync(join(bench().fixtures, "a-m/a"), { recursive: true })
    expect((await load()).plugins).toMatchObject([
      {
        loads: false,
        errors: [{ type: "generic-error", message: "It needs Claude Code >=99, this is 2.1.325." }],
        notes: [],
      },
    ])
    const unknown = await loadPlugins(bench().context({ claudeVersion: undefined }))
    expect(unknown.plugins[0]?.loads).toBe(true)
  })

  it("with an odd id in the records are read and told, not fallen over", async () => {
    bench().write("../home/.claude/plugins", {
      "installed_plugins.json": {
        version: 2,
        plugins: {
          "no-marketplace": [
            {
              scope: "user",
              installPath: bench().write("x", { ".claude-plugin/plugin.json": plugin("x") }),
              version: "1",
            },
          ],
        },
      },
    })
    bench().write("../home/.claude", { "settings.json": { enabledPlugins: { "no-marketplace": true } } })
    expect((await load()).plugins).toMatchObject([{ id: "no-marketplace", loads: true }])
  })

  it("of a marketplace nobody knows do not load where only listed ones are allowed", async () => {
    await have("a")
    writeFileSync(bench().claude("plugins/known_marketplaces.json"), "{}")
    manage({ strictKnownMarketplaces: [{ source: "github", repo: "o/r" }] })
    expect((await load()).plugins).toMatchObject([
      {
        loads: false,
        errors: [
          {
            type: "policy",
            message: 'Not loaded: Its marketplace "a-m" is not known, and only listed ones are allowed.',
          },
        ],
      },
    ])
  })
})

describe("plugins for a session", () => {
  it("are folders, folders of plugins and archives, each by its own name", async () => {
    const one = bench().write("one", { ".claude-plugin/plugin.json": plugin("one") })
    const many = bench().write("many", {
      "x/.claude-plugin/plugin.json": plugin("x"),
      "y/.claude-plugin/plugin.json": plugin("y"),
      "notes/n.md": "",
    })
    const packed = join(
      bench().write("packed", {
        "p.zip": zipSync({ ".claude-plugin/plugin.json": Buffer.from(JSON.stringify(plugin("packed"))) }),
      }),
      "p.zip",
    )
    const bare = bench().write("bare", { "skills/s/SKILL.md": skill() })
    expect(await told([one, many, packed, bare])).toEqual([
      ["one@inline", true, ""],
      ["x@inline", true, ""],
      ["y@inline", true, ""],
      ["packed@inline", true, ""],
      ["bare@inline", true, ""],
    ])
  })

  it("are found from the project when they are named so", async () => {
    bench().write("../proj/tools", { ".claude-plugin/plugin.json": plugin("tools") })
    expect(await told(["./tools"])).toEqual([["tools@inline", true, ""]])
  })

  it("that cannot be read are listed by their number", async () => {
    expect(
      await told([
        bench().write("ok", { ".claude-plugin/plugin.json": plugin("ok") }),
        bench().write("bad", { ".claude-plugin/plugin.json": "{" }),
      ]),
    ).toEqual([
      ["ok@inline", true, ""],
      ["inline[1]", false, "generic-error"],
    ])
  })

  it("that are not there say so", async () => {
    expect(await told(["./nowhere"])).toEqual([["nowhere@inline", false, "generic-error"]])
    expect(await codeOf(load([join(bench().write("t", { "x.txt": "text" }), "x.txt")]))).toBe("content_refused")
  })

  it("may be forbidden", async () => {
    manage({ disableSideloadFlags: true })
    expect(await told([bench().write("one", { ".claude-plugin/plugin.json": plugin("one") })])).toEqual([
      ["one@inline", false, "policy"],
    ])
    expect(await codeOf(loadPlugins(bench().context(), { sessionUrls: ["https://x.example/p.zip"] }))).toBe(
      "error_policy",
    )
  })

  it("come before installed ones of their name, which then say nothing", async () => {
    await have("a")
    expect(await told([bench().write("mine", { ".claude-plugin/plugin.json": plugin("a") })])).toEqual([
      ["a@inline", true, ""],
      ["a@a-m", false, ""],
    ])
  })
})

describe("plugins among the skills", () => {
  it("are the user's first, then the project's; folders without a manifest are plain skills", async () => {
    bench().write("../home/.claude/skills", {
      "mine/.claude-plugin/plugin.json": plugin("mine"),
      "plain/SKILL.md": skill(),
    })
    bench().write("../proj/.claude/skills", {
      "theirs/.claude-plugin/plugin.json": plugin("theirs"),
      "mine/.claude-plugin/plugin.json": plugin("mine"),
    })
    expect(await told()).toEqual([
      ["mine@skills-dir", true, ""],
      ["mine@skills-dir", false, "name-taken"],
      ["theirs@skills-dir", true, ""],
    ])
  })

  it("need to be on the administrator's list where there is one", async () => {
    bench().write("../home/.claude/skills", { "mine/.claude-plugin/plugin.json": plugin("mine") })
    manage({ strictKnownMarketplaces: [] })
    expect(await told()).toEqual([["mine@skills-dir", false, "policy"]])
    manage({ strictKnownMarketplaces: [{ source: "skills-dir" }] })
    expect(await told()).toEqual([["mine@skills-dir", true, ""]])
  })

  // Observed with Claude Code 2.1.325: any of the four kinds leaves them out, and so does a value it does not know.
  it.each([
    [true, false],
    [["mcp"], false],
    ["yes", false],
    [[], true],
    [false, true],
  ])("are a person's own: under strictPluginOnlyCustomization %j they load: %j", async (value, loads) => {
    bench().write("../home/.claude/skills", { "mine/.claude-plugin/plugin.json": plugin("mine") })
    manage({ strictPluginOnlyCustomization: value, strictKnownMarketplaces: [{ source: "skills-dir" }] })
    expect(await told()).toEqual([["mine@skills-dir", loads, loads ? "" : "policy"]])
  })
})

describe("hooks", () => {
  const hooks = { "hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } } }
  const module = { "hooks/hooks.json": { modules: ["./r.js"] }, "r.js": "export function register() {}" }
  const forced = { enabledPlugins: { "a@a-m": true } }

  // Observed with Claude Code 2.1.325, which runs the same ones.
  it.each([
    ["the administrator allows managed ones only", { allowManagedHooksOnly: true, ...forced }, {}, [1, 0, 0]],
    ["the administrator turns all off", { disableAllHooks: true, ...forced }, {}, [0, 0, 0]],
    ["a person turns all off", {}, { disableAllHooks: true }, [0, 0, 0]],
    ["a person turns off what the administrator forces", forced, { disableAllHooks: true }, [1, 0, 0]],
    ["nobody says anything", {}, { disableAllHooks: false }, [1, 1, 1]],
  ])("run when %s: %j %j %j", async (_what, managed, mine, run) => {
    await have("a", {}, hooks)
    await have("b", {}, hooks)
    await have("c", {}, module)
    manage(managed)
    bench().write("../proj/.claude", { "settings.json": mine })
    const { plugins } = await load()
    expect(plugins.map(({ inventory }) => (inventory?.hooks.length ?? 0) + (inventory?.modules.length ?? 0))).toEqual(
      run,
    )
    expect(plugins.map(({ notes }) => notes.map(({ type }) => type).join())).toEqual(
      run.map((count) => (count === 0 ? "policy" : "")),
    )
  })
})

describe("what a plugin brings and costs", () => {
  it("is told part by part, in the words Claude Code uses", async () => {
    const folder = bench().write("all", {
      ".claude-plugin/plugin.json": plugin("all", {
        mcpServers: { db: { command: "x" } },
        lspServers: { go: { command: "g", extensionToLanguage: { ".go": "go" } } },
        channels: [{ server: "db" }],
      }),
      "skills/s/SKILL.md": "---\nname: s\ndescription: four\n---\n12345678",
      "commands/c.md": "---\ndisable-model-invocation: true\ndescription: hidden\n---\n1234",
      "agents/a.md": "---\nname: a\n---\n",
      "hooks/hooks.json": {
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "x" }] }],
          Stop: [{ hooks: [{ type: "prompt", prompt: "p" }] }],
        },
      },
      "bin/t": "",
    })
    const [loaded] = (await load([folder])).plugins
    expect(loaded && contributionOf(loaded)).toMatchObject({
      id: "all@inline",
      skills: ["all:s"],
      commands: ["all:c"],
      agents: ["all:a"],
      hooks: ["PreToolUse(Bash): command", "Stop: prompt"],
      mcpServers: ["plugin:all:db"],
      lspServers: ["go"],
      channels: ["db"],
      binaries: ["bin/t"],
      tokens: {
        parts: [
          { name: "all:s", always: 3, whenUsed: 2 },
          { name: "all:c", always: 0, whenUsed: 1 },
          { name: "all:a", always: 2, whenUsed: 0 },
        ],
      },
    })
  })

  it("is nothing for one that could not be read", async () => {
    const [loaded] = (await load(["./nowhere"])).plugins
    expect(loaded && contributionOf(loaded)).toMatchObject({
      skills: [],
      mcpServers: [],
      tokens: { always: 0, parts: [] },
    })
  })

  it.each([
    ["", 0],
    ["a", 1],
    ["abcd", 1],
    ["abcde", 2],
    ["你好", 2],
    ["abcd你", 2],
  ])("%j is about %i tokens", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens)
  })
})
