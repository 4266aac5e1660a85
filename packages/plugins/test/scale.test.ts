import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { contributionOf, loadPlugins, validatePath } from "@chorus/plugins"
import { market, plugin, skill, Workbench } from "./workbench.ts"

/** A plugin of the shapes real catalogues have: mostly skills and commands, some hooks and servers, the odd mistake. */
function realistic(index: number): Record<string, unknown> {
  const name = `plugin-${index}`
  return {
    ".claude-plugin/plugin.json": plugin(name, { keywords: ["a", "b"], repository: "https://git.example/x", license: "MIT", ...(index % 50 === 0 ? { author: "string" } : {}), ...(index % 30 === 0 ? { tier: "gold", claudeCode: {} } : {}) }),
    "README.md": `# ${name}\n${"words ".repeat(200)}`,
    "skills/one/SKILL.md": skill("one") + "text ".repeat(300),
    "skills/two/SKILL.md": index % 20 === 0 ? "no front matter" : "---\nname: two\ndescription: Use when: the user asks\n---\nb",
    "commands/go.md": "---\ndescription: d\nargument-hint: [a] [b]\n---\nrun $ARGUMENTS",
    ...(index % 3 === 0 ? { "agents/helper.md": "---\nname: helper\ndescription: d\n---\nb" } : {}),
    ...(index % 8 === 0 ? { "hooks/hooks.json": { hooks: { PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/x.sh"' }] }] } }, "x.sh": "#!/bin/sh" } : {}),
    ...(index % 6 === 0 ? { ".mcp.json": { srv: { type: "http", url: "https://mcp.example/x" } } } : {}),
  }
}

/** Milliseconds of work since then: what else the machine does must not decide. */
function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

test("a thousand plugins and their catalogue validate within ten seconds", async () => {
  await using bench = new Workbench()
  const names = Array.from({ length: 1000 }, (_, index) => `plugin-${index}`)
  const root = bench.write("big", { ".claude-plugin/marketplace.json": market("big", names.map((name, index) => ({ name, source: index % 3 === 2 ? { source: "url", url: `https://git.example/${name}.git`, sha: "a".repeat(40) } : `./plugins/${name}` }))) })
  for (const [index, name] of names.entries()) bench.write(`big/plugins/${name}`, realistic(index))
  const start = process.cpuUsage()
  const catalogue = validatePath(root)
  const verdicts = names.map((name) => validatePath(join(root, "plugins", name)).verdict)
  const seconds = spent(start) / 1000
  expect(catalogue.verdict).toBe("errors")
  expect(verdicts.filter((verdict) => verdict === "errors").length).toBe(20)
  expect(verdicts.filter((verdict) => verdict === "valid").length).toBeGreaterThan(850)
  expect(seconds).toBeLessThan(10)
})

test("listing and loading a hundred enabled plugins takes at most 300 ms", async () => {
  await using bench = new Workbench()
  const home = bench.context().home
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(value))
  }
  const names = Array.from({ length: 100 }, (_, index) => `plugin-${index}`)
  const valid = names.filter((_, index) => index % 50 !== 0)
  for (const [index, name] of names.entries()) bench.write(`../home/.claude/plugins/cache/big/${name}/1.0.0`, realistic(index))
  const root = bench.write("home-mkt", { ".claude-plugin/marketplace.json": market("big", names.map((name) => ({ name, source: { source: "url", url: `https://git.example/${name}.git` } }))) })
  write(join(home.plugins, "known_marketplaces.json"), { big: { source: { source: "git", url: "https://git.example/m.git" }, installLocation: root } })
  write(join(home.plugins, "installed_plugins.json"), { version: 2, plugins: Object.fromEntries(names.map((name) => [`${name}@big`, [{ scope: "user", installPath: join(home.plugins, "cache/big", name, "1.0.0"), version: "1.0.0" }]])) })
  write(join(home.config, "settings.json"), { enabledPlugins: Object.fromEntries(names.map((name) => [`${name}@big`, true])) })
  await loadPlugins(bench.context())
  const times: number[] = []
  for (let run = 0; run < 5; run += 1) {
    const start = process.cpuUsage()
    const { plugins } = await loadPlugins(bench.context())
    const tokens = plugins.map((one) => contributionOf(one).tokens.always)
    times.push(spent(start))
    expect(plugins.filter((one) => one.loads).length).toBe(valid.length)
    expect(tokens.filter((count) => count > 0).length).toBe(valid.length)
  }
  expect(Math.min(...times)).toBeLessThan(300)
})
