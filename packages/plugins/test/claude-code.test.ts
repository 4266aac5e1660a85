import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { drive, runAgent, scratchHome, startModel, type ScratchHome } from "@chorus/testing"
import {
  addMarketplace,
  auditPlugins,
  configure,
  disablePlugin,
  enablePlugin,
  installedOptions,
  installPlugin,
  loadPlugins,
  lookForUpdates,
  networkPolicy,
  pluginContext,
  readPins,
  secretStore,
  trustPlugin,
  uninstallPlugin,
  updateMarketplace,
  updatePlugin,
  type PluginContext,
} from "@chorus/plugins"
import { market, MCP_SERVER, plugin, repository, Workbench, writeTree, yes } from "./workbench.ts"

/** A marketplace in a repository with one plugin of every kind that Claude Code runs. */
function bellMarketplace(home: ScratchHome, version = "1.0.0"): string {
  return repository(home.path, "bell-market", {
    ".claude-plugin/marketplace.json": market("bells", [{ name: "bell", source: "./bell" }]),
    "bell/.claude-plugin/plugin.json": plugin("bell", {
      version,
      userConfig: { tone: { type: "string", title: "Tone", description: "d" } },
      mcpServers: {
        s: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs"], env: { BELL: "${user_config.tone}" } },
      },
    }),
    "bell/server.mjs": MCP_SERVER,
    "bell/skills/chime/SKILL.md":
      "---\nname: chime\ndescription: Use when somebody asks for the chime of the cathedral.\n---\nChime.\n",
    "bell/hooks/hooks.json": {
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/mark.sh"' }] }] },
    },
    "bell/mark.sh":
      '#!/bin/sh\ncat > "$HOME/hook-input.json"\nprintf %s "$CLAUDE_PLUGIN_ROOT $CLAUDE_PLUGIN_OPTION_TONE" > "$HOME/hook-env"\n',
  })
}

function contextFor(home: ScratchHome): PluginContext {
  return pluginContext({
    env: { ...home.environment, CHORUS_MANAGED_SETTINGS: join(home.path, "none.json") },
    project: home.project,
    network: networkPolicy({}),
    claudeVersion: "2.1.325",
  })
}

async function claude(
  home: ScratchHome,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return runAgent({ agent: "claude-code", args, home, timeout: 90_000 })
}

async function claudeList(home: ScratchHome): Promise<Record<string, Record<string, unknown>>> {
  const { stdout } = await claude(home, "plugin", "list", "--json")
  return Object.fromEntries((JSON.parse(stdout) as Record<string, unknown>[]).map((one) => [String(one["id"]), one]))
}

test("Claude Code lists, loads and runs a plugin we installed", async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  const context = contextFor(home)
  await addMarketplace(context, { source: "git", url: bellMarketplace(home) }, "user")
  const result = await installPlugin(context, {
    plugin: "bell@bells",
    scope: "user",
    ask: yes,
    config: { tone: "deep" },
  })

  const listed = await claudeList(home)
  expect(listed["bell@bells"]).toMatchObject({
    version: "1.0.0",
    scope: "user",
    enabled: true,
    installPath: result.installPath,
  })
  expect(listed["bell@bells"]?.["errors"]).toBeUndefined()

  const run = await claude(
    home,
    "-p",
    'DO: [[{"name":"mcp__plugin_bell_s__ring","input":{}}]]',
    "--permission-mode",
    "bypassPermissions",
  )
  expect(run.stdout).toContain("Done.")
  const turn = model.requests.find(
    (request) => request.api === "messages" && request.all.includes("chime of the cathedral"),
  )
  expect(turn?.all).toContain("bell:chime")
  expect(model.requests.at(-1)?.all).toContain("rung with deep")
  expect(readFileSync(join(home.path, "hook-env"), "utf8")).toBe(`${result.installPath} deep`)
  expect(readFileSync(join(home.path, "hook-input.json"), "utf8")).toContain("SessionStart")
})

