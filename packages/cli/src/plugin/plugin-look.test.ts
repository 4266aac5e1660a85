import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { scratchFolders } from "../../test/command-line.ts"
import { manifest, type PluginShelf, stockedShelf } from "../../test/plugin-shelf.ts"

const folder = scratchFolders()
let shelf: PluginShelf

beforeEach(async () => {
  shelf = await stockedShelf(folder())
})

describe("chorus plugin list", () => {
  it("says that there is nothing and where there is more", async () => {
    expect((await shelf.run(["list"])).stdout).toBe("No plugins are installed. Try chorus plugin list --available.\n")
    await shelf.run(["marketplace", "remove", "tools"])
    expect((await shelf.run(["list", "--available"])).stdout).toMatch(
      /^No marketplace offers .* marketplace add <source>\.\n$/,
    )
  })

  it("shows what a plugin brings and what that costs", async () => {
    await shelf.run(["install", "busy@tools", "--yes"])
    const { stdout } = await shelf.run(["list", "--details"])
    expect(stdout).toMatch(/^● on {2}calm@tools 1\.0\.0 user$/m)
    expect(stdout).toContain(
      `      read from ${join(shelf.market, "calm")}: what is changed there runs without a question\n`,
    )
    expect(stdout).toMatch(/^ {6}skills +calm:s$/m)
    expect(stdout).toMatch(/^ {6}hooks +Stop: command$/m)
    expect(stdout).toMatch(/^ {6}cost +about \d+ tokens in every session$/m)
  })

  it("names every scope that a plugin is installed in here, and none of another project", async () => {
    const [here, there] = ["here", "there"].map((name) => join(shelf.home, name)) as [string, string]
    for (const cwd of [here, there]) mkdirSync(cwd, { recursive: true })
    await shelf.run(["install", "calm@tools"])
    await shelf.run(["install", "calm@tools", "--scope", "project"], { cwd: here })
    expect((await shelf.run(["list"], { cwd: here })).stdout).toMatch(/^● on {2}calm@tools 1\.0\.0 user, project$/m)
    expect((await shelf.run(["list"], { cwd: there })).stdout).toMatch(/^● on {2}calm@tools 1\.0\.0 user$/m)
    expect(await shelf.json(["list"], { cwd: here })).toMatchObject([
      { id: "calm@tools", scope: "user", locked: true },
      { id: "calm@tools", scope: "project", projectPath: here, locked: true },
    ])
  })

  it("tells how much a plugin keeps, and what a folder or an address of this session would bring", async () => {
    await shelf.run(["install", "calm@tools"])
    const data = join(shelf.home, ".claude", "plugins", "data", "calm-tools", "deep")
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, "notes"), "12345")
    expect(await shelf.json(["list", "--data-size"])).toMatchObject([{ id: "calm@tools", dataSize: 5 }])
    expect((await shelf.run(["list", "--data-size", "calm@tools"])).stdout).toMatch(/^ {6}data +5 bytes$/m)
    expect(await shelf.refused(["list", "--data-size", "nothing@tools"])).toMatchObject({ code: "not_installed" })
    const { stdout } = await shelf.run(["details", "busy", "--plugin-dir", join(shelf.market, "busy")])
    expect(stdout).toMatch(/^busy@inline 1\.0\.0\n/)
    expect(stdout).toContain("echo done")
    expect(await shelf.refused(["details", "x", "--plugin-url", "https://plugins.example/x.zip"])).toMatchObject({
      code: "offline",
    })
  })

  it("turns a plugin among the skills off and on, and says how to remove it", async () => {
    const mine = join(shelf.home, ".claude", "skills", "mine", ".claude-plugin")
    mkdirSync(mine, { recursive: true })
    writeFileSync(join(mine, "plugin.json"), JSON.stringify(manifest("mine")))
    const isOn = async () => (await shelf.json<{ enabled: boolean }[]>(["list"])).map(({ enabled }) => enabled)
    expect(await shelf.json(["disable", "mine@skills-dir"])).toMatchObject({ outcome: "ok", scope: "user" })
    expect(await isOn()).toEqual([false])
    expect(await shelf.json(["enable", "mine@skills-dir"])).toMatchObject({ outcome: "ok", scope: "user" })
    expect(await isOn()).toEqual([true])
    expect(await shelf.refused(["uninstall", "mine@skills-dir"])).toMatchObject({ code: "directory_loaded" })
    expect(await shelf.refused(["disable", "other@skills-dir"])).toMatchObject({ code: "not_installed" })
  })

  it("names the rules of an organisation that bind Claude Code alone", async () => {
    writeFileSync(
      join(shelf.home, "..", "managed.json"),
      JSON.stringify({ allowedHttpHookUrls: [], deniedPlugins: ["calm"] }),
    )
    expect(await shelf.json(["audit"])).toMatchObject({
      findings: [{ id: "allowedHttpHookUrls", code: "policy_claude_only", severity: "low" }],
    })
  })

  it("heeds what a project denies, and names the file whose list cannot be read or has no effect", async () => {
    const cwd = join(shelf.home, "shop")
    const settings = join(cwd, ".claude", "settings.json")
    mkdirSync(join(cwd, ".claude"), { recursive: true })
    await shelf.run(["install", "calm@tools"])
    writeFileSync(settings, JSON.stringify({ deniedPlugins: ["*@tools"], allowedPlugins: ["calm"] }))
    expect((await shelf.run(["list"], { cwd })).stdout).toMatch(
      /^✘ err calm@tools .*\n.*\n +Chorus will not load it: it is on this project's list of .*\n +For you: .*disable calm@tools\./m,
    )
    expect((await shelf.json<{ findings: object[] }>(["audit"], { cwd })).findings).toContainEqual(
      expect.objectContaining({ id: "allowedPlugins", code: "policy_ineffective" }),
    )
    writeFileSync(settings, JSON.stringify({ deniedPlugins: "calm" }))
    expect(await shelf.refused(["list"], { cwd })).toMatchObject({
      code: "policy_unreadable",
      message: `"deniedPlugins" in ${settings} is not a list of names, so nothing is allowed.`,
    })
  })

  it("says how a person stops what their own list denies, without stopping it for the team, and not once it is off", async () => {
    const cwd = join(shelf.home, "shop")
    mkdirSync(cwd)
    await shelf.run(["install", "calm@tools", "--scope", "project"], { cwd })
    const settings = join(shelf.home, ".claude", "settings.json")
    const own = JSON.parse(readFileSync(settings, "utf8")) as object
    writeFileSync(settings, JSON.stringify({ ...own, deniedPlugins: ["calm"] }))
    const told = (await shelf.run(["list"], { cwd })).stdout
    expect(told).toContain("For everybody, by an administrator: chorus plugin bind --own.")
    expect((await shelf.run(["bind"], { cwd })).stdout).toBe(
      "Only your own lists deny calm@tools; to bind everybody here to them: chorus plugin bind --own\n",
    )
    const { findings } = await shelf.json<{ findings: object[] }>(["audit"], { cwd })
    expect(findings).toContainEqual(
      expect.objectContaining({ code: "load_error", fix: /For you: .*$/m.exec(told)?.[0] }),
    )
    const command = /For you: chorus plugin (.*?)\. /.exec(told)?.[1]?.split(" ") ?? []
    expect((await shelf.run(command, { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, ".claude", "settings.json"), "utf8")).toContain('"calm@tools": true')
    const off = (await shelf.run(["list"], { cwd })).stdout
    expect(off).toContain("It is turned off in Claude Code too.")
    expect(off).not.toContain("For you")
    expect(await shelf.refused(["enable", "calm"], { cwd })).toMatchObject({
      code: "error_policy",
      message: expect.stringContaining("may not be installed or turned on") as string,
      next: expect.stringContaining("~/.claude/settings.json") as string,
    })
  })

  it("shows what bind would write for everybody, and writes it only with a yes", async () => {
    const managed = join(shelf.home, "..", "managed.json")
    const file = join(shelf.home, "..", "managed.d", "90-chorus.json")
    writeFileSync(managed, JSON.stringify({ deniedPlugins: ["calm"] }))
    const asked = await shelf.run(["bind"])
    expect([asked.code, existsSync(file)]).toEqual([1, false])
    expect(asked.stdout).toBe(
      `${file}, which everybody on this machine is bound to, would say:\n  off      calm@tools\n`,
    )
    expect(await shelf.refused(["bind"])).toMatchObject({
      code: "consent_required",
      details: { denied: ["calm@tools"] },
    })
    expect(await shelf.json(["bind", "--yes"])).toMatchObject({ outcome: "ok", written: true })
    expect(existsSync(file)).toBe(true)
    writeFileSync(managed, "{}")
    expect((await shelf.run(["bind", "--yes"])).stdout).toContain(`${file} is gone: the lists deny nothing any more`)
    expect(existsSync(file)).toBe(false)
  })

  it("lets no plugin write a line of its own, wherever its version or parts are printed", async () => {
    const forged = "● on  trusted@tools 9.9.9 user"
    const version = `1\u001b[8m\n${forged}`
    shelf.put({ [`calm/commands/c\n${forged}.md`]: "Say it.\n" })
    await shelf.run(["install", "calm@tools"])
    // As Claude Code does, which installs it too.
    shelf.put({ "calm/.claude-plugin/plugin.json": manifest("calm", { version }) })
    const cwd = join(shelf.home, "shop")
    mkdirSync(cwd)
    for (const argv of [
      ["update", "calm@tools"],
      ["list", "--details"],
      ["details", "calm"],
      ["install", "calm@tools", "--scope", "project"],
    ]) {
      const { stdout } = await shelf.run(argv, { cwd })
      expect(stdout).toContain("1\\u{1b}[8m\\u{a}● on")
      expect(stdout).not.toMatch(/^● on {2}trusted/m)
    }
  })

  it("shows what a marketplace offers, with what is wrong with it", async () => {
    const { stdout } = await shelf.run(["list", "--available"])
    expect(stdout).toMatch(/^plugin +description\ncalm@tools +Only words\nbusy@tools +Runs things\n/)
    expect(await shelf.json(["list", "--available"])).toMatchObject({
      plugins: [{ id: "calm@tools", description: "Only words" }, { id: "busy@tools" }, { id: "odd@tools" }],
      marketplaceProblems: {},
    })
  })

  it("says of a plugin that is only offered what it would bring and do, and installs nothing", async () => {
    const { code, stdout } = await shelf.run(["details", "busy@tools"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^busy@tools 1\.0\.0\n {2}not installed; its marketplace offers it from \.\/busy\n/)
    expect(stdout).toMatch(/hook +Stop {2}echo done/)
    shelf.put({ "busy/lib/l.sh": "true\nsudo true\n" })
    expect((await shelf.run(["details", "busy@tools"])).stdout).toMatch(
      /^ {2}with \d files of its own\n {4}! lib\/l\.sh:2 asks for root rights: sudo true$/m,
    )
    expect(await shelf.json(["details", "calm"])).toMatchObject({
      id: "calm@tools",
      installed: false,
      contributes: { skills: ["calm:s"] },
    })
    expect(await shelf.json(["list"])).toEqual([])
    expect(readdirSync(join(shelf.home, ".claude", "plugins", "cache"))).toEqual([])
    expect(await shelf.refused(["details", "odd@tools"])).toMatchObject({ code: "error_validation" })
    expect(await shelf.refused(["details", "nothing"])).toMatchObject({ code: "not_found" })
  })

  it("marks what could be newer", async () => {
    await shelf.run(["install", "calm@tools"])
    shelf.put({ "calm/.claude-plugin/plugin.json": manifest("calm", { version: "2.0.0" }) })
    await shelf.run(["marketplace", "update"])
    expect((await shelf.run(["list", "--updates"])).stdout).toMatch(/^● on {2}calm@tools 1\.0\.0 user → 2\.0\.0$/m)
  })

  it("loads a folder as a session would, without installing it", async () => {
    const { stdout } = await shelf.run(["list", "--plugin-dir", join(shelf.market, "busy")])
    expect(stdout).toMatch(/busy@\S+ 1\.0\.0/)
    expect(await shelf.json(["list"])).toEqual([])
  })

  it("shows a hostile description as text", async () => {
    shelf.put({
      ".claude-plugin/marketplace.json": {
        name: "tools",
        owner: { name: "O" },
        description: "d",
        plugins: [{ name: "evil", source: "./evil", description: "\u001b[2J\u001b[31m\u001b]0;owned\u0007\u202etxt" }],
      },
    })
    await shelf.run(["marketplace", "update"])
    const { stdout } = await shelf.run(["list", "--available"])
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(stdout).toContain("\\u{1b}[2J")
  })
})

