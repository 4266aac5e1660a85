import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { agentProgram, CHORUS_MAIN, openTerminal } from "@chorus/testing"
import { contentHash } from "@chorus/plugins"
import { market, plugin, skill, Workbench } from "./workbench.ts"

let bench: Workbench
beforeEach(() => {
  bench = new Workbench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function chorus(args: readonly string[], input?: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CHORUS_MAIN, "plugin", ...args], {
      cwd: bench.project,
      env: { ...bench.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")))
    child.on("close", (code) => resolve({ code, out, err }))
    child.stdin.end(input ?? "")
  })
}

const json = (ran: Ran) => JSON.parse(ran.out) as Record<string, unknown>

function toolMarketplace(): string {
  return bench.write("tools", {
    ".claude-plugin/marketplace.json": market("tools", [
      { name: "calm", source: "./calm", description: "Only words" },
      { name: "busy", source: "./busy", description: "Runs things" },
    ]),
    "calm/.claude-plugin/plugin.json": plugin("calm", {
      userConfig: {
        tone: { type: "string", title: "Tone", description: "d", options: ["low", "high"], required: true },
        key: { type: "string", title: "Key", description: "d", sensitive: true },
      },
    }),
    "calm/skills/s/SKILL.md": skill(),
    "busy/.claude-plugin/plugin.json": plugin("busy", { dependencies: ["calm"] }),
    "busy/hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo done" }] }] } },
  })
}

/** A marketplace that updates itself, and whose server has stopped to answer: the menu must not wait for it. */
async function addSilentMarketplace(): Promise<void> {
  let silent = false
  const url = await bench.serve((_request, response) => {
    if (!silent) response.end(JSON.stringify(market("far", [])))
  })
  expect((await chorus(["marketplace", "add", `${url}/marketplace.json`])).code).toBe(0)
  const file = bench.claude("plugins/known_marketplaces.json")
  const known = bench.json(file) as Record<string, object>
  writeFileSync(
    file,
    JSON.stringify({ ...known, far: { ...known["far"], autoUpdate: true, lastUpdated: "2020-01-01" } }),
  )
  silent = true
}

test("validate prints one object and says by its exit code what it found", async () => {
  const good = bench.write("good", { ".claude-plugin/plugin.json": plugin("good") })
  const meh = bench.write("meh", { ".claude-plugin/plugin.json": plugin("meh", { foo: 1 }) })
  const bad = bench.write("bad", { ".claude-plugin/plugin.json": plugin("bad", { author: "x" }) })
  const ran = await chorus(["validate", good, "--json"])
  expect([ran.code, json(ran)]).toMatchObject([0, { success: true, strict: false, verdict: "valid", messages: [] }])
  const warned = await chorus(["validate", meh, "--json"])
  expect([warned.code, json(warned)["verdict"]]).toEqual([0, "warnings"])
  expect((await chorus(["validate", meh, "--strict"])).code).toBe(1)
  const failed = await chorus(["validate", bad])
  expect(failed.code).toBe(1)
  expect(failed.out).toContain(".claude-plugin/plugin.json:1 author")
  expect((await chorus(["validate", join(bench.fixtures, "nothing"), "--json"])).code).toBe(1)
})

test("all sub-commands are there", async () => {
  const { out } = await chorus(["--help"])
  for (const name of [
    "install",
    "manage",
    "uninstall",
    "enable",
    "disable",
    "validate",
    "marketplace",
    "update",
    "list",
    "details",
    "configure",
    "prune",
    "audit",
    "trust",
    "pin",
    "unpin",
    "sync",
    "translate",
    "init",
    "tag",
  ])
    expect(out).toMatch(new RegExp(`^  ${name}\\b`, "m"))
  const marketHelp = await chorus(["marketplace", "--help"])
  for (const name of ["add", "remove", "update", "list"])
    expect(marketHelp.out).toMatch(new RegExp(`^  ${name}\\b`, "m"))
  expect((await chorus([])).out).toContain("Usage: chorus plugin")
})

