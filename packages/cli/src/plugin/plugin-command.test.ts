import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolders } from "../../test/command-line.ts"
import { manifest, type PluginShelf, stockedShelf } from "../../test/plugin-shelf.ts"

const folder = scratchFolders()
let shelf: PluginShelf

beforeEach(async () => {
  shelf = await stockedShelf(folder())
})

const settings = () =>
  JSON.parse(readFileSync(join(shelf.home, ".claude", "settings.json"), "utf8")) as {
    enabledPlugins?: Record<string, boolean>
    pluginConfigs?: unknown
  }

describe("chorus plugin marketplace", () => {
  it("says how many plugins a marketplace has, and that it is there already", async () => {
    expect((await shelf.run(["marketplace", "add", shelf.market])).stdout).toBe("✔ already there: tools, 3 plugins\n")
    const { stdout } = await shelf.run(["marketplace", "list"])
    expect(stdout).toMatch(/^name +plugins +at +from\ntools +3 +/)
    expect(stdout).toContain(shelf.market)
  })

  it("updates one, or all, and fails by the name of the one that cannot be", async () => {
    expect((await shelf.run(["marketplace", "update"])).stdout).toBe("✔ tools: 3 plugins\n")
    expect(await shelf.refused(["marketplace", "update", "nothing"])).toMatchObject({
      code: "not_configured",
    })
    shelf.put({ ".claude-plugin/marketplace.json": "{" })
    const { code, stdout } = await shelf.run(["marketplace", "update"])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✘ tools: /)
    const failure = { outcome: "failed", failureCode: "manifest_invalid", message: expect.any(String) as string }
    expect(JSON.parse((await shelf.run(["marketplace", "update", "--json"])).stdout)).toMatchObject({
      command: "marketplace-update",
      ...failure,
      marketplaces: [{ name: "tools", ...failure }],
    })
  })

  it("is removed with what was installed from it", async () => {
    await shelf.run(["install", "busy@tools", "--yes"])
    const { stdout } = await shelf.run(["marketplace", "remove", "tools"])
    expect(stdout).toContain("✔ removed tools\n")
    expect(stdout).toMatch(/with it went .*busy@tools/)
    expect((await shelf.run(["marketplace", "list"])).stdout).toBe("No marketplaces were added.\n")
    expect(await shelf.json(["list"])).toEqual([])
  })

  it("stays in the files of other projects, which are named; there it is taken out when somebody says so", async () => {
    const project = join(shelf.home, "shop")
    mkdirSync(project)
    await shelf.run(["install", "calm@tools", "--scope", "project"], { cwd: project })
    const files = ["settings.json", "plugin-lock.json"].map((name) => join(project, ".claude", name))
    const before = files.map((file) => readFileSync(file, "utf8"))
    const other = join(shelf.home, "broken")
    mkdirSync(other)
    await shelf.run(["install", "calm@tools", "--scope", "project"], { cwd: other })
    writeFileSync(join(other, ".claude", "settings.json"), "{")
    const { stdout } = await shelf.run(["marketplace", "remove", "tools"], { cwd: shelf.home })
    expect(stdout).toContain(`  ${other} still names it.`)
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before)
    expect(stdout).toContain(
      `  ${project} still names it. To take it out there: chorus plugin marketplace remove tools\n`,
    )
    expect(await shelf.json(["list"], { cwd: shelf.home })).toEqual([])
    const there = await shelf.run(["marketplace", "remove", "tools"], { cwd: project })
    expect([there.code, there.stdout]).toEqual([
      0,
      expect.stringContaining(`the settings and the lock of ${project} no longer name it`),
    ])
    expect(files.map((file) => existsSync(file) && readFileSync(file, "utf8").includes("tools"))).toEqual([
      false,
      false,
    ])
    expect(await shelf.refused(["marketplace", "remove", "tools"], { cwd: project })).toMatchObject({
      code: "not_configured",
    })
  })
})

