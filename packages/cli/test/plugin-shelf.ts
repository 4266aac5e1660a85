import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { chorusHere, chorusHereJson, type Ended, refusalOf, type Surroundings } from "./command-line.ts"

/** A home without plugins, and a marketplace in a folder: `calm` says words and has options, `busy` runs a command and needs `calm`, `odd` cannot be loaded. */
export interface PluginShelf {
  readonly home: string
  readonly market: string
  run(argv: readonly string[], more?: Surroundings): Promise<Ended>
  json<T>(argv: readonly string[], more?: Surroundings): Promise<T>
  refused(argv: readonly string[], more?: Surroundings): ReturnType<typeof refusalOf>
  /** Puts files into the marketplace's folder. */
  put(files: Readonly<Record<string, unknown>>): void
}

function pluginShelf(folder: string): PluginShelf {
  const home = join(folder, "home")
  const market = join(folder, "market")
  const around = (more: Surroundings = {}): Surroundings => ({
    ...more,
    env: {
      HOME: home,
      CHORUS_SECRETS: "file",
      CHORUS_CLAUDE_VERSION: "2.1.325",
      CHORUS_OFFLINE: "1",
      CHORUS_MANAGED_SETTINGS: join(folder, "managed.json"),
      ...more.env,
    },
  })
  const put: PluginShelf["put"] = (files) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(market, name)), { recursive: true })
      writeFileSync(join(market, name), typeof content === "string" ? content : JSON.stringify(content))
    }
  }
  mkdirSync(home, { recursive: true })
  put({
    ".claude-plugin/marketplace.json": {
      name: "tools",
      owner: { name: "O" },
      description: "Tools.",
      plugins: [
        { name: "calm", source: "./calm", description: "Only words" },
        { name: "busy", source: "./busy", description: "Runs things" },
        { name: "odd", source: "./odd", description: "Cannot load" },
      ],
    },
    "calm/.claude-plugin/plugin.json": manifest("calm", {
      userConfig: {
        tone: {
          type: "string",
          title: "Tone",
          description: "How it speaks.",
          options: ["low", "high"],
          required: true,
        },
        key: { type: "string", title: "Key", description: "Its key.", sensitive: true },
      },
    }),
    "calm/skills/s/SKILL.md": "---\nname: s\ndescription: says words\n---\nSay it.\n",
    "busy/.claude-plugin/plugin.json": manifest("busy", { dependencies: ["calm"] }),
    "busy/hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo done" }] }] } },
    "odd/.claude-plugin/plugin.json": "{",
  })
  return {
    home,
    market,
    put,
    run: (argv, more) => chorusHere(["plugin", ...argv], around(more)),
    json: (argv, more) => chorusHereJson(["plugin", ...argv], around(more)),
    refused: (argv, more) => refusalOf(["plugin", ...argv], around(more)),
  }
}

/** The same, with the marketplace added. */
export async function stockedShelf(folder: string): Promise<PluginShelf> {
  const shelf = pluginShelf(folder)
  await shelf.run(["marketplace", "add", shelf.market])
  return shelf
}

export function manifest(name: string, more: object = {}): object {
  return { name, version: "1.0.0", description: `${name} things`, author: { name: "A" }, ...more }
}