test("a program installs by accepting a digest, configures, switches, audits and removes", async () => {
  expect(json(await chorus(["marketplace", "add", toolMarketplace(), "--json"]))).toMatchObject({
    outcome: "ok",
    marketplace: "tools",
    plugins: 2,
  })
  const refused = await chorus(["install", "busy@tools", "--json"])
  const { error } = JSON.parse(refused.err) as { error: { code: string; details: { sha256: string } } }
  expect([refused.code, error.code]).toEqual([1, "consent_required"])
  expect(json(await chorus(["install", "busy@tools", "--accept", error.details.sha256, "--json"]))).toMatchObject({
    outcome: "ok",
    pluginId: "busy@tools",
    dependencies: ["calm@tools"],
  })
  expect(
    json(await chorus(["configure", "calm", "--values-stdin", "--json"], '{"tone":"low","key":"S3"}')),
  ).toMatchObject({ saved: ["tone", "key"], unconfigured: [] })
  expect((await chorus(["configure", "calm", "--config", "tone=loud"])).err).toContain("one of: low, high")
  const listed = JSON.parse((await chorus(["list", "--details", "--json"])).out) as Record<string, unknown>[]
  expect(listed).toMatchObject([
    { id: "calm@tools", loads: true, contributes: { skills: ["calm:s"] } },
    { id: "busy@tools", loads: true, contributes: { hooks: ["Stop: command"] } },
  ])
  expect((await chorus(["disable", "calm"])).code).toBe(1)
  expect(json(await chorus(["disable", "busy", "--json"]))).toMatchObject({
    outcome: "ok",
    pluginId: "busy@tools",
    scope: "user",
  })
  expect((await chorus(["audit"])).code).toBe(0)
  expect(json(await chorus(["uninstall", "busy", "--prune", "--json"]))).toMatchObject({
    outcome: "ok",
    pruned: ["calm@tools"],
  })
  expect((await chorus(["marketplace", "remove", "tools"])).out).toContain("removed tools")
  expect((await chorus(["install", "busy@tools"])).err).toContain("[not_found]")
})

test("what only Claude Code can do is done by it, with its words and its exit code", async () => {
  const program = await agentProgram("claude-code")
  const quiet = { PATH: `${dirname(program)}:${bench.env["PATH"]}`, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
  expect(await chorus(["restore-set-aside", "a@b", "--discard"], "", quiet)).toMatchObject({
    code: 0,
    out: expect.stringContaining("set aside for a@b") as string,
  })
  const nothing = await chorus(["test", bench.fixtures], "", quiet)
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("no hooks module") as string])
  expect((await chorus(["eval", "--help"], "", quiet)).out).toContain("--judge-model")
  const alone = await chorus(["eval", "--runs", "3", "x"], "", { PATH: bench.fixtures })
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining("claude plugin eval --runs 3 x.") as string])
})

test("configure sets the options of a bundle inside a plugin, and shows which are set", async () => {
  const text = { type: "string", title: "T", description: "d" }
  const bundle = bench.zip({
    "manifest.json": JSON.stringify({
      name: "notes",
      server: { mcp_config: { command: "node" } },
      user_config: { key: { ...text, sensitive: true }, count: { ...text, type: "number", max: 5 } },
    }),
  })
  const root = bench.write("boxes", {
    ".claude-plugin/marketplace.json": market("boxes", [{ name: "box", source: "./box" }]),
    "box/.claude-plugin/plugin.json": plugin("box", { mcpServers: "./notes.mcpb" }),
    "box/notes.mcpb": bundle,
  })
  await chorus(["marketplace", "add", root])
  expect(json(await chorus(["install", "box@boxes", "--yes", "--config", "notes.count=2", "--json"]))).toMatchObject({
    configApplied: ["notes.count"],
    unsetOptions: ["notes.key"],
  })
  expect(json(await chorus(["configure", "box", "--values-stdin", "--json"], '{"notes.key":"S3"}'))).toEqual({
    pluginId: "box@boxes",
    saved: ["notes.key"],
    unconfigured: [],
  })
  expect((await chorus(["configure", "box", "--config", "notes.count=9"])).err).toContain("a number up to 5")
  expect((await chorus(["configure", "box"])).out).toMatch(/notes\.key +•+ .*\n +notes\.count +2 /)
  expect(bench.settings["pluginConfigs"]).toEqual({ "box@boxes": { mcpServers: { notes: { count: 2 } } } })
})