describe("chorus plugin install", () => {
  it("shows what a plugin does and installs nothing when nobody can say yes", async () => {
    const { code, stderr } = await shelf.run(["install", "busy@tools"])
    expect(code).toBe(1)
    expect(stderr).toContain("busy@tools 1.0.0 would do this on your machine:")
    expect(stderr).toContain(
      `Claude Code reads it from ${join(shelf.market, "busy")}: whatever is changed there later runs`,
    )
    expect(stderr).toMatch(/hook +Stop {2}echo done/)
    expect(stderr).toMatch(/sha256 [0-9a-f]{64}/)
    expect(stderr).toContain("[consent_required]")
    expect(await shelf.json(["list"])).toEqual([])
  })

  it("installs what it needs with it, and says what is still to be set", async () => {
    const { code, stdout, stderr } = await shelf.run(["install", "busy@tools", "--yes"])
    expect(code).toBe(0)
    expect(stderr).toContain("echo done")
    expect(stdout).toContain("✔ busy@tools installed 1.0.0 (user) with calm@tools\n")
    const again = await shelf.run(["install", "calm@tools"])
    expect(again.stdout).toContain("✔ calm@tools is already installed (user)")
    expect(settings().enabledPlugins).toEqual({ "busy@tools": true, "calm@tools": true })
  })

  it("takes options along, and says how to set those that are missing", async () => {
    const { stdout } = await shelf.run(["install", "calm@tools"])
    expect(stdout).toContain("2 options are not set (1 required): chorus plugin configure calm@tools")
    const result = await shelf.json<{ unsetOptions: string[] }>(["install", "calm@tools", "--config", "tone=high"])
    expect(result.unsetOptions).toEqual(["key"])
    expect(settings().pluginConfigs).toEqual({ "calm@tools": { options: { tone: "high" } } })
  })

  it("installs all the same where an option is none of its own, and warns", async () => {
    const { code, stdout } = await shelf.run(["install", "calm@tools", "--config", "volume=11"])
    expect(code).toBe(0)
    expect(stdout).toContain(
      '⚠ Installed, but the options were not set: calm@tools has no option "volume". Its options: tone, key.',
    )
  })

  it("adds a marketplace on the way", async () => {
    await shelf.run(["marketplace", "remove", "tools"])
    expect(await shelf.json(["install", "calm", "--marketplace", shelf.market])).toMatchObject({
      pluginId: "calm@tools",
      outcome: "ok",
    })
  })

  it.each([
    ["a digest that is another's", ["install", "busy@tools", "--accept", "0".repeat(64)], /consent/],
    ["no name, from a program", ["install"], /plugin_missing/],
    ["a plugin that is not offered", ["install", "nothing@tools"], /not_found/],
    ["a pair that is none", ["install", "calm@tools", "--config", "tone"], /config_invalid/],
  ])("refuses %s, and installs nothing", async (_, argv, code) => {
    expect((await shelf.refused(argv)).code).toMatch(code)
    expect(await shelf.json(["list"])).toEqual([])
  })

  it("knows three scopes", async () => {
    const { code, stderr } = await shelf.run(["install", "calm@tools", "--scope", "world"])
    expect(code).toBe(1)
    expect(stderr).toContain("Must be one of: user, project, local.")
  })
})

