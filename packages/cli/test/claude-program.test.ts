import { existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { findClaude } from "../src/connect/claude-program.ts"
import { marketplaceFolder } from "../src/connect/marketplace-folder.ts"
import { chorusHere, chorusHereJson, type Ended, refusalOf } from "./command-line.ts"
import { away, scriptedServer } from "./scripted-server.ts"
import { standInClaude } from "./stand-in-claude.ts"

const MODERN = "2.1.325 (Claude Code)"
const OLD = "2.1.41 (Claude Code)"
const BETWEEN = "2.1.197 (Claude Code)"
/** Which way each says it lets others set a plugin's options. */
const HELP: Record<string, object> = {
  [MODERN]: {
    "plugin install --help": { says: "  --config <key=value>  Set a userConfig option" },
    "plugin --help": { says: "  configure [options] <plugin>  Show a plugin" },
  },
  [BETWEEN]: { "plugin install --help": { says: "  --config <key=value>  Set a userConfig option" } },
}
const FROM_ACME = { source: "github", repo: "acme/plugins" }
const URL = ["--url", "http://chorus.test", "--key", "cho_k"]
const scratch = temporaryDirectory()
let home: string
let env: Record<string, string>
let count = 0

beforeEach(() => {
  home = join(scratch.path, String(count++))
  env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude") }
  vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: () => ({ name: "bob" }) }).fetch)
})

afterEach(() => void vi.unstubAllGlobals())

const settings = () => JSON.parse(readFileSync(join(home, "claude", "settings.json"), "utf8")) as unknown
const claudeWith = (version: string, answers = {}) =>
  standInClaude(join(home, "bin"), version, { ...HELP[version], ...answers })

/** As Claude Code leaves it when it has installed the plugin for old versions. */
function switchedOn(): void {
  const file = join(home, "claude", "settings.json")
  const enabledPlugins = { "chorus-legacy@chorus-plugins": true }
  writeFileSync(file, JSON.stringify({ ...(settings() as object), enabledPlugins }))
}

/** What Claude Code has on record: marketplaces, and plugins that are installed for the person. */
function onRecord(marketplaces: readonly string[], plugins: readonly string[], source: object = FROM_ACME): void {
  const folder = join(home, "claude", "plugins")
  const known = marketplaces.map((name) => [name, { source, installLocation: "/" }])
  const installed = plugins.map((id) => [id, [{ scope: "user", installPath: "/", version: "1.0.0" }]])
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "known_marketplaces.json"), JSON.stringify(Object.fromEntries(known)))
  writeFileSync(
    join(folder, "installed_plugins.json"),
    JSON.stringify({ version: 2, plugins: Object.fromEntries(installed) }),
  )
}

describe("Claude Code as a program", () => {
  it("is asked for its version, and run without a shell", async () => {
    const { path, calls } = claudeWith(MODERN, { "plugin list": { says: "a b" } })
    const claude = await findClaude(path)
    expect(claude.version).toBe("2.1.325")
    expect(await claude.run(["plugin", "list"])).toBe("a b\n")
    await claude.run(["say", "$(touch x); `ls`", "'quoted'"])
    expect(calls().at(-1)).toBe("say $(touch x); `ls` 'quoted'")
  })

  it("that is not there is asked for by name", async () => {
    await expect(findClaude("/nowhere/claude")).rejects.toMatchObject({
      code: "no_claude",
      message: 'Claude Code does not run as "/nowhere/claude" (ENOENT).',
      next: "Install it, or name it with --claude PATH.",
    })
  })

  it("that says something else is not taken for it", async () => {
    await expect(findClaude(claudeWith("I am a teapot").path)).rejects.toMatchObject({
      code: "no_claude",
      message: expect.stringContaining('it says "I am a teapot"'),
    })
  })

  it("that fails is quoted by its last words", async () => {
    const claude = await findClaude(
      claudeWith(MODERN, { "plugin list": { says: "one\ntwo\nthree\nfour", code: 3 } }).path,
    )
    await expect(claude.run(["plugin", "list"])).rejects.toMatchObject({
      code: "claude_failed",
      message: "claude plugin list failed: two three four",
    })
  })

  it("does not have to read what it is given", async () => {
    const claude = await findClaude(claudeWith(MODERN).path)
    expect(await claude.run(["plugin", "list"], "x".repeat(1_000_000))).toBe("")
  })
})

