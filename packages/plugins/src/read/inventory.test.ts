import { describe, expect, it } from "vitest"
import { plugin as manifest, skill } from "../../test/workbench.ts"
import { useFolder } from "../../test/scratch.ts"
import { listOf, readInventory } from "./inventory.ts"
import { readPlugin } from "./plugin.ts"

const scratch = useFolder()

function read(tree: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return readInventory(readPlugin(scratch.write({ ".claude-plugin/plugin.json": manifest("p", more), ...tree })))
}

const names = (parts: readonly { name: string }[]) => parts.map((part) => part.name)
const problems = (inventory: ReturnType<typeof read>) =>
  inventory.problems.map(({ part, type, message }) => `${part} ${type}: ${message}`)

describe("an empty plugin", () => {
  it("contributes nothing, and nothing is wrong with it", () => {
    expect(read({})).toEqual({
      commands: [],
      agents: [],
      skills: [],
      outputStyles: [],
      workflows: [],
      themes: [],
      hooks: [],
      modules: [],
      mcpServers: [],
      bundles: [],
      lspServers: [],
      monitors: [],
      channels: [],
      binaries: [],
      settings: {},
      problems: [],
    })
  })
})

describe("commands", () => {
  it("are named by their way below commands/, and read with front matter and body", () => {
    const { commands } = read({
      "commands/go.md": "---\ndescription: d\n---\nRun $ARGUMENTS\n",
      "commands/db/migrate.md": "plain",
      "commands/db/deep/x.md": "",
    })
    expect(names(commands)).toEqual(["p:db:deep:x", "p:db:migrate", "p:go"])
    expect(commands[2]).toEqual({
      name: "p:go",
      file: "commands/go.md",
      fields: { description: "d" },
      body: "Run $ARGUMENTS\n",
    })
    expect(commands[1]).toMatchObject({ fields: {}, body: "plain" })
  })

  it("with front matter that is broken keep their whole text as body", () => {
    const text = '---\ndescription: "open\n---\nbody'
    expect(read({ "commands/x.md": text }).commands[0]).toMatchObject({ fields: {}, body: text })
  })

  it("are those the manifest names instead, from files and folders, each once", () => {
    const inventory = read(
      { "extra/a.md": "", "extra/b.md": "", "one.md": "" },
      { commands: ["./extra", "./one.md", "./extra/a.md"] },
    )
    expect(inventory.commands.map(({ name, file }) => [name, file])).toEqual([
      ["p:a", "extra/a.md"],
      ["p:b", "extra/b.md"],
      ["p:one", "one.md"],
    ])
  })

  it("of a map are called by their keys, from a file or written out", () => {
    const inventory = read(
      { "src/long-name.md": "---\ndescription: d\n---\nfile" },
      { commands: { short: { source: "./src/long-name.md" }, said: { content: "text", description: "x" } } },
    )
    expect(inventory.commands).toEqual([
      { name: "p:short", file: "src/long-name.md", fields: { description: "d" }, body: "file" },
      { name: "p:said", file: "", fields: { content: "text", description: "x" }, body: "text" },
    ])
  })

  it("that are missing or lead out are left out and told, one by one", () => {
    scratch.link("out.md", "/etc/hostname")
    const inventory = read({ "ok.md": "" }, { commands: ["./ok.md", "./gone.md", "./out.md", "./a\\b.md"] })
    expect(names(inventory.commands)).toEqual(["p:ok"])
    expect(problems(inventory)).toEqual([
      "commands generic-error: commands path not found: ./gone.md",
      "commands generic-error: commands path escapes plugin directory: ./out.md",
      "commands generic-error: commands path escapes plugin directory: ./a\\b.md",
    ])
  })
})

describe("a standard folder the manifest passes over", () => {
  it.each([
    ["commands", "./extra/x.md"],
    ["agents", "./extra/x.md"],
    ["outputStyles", "./extra/x.md"],
    ["commands", "./commands-extra/x.md"],
  ])("%s is told when the manifest names %s alone", (key, path) => {
    const folder = key === "outputStyles" ? "output-styles" : key
    const inventory = read({ [`${folder}/unread.md`]: "", [path.slice(2)]: "" }, { [key]: path })
    expect(problems(inventory)).toEqual([
      `${key} folder-shadowed-by-manifest: The folder ${folder}/ is not read because the manifest sets "${key}".`,
    ])
  })

  it.each(["./commands", "./commands/", "./commands/a.md"])("is not passed over when the manifest names %s", (path) => {
    const inventory = read({ "commands/a.md": "" }, { commands: path })
    expect([names(inventory.commands), inventory.problems]).toEqual([["p:a"], []])
  })
})

describe("agents", () => {
  it("are called by their front matter below their folders, or by their file", () => {
    const inventory = read({
      "agents/a.md": "---\nname: reviewer\n---\n",
      "agents/team/b.md": "---\nname: tester\n---\n",
      "agents/c.md": "---\nname: 7\n---\n",
      "agents/d.md": '---\nname: ""\n---\n',
    })
    expect(names(inventory.agents)).toEqual(["p:reviewer", "p:c", "p:d", "p:team:tester"])
  })

  it("that the manifest names lose the folders they lie in", () => {
    expect(
      names(read({ "agents/team/b.md": "---\nname: tester\n---\n" }, { agents: ["./agents/team/b.md"] }).agents),
    ).toEqual(["p:tester"])
  })
})