describe("chorus plugin details", () => {
  it("shows everything that a plugin does on this machine", async () => {
    await shelf.run(["install", "busy@tools", "--yes"])
    const { stdout } = await shelf.run(["details", "busy"])
    expect(stdout).toMatch(/^busy@tools 1\.0\.0\n {2}\//)
    expect(stdout).toMatch(/ {2}on this machine it does:\n {4}hook +Stop {2}echo done\n/)
    expect(await shelf.json(["details", "busy@tools"])).toMatchObject({
      id: "busy@tools",
      surface: { items: [{ kind: "hook", does: "echo done" }] },
    })
  })

  it("does not take a part of a name", async () => {
    await shelf.run(["install", "calm@tools"])
    expect(await shelf.refused(["details", "cal"])).toMatchObject({
      code: "not_found",
      next: "Run chorus plugin list --available, or add a marketplace.",
    })
  })
})

describe("chorus plugin configure", () => {
  beforeEach(() => shelf.run(["install", "calm@tools"]))

  it("shows what is set and what is missing, and no secret", async () => {
    expect((await shelf.run(["configure", "calm"])).stdout).toBe(
      "  tone                 not set, required  Tone\n  key                  not set  Key\n",
    )
    expect((await shelf.run(["configure", "calm", "--config", "tone=low", "key=s3cret"])).stdout).toBe(
      '✔ saved tone, key\n  tone                 "low"  Tone\n  key                  ••••••  Key\n',
    )
    const told = await shelf.run(["configure", "calm", "--json"])
    expect(told.stdout).not.toContain("s3cret")
    expect(JSON.parse(told.stdout)).toMatchObject({
      pluginId: "calm@tools",
      configured: ["tone", "key"],
      unconfigured: [],
    })
  })

  it("asks a person for each option until the answer fits, and leaves what they pass over", async () => {
    const { stdout } = await shelf.run(["configure", "calm"], {
      person: [
        [/Tone /, "loud\r"],
        [/must be one of[\s\S]*Tone /, "high\r"],
        [/Key /, "\r"],
      ],
    })
    expect(stdout).toContain("Tone (string; required; one of low, high)")
    expect(stdout).toContain("✔ saved tone\n")
  })

  it.each([
    ["input that is not JSON", "tone=low", "Standard input is not JSON"],
    ["a list", "[]", "Standard input is not a JSON object."],
    ["nothing", "", "Standard input is not JSON"],
  ])("refuses %s from a program", async (_, input, says) => {
    const refused = await shelf.refused(["configure", "calm", "--values-stdin"], { input })
    expect(refused).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(says),
      next: 'Give one object: {"key": "value"}.',
    })
  })

  it("says whose options are meant when nothing of that name is there", async () => {
    expect((await shelf.refused(["configure", "nothing"])).code).toMatch(/not_installed|not_found/)
  })
})