test("we list, lock, update, bring back and remove what Claude Code installed, and it sees what we did", async () => {
  await using home = scratchHome()
  const url = bellMarketplace(home)
  const context = contextFor(home)
  await addMarketplace(context, { source: "git", url }, "user")
  expect((await claude(home, "plugin", "install", "bell@bells", "--json")).stdout).toContain('"outcome":"ok"')

  const { plugins } = await loadPlugins(context)
  expect(plugins).toMatchObject([{ id: "bell@bells", version: "1.0.0", enabled: true, loads: true }])
  expect(auditPlugins(context, plugins).map((finding) => finding.code)).toEqual(
    expect.arrayContaining(["unlocked", "no_consent"]),
  )
  await trustPlugin(context, "bell", yes)
  expect(
    auditPlugins(context, (await loadPlugins(context)).plugins).filter((finding) => finding.severity !== "low"),
  ).toEqual([])

  bellMarketplace(home, "1.1.0")
  expect(await updatePlugin(context, "bell", { ask: yes })).toMatchObject({ outcome: "updated", newVersion: "1.1.0" })
  expect((await claudeList(home))["bell@bells"]).toMatchObject({ version: "1.1.0", enabled: true })

  const listing = readPins(context.home, "user").get("bell@bells")?.gitCommitSha
  repository(home.path, "bell-market", { ".claude-plugin/marketplace.json": market("bells", []) })
  await lookForUpdates(context)
  expect((await loadPlugins(context)).plugins).toMatchObject([{ id: "bell@bells", loads: true }])
  expect((await claude(home, "plugin", "marketplace", "update", "bells", "--json")).stdout).toContain('"outcome":"ok"')
  expect((await loadPlugins(context)).plugins).toMatchObject([{ id: "bell@bells", loads: false }])
  expect((await claudeList(home))["bell@bells"]).toHaveProperty("errors")
  await updateMarketplace(context, "bells", { at: listing })
  expect((await loadPlugins(context)).plugins).toMatchObject([{ id: "bell@bells", loads: true }])
  expect((await claudeList(home))["bell@bells"]).not.toHaveProperty("errors")
  const settings = join(home.path, ".claude/settings.json")
  const said = JSON.parse(readFileSync(settings, "utf8")) as object
  writeFileSync(settings, JSON.stringify({ ...said, enabledPlugins: {} }))
  expect((await claudeList(home))["bell@bells"]).toMatchObject({ enabled: false })
  expect((await loadPlugins(context)).plugins).toMatchObject([{ id: "bell@bells", enabled: false }])
  await uninstallPlugin(context, "bell")
  expect(await claudeList(home)).toEqual({})
})

/** The scope with most of its own (a project, a file that is not committed) every day, all of them under stress. */
const SCOPES =
  process.env["CHORUS_STRESS"] === undefined ? (["local"] as const) : (["user", "project", "local"] as const)

test("in every scope, Claude Code and we turn on, turn off and remove what the other one did", async () => {
  await using home = scratchHome()
  const context = contextFor(home)
  const file = writeTree(join(home.path, "bells"), {
    ".claude-plugin/marketplace.json": market(
      "bells",
      SCOPES.map((name) => ({ name, source: `./${name}` })),
    ),
    ...Object.fromEntries(SCOPES.map((name) => [`${name}/.claude-plugin/plugin.json`, plugin(name)])),
  })
  await addMarketplace(context, { source: "file", path: join(file, ".claude-plugin/marketplace.json") }, "user")
  // One plugin in each scope, so that one list of theirs tells of all.
  const inEach = (state: object) =>
    Object.fromEntries(
      SCOPES.map((scope) => [`${scope}@bells`, expect.objectContaining({ scope, ...state }) as object]),
    )
  const ours = async () =>
    Object.fromEntries(
      (await loadPlugins(context)).plugins.map(({ id, record, ...one }) => [id, { ...record, ...one }]),
    )
  const they = async (verb: string) => {
    for (const scope of SCOPES) {
      const { stdout } = await claude(home, "plugin", verb, `${scope}@bells`, "--scope", scope, "--json")
      expect(stdout).toContain('"outcome":"ok"')
    }
  }
  for (const scope of SCOPES) {
    await installPlugin(context, { plugin: `${scope}@bells`, scope, ask: yes })
    await disablePlugin(context, scope, scope)
  }
  expect(await claudeList(home)).toEqual(inEach({ enabled: false }))
  await they("enable")
  expect(await ours()).toEqual(inEach({ enabled: true, loads: true }))
  await they("disable")
  expect(await ours()).toEqual(inEach({ enabled: false, loads: false }))
  for (const scope of SCOPES) await enablePlugin(context, scope, scope, yes)
  expect(await claudeList(home)).toEqual(inEach({ enabled: true }))
  await they("uninstall")
  expect(await ours()).toEqual({})
  for (const scope of SCOPES) {
    await installPlugin(context, { plugin: `${scope}@bells`, scope, ask: yes })
    await uninstallPlugin(context, scope, { scope })
  }
  expect(await claudeList(home)).toEqual({})
})