describe("connecting Claude Code", () => {
  const connect = (path: string, ...more: string[]): Promise<Ended> =>
    chorusHere(["connect", "claude", "--claude", path, "--marketplace", "acme/plugins", ...URL, ...more], { env })

  it("installs the plugin and hands the key over where no list of processes shows it", async () => {
    const { path, calls, heard } = claudeWith(MODERN)
    const { code, stdout } = await connect(path, "--answer-seconds", "30")
    expect(code).toBe(0)
    expect(stdout).toBe(
      "Claude Code 2.1.325\n✓ added the marketplace chorus-plugins\n✓ installed the plugin chorus\n✓ set the address http://chorus.test and the key\n✓ what it asks can also be answered on the page, for 30 seconds\n✓ checked the connection: the server knows it as bob\n",
    )
    expect(calls()).toEqual([
      "plugin install --help",
      "plugin --help",
      "plugin marketplace add acme/plugins",
      "plugin install chorus@chorus-plugins",
      "plugin configure chorus@chorus-plugins --values-stdin",
    ])
    expect(JSON.parse(heard())).toEqual({
      chorus_url: "http://chorus.test",
      chorus_api_key: "cho_k",
      answer_seconds: "30",
    })
  })

  it("says for how long what it asks can be answered on the page, unless that stays as it was", async () => {
    const says = async (...more: string[]) =>
      /✓ (what it asks .*)\n/.exec((await connect(claudeWith(MODERN).path, ...more)).stdout)?.[1]
    expect(await says()).toBe(
      "what it asks can also be answered on the page, for an hour (--answer-seconds 0: not at all)",
    )
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins"])
    expect(await says()).toBeUndefined()
    expect(await says("--answer-seconds", "0")).toBe(
      "what it asks is only shown on the page, and answered in its terminal",
    )
  })

  it("gives an old version its own plugin, by its settings, and takes the other away", async () => {
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins"])
    const { path, calls } = claudeWith(OLD)
    const { stdout } = await connect(path)
    expect(stdout).toContain("✓ found the marketplace chorus-plugins\n✓ installed the plugin chorus-legacy\n")
    expect(calls()).toEqual([
      "plugin install --help",
      "plugin install chorus-legacy@chorus-plugins",
      "plugin uninstall chorus@chorus-plugins",
    ])
    expect(settings()).toEqual({ env: { CHORUS_URL: "http://chorus.test", CHORUS_API_KEY: "cho_k" } })
  })

  it("hands the key over as the version in between can, which has no other way", async () => {
    const { path, calls } = claudeWith(BETWEEN)
    expect((await connect(path)).code).toBe(0)
    expect(calls().slice(-2)).toEqual([
      "plugin marketplace add acme/plugins",
      "plugin install chorus@chorus-plugins --config chorus_url=http://chorus.test --config chorus_api_key=cho_k",
    ])
  })

  it("brings a plugin up to date that is installed, and says to which version", async () => {
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins"])
    const record = join(home, "claude", "plugins", "installed_plugins.json")
    const { path, calls } = claudeWith(MODERN)
    expect((await connect(path)).stdout).toContain(
      "✓ found the marketplace chorus-plugins\n✓ found the plugin chorus\n",
    )
    expect(calls().slice(-2)).toEqual([
      "plugin update chorus@chorus-plugins",
      "plugin configure chorus@chorus-plugins --values-stdin",
    ])
    const updating = standInClaude(join(home, "newer"), MODERN, HELP[MODERN] as Record<string, { says: string }>, {
      "plugin update chorus@chorus-plugins": `sed -i s/1.0.0/1.1.0/ '${record}'`,
    })
    expect((await connect(updating.path)).stdout).toContain("✓ updated the plugin chorus to 1.1.0\n")
  })

  it("switches a plugin on that somebody has switched off", async () => {
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins"])
    const enable = "plugin enable chorus@chorus-plugins"
    const { path, calls } = claudeWith(MODERN)
    const set = (on: boolean) =>
      writeFileSync(
        join(home, "claude", "settings.json"),
        JSON.stringify({ enabledPlugins: { "chorus@chorus-plugins": on } }),
      )
    set(true)
    await connect(path)
    expect(calls()).not.toContain(enable)
    set(false)
    expect((await connect(path)).code).toBe(0)
    expect(calls()).toContain(enable)
  })

  it("follows the folder that it came in, and leaves a source that a person chose", async () => {
    const here = (path: string) => chorusHere(["connect", "claude", "--claude", path, ...URL], { env })
    onRecord(["chorus-plugins"], [])
    expect((await here(claudeWith(MODERN).path)).stdout).toContain("✓ found the marketplace chorus-plugins\n")
    onRecord(["chorus-plugins"], [], { source: "directory", path: marketplaceFolder() })
    expect((await here(claudeWith(MODERN).path)).stdout).toContain("✓ found the marketplace chorus-plugins\n")
    onRecord(["chorus-plugins"], [], { source: "directory", path: "/moved/away" })
    const { path, calls } = claudeWith(MODERN)
    expect((await here(path)).stdout).toContain(`✓ moved the marketplace chorus-plugins to ${marketplaceFolder()}\n`)
    expect(calls()).not.toContain("plugin marketplace remove chorus-plugins")
  })

  it("has an old version forget the folder that it came in before, which it does not take another for", async () => {
    onRecord(["chorus-plugins"], [], { source: "directory", path: "/moved/away" })
    const adding = "plugin marketplace add acme/plugins"
    const once = `[ -e '${home}/removed' ] || { echo 'already installed'; exit 1; }`
    const old = standInClaude(
      join(home, "bin"),
      OLD,
      {},
      {
        [adding]: once,
        "plugin marketplace remove chorus-plugins": `: > '${home}/removed'`,
      },
    )
    expect((await connect(old.path)).code).toBe(0)
    expect(old.calls().slice(1, 4)).toEqual([adding, "plugin marketplace remove chorus-plugins", adding])
  })

  it("says what is left to do, and does not tick it off, where this machine's Chorus does not run yet", async () => {
    vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: away }).fetch)
    const { path } = claudeWith(MODERN)
    const { code, stdout } = await chorusHere(
      ["connect", "claude", "--claude", path, "--marketplace", "acme/plugins", "--data", join(home, "data")],
      { env },
    )
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^! no server runs yet: run `chorus start`/m)])
    expect(stdout).not.toMatch(/✓ .*no server/)
  })

  it.each([
    [MODERN, "plugin configure chorus@chorus-plugins --values-stdin", "chorus"],
    [
      BETWEEN,
      `plugin install chorus@chorus-plugins --config chorus_url=http://chorus.test --config chorus_api_key=cho_k`,
      "chorus",
    ],
    [OLD, "plugin install chorus-legacy@chorus-plugins", "chorus-legacy"],
  ])("leaves nothing behind where a step fails in %s", async (version, step, plugin) => {
    const { path, calls } = claudeWith(version, { [step]: { says: "disk full", code: 1 } })
    const { code, stderr } = await connect(path)
    expect([code, stderr]).toEqual([1, expect.stringContaining("disk full")])
    expect(calls().slice(-2)).toEqual([
      `plugin uninstall ${plugin}@chorus-plugins`,
      "plugin marketplace remove chorus-plugins",
    ])
    expect(existsSync(join(home, "claude", "settings.json"))).toBe(false)
  })

  it("keeps the key that Claude Code holds by then where a later step fails", async () => {
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins", "chorus-legacy@chorus-plugins"])
    vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: away }).fetch)
    const data = ["--data", join(home, "data")]
    const working = async () => {
      const { keys } = await chorusHereJson<{ keys: { revokedAt: string | null }[] }>(
        ["call", "chorus_list_keys", ...data],
        { env },
      )
      return keys.filter(({ revokedAt }) => revokedAt === null).length
    }
    const connecting = (path: string) => chorusHere(["connect", "claude", "--claude", path, ...data], { env })
    const failing = (step: string) =>
      connecting(claudeWith(MODERN, { [step]: { says: "disk full", code: 1 } }).path).then(({ code }) => code)
    expect([await failing("plugin configure chorus@chorus-plugins --values-stdin"), await working()]).toEqual([1, 0])
    expect([await failing("plugin uninstall chorus-legacy@chorus-plugins"), await working()]).toEqual([1, 1])
    expect([(await connecting(claudeWith(MODERN).path)).code, await working()]).toEqual([0, 1])
  })

  it("is not moved from a Chorus elsewhere to an empty one here by whoever only wants another key", async () => {
    const { path, calls } = claudeWith(OLD)
    expect((await connect(path)).code).toBe(0)
    switchedOn()
    const before = calls().length
    const data = join(home, "data")
    const refusal = await refusalOf(["connect", "claude", "--claude", path, "--data", data], { env })
    expect(refusal).toMatchObject({
      code: "connected_elsewhere",
      next: expect.stringContaining("`chorus connect claude --url http://chorus.test --key KEY`"),
    })
    expect([existsSync(data), calls().length]).toEqual([false, before])
  })

  it("keeps the agent whose key Claude Code holds, as the page's line gave it, and names that key when it goes", async () => {
    const data = ["--data", join(home, "data")]
    const { key } = await chorusHereJson<{ key: string }>(["agent", "add", "Claude", "--preset", "lead", ...data], {
      env,
    })
    const { path } = claudeWith(OLD)
    const given = ["--url", "http://127.0.0.1:9100", "--key", key]
    expect((await chorusHere(["connect", "claude", "--claude", path, ...given], { env })).code).toBe(0)
    switchedOn()
    const again = await chorusHere(["connect", "claude", "--claude", path, ...data], { env })
    expect(again.stdout).toContain("✓ kept the agent Claude, lead: it plans and builds\n✓ kept its key\n")
    expect(settings()).toMatchObject({ env: { CHORUS_URL: "http://127.0.0.1:9100", CHORUS_API_KEY: key } })
    const agents = await chorusHereJson<{ name: string }[]>(["agent", "list", ...data], { env })
    expect(agents.map(({ name }) => name)).toEqual(["Claude"])

    const away = ["connect", "claude", "--claude", path, "--agent", "Weaver", ...data]
    expect((await chorusHere(away, { env })).stdout).toMatch(
      /^! the key ".+" of the agent Claude stays: revoke it at http:\/\/127\.0\.0\.1:\d+, in Settings → Agents and keys$/m,
    )
    expect((await chorusHere(["connect", "claude", "--claude", path, ...data], { env })).stdout).toContain(
      "✓ kept the agent Weaver",
    )
    expect((await chorusHere(["connect", "claude", "--claude", path, ...given], { env })).code).toBe(0)
    switchedOn()
    const gone = await chorusHere(["disconnect", "claude", "--claude", path, ...data], { env })
    const named = (agent: string) =>
      expect(gone.stdout).toMatch(new RegExp(`^! the key ".+" of the agent ${agent} stays: revoke it at http`, "m"))
    named("Claude")
    named("Weaver")
  })

  it("touches nothing for an address at which nobody answers", async () => {
    vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: away }).fetch)
    const { path, calls } = claudeWith(MODERN)
    const { code, stderr } = await connect(path)
    expect([code, stderr]).toEqual([1, expect.stringContaining("[no_server]")])
    expect(calls()).toEqual(["plugin install --help", "plugin --help"])
  })

  it("does not take another marketplace whose name begins alike for ours", async () => {
    onRecord(["chorus-plugins-of-others"], [])
    const { path, calls } = claudeWith(MODERN)
    await connect(path)
    expect(calls()).toContain("plugin marketplace add acme/plugins")
  })

  it("changes nothing when Claude Code is not there", async () => {
    expect(
      await refusalOf(["connect", "claude", "--claude", "/nowhere", "--data", join(home, "data")], { env }),
    ).toMatchObject({ code: "no_claude" })
    expect(existsSync(join(home, "data"))).toBe(false)
  })
})