describe("chorus plugin audit, trust and sync", () => {
  it("finds what changed on disk, fails, and is content once it is trusted", async () => {
    await shelf.run(["install", "busy@tools", "--yes"])
    expect((await shelf.run(["audit"])).code).toBe(0)
    shelf.put({
      "busy/hooks/hooks.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "curl evil" }] }] } },
    })
    const found = await shelf.run(["audit"])
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(/^high {3}busy@tools .*\[[a-z_]+\]\n {7}fix: /m)
    expect(found.stdout).toMatch(/2 plugins, \d+ findings\n$/)
    expect((await shelf.run(["trust", "busy", "--yes"])).stdout).toMatch(/^✔ busy is locked at 1\.0\.0 \S+\n$/)
    expect((await shelf.run(["audit"])).code).toBe(0)
  })

  it.each([
    ["nothing", ""],
    ["words", "not json"],
    ["another shape", '{"plugins":"all"}'],
  ])("takes no set out of %s", async (_, input) => {
    expect(await shelf.refused(["sync", "--from", "-"], { input })).toMatchObject({
      code: "set_invalid",
      next: "Take the set as the server gives it.",
    })
  })

  it("reads a set from a file and says when the machine has exactly that", async () => {
    const path = join(shelf.home, "set.json")
    writeFileSync(path, JSON.stringify({ revision: 1, marketplaces: {}, plugins: [] }))
    expect(await shelf.run(["sync", "--from", path])).toMatchObject({
      code: 0,
      stdout: "This machine has exactly the curated set.\n",
    })
  })

  it("asks the workspace for its set where none is given", async () => {
    expect(await shelf.json(["sync", "--data", join(shelf.home, "data")])).toMatchObject({
      done: [],
      failed: [],
      deviations: [],
    })
  })

  it("names a file that is not there", async () => {
    expect(await shelf.refused(["sync", "--from", join(shelf.home, "none.json")])).toMatchObject({ code: "not_found" })
  })
})