describe("chorus plugin enable and disable", () => {
  beforeEach(() => shelf.run(["install", "busy@tools", "--yes"]))

  it("switch one plugin, and say where", async () => {
    expect((await shelf.run(["disable", "busy"])).stdout).toBe("✔ disabled busy@tools (user)\n")
    expect((await shelf.run(["list"])).stdout).toMatch(/^○ off busy@tools 1\.0\.0 user$/m)
    expect((await shelf.run(["enable", "busy"])).stdout).toMatch(/^✔ enabled busy@tools \(user\)\n/)
  })

  it("switch all off, and say when all were", async () => {
    expect((await shelf.run(["disable", "--all"])).stdout).toMatch(
      /^✔ disabled (busy@tools, calm@tools|calm@tools, busy@tools)\n$/,
    )
    expect((await shelf.run(["disable", "--all"])).stdout).toBe("✔ disabled nothing: all were off\n")
    expect(await shelf.json(["disable", "--all"])).toEqual({
      command: "disable",
      all: true,
      plugins: [],
      stillOn: [],
      message: "disabled nothing: all were off",
      outcome: "ok",
    })
  })

  it("tell programs what Claude Code tells them, beside what is ours", async () => {
    const told = async (...argv: string[]) => JSON.parse((await shelf.run([...argv, "--json"])).stdout) as object
    expect(await told("install", "calm@tools")).toMatchObject({
      plugin: "calm@tools",
      unsetOptionCount: 2,
      message: expect.any(String),
    })
    expect(await told("disable", "calm")).toMatchObject({
      failureCode: "required_by_dependents",
      reverseDependents: ["busy"],
      disableFirst: ["busy@tools"],
    })
    expect(await told("disable", "busy")).toMatchObject({ plugin: "busy", pluginId: "busy@tools", outcome: "ok" })
    expect(await told("disable", "busy")).toMatchObject({ alreadyInGoalState: true, outcome: "failed" })
    expect(await told("uninstall", "busy", "--scope", "local")).toMatchObject({
      failureCode: "not_installed_at_scope",
      scope: "local",
    })
    expect(await told("list", "--available")).toMatchObject({
      installed: [
        { id: "calm@tools", hasUserConfig: true },
        { id: "busy@tools", folderVersion: "1.0.0" },
      ],
      available: [{ pluginId: "odd@tools", name: "odd", marketplaceName: "tools", source: "./odd" }],
    })
    expect(await told("configure", "calm")).toMatchObject({ inputs: { tone: "" }, choices: { tone: ["low", "high"] } })
    expect(await told("validate", join(shelf.market, "calm"))).toMatchObject({
      success: true,
      target: join(shelf.market, "calm/.claude-plugin/plugin.json"),
      manifest: { type: "plugin", errors: [] },
    })
  })

  it("need to know which", async () => {
    expect(await shelf.refused(["disable"])).toMatchObject({ code: "plugin_missing", next: "Give its name, or --all." })
    expect(await shelf.refused(["disable", "nothing"])).toMatchObject({
      code: expect.stringMatching(/not_installed|not_found/),
    })
  })
})