describe("disconnecting Claude Code", () => {
  it("takes away what is there and says so, and says when nothing is", async () => {
    onRecord(["chorus-plugins"], ["chorus@chorus-plugins", "chorus-legacy@chorus-plugins"])
    const there = claudeWith(MODERN)
    const { done } = await chorusHereJson<{ done: string[] }>(
      ["disconnect", "claude", "--claude", there.path, ...URL],
      { env },
    )
    expect(done).toEqual(["uninstalled chorus", "uninstalled chorus-legacy", "removed the marketplace chorus-plugins"])
    home = join(scratch.path, String(count++))
    const { stdout } = await chorusHere(["disconnect", "claude", "--claude", claudeWith(MODERN).path, ...URL], {
      env: { HOME: home },
    })
    expect(stdout).toContain("✓ found nothing to take away\n")
  })

  it("says of a key that was given to it that it stays, and where it is revoked", async () => {
    const { path } = claudeWith(OLD)
    await chorusHere(["connect", "claude", "--claude", path, "--marketplace", "acme/plugins", ...URL], { env })
    switchedOn()
    const { stdout } = await chorusHere(["disconnect", "claude", "--claude", path, "--data", join(home, "data")], {
      env,
    })
    expect(stdout).toContain("! its key stays: revoke it at http://chorus.test, in Settings → Agents and keys\n")
  })

  it.each(["plugin uninstall chorus-legacy@chorus-plugins", "plugin marketplace remove chorus-plugins"])(
    "takes the key away though Claude Code fails at %s, and says so",
    async (step) => {
      const data = ["--data", join(home, "data")]
      vi.stubGlobal("fetch", scriptedServer({ chorus_whoami: away }).fetch)
      expect((await chorusHere(["connect", "claude", "--claude", claudeWith(OLD).path, ...data], { env })).code).toBe(0)
      onRecord(["chorus-plugins"], ["chorus-legacy@chorus-plugins"])
      const { path } = claudeWith(OLD, { [step]: { says: "disk full", code: 1 } })
      const { code, stderr } = await chorusHere(["disconnect", "claude", "--claude", path, ...data], { env })
      expect([code, stderr]).toEqual([1, expect.stringContaining("disk full")])
      expect(settings()).toEqual({})
      const { keys } = await chorusHereJson<{ keys: { revokedAt: string | null }[] }>(
        ["call", "chorus_list_keys", ...data],
        { env },
      )
      expect(keys.filter(({ revokedAt }) => revokedAt === null)).toEqual([])
    },
  )

  it("that fails does not keep uninstalling from the rest", async () => {
    onRecord([], ["chorus@chorus-plugins"])
    const { path } = claudeWith(MODERN, {
      "plugin uninstall chorus@chorus-plugins": { says: "disk full", code: 1 },
    })
    const { code, stdout } = await chorusHere(["uninstall", "--claude", path, "--data", join(home, "data"), "--json"], {
      env: { ...env, CHORUS_CACHE: join(home, "cache"), XDG_STATE_HOME: join(home, "state") },
    })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      failed: ["Claude Code: claude plugin uninstall chorus@chorus-plugins failed: disk full"],
      done: expect.arrayContaining(["removed the wrappers, the listener and what they kept"]),
    })
  })
})

