import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { auditPlugins, checkLock, installPlugin, loadPlugins, updatePlugin, validatePath } from "@chorus/plugins"
import { hasNodeLockfile } from "../src/install/node-lockfile.ts"
import { installNodePackages } from "../src/install/node-packages.ts"
import { runProducer } from "../src/install/command-source.ts"
import { codeOf, plugin, type Tree, writeTree, yes } from "./workbench.ts"
import { useWorkbench } from "./scratch.ts"

const bench = useWorkbench()
const locked = {
  "package.json": { name: "p", version: "1.0.0", dependencies: { gone: "1.0.0" } },
  "package-lock.json": {
    name: "p",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: {
      "": { name: "p", version: "1.0.0", dependencies: { gone: "1.0.0" } },
      "node_modules/gone": { version: "1.0.0", resolved: "http://127.0.0.1:9/gone.tgz", integrity: "sha512-AAAA" },
    },
  },
}

describe("the packages of a plugin", () => {
  test("are installed where a lockfile names them and they are not there yet, and else nothing is fetched", async () => {
    const install = (at: string, tree: Tree) => installNodePackages(bench().context(), bench().write(at, tree))
    expect(await install("plain", { "package.json": "{}" })).toBeUndefined()
    expect(await install("there", { ...locked, "node_modules/x": "" })).toBeUndefined()
    expect(["plain", "there"].map((name) => hasNodeLockfile(join(bench().fixtures, name)))).toEqual([false, true])
    expect(hasNodeLockfile(bench().write("wrap", { "package.json": "{}", "npm-shrinkwrap.json": "{}" }))).toBe(true)
  })

  test("that cannot be had are told with the reason and what to do, and the plugin stays", async () => {
    bench().commit("g", { ".claude-plugin/plugin.json": plugin("p"), ...locked })
    await bench().addLocal("m", [{ name: "p", source: { source: "url", url: `file://${bench().fixtures}/g` } }])
    const result = await installPlugin(bench().context(), { plugin: "p@m", scope: "user", ask: yes })
    expect(result.notes).toEqual([
      expect.stringMatching(/^p@m: Its Node packages were not installed: .+ could not be reached: .+ try again\.$/),
    ])
    expect(existsSync(join(result.installPath, "package-lock.json"))).toBe(true)
    await expectTold("p@m")
    expect(validatePath(join(bench().fixtures, "g"))).toMatchObject({
      verdict: "warnings",
      messages: expect.arrayContaining([
        expect.objectContaining({ code: "packages_not_installed", message: expect.stringContaining("127.0.0.1:9") }),
      ]),
    })
    bench().commit("g", { ".claude-plugin/plugin.json": plugin("p", { version: "2.0.0" }) })
    const updated = await updatePlugin(bench().context(), "p@m", { ask: yes })
    expect(updated).toMatchObject({ newVersion: "2.0.0", notes: result.notes })
    await expectTold("p@m")
  })

  /** Until they are there, the list and the audit say so, and the next install tries again. */
  async function expectTold(id: string): Promise<void> {
    const { plugins } = await loadPlugins(bench().context())
    expect(plugins.flatMap(({ notes }) => notes)).toMatchObject([{ type: "packages-missing" }])
    const [finding] = auditPlugins(bench().context(), plugins).filter(({ code }) => code === "packages_missing")
    expect(finding?.fix).toContain(`chorus plugin install ${id}`)
    const again = await installPlugin(bench().context(), { plugin: id, scope: "user", ask: () => false })
    expect([again.already, again.notes]).toEqual([false, [expect.stringContaining("packages were not installed")]])
  }

  test("that cannot be had are missing from a project's lock too, until they are there", async () => {
    bench().commit("g", { ".claude-plugin/plugin.json": plugin("p"), ...locked })
    await bench().addLocal("m", [{ name: "p", source: { source: "url", url: `file://${bench().fixtures}/g` } }])
    const { installPath } = await installPlugin(bench().context(), { plugin: "p@m", scope: "project", ask: yes })
    const told = async () => (await checkLock(bench().context())).map(({ id, kind }) => [id, kind])
    expect(await told()).toEqual([["p@m", "changed"]])
    writeTree(installPath, { "node_modules/gone/index.js": "" })
    expect(await told()).toEqual([])
  })

  test("whose lockfile leaves out the addresses come from the person's registry, by their digests", async () => {
    const registry = await bench().npmRegistry({ "@me/dep": { "1.0.0": { "index.js": "module.exports = 7" } } })
    const packument = (await (await fetch(`${registry}/@me%2fdep`)).json()) as {
      versions: Record<string, { dist: { integrity: string } }>
    }
    const integrity = packument.versions["1.0.0"]?.dist.integrity
    const folder = bench().write("bare", {
      ".claude-plugin/plugin.json": plugin("bare"),
      "package.json": { dependencies: { "@me/dep": "1.0.0" } },
      "package-lock.json": { packages: { "node_modules/@me/dep": { version: "1.0.0", integrity } } },
    })
    const told = validatePath(folder).messages.map(({ message }) => message)
    expect(told.join()).toMatch(/installs 1 npm package of its lockfile from your npm registry, by their digests/)
    const context = bench().context({ env: { ...bench().env, npm_config_registry: registry } })
    expect(await installNodePackages(context, folder)).toBeUndefined()
    expect(existsSync(join(folder, "node_modules/@me/dep/index.js"))).toBe(true)
    const nameless = { "package-lock.json": { packages: { "node_modules/@me/dep": { integrity } } } }
    expect(await installNodePackages(context, bench().write("worse", { "package.json": "{}", ...nameless }))).toMatch(
      /does not say where @me\/dep comes from/,
    )
  })

  test("none of which are for this machine are no fault", async () => {
    const entry = {
      os: [`!${process.platform}`],
      optional: true,
      resolved: "http://127.0.0.1:9/x.tgz",
      integrity: "sha512-AAAA",
    }
    const tree = { "package.json": "{}", "package-lock.json": { packages: { "node_modules/x": entry } } }
    expect(await installNodePackages(bench().context(), bench().write("none", tree))).toBeUndefined()
  })

  test("made for other machines are left out, unless the plugin cannot do without them", async () => {
    const other = { os: [`!${process.platform}`], integrity: "sha512-AAAA", resolved: "http://127.0.0.1:9/gone.tgz" }
    const tree = (more: Tree) => ({
      "package.json": "{}",
      "package-lock.json": { packages: { "node_modules/gone": { ...other, ...more }, "node_modules/w": link } },
      "lib/index.js": "",
    })
    const link = { resolved: "lib", link: true }
    expect(await installNodePackages(bench().context(), bench().write("a", tree({ optional: true })))).toBeUndefined()
    expect(await installNodePackages(bench().context(), bench().write("b", tree({})))).toMatch(/not made for this/)
  })
})