describe("chorus plugin uninstall and prune", () => {
  beforeEach(() => shelf.run(["install", "busy@tools", "--yes"]))

  it("say what went, and what nobody needs any more", async () => {
    expect((await shelf.run(["uninstall", "busy"])).stdout).toBe("✔ removed busy@tools (user)\n")
    expect((await shelf.run(["prune", "--dry-run"])).stdout).toBe("Would remove calm@tools.\n")
    expect((await shelf.run(["prune"])).stdout).toBe("Removed calm@tools.\n")
    expect((await shelf.run(["prune"])).stdout).toBe("Nothing to prune.\n")
  })

  it("ask a person first, and do as they say", async () => {
    await shelf.run(["uninstall", "busy"])
    expect(
      (await shelf.run(["prune"], { person: [["Remove calm@tools? [y/N]".replace(/[?[\]/]/g, "."), "n\r"]] })).stdout,
    ).toContain("Would remove calm@tools.\n")
    expect((await shelf.run(["prune"], { person: [[/Remove calm@tools\?/, "yes\r"]] })).stdout).toContain(
      "Removed calm@tools.\n",
    )
  })

  it("warn when somebody still needs what went", async () => {
    expect((await shelf.run(["uninstall", "calm"])).stdout).toContain("⚠ still needed by busy@tools")
    expect((await shelf.run(["list"])).stdout).toMatch(/^✘ err busy@tools/m)
  })

  it("leave nothing of the plugin: not in settings, secrets and data, nor in Codex and OpenCode", async () => {
    const every = () =>
      readdirSync(shelf.home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(shelf.home, join(entry.parentPath, entry.name)))
        .filter((path) => !path.endsWith(".lock-owner") && !path.startsWith(".claude/plugins/cache/"))
        .sort()
    await shelf.run(["uninstall", "busy", "--prune"])
    const before = every()
    const opencode = join(shelf.home, ".config", "opencode")
    shelf.put({ "busy/.mcp.json": { mcpServers: { bell: { command: "node", args: ["bell.js"] } } } })
    await shelf.run(["install", "busy@tools", "--yes"])
    await shelf.run(["configure", "calm", "--config", "tone=low", "key=S3"])
    mkdirSync(join(shelf.home, ".claude/plugins/data/calm-tools"), { recursive: true })
    writeFileSync(join(shelf.home, ".claude/plugins/data/calm-tools/notes"), "12345")
    for (const target of ["opencode", "codex"]) await shelf.run(["translate", target, "--yes"])
    expect(statSync(join(shelf.home, ".chorus")).mode & 0o077).toBe(0)
    mkdirSync(join(opencode, "skills", "mine"), { recursive: true })
    writeFileSync(join(opencode, "skills", "mine", "SKILL.md"), "mine")
    expect(every()).toEqual(expect.arrayContaining([".config/opencode/opencode.json"]))
    mkdirSync(join(shelf.home, ".codex/plugins/cache/chorus/busy"), { recursive: true })
    const { stderr } = await shelf.run(["uninstall", "busy"], { env: { PATH: shelf.home } })
    expect(stderr).toContain(`What was translated of busy@tools in ${opencode} was removed.`)
    expect(stderr).toContain("Codex keeps a copy of its own: codex plugin remove busy@chorus.")
    expect(every().filter((path) => path.startsWith(".config") && path.includes("busy"))).toEqual([])
    expect(every()).toEqual(expect.arrayContaining([".config/opencode/skills/calm-s/SKILL.md"]))
    await shelf.run(["uninstall", "calm"])
    expect(every().filter((path) => !before.includes(path))).toEqual([
      ".claude/.credentials.json",
      ".config/opencode/skills/mine/SKILL.md",
    ])
    expect(JSON.stringify(settings())).not.toMatch(/calm|busy/)
    expect(readFileSync(join(shelf.home, ".claude/.credentials.json"), "utf8")).not.toMatch(/calm|S3/)
  })

  it("keep options where asked to", async () => {
    await shelf.run(["configure", "calm", "--config", "tone=low"])
    await shelf.run(["uninstall", "calm", "--keep-data"])
    expect(settings().pluginConfigs).toEqual({ "calm@tools": { options: { tone: "low" } } })
  })
})