describe("skills", () => {
  it("are folders below skills/ with a SKILL.md, called like the folder whatever their front matter says", () => {
    const inventory = read({
      "skills/one/SKILL.md": skill("first"),
      "skills/two/SKILL.md": "no front matter",
      "skills/three/notes.md": "",
      "skills/flat.md": "",
      "skills/a/b/SKILL.md": "",
    })
    expect(inventory.skills.map(({ name, file }) => [name, file])).toEqual([
      ["p:one", "skills/one/SKILL.md"],
      ["p:two", "skills/two/SKILL.md"],
    ])
  })

  it("that the manifest names are added to those of the standard folder, as a skill or a folder of skills", () => {
    const inventory = read(
      {
        "skills/a/SKILL.md": skill("a"),
        "more/b/SKILL.md": skill("b"),
        "more/c/SKILL.md": skill("c"),
        "single/SKILL.md": skill("d"),
      },
      { skills: ["./more", "./single", "./skills/a"] },
    )
    expect(names(inventory.skills)).toEqual(["p:a", "p:b", "p:c", "p:d"])
    expect(inventory.problems).toEqual([])
  })

  it("may be one at the top of a plugin that has no others; then it may be called like the plugin", () => {
    expect(read({ "SKILL.md": "text" }).skills).toMatchObject([{ name: "p:p", file: "SKILL.md", body: "text" }])
    expect(read({ "SKILL.md": skill("own") }).skills).toMatchObject([{ name: "p:own" }])
    expect(names(read({ "SKILL.md": "text", "skills/s/SKILL.md": skill() }).skills)).toEqual(["p:s"])
  })

  it("at the top are found when the manifest says so with a dot", () => {
    for (const path of [".", "./"])
      expect([path, names(read({ "SKILL.md": skill("top") }, { skills: path }).skills)]).toEqual([path, ["p:top"]])
  })

  it("behind a link out of the plugin are not read", () => {
    scratch.link("skills/out/SKILL.md", "/etc/hostname")
    scratch.link("chosen/SKILL.md", "/etc/hostname")
    scratch.link("SKILL.md", "/etc/hostname")
    expect(names(read({}, { skills: ["./chosen"] }).skills)).toEqual([])
    expect(names(read({}).skills)).toEqual([])
  })

  it("that are files where a folder is meant are left out", () => {
    const inventory = read({ "s.md": "" }, { skills: ["./s.md", "./gone"] })
    expect([names(inventory.skills), problems(inventory)]).toEqual([
      [],
      ["skills generic-error: skills path not found: ./gone"],
    ])
  })
})

describe("other files", () => {
  it("output styles, workflows, themes and programs are found in their folders by their ending", () => {
    const inventory = read({
      "output-styles/brief.md": "---\nname: x\n---\nb",
      "workflows/w.js": "",
      "workflows/w.ts": "",
      "themes/dark.json": {},
      "themes/README": "",
      "bin/tool": "",
      "bin/lib/x.sh": "",
    })
    expect(names(inventory.outputStyles)).toEqual(["p:brief"])
    expect([inventory.workflows, inventory.themes, inventory.binaries]).toEqual([
      ["workflows/w.js"],
      ["themes/dark.json"],
      ["bin/lib/x.sh", "bin/tool"],
    ])
  })

  it("themes are read from experimental before the older key", () => {
    const tree = { "new/a.json": {}, "old/b.json": {} }
    expect(read(tree, { experimental: { themes: "./new" }, themes: "./old" }).themes).toEqual(["new/a.json"])
    expect(read(tree, { themes: "./old" }).themes).toEqual(["old/b.json"])
  })

  it("channels are the servers they name; what is no channel is passed over", () => {
    expect(read({}, { channels: [{ server: "chat" }, { server: "mail", displayName: "Mail" }] }).channels).toEqual([
      "chat",
      "mail",
    ])
  })

  it("settings stand in the manifest or, without it, in settings.json; half a file sets nothing", () => {
    expect(read({ "settings.json": { agent: "file" } }, { settings: { agent: "manifest" } }).settings).toEqual({
      agent: "manifest",
    })
    expect(read({ "settings.json": { agent: "file" } }).settings).toEqual({ agent: "file" })
    expect(read({ "settings.json": "{" }).settings).toEqual({})
    expect(read({ "settings.json": [] }).settings).toEqual({})
  })
})

describe("monitors", () => {
  const tail = { name: "log", command: "tail -f log", description: "d" }

  it("are read from their file, and run always unless they say when", () => {
    expect(
      read({ "monitors/monitors.json": [tail, { ...tail, name: "m", when: "on-skill-invoke:s" }] }).monitors,
    ).toEqual([
      { name: "log", command: "tail -f log", when: "always" },
      { name: "m", command: "tail -f log", when: "on-skill-invoke:s" },
    ])
  })

  it("are those of the manifest instead, experimental before the older key, listed or in a file", () => {
    const tree = { "monitors/monitors.json": [tail], "x.json": [{ ...tail, name: "x" }] }
    expect(
      names(read(tree, { experimental: { monitors: [{ ...tail, name: "e" }] }, monitors: "./x.json" }).monitors),
    ).toEqual(["e"])
    expect(names(read(tree, { monitors: "./x.json" }).monitors)).toEqual(["x"])
  })

  it("that are none are left out and told; a file that is missing is told once", () => {
    expect(problems(read({ "monitors/monitors.json": [tail, { name: "half" }, 7] }))).toEqual([
      "monitors generic-error: A monitor in monitors/monitors.json is not one and was left out.",
      "monitors generic-error: A monitor in monitors/monitors.json is not one and was left out.",
    ])
    expect(problems(read({}, { monitors: "./gone.json" }))).toEqual([
      "monitors generic-error: monitors path not found: ./gone.json",
    ])
  })
})

describe("a value or a list of them", () => {
  it("is a list", () => {
    expect([listOf(undefined), listOf("a"), listOf(["a", 1]), listOf(null)]).toEqual([[], ["a"], ["a", 1], [null]])
  })
})
