import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { market, plugin, skill, type Workbench } from "./workbench.ts"

/** A catalogue of plugins in the shapes real ones have; every third listed by a git address. */
export function writeCatalogue(bench: Workbench, count: number): { root: string; folders: string[] } {
  const names = namesOf(count)
  const source = (name: string, index: number) =>
    index % 3 === 2
      ? { source: "url", url: `https://git.example/${name}.git`, sha: "a".repeat(40) }
      : `./plugins/${name}`
  const root = bench.write("big", {
    ".claude-plugin/marketplace.json": market(
      "big",
      names.map((name, index) => ({ name, source: source(name, index) })),
    ),
  })
  for (const [index, name] of names.entries()) bench.write(`big/plugins/${name}`, realistic(index))
  return { root, folders: names.map((name) => join(root, "plugins", name)) }
}

/** Puts as many plugins into a home as if they had been installed and enabled; says how many of them are sound. */
export function writeInstalled(bench: Workbench, count: number): number {
  const home = bench.context().home
  const names = namesOf(count)
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(value))
  }
  for (const [index, name] of names.entries())
    bench.write(`../home/.claude/plugins/cache/big/${name}/1.0.0`, realistic(index))
  const root = bench.write("home-mkt", {
    ".claude-plugin/marketplace.json": market(
      "big",
      names.map((name) => ({ name, source: { source: "url", url: `https://git.example/${name}.git` } })),
    ),
  })
  write(join(home.plugins, "known_marketplaces.json"), {
    big: { source: { source: "git", url: "https://git.example/m.git" }, installLocation: root },
  })
  write(join(home.plugins, "installed_plugins.json"), {
    version: 2,
    plugins: Object.fromEntries(
      names.map((name) => [
        `${name}@big`,
        [{ scope: "user", installPath: join(home.plugins, "cache/big", name, "1.0.0"), version: "1.0.0" }],
      ]),
    ),
  })
  write(join(home.config, "settings.json"), {
    enabledPlugins: Object.fromEntries(names.map((name) => [`${name}@big`, true])),
  })
  return names.filter((_, index) => !isBroken(index)).length
}

/** A plugin of the shapes real catalogues have: mostly skills and commands, some hooks and servers, the odd mistake. */
function realistic(index: number): Record<string, unknown> {
  const name = `plugin-${index}`
  return {
    ".claude-plugin/plugin.json": plugin(name, {
      keywords: ["a", "b"],
      repository: "https://git.example/x",
      license: "MIT",
      ...(isBroken(index) ? { author: "string" } : {}),
      ...(index % 30 === 0 ? { tier: "gold", claudeCode: {} } : {}),
    }),
    "README.md": `# ${name}\n${"words ".repeat(200)}`,
    "skills/one/SKILL.md": skill("one") + "text ".repeat(300),
    "skills/two/SKILL.md":
      index % 20 === 0 ? "no front matter" : "---\nname: two\ndescription: Use when: the user asks\n---\nb",
    "commands/go.md": "---\ndescription: d\nargument-hint: [a] [b]\n---\nrun $ARGUMENTS",
    ...(index % 3 === 0 ? { "agents/helper.md": "---\nname: helper\ndescription: d\n---\nb" } : {}),
    ...(index % 8 === 0
      ? {
          "hooks/hooks.json": {
            hooks: {
              PostToolUse: [
                { matcher: "Edit|Write", hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/x.sh"' }] },
              ],
            },
          },
          "x.sh": "#!/bin/sh",
        }
      : {}),
    ...(index % 6 === 0 ? { ".mcp.json": { srv: { type: "http", url: "https://mcp.example/x" } } } : {}),
  }
}

function isBroken(index: number): boolean {
  return index % 50 === 0
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `plugin-${index}`)
}
