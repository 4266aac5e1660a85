import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import { addMarketplace, contentHash, installPlugin, loadPlugins, readPins } from "@chorus/plugins"
import { market, plugin, skill, Workbench, yes } from "./workbench.ts"

let bench: Workbench
beforeEach(() => {
  bench = new Workbench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const KILLS = process.env["CHORUS_STRESS"] === "1" ? 100 : 10

test(
  `${KILLS} installs killed at random moments, two at a time, leave a usable state`,
  { timeout: 300_000 },
  async () => {
    await addMarketplaces()
    const ids = ["b@mkt", "g@mkt", "a@gitm"]
    const faults: string[] = []
    for (let kill = 0; kill < KILLS; kill += 2) {
      const children = [start(ids, faults), start([...ids].reverse(), faults)]
      await Promise.all(children.map(ready))
      await delay(Math.random() * 250)
      await Promise.all(children.map(end))
      expectSound()
    }
    expect(faults).toEqual([])
    for (const id of ids) await installPlugin(bench.context(), { plugin: id, scope: "user", ask: yes })
    const { plugins } = await loadPlugins(bench.context())
    expect(plugins.map((one) => [one.id, one.loads]).sort()).toEqual([
      ["a@gitm", true],
      ["a@mkt", true],
      ["b@mkt", true],
      ["g@mkt", true],
    ])
    expect(readdirSync(bench.claude("plugins/cache")).filter((name) => name.startsWith("temp_"))).toEqual([])
    expectSound()
  },
)

test("eight installs at once each succeed and none loses what another wrote", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
  const root = bench.write("mkt", {
    ".claude-plugin/marketplace.json": market(
      "mkt",
      names
        .map((name) => ({ name, source: `./${name}`, dependencies: ["dep"] }))
        .concat([{ name: "dep", source: "./dep", dependencies: [] }]),
    ),
    ...Object.fromEntries([...names, "dep"].map((name) => [`${name}/.claude-plugin/plugin.json`, plugin(name)])),
  })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
  const results = await Promise.all(
    [...names, ...names].map((name) =>
      installPlugin(bench.context(), { plugin: `${name}@mkt`, scope: "user", ask: yes }),
    ),
  )
  expect(results.length).toBe(16)
  expect(Object.keys(bench.installed).sort()).toEqual(["dep@mkt", ...names.map((name) => `${name}@mkt`)].sort())
  expect(Object.values(bench.installed).every((records) => records.length === 1)).toBe(true)
  expect(Object.keys(bench.settings["enabledPlugins"] as object).length).toBe(9)
})

async function addMarketplaces(): Promise<void> {
  const big = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`b/skills/s${index}/SKILL.md`, skill(`s${index}`) + "x".repeat(2000)]),
  )
  bench.commit("g", {
    ".claude-plugin/plugin.json": plugin("g"),
    "hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo" }] }] } },
  })
  const root = bench.write("mkt", {
    ".claude-plugin/marketplace.json": market("mkt", [
      { name: "a", source: "./a" },
      { name: "b", source: "./b" },
      { name: "g", source: { source: "url", url: `file://${bench.fixtures}/g` } },
    ]),
    "a/.claude-plugin/plugin.json": plugin("a"),
    "b/.claude-plugin/plugin.json": plugin("b", { dependencies: ["a"] }),
    ...big,
  })
  bench.commit("gitm", {
    ".claude-plugin/marketplace.json": market("gitm", [{ name: "a", source: "./a" }]),
    "a/.claude-plugin/plugin.json": plugin("ga"),
  })
  await addMarketplace(bench.context(), { source: "directory", path: root }, "user")
  await addMarketplace(bench.context(), { source: "git", url: `file://${bench.fixtures}/gitm` }, "user")
}

/** Every file parses, and whatever is recorded as installed is there whole. */
function expectSound(): void {
  const home = bench.context().home
  for (const file of [
    "settings.json",
    "plugins/installed_plugins.json",
    "plugins/known_marketplaces.json",
    "plugins/chorus/lock.json",
    "plugins/chorus/consents.json",
  ])
    if (existsSync(bench.claude(file))) bench.json(bench.claude(file))
  const pins = readPins(home, "user")
  const installed = existsSync(bench.claude("plugins/installed_plugins.json")) ? bench.installed : {}
  for (const [id, records] of Object.entries(installed))
    for (const record of records)
      expect([id, contentHash(String(record["installPath"]))]).toEqual([id, pins.get(id)?.contentHash])
}

function start(ids: readonly string[], faults: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, "install-loop.ts"), bench.project, ...ids], {
    env: bench.env,
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stderr?.on("data", (chunk: Buffer) => faults.push(chunk.toString("utf8")))
  return child
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", () => resolve())
    child.once("exit", (code) => reject(new Error(`ended with ${String(code)} before it began`)))
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners("exit")
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
}