describe("chorus plugin update", () => {
  beforeEach(() => shelf.run(["install", "busy@tools", "--yes"]))

  it("says that all is new, or what could be newer", async () => {
    expect((await shelf.run(["update", "--check"])).stdout).toBe("Everything is up to date.\n")
    shelf.put({ "calm/.claude-plugin/plugin.json": manifest("calm", { version: "2.0.0" }) })
    await shelf.run(["marketplace", "update"])
    const check = (await shelf.run(["update", "--check"])).stdout
    expect(check).toBe("calm@tools 1.0.0 → 2.0.0\n")
    expect((await shelf.run(["update", "calm"])).stdout).toBe(
      "✔ calm@tools 1.0.0 → 2.0.0; restart Claude Code to use it\n",
    )
    expect((await shelf.run(["update", "calm"])).stdout).toBe("calm@tools is up to date at 2.0.0\n")
    shelf.put({ "calm/skills/s/SKILL.md": "---\nname: s\ndescription: says other words\n---\nSay it.\n" })
    expect((await shelf.run(["update", "--check"])).stdout).toBe("calm@tools 2.0.0 → other files of 2.0.0\n")
    expect((await shelf.run(["list", "--updates"])).stdout).toContain("calm@tools 2.0.0 user → other files\n")
    expect((await shelf.run(["update", "calm"])).stdout).toBe(
      "✔ calm@tools 2.0.0 → other files of 2.0.0; restart Claude Code to use it\n",
    )
    expect(await shelf.json(["update", "calm"])).toMatchObject({ outcome: "ok", updateOutcome: "up_to_date" })
  })

  it("of all tells what became of each, also where one was withdrawn", async () => {
    shelf.put({
      "calm/.claude-plugin/plugin.json": manifest("calm", { version: "2.0.0" }),
      ".claude-plugin/marketplace.json": {
        name: "tools",
        owner: { name: "O" },
        plugins: [{ name: "calm", source: "./calm" }],
      },
    })
    const { code, stdout } = await shelf.run(["update", "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ command: "update", outcome: "failed", failureCode: "not_found" })
    expect((JSON.parse(stdout) as { updates: unknown[] }).updates).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: "busy@tools", outcome: "failed", failureCode: "not_found" }),
        expect.objectContaining({ id: "calm@tools", outcome: "updated", newVersion: "2.0.0" }),
      ]),
    )
    const again = await shelf.run(["update"])
    expect(again.stdout).toContain('✘ busy@tools: The marketplace "tools" does not list busy@tools any more')
    expect(again.stdout).toContain("calm@tools is up to date at 2.0.0\n")
  })

  it("leaves a plugin that is pinned", async () => {
    expect((await shelf.run(["pin", "calm"])).stdout).toBe("✔ calm is held at 1.0.0\n")
    shelf.put({ "calm/.claude-plugin/plugin.json": manifest("calm", { version: "2.0.0" }) })
    await shelf.run(["marketplace", "update"])
    expect((await shelf.run(["update", "calm"])).stdout).toBe("calm@tools is pinned at 1.0.0\n")
    expect((await shelf.run(["unpin", "calm"])).stdout).toBe("✔ calm may be updated from 1.0.0\n")
  })

  it("does not bring in new behaviour without consent, and shows it with a plus", async () => {
    shelf.put({
      "busy/.claude-plugin/plugin.json": manifest("busy", { version: "2.0.0" }),
      "busy/hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "curl evil" }] }] } },
    })
    await shelf.run(["marketplace", "update"])
    const { code, stderr } = await shelf.run(["update", "busy"])
    expect(code).toBe(1)
    expect(stderr).toContain("busy@tools 2.0.0 now does something else on this machine:")
    expect(stderr).toContain("so while it is on, this already runs; to stop it: chorus plugin disable busy@tools")
    expect(stderr).toMatch(/^ {2}\+ hook +Stop {2}curl evil$/m)
    expect(stderr).toMatch(/^ {2}- hook +Stop {2}echo done$/m)
    expect(
      (await shelf.json<{ version: string; id: string }[]>(["list"])).find(({ id }) => id === "busy@tools")?.version,
    ).toBe("1.0.0")
  })
})