test("sync takes a curated set from standard input", async () => {
  const root = toolMarketplace()
  const set = {
    revision: 3,
    marketplaces: { tools: { source: { source: "directory", path: root } } },
    plugins: [{ id: "calm@tools", version: "1.0.0", contentHash: contentHash(join(root, "calm")), surfaceHash: "" }],
  }
  const synced = await chorus(["sync", "--from", "-", "--json"], JSON.stringify(set))
  expect([synced.code, json(synced)]).toMatchObject([
    0,
    { done: [{ id: "calm@tools", action: "installed" }], failed: [], deviations: [] },
  ])
  expect((await chorus(["sync", "--from", "-"], "{}")).err).toContain("[set_invalid]")
})

test("in a terminal the menu browses, shows what a plugin does, installs on yes and lists it", async () => {
  expect((await chorus(["marketplace", "add", toolMarketplace()])).code).toBe(0)
  await addSilentMarketplace()
  const env = Object.fromEntries(
    Object.entries(bench.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  await using terminal = await openTerminal({
    command: process.execPath,
    args: [CHORUS_MAIN, "plugin"],
    env: { ...env, TERM: "xterm-256color" },
    cwd: bench.project,
  })
  await terminal.waitForText(/Browse {2}2 on offer/)
  await terminal.type("Brow")
  await terminal.key("Enter")
  await terminal.waitForText(/calm@tools {2}Only words/)
  await terminal.type("busy")
  await terminal.waitForText(/Search: busy.*\(1 match\)/)
  await terminal.key("Enter")
  await terminal.waitForText(/you, everywhere/)
  await terminal.key("Enter")
  const shown = await terminal.waitForText(/Allow this on your machine\? \[y\/N\]/)
  expect(shown).toContain("echo done")
  await terminal.submit("y")
  await terminal.waitForText(/Installed {2}2 plugins, 2 on/)
  await terminal.key("Enter")
  await terminal.waitForText(/● busy@tools/)
  await terminal.key("Escape")
  await terminal.waitForText(/Marketplaces {2}2 added/)
  await terminal.key("Escape")
  expect(await terminal.waitForExit()).toBe(0)
})

test("in a terminal an install asks for the plugin's options, refuses what does not fit and hides what is secret", async () => {
  expect((await chorus(["marketplace", "add", toolMarketplace()])).code).toBe(0)
  const env = Object.fromEntries(
    Object.entries(bench.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  await using terminal = await openTerminal({
    command: process.execPath,
    args: [CHORUS_MAIN, "plugin", "install", "calm@tools"],
    env: { ...env, TERM: "xterm-256color" },
    cwd: bench.project,
  })
  await terminal.waitForText(/Tone \(string; required; one of low, high\)/)
  await terminal.submit("loud")
  await terminal.waitForText(/it must be one of: low, high/)
  await terminal.submit("high")
  await terminal.waitForText(/Key \(string; optional\)/)
  await terminal.type("s3cret")
  await terminal.key("Enter")
  expect(await terminal.waitForExit()).toBe(0)
  expect(await terminal.screen()).not.toContain("s3cret")
  expect(bench.settings["pluginConfigs"]).toEqual({ "calm@tools": { options: { tone: "high" } } })
  expect(bench.json(bench.claude(".credentials.json"))).toEqual({ pluginSecrets: { "calm@tools": { key: "s3cret" } } })
})
