import { appendFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import {
  addMarketplace,
  type AskConsent,
  auditPlugins,
  checkLock,
  contentHash,
  installPlugin,
  loadPlugins,
  machineInventory,
  type PluginContext,
  readPins,
  syncPlugins,
  updateMarketplace,
  updatePlugin,
} from "@chorus/plugins"
import type { CuratedSet } from "@chorus/contracts"
import { codeOf, market, plugin, skill, type Tree, Workbench, yes } from "./workbench.ts"

let publisher: Workbench
let mine: Workbench
let theirs: Workbench
beforeEach(() => {
  publisher = new Workbench()
  mine = new Workbench()
  theirs = new Workbench()
})
afterEach(async () => {
  for (const bench of [publisher, mine, theirs]) await bench[Symbol.asyncDispose]()
})

const url = (at: string) => `file://${publisher.fixtures}/${at}`
const source = () => ({ source: "git", url: url("mkt") }) as const
const install = (bench: Workbench, id: string, more: Tree = {}) =>
  installPlugin(bench.context(), { plugin: id, scope: "project", ask: yes, ...more })

/** Publishes the catalogue and adds it on a machine. */
async function publish(entries: readonly unknown[], tree: Tree = {}): Promise<void> {
  publisher.commit("mkt", { ".claude-plugin/marketplace.json": market("mkt", entries), ...tree })
}

/** What one machine locked, for the other. */
function shareLock(): void {
  theirs.write("../proj/.claude", { "plugin-lock.json": mine.json(join(mine.project, ".claude/plugin-lock.json")) })
}

test("two machines with one lock have the same bytes from every kind of source, although the marketplace moved on", async () => {
  const build = (name: string, version: string): Tree => ({
    ".claude-plugin/plugin.json": plugin(name, { version }),
    "skills/s/SKILL.md": skill(version),
  })
  const files: Record<string, Uint8Array> = {}
  const newer = build("npm", "2.0.0")
  const packages: Record<string, Record<string, Tree>> = { pkg: { "1.0.0": build("npm", "1.0.0"), "2.0.0": newer } }
  const site = await publisher.serveFiles(files)
  const nest = (folder: string, tree: Tree) =>
    Object.fromEntries(Object.entries(tree).map(([name, content]) => [`${folder}/${name}`, content]))
  const entries = (version: string, archive: string) => [
    { name: "own", source: { source: "url", url: url("own") } },
    { name: "sub", source: { source: "git-subdir", url: url("mono"), path: "plugins/sub" } },
    { name: "npm", source: { source: "npm", package: "pkg" } },
    { name: "zip", source: { source: "archive", url: `${site}/${archive}` } },
    ...(version === "1.0.0" ? [{ name: "rel", source: "./rel" }] : [{ name: "rel", source: "./elsewhere/rel" }]),
  ]
  const zipped = (version: string) => {
    const files = Object.entries(build("zip", version)).map(([name, content]) => [
      name,
      typeof content === "string" ? content : JSON.stringify(content),
    ])
    return publisher.zip(Object.fromEntries(files) as Record<string, string>)
  }
  const ids = ["own@mkt", "sub@mkt", "npm@mkt", "zip@mkt", "rel@mkt"]
  publisher.commit("own", build("own", "1.0.0"))
  publisher.commit("mono", nest("plugins/sub", build("sub", "1.0.0")))
  files["/v1.zip"] = zipped("1.0.0")
  const registry = await publisher.npmRegistry(packages)
  delete packages["pkg"]?.["2.0.0"]
  // A plugin may share a folder of its marketplace by a link.
  publisher.write("mkt", { "shared/common.txt": "shared 1.0.0", ...nest("rel", build("rel", "1.0.0")) })
  symlinkSync("../shared", join(publisher.fixtures, "mkt/rel/shared"))
  await publish(entries("1.0.0", "v1.zip"))
  for (const bench of [mine, theirs]) {
    bench.registry = registry
    bench.trust(new URL(site).host)
  }
  await addMarketplace(mine.context(), source(), "user")
  for (const id of ids) await install(mine, id)
  shareLock()

  publisher.commit("own", build("own", "2.0.0"))
  publisher.commit("mono", nest("plugins/sub", build("sub", "2.0.0")))
  packages["pkg"] = { ...packages["pkg"], "2.0.0": newer }
  files["/v2.zip"] = zipped("2.0.0")
  rmSync(join(publisher.fixtures, "mkt/rel"), { recursive: true })
  await publish(entries("2.0.0", "v2.zip"), {
    "shared/common.txt": "shared 2.0.0",
    ...nest("elsewhere/rel", build("rel", "2.0.0")),
  })
  await addMarketplace(theirs.context(), source(), "user")
  for (const id of ids) {
    const ours = mine.installed[id]?.[0]
    const result = await install(theirs, id)
    expect(result.version, id).toBe(ours?.["version"])
    expect(contentHash(result.installPath), id).toBe(contentHash(String(ours?.["installPath"])))
  }
  expect(theirs.json(join(theirs.project, ".claude/plugin-lock.json"))).toEqual(
    mine.json(join(mine.project, ".claude/plugin-lock.json")),
  )
  expect(await checkLock(theirs.context())).toEqual([])
})

test.each(["project", "local"] as const)(
  "two projects of one machine keep their own builds of one version, in %s scope",
  async (scope) => {
    const other = { ...mine.context(), home: { ...mine.context().home, project: join(mine.root, "other") } }
    const build = (text: string) =>
      publish([{ name: "a", source: "./a" }], {
        "a/.claude-plugin/plugin.json": plugin("a"),
        "a/skills/s/SKILL.md": skill(text),
      })
    const put = (context: PluginContext) => installPlugin(context, { plugin: "a@mkt", scope, ask: yes })
    const running = async (context: PluginContext) => (await loadPlugins(context)).plugins[0]?.folder ?? ""
    await build("first")
    await addMarketplace(mine.context(), source(), "user")
    const first = contentHash((await put(mine.context())).installPath)
    await build("second")
    await updateMarketplace(mine.context(), "mkt")
    const second = contentHash((await put(other)).installPath)
    expect(second).not.toBe(first)
    for (const context of [mine.context(), other, mine.context()]) await put(context)
    appendFileSync(join(await running(mine.context()), "skills/s/SKILL.md"), "changed")
    await put(mine.context())
    for (const [context, hash] of [
      [mine.context(), first],
      [other, second],
    ] as const) {
      expect(contentHash(await running(context))).toBe(hash)
      expect(readPins(context.home, scope).get("a@mkt")?.contentHash).toBe(hash)
      const told = auditPlugins(context, (await loadPlugins(context)).plugins)
      expect(told.filter(({ severity }) => severity === "high")).toEqual([])
    }
    await updatePlugin(mine.context(), "a", { ask: yes })
    expect(contentHash(await running(mine.context()))).toBe(second)
    expect(contentHash(await running(other))).toBe(second)
  },
)

test("a plugin that its marketplace withdrew is still to be had by the lock", async () => {
  await publish([{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
  await addMarketplace(mine.context(), source(), "user")
  await install(mine, "a@mkt")
  shareLock()
  rmSync(join(publisher.fixtures, "mkt/a"), { recursive: true })
  await publish([])
  await addMarketplace(theirs.context(), source(), "user")
  const result = await install(theirs, "a@mkt")
  expect(contentHash(result.installPath)).toBe(contentHash(String(mine.installed["a@mkt"]?.[0]?.["installPath"])))
})

test("bytes that are gone are told with two choices, and one of them is to take what is offered now", async () => {
  publisher.commit("own", { ".claude-plugin/plugin.json": plugin("own") })
  await publish([{ name: "own", source: { source: "url", url: url("own") } }])
  await addMarketplace(mine.context(), source(), "user")
  await install(mine, "own@mkt")
  const commit = readPins(mine.context().home, "project").get("own@mkt")?.gitCommitSha ?? ""
  shareLock()
  rmSync(join(publisher.fixtures, "own"), { recursive: true })
  publisher.commit("own", { ".claude-plugin/plugin.json": plugin("own", { version: "2.0.0" }) })
  await addMarketplace(theirs.context(), source(), "user")
  const failure = await install(theirs, "own@mkt").catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: "locked_gone",
    message: expect.stringContaining(commit) as string,
    next: expect.stringMatching(
      /^Either .*install own@mkt --newest.*, or ask its publisher to bring it back\.$/,
    ) as string,
  })
  const taken = await install(theirs, "own@mkt", { newest: true })
  expect(taken.version).toBe("2.0.0")
  expect(readPins(theirs.context().home, "project").get("own@mkt")?.version).toBe("2.0.0")
  expect(await codeOf(install(mine, "own@mkt"))).toBe("nothing was refused")
})

test("a curated set gives the approved build, on a new machine and on one that went ahead", async () => {
  await publish([{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
  await addMarketplace(mine.context(), source(), "user")
  await installPlugin(mine.context(), { plugin: "a@mkt", scope: "user", ask: yes })
  const [approved] = (await machineInventory(mine.context())).plugins
  if (approved?.contentHash === undefined || approved.surfaceHash === undefined) throw new Error("no build")
  const set: CuratedSet = {
    revision: 1,
    marketplaces: { mkt: { source: source() } },
    exclusive: false,
    plugins: [
      {
        id: approved.id,
        version: approved.version,
        contentHash: approved.contentHash,
        surfaceHash: approved.surfaceHash,
        ...(approved.fetchFrom === undefined ? {} : { fetchFrom: approved.fetchFrom }),
        enabled: true,
        required: true,
      },
    ],
  }
  await publish([{ name: "a", source: "./a" }], {
    "a/.claude-plugin/plugin.json": plugin("a", { version: "2.0.0" }),
    "a/new.txt": "new",
  })
  expect(await syncPlugins(theirs.context(), set, { ask: yes })).toMatchObject({
    done: [{ id: "a@mkt", action: "installed" }],
    failed: [],
    deviations: [],
  })
  await updateMarketplace(mine.context(), "mkt")
  await updatePlugin(mine.context(), "a@mkt", { ask: yes })
  expect(mine.installed["a@mkt"]).toMatchObject([{ version: "2.0.0" }])
  expect(await syncPlugins(mine.context(), set, { ask: yes })).toMatchObject({
    done: [{ id: "a@mkt", action: "updated" }],
    failed: [],
    deviations: [],
  })
  expect(mine.installed["a@mkt"]).toMatchObject([{ version: "1.0.0" }])
})

test("a check of the lock tells what is missing, changed and not locked", async () => {
  await publish(
    [
      { name: "a", source: "./a" },
      { name: "b", source: "./b" },
    ],
    { "a/.claude-plugin/plugin.json": plugin("a"), "b/.claude-plugin/plugin.json": plugin("b") },
  )
  await addMarketplace(mine.context(), source(), "user")
  await install(mine, "a@mkt")
  await install(mine, "b@mkt")
  expect(await checkLock(mine.context())).toEqual([])
  shareLock()
  expect((await checkLock(theirs.context())).map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    "a@mkt missing",
    "b@mkt missing",
  ])
  const lock = join(mine.project, ".claude/plugin-lock.json")
  const content = mine.json(lock) as { plugins: Record<string, Record<string, unknown>> }
  delete content.plugins["b@mkt"]
  const pin = content.plugins["a@mkt"]
  if (pin !== undefined) pin["contentHash"] = "sha256-0"
  mine.write("../proj/.claude", { "plugin-lock.json": content })
  expect((await checkLock(mine.context())).map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    "a@mkt changed",
    "b@mkt not_locked",
  ])
})

test("an address that only the lock names is shown before anything is installed, and without a yes nothing is", async () => {
  await publish([{ name: "a", source: "./a" }], { "a/.claude-plugin/plugin.json": plugin("a") })
  publisher.commit("other", { ".claude-plugin/plugin.json": plugin("a"), "skills/s/SKILL.md": skill("planted") })
  const sha = publisher.git(join(publisher.fixtures, "other"), "rev-parse", "HEAD").trim()
  const contentHashOf = contentHash(join(publisher.fixtures, "other"))
  theirs.write("../proj/.claude", {
    "plugin-lock.json": {
      version: 1,
      plugins: {
        "a@mkt": {
          version: "1.0.0",
          contentHash: contentHashOf,
          surfaceHash: "",
          source: "./a",
          fetchFrom: { source: "url", url: url("other"), sha },
        },
      },
    },
  })
  await addMarketplace(theirs.context(), source(), "user")
  const shown: string[] = []
  const ask: AskConsent = (question) => {
    shown.push(...question.plugins.flatMap((one) => one.added.map((item) => item.does)))
    return false
  }
  expect(await codeOf(install(theirs, "a@mkt", { ask }))).toBe("consent_required")
  expect(shown).toEqual([`comes from ${url("other")}, which the lock names and its marketplace does not`])
})