describe("a command that makes a plugin", () => {
  const run = (command: string, more: Record<string, unknown> = {}) =>
    runProducer({ source: "command", command, ...more }, bench().root)

  test("prints the folder it made, and is run from its marketplace", async () => {
    expect(await run(`echo ${bench().fixtures}`)).toBe(bench().fixtures)
    expect(await run("pwd")).toBe(bench().root)
  })

  test.each(["echo relative/path", "echo /no/such/folder", "echo /etc/hostname", "true", "printf '/tmp\n/tmp'"])(
    "is refused when it prints something else: %s",
    async (command) => {
      await expect(run(command)).rejects.toMatchObject({
        code: "command_failed",
        message: expect.stringContaining("must print one absolute folder") as string,
      })
    },
  )

  test("that fails, is not there or takes too long says so", async () => {
    await expect(run("ls /no/such/folder")).rejects.toMatchObject({
      code: "command_failed",
      message: expect.stringContaining("exit code") as string,
    })
    await expect(run("no-such-program-anywhere")).rejects.toMatchObject({
      code: "command_failed",
      message: expect.stringContaining("ENOENT") as string,
    })
    await expect(run("sleep 60", { timeout: 0.2 })).rejects.toMatchObject({
      code: "command_failed",
      message: "`sleep` failed: it took too long.",
    })
    expect(await codeOf(run(" "))).toBe("command_failed")
    expect(await codeOf(run("echo $HOME"))).toBe("command_needs_shell")
  })
})
