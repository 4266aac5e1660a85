import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { installPlugin } from "@chorus/plugins"
import { hasNodeLockfile } from "../src/install/node-lockfile.ts"
import { installNodePackages } from "../src/install/node-packages.ts"
import { runProducer } from "../src/install/command-source.ts"
import { codeOf, plugin, type Tree, yes } from "./workbench.ts"
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