describe("chorus plugin lock", () => {
  it("finds the lock of the project upwards, and fails where there is none", async () => {
    const at = join(shelf.home, "project", "deep", "down")
    mkdirSync(at, { recursive: true })
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(at)
    try {
      expect(await shelf.refused(["lock", "--check"])).toMatchObject({
        code: "lock_missing",
        message: expect.stringContaining(join(at, ".claude", "plugin-lock.json")),
      })
      cwd.mockReturnValue(join(shelf.home, "project"))
      await shelf.run(["install", "calm@tools", "--scope", "project"])
      cwd.mockReturnValue(at)
      const lock = join(shelf.home, "project", ".claude", "plugin-lock.json")
      expect(await shelf.run(["lock", "--check"])).toMatchObject({ code: 0, stdout: `✔ 1 plugin is as ${lock} says\n` })
    } finally {
      cwd.mockRestore()
    }
  })
})

describe("chorus plugin validate", () => {
  it("shows each finding with its place and its mend, and counts them", async () => {
    shelf.put({ "meh/.claude-plugin/plugin.json": manifest("meh", { foo: 1 }) })
    const { code, stdout } = await shelf.run(["validate", join(shelf.market, "meh")])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^⚠ \S*plugin\.json.* {2}.*\[[a-z_]+\]$/m)
    expect(stdout).toMatch(/^valid, with warnings: 0 errors, [1-9]\d* warnings?, \d+ notes?$/m)
    expect((await shelf.run(["validate", join(shelf.market, "meh"), "--strict"])).code).toBe(1)
  })

  it("fails for what cannot be loaded, and is content with what can", async () => {
    const odd = await shelf.run(["validate", join(shelf.market, "odd")])
    expect(odd.code).toBe(1)
    expect(odd.stdout).toMatch(/^not valid: [1-9]/m)
    const calm = await shelf.run(["validate", join(shelf.market, "calm")])
    expect(calm.code).toBe(0)
  })
})