test("of two installations Claude Code runs the one that we say it runs", { tags: ["stress"] }, async () => {
  await using model = await startModel(drive)
  await using home = scratchHome({ model })
  const context = contextFor(home)
  const elsewhere = { ...context, home: { ...context.home, project: home.path } }
  const running = async (cwd?: string) => {
    const args = ["-p", "hello", "--output-format", "stream-json", "--verbose"]
    const { stdout } = await runAgent({ agent: "claude-code", args, home, timeout: 90_000, ...(cwd ? { cwd } : {}) })
    const lines = stdout.trim().split("\n")
    const said = lines.map((line) => JSON.parse(line) as { plugins?: { source: string; version?: string }[] })
    const loaded = said.find(({ plugins }) => plugins !== undefined)?.plugins
    return loaded?.find(({ source }) => source === "bell@bells")?.version
  }
  const said = async (at: PluginContext) => (await loadPlugins(at)).plugins[0]?.version
  const both = async () => [
    [await running(), await said(context)],
    [await running(home.path), await said(elsewhere)],
  ]
  await addMarketplace(context, { source: "git", url: bellMarketplace(home) }, "user")
  await installPlugin(context, { plugin: "bell@bells", scope: "user", ask: yes })
  bellMarketplace(home, "2.0.0")
  await updateMarketplace(context, "bells")
  await installPlugin(context, { plugin: "bell@bells", scope: "project", ask: yes })
  expect(await both()).toEqual([
    ["2.0.0", "2.0.0"],
    ["1.0.0", "1.0.0"],
  ])
  const file = join(context.home.plugins, "installed_plugins.json")
  const content = JSON.parse(readFileSync(file, "utf8")) as { plugins: Record<string, object[]> }
  const plugins = { "bell@bells": content.plugins["bell@bells"]?.toReversed() }
  writeFileSync(file, JSON.stringify({ ...content, plugins }))
  expect(await both()).toEqual([
    ["1.0.0", "1.0.0"],
    ["1.0.0", "1.0.0"],
  ])
})