describe("a companion on demand", () => {
  it.each([
    ["before the word", (data: string) => ["companion", "--data", data, "enable"]],
    ["behind the word", (data: string) => ["companion", "enable", "--data", data]],
  ])("is enabled for the data that is named %s", async (_, argv) => {
    const { path, heard } = claudeWith(MODERN)
    const data = join(home, "it's data")
    const { program } = await chorusHereJson<{ program: string }>([...argv(data), "--claude", path], { env })
    expect(program).toBe(join(data, "companion", "start"))
    expect(JSON.parse(heard())).toEqual({ companion_program: program })
    expect(statSync(program).mode & 0o777).toBe(0o700)
    expect(readFileSync(program, "utf8")).toContain(String.raw`companion --data '${home}/it'\''s data' "$@"`)
    expect(existsSync(join(home, ".chorus"))).toBe(false)
  })

  it("is enabled once more while a session may be about to start what was there before", async () => {
    const { path } = claudeWith(MODERN)
    const enable = ["companion", "enable", "--data", home, "--claude", path]
    const { program } = await chorusHereJson<{ program: string }>(enable, { env })
    const opened = join(home, "opened")
    writeFileSync(program, "the old one\n")
    linkSync(program, opened)
    await chorusHereJson(enable, { env })
    expect(readFileSync(opened, "utf8")).toBe("the old one\n")
    expect(readFileSync(program, "utf8")).toContain("companion --data")
  })

  it("is disabled without a trace, and says when it was not enabled", async () => {
    const { path, heard } = claudeWith(OLD)
    const data = join(home, "data")
    await chorusHere(["companion", "enable", "--data", data, "--claude", path], { env })
    expect(settings()).toEqual({ env: { CHORUS_COMPANION_PROGRAM: join(data, "companion", "start") } })
    const disable = ["companion", "disable", "--data", data, "--claude", path]
    expect((await chorusHere(disable, { env })).stdout).toBe("disabled\n")
    expect(settings()).toEqual({})
    expect((await chorusHere(disable, { env })).stdout).toBe("it was not enabled\n")
    expect(heard()).toBe("")
  })

  it("needs a key, and says how to make one", async () => {
    expect(await refusalOf(["companion", "--data", join(home, "data")], { env })).toMatchObject({
      code: "key_missing",
      next: expect.stringContaining("chorus agent add"),
    })
    const { stderr } = await chorusHere(["companion", "--for", "1"], { env })
    expect(stderr).toContain("Give the id of a process.")
  })

  it("keeps settings that it cannot read", async () => {
    const { path } = claudeWith(OLD)
    await chorusHere(["companion", "enable", "--data", join(home, "data"), "--claude", path], { env })
    writeFileSync(join(home, "claude", "settings.json"), "{")
    expect(
      await refusalOf(["companion", "disable", "--data", join(home, "data"), "--claude", path], { env }),
    ).toMatchObject({ code: "bad_settings" })
    expect(readFileSync(join(home, "claude", "settings.json"), "utf8")).toBe("{")
  })
})