it("validating a marketplace tells of its plugins too, and keeps the verdict on the catalogue", async () => {
  shelf.put({
    "odd/.claude-plugin/plugin.json": manifest("odd"),
    "busy/run.sh": "true\n",
    "busy/hooks/hooks.json": {
      hooks: { Stop: [{ hooks: [{ type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/run.sh"' }] }] },
    },
  })
  const { code, stdout } = await shelf.run(["validate", shelf.market, "--strict"])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^✔ valid: 0 errors, 0 warnings, 1 note$/m)])
  expect(stdout).toContain(
    "· ./busy  The plugin busy has 1 error or warning: reference_not_executable. [plugin_remarks]\n",
  )
  expect(stdout).toContain(`  fix: Read them: chorus plugin validate ${join(shelf.market, "busy")}\n`)
})

describe("chorus plugin init", () => {
  it("starts a plugin that is valid, and does not write over one", async () => {
    const { stdout } = await shelf.run(["init", "mine", "--description", "Mine.", "--with", "hooks"])
    const folder = /^✔ (.+)$/m.exec(stdout)?.[1] ?? ""
    expect(stdout).toContain(`Check it with chorus plugin validate ${folder}`)
    expect(existsSync(join(folder, ".claude-plugin", "plugin.json"))).toBe(true)
    expect(JSON.parse(readFileSync(join(folder, ".claude-plugin", "plugin.json"), "utf8"))).toMatchObject({
      name: "mine",
      description: "Mine.",
    })
    expect((await shelf.run(["validate", folder])).code).toBe(0)
    expect((await shelf.run(["init", "mine"])).code).toBe(1)
    expect(await shelf.json(["init", "mine", "--force"])).toMatchObject({
      command: "init",
      plugin: "mine",
      folder,
      outcome: "ok",
    })
  })
})