describe("chorus plugin translate", () => {
  it("says of a project's plugin that the other program runs it everywhere", async () => {
    const cwd = join(shelf.home, "shop")
    mkdirSync(cwd)
    await shelf.run(["install", "calm@tools", "--scope", "project"], { cwd })
    const out = ["--out", join(shelf.home, "elsewhere")]
    expect((await shelf.run(["translate", "opencode", "calm", ...out], { cwd })).stderr).toContain(
      "calm@tools is installed for this project, and what is in",
    )
  })

  it("says of a folder that cannot be made to name another one", async () => {
    await shelf.run(["install", "calm@tools"])
    const out = join(shelf.market, "calm", ".claude-plugin", "plugin.json", "x")
    expect(await shelf.refused(["translate", "opencode", "calm", "--out", out])).toMatchObject({
      code: "folder_unwritable",
      next: "Name another folder with --out.",
    })
  })

  it("is followed by what runs here: other options, a switch, and bytes that were agreed to", async () => {
    const out = join(shelf.home, "oc")
    const hooks = () =>
      existsSync(join(out, "plugin/busy-hooks.js")) ? readFileSync(join(out, "plugin/busy-hooks.js"), "utf8") : "none"
    const skill = () => readFileSync(join(out, "opencode.json"), "utf8")
    shelf.put({ "calm/.mcp.json": { mcpServers: { voice: { command: "say", args: ["${user_config.tone}"] } } } })
    await shelf.run(["install", "busy@tools", "--yes"])
    await shelf.run(["configure", "calm", "--config", "tone=low"])
    await shelf.run(["translate", "opencode", "--yes", "--out", out])
    expect([hooks(), skill()]).toEqual([expect.stringContaining("echo done"), expect.stringContaining('"low"')])
    const { stderr } = await shelf.run(["configure", "calm", "--config", "tone=high"])
    expect([skill(), stderr]).toEqual([
      expect.stringContaining('"high"'),
      `⚠ What was translated of calm@tools in ${out} was renewed.\n`,
    ])
    await shelf.run(["disable", "busy"])
    expect(hooks()).toBe("none")
    await shelf.run(["enable", "busy"])
    expect(hooks()).toContain("echo done")
    shelf.put({ "busy/hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo new" }] }] } } })
    const changed = await shelf.run(["configure", "calm", "--config", "tone=low"])
    expect([hooks(), changed.stderr]).toEqual(["none", expect.stringContaining("chorus plugin trust busy@tools")])
    await shelf.run(["trust", "busy", "--yes"])
    expect(hooks()).toContain("echo new")
  })

  it("says what comes along and what does not, asks about what would run, and only then writes", async () => {
    const out = join(shelf.home, "opencode")
    const busy = ["translate", "opencode", join(shelf.market, "busy"), "--out", out]
    expect((await shelf.run([...busy, "--dry-run"])).stdout).toMatch(/^busy → opencode\n {2}✔ hook Stop → plugin\//)
    const { code, stdout, stderr } = await shelf.run(busy)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^busy → opencode\n/)])
    expect(stderr).toContain("echo done")
    expect(stderr).toContain("[consent_required]")
    expect(existsSync(out)).toBe(false)
    expect((await shelf.run([...busy, "--yes"])).code).toBe(0)
    expect(existsSync(join(out, "plugin/busy-hooks.js"))).toBe(true)
    const calm = await shelf.json<{ plugin: string; carried: unknown[] }[]>([
      "translate",
      "opencode",
      join(shelf.market, "calm"),
      "--out",
      out,
    ])
    expect(calm).toMatchObject([{ plugin: "calm", target: "opencode" }])
    expect(calm[0]?.carried.length).toBeGreaterThan(0)
  })

  it("deletes no folder for Codex that it did not write", async () => {
    const calm = ["translate", "codex", join(shelf.market, "calm"), "--out", join(shelf.home, "mine")]
    mkdirSync(join(shelf.home, "mine", "plugins", "calm"), { recursive: true })
    writeFileSync(join(shelf.home, "mine", "plugins", "calm", "work.md"), "mine")
    expect(await shelf.refused(calm)).toMatchObject({ code: "folder_taken" })
    expect(existsSync(join(shelf.home, "mine", "plugins", "calm", "work.md"))).toBe(true)
  })

  it("makes a marketplace for Codex and says how to add it", async () => {
    await shelf.run(["install", "calm@tools"])
    const out = join(shelf.home, "codex")
    const { stdout } = await shelf.run(["translate", "codex", "--out", out])
    expect(stdout).toContain(`Now: codex plugin marketplace add ${out} && codex plugin add calm@chorus`)
    expect(existsSync(out)).toBe(true)
    expect((await shelf.run(["translate", "codex", "--out", out])).code).toBe(0)
  })

  it("needs a plugin that is on", async () => {
    expect(await shelf.refused(["translate", "codex"])).toMatchObject({
      code: "not_installed",
      message: "No plugin is on.",
    })
    expect(await shelf.refused(["translate", "codex", "calm"])).toMatchObject({
      message: 'No plugin called "calm" is on.',
      next: "Run chorus plugin list.",
    })
    expect(JSON.parse((await shelf.run(["translate", "codex", "calm", "--json"])).stdout)).toMatchObject({
      command: "translate",
      plugin: "calm",
      outcome: "failed",
    })
  })
})