test("Claude Code still reads its files after we added every kind of marketplace", async () => {
  await using home = scratchHome()
  await using bench = new Workbench()
  const tree = (name: string) => ({
    ".claude-plugin/marketplace.json": market(name, [{ name: "a", source: "./a" }]),
    "a/.claude-plugin/plugin.json": plugin("a"),
  })
  const git = repository(home.path, "git-mkt", tree("git-mkt"))
  await bench.npmRegistry({ "mkt-pack": { "1.0.0": tree("npm-mkt") } })
  const url = await bench.serveFiles({
    "/m.json": JSON.stringify(market("url-mkt", [{ name: "a", source: { source: "url", url: git } }])),
    "/m.zip": bench.zip({
      "m/.claude-plugin/marketplace.json": JSON.stringify(market("zip-mkt", [{ name: "a", source: "./a" }])),
      "m/a/.claude-plugin/plugin.json": JSON.stringify(plugin("a")),
    }),
  })
  const folder = writeTree(join(home.path, "dir-mkt"), tree("dir-mkt"))
  const file = join(writeTree(join(home.path, "file-mkt"), tree("file-mkt")), ".claude-plugin/marketplace.json")
  const context: PluginContext = {
    ...contextFor(home),
    env: { ...contextFor(home).env, npm_config_registry: bench.registry },
  }
  for (const source of [
    { source: "git", url: git },
    { source: "npm", package: "mkt-pack" },
    { source: "url", url: `${url}/m.json` },
    { source: "archive", url: `${url}/m.zip` },
    { source: "directory", path: folder },
    { source: "file", path: file },
    { source: "settings", name: "set-mkt", plugins: [{ name: "a", source: { source: "url", url: git } }] },
  ] as const)
    await addMarketplace(
      context,
      source.source === "settings" ? { ...source, plugins: [...source.plugins] } : source,
      "user",
    )
  const names = ["git-mkt", "npm-mkt", "url-mkt", "zip-mkt", "dir-mkt", "file-mkt", "set-mkt"]
  const { stdout } = await claude(home, "plugin", "marketplace", "list", "--json")
  expect((JSON.parse(stdout) as { name: string }[]).map((one) => one.name).sort()).toEqual([...names].sort())
  for (const name of names) await installPlugin(context, { plugin: `a@${name}`, scope: "user", ask: yes })
  const listed = await claudeList(home)
  expect(Object.keys(listed).sort()).toEqual(names.map((name) => `a@${name}`).sort())
  expect(JSON.stringify(listed["a@file-mkt"])).not.toContain("error")
  await claude(home, "plugin", "uninstall", "a@file-mkt")
  await claude(home, "plugin", "install", "a@file-mkt")
  expect(Object.keys(await claudeList(home))).toContain("a@file-mkt")
})

test("Claude Code starts the server of a bundle with the options we set for it", async () => {
  await using home = scratchHome()
  await using bench = new Workbench()
  const text = { type: "string", title: "T", description: "d" }
  const server = `require("node:fs").writeFileSync(process.env.HOME + "/bell-options.json", JSON.stringify([process.argv[2], process.env.KEY, process.env.COUNT, process.env.LOUD, process.env.TAGS]))\n${MCP_SERVER}`
  const start = {
    command: "node",
    args: ["${__dirname}/s.js", "${user_config.folder}"],
    env: {
      KEY: "${user_config.key}",
      COUNT: "${user_config.count}",
      LOUD: "${user_config.loud}",
      TAGS: "${user_config.tags}",
    },
  }
  const asks = {
    key: { ...text, sensitive: true, required: true },
    count: { ...text, type: "number" },
    loud: { ...text, type: "boolean" },
    tags: { ...text, multiple: true },
    folder: { ...text, type: "directory" },
  }
  const manifest = {
    manifest_version: "0.2",
    name: "belfry",
    version: "1.0.0",
    description: "d",
    author: { name: "A" },
    server: { type: "node", entry_point: "s.js", mcp_config: start },
    user_config: asks,
  }
  const root = writeTree(join(home.path, "market"), {
    ".claude-plugin/marketplace.json": market("bells", [{ name: "tower", source: "./tower" }]),
    "tower/.claude-plugin/plugin.json": plugin("tower", { mcpServers: "./belfry.mcpb" }),
  })
  writeFileSync(
    join(root, "tower/belfry.mcpb"),
    bench.zip({ "manifest.json": JSON.stringify(manifest), "s.js": server }),
  )
  const context = contextFor(home)
  await addMarketplace(context, { source: "directory", path: root }, "user")
  await installPlugin(context, { plugin: "tower@bells", scope: "user", ask: yes })
  const { id, options } = installedOptions(context, "tower")
  await configure(context.home, secretStore(context.home, { CHORUS_SECRETS: "file" }), id, options, {
    "belfry.key": "S3",
    "belfry.count": "3",
    "belfry.loud": "yes",
    "belfry.tags": "a,b",
    "belfry.folder": home.path,
  })
  expect((await claude(home, "mcp", "list")).stdout).toMatch(/plugin:tower:belfry: .*Connected/)
  expect(JSON.parse(readFileSync(join(home.path, "bell-options.json"), "utf8"))).toEqual([
    home.path,
    "S3",
    "3",
    "true",
    "a,b",
  ])
})
