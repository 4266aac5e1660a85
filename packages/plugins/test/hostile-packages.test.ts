import { chmodSync, existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { PluginScope } from "@chorus/contracts"
import { checkLock, type ConsentQuestion, type InstallResult, installPlugin, validatePath } from "@chorus/plugins"
import { plugin, type Tree } from "./workbench.ts"
import { useWorkbench } from "./scratch.ts"

const bench = useWorkbench()
const mark = () => join(bench().root, "ran")
const evil = () => `#!/bin/sh\ntouch ${mark()}\nenv > ${mark()}\nexit 0\n`
const SECRET = "made-up-secret-4711"

/** A package of the registry as a lockfile names it. */
async function lockedDep(more: Tree = {}, files: Tree = {}): Promise<Tree> {
  const registry = await bench().npmRegistry({
    dep: {
      "1.0.0": {
        "index.js": "module.exports = 7",
        "package.json": { name: "dep", version: "1.0.0", scripts: { preinstall: "./evil.sh", install: "./evil.sh" } },
        "evil.sh": evil(),
        ...files,
      },
    },
  })
  const { versions } = (await (await fetch(`${registry}/dep`)).json()) as {
    versions: Record<string, { dist: { tarball: string; integrity: string } }>
  }
  const dist = versions["1.0.0"]?.dist
  return { version: "1.0.0", resolved: dist?.tarball, integrity: dist?.integrity, hasInstallScript: true, ...more }
}

/** A plugin with these packages in its lockfile, installed as anybody would; with everything its consent showed. */
async function installWith(
  packages: Record<string, Tree>,
  files: Tree = {},
  root: Tree = {},
  scope: PluginScope = "user",
): Promise<InstallResult & { shown: string[] }> {
  const own = { name: "p", version: "1.0.0", ...root }
  const folder = bench().write("g", {
    ".claude-plugin/plugin.json": plugin("p"),
    "package.json": own,
    "package-lock.json": { name: "p", version: "1.0.0", lockfileVersion: 3, packages: { "": own, ...packages } },
    "evil.sh": evil(),
    ...files,
  })
  chmodSync(join(folder, "evil.sh"), 0o755)
  bench().commit("g", {})
  await bench().addLocal("m", [{ name: "p", source: { source: "url", url: `file://${bench().fixtures}/g` } }])
  const shown: string[] = []
  const result = await installPlugin(bench().context({ env: { ...bench().env, SECRET } }), {
    plugin: "p@m",
    scope,
    ask: (question: ConsentQuestion) => {
      shown.push(...question.plugins.flatMap((one) => one.surface.items.map((item) => item.does)))
      return true
    },
  })
  expect(existsSync(mark()), "something of the plugin ran").toBe(false)
  return { ...result, shown }
}

const has = (result: InstallResult, path: string) => existsSync(join(result.installPath, "node_modules", path))

describe("packages of a hostile plugin", () => {
  test("from git are not fetched, and the git its .npmrc names is never started", async () => {
    const resolved = "git+ssh://git@git.example.invalid/a/dep.git#0123456789012345678901234567890123456789"
    const result = await installWith(
      { "node_modules/dep": { version: "1.0.0", resolved } },
      { ".npmrc": "git=./evil.sh\n" },
      { dependencies: { dep: "git+ssh://git@git.example.invalid/a/dep.git" } },
    )
    expect(result.notes).toEqual([expect.stringContaining(`dep comes from ${resolved}`)])
    expect(result.shown).toEqual([])
    expect(validatePath(join(bench().fixtures, "g")).messages).toContainEqual(
      expect.objectContaining({ level: "warning", code: "packages_not_installed" }),
    )
  })

  test.each([
    "node-options=--require ./evil.js",
    "script-shell=./evil.sh\nignore-scripts=false",
    "prefix=./p\ncache=./c\nglobalconfig=./g\nuserconfig=./u",
    "git=./evil.sh\neditor=./evil.sh\nviewer=./evil.sh\nshell=./evil.sh",
    "install-strategy=linked\nbin-links=true\nforeground-scripts=true\nunsafe-perm=true",
  ])("come as the lockfile names them whatever its .npmrc says: %s", async (npmrc) => {
    const dep = await lockedDep()
    const result = await installWith(
      { "node_modules/dep": dep },
      { ".npmrc": npmrc, "evil.js": `require("fs").writeFileSync(${JSON.stringify(mark())}, "")` },
      { dependencies: { dep: "1.0.0" } },
    )
    expect(result.notes).toEqual([])
    expect(readFileSync(join(result.installPath, "node_modules/dep/index.js"), "utf8")).toBe("module.exports = 7")
    expect(existsSync(join(result.installPath, "c"))).toBe(false)
    expect(result.shown).toEqual([
      `installs 1 npm package of its lockfile from ${new URL(String(dep["resolved"])).host}, by their digests and ` +
        "without their scripts (not run: those of dep)",
    ])
  })

  test("send no variable of the environment to the server that its .npmrc names", async () => {
    const dep = await lockedDep()
    const requests: string[] = []
    const listener = await bench().serve(
      (request, response) => {
        requests.push(`${request.url ?? ""} ${JSON.stringify(request.headers)}`)
        response.writeHead(404).end()
      },
      { trusted: false },
    )
    const host = new URL(listener).host
    const result = await installWith(
      { "node_modules/dep": { ...dep, resolved: `${listener}/dep.tgz` } },
      { ".npmrc": `registry=${listener}/\n//${host}/:_authToken=\${SECRET}\nproxy=${listener}\n` },
      { dependencies: { dep: "1.0.0" } },
    )
    expect(requests).toEqual([])
    expect(result.notes).toEqual([expect.stringContaining("an address of this machine")])
    expect(has(result, "dep")).toBe(false)
  })

  test("are not left to the yarn or bun that it brings or configures", async () => {
    const result = await installWith(
      { "node_modules/dep": await lockedDep() },
      {
        ".yarnrc": 'yarn-path "./evil.sh"\n',
        ".yarnrc.yml": "yarnPath: ./evil.sh\nenableScripts: true\n",
        "yarn.lock": "# yarn lockfile v1\n",
        "bunfig.toml": 'preload = ["./evil.sh"]\n[install]\nregistry = "http://127.0.0.1:9"\n',
        "bun.lock": "{}",
        ".pnpmfile.cjs": `require("fs").writeFileSync(${JSON.stringify(mark())}, "")`,
      },
      { dependencies: { dep: "1.0.0" }, packageManager: "yarn@4.0.0", scripts: { preinstall: "./evil.sh" } },
    )
    expect(result.notes).toEqual([])
    expect(has(result, "dep/index.js")).toBe(true)
  })

  test("may be folders of its own, whose scripts do not run either, and no folder outside", async () => {
    const workspace = { name: "w", version: "1.0.0", scripts: { preinstall: "../../evil.sh" } }
    const inside = await installWith(
      { "packages/w": workspace, "node_modules/w": { resolved: "packages/w", link: true } },
      { "packages/w/package.json": workspace, "packages/w/.npmrc": "git=../../evil.sh" },
      { workspaces: ["packages/*"] },
    )
    expect(inside.notes).toEqual([])
    expect(readlinkSync(join(inside.installPath, "node_modules/w"))).toBe("../packages/w")
  })

  test.each(["../../../..", "/etc", "node_modules/../..", "."])(
    "are not linked to a folder outside: %s",
    async (to) => {
      const outside = await installWith({ "node_modules/w": { resolved: to, link: true } })
      if (to !== ".") expect(outside.notes).toEqual([expect.stringContaining("is not a folder of the plugin")])
      expect(has(outside, "w/home")).toBe(false)
    },
  )

  test("are those of the lockfile, not what overrides ask for", async () => {
    const result = await installWith(
      { "node_modules/dep": await lockedDep() },
      {},
      { dependencies: { dep: "1.0.0" }, overrides: { dep: "git+file:///tmp/evil", "*": "file:./evil" } },
    )
    expect(result.notes).toEqual([])
    expect(has(result, "dep/index.js")).toBe(true)
  })

  test("from a git repository on disk run no preinstall and no prepare", async () => {
    bench().commit("evil-dep", {
      "package.json": { name: "dep", version: "1.0.0", scripts: { preinstall: "./evil.sh", prepare: "./evil.sh" } },
      "evil.sh": evil(),
    })
    const commit = bench().git(join(bench().fixtures, "evil-dep"), "rev-parse", "HEAD").trim()
    const resolved = `git+file://${bench().fixtures}/evil-dep#${commit}`
    const result = await installWith({ "node_modules/dep": { version: "1.0.0", resolved } })
    expect(result.notes).toEqual([expect.stringContaining("only packages with a web address and a digest")])
  })

  test("put no program before the ones that scripts mean, and none that is not their own", async () => {
    const result = await installWith({
      "node_modules/dep": await lockedDep({
        bin: {
          node: "evil.sh",
          git: "evil.sh",
          sh: "evil.sh",
          "../../x": "evil.sh",
          out: "../../evil.sh",
          dep: "index.js",
        },
      }),
    })
    expect(["dep", "node", "git", "sh", "out"].filter((name) => has(result, `.bin/${name}`))).toEqual(["dep"])
    expect(readlinkSync(join(result.installPath, "node_modules/.bin/dep"))).toBe("../dep/index.js")
    expect(existsSync(join(result.installPath, "x"))).toBe(false)
  })

  test.each([
    ["without a digest", { integrity: undefined }, "gives no digest for dep"],
    ["with another digest", { integrity: `sha512-${"A".repeat(86)}==` }, "is not what its digest promised"],
    ["from a file", { resolved: "file:../../secret.tgz" }, "comes from file:../../secret.tgz"],
    ["with a name and password", { resolved: "https://user:pass@host.example/dep.tgz" }, "only packages with a web"],
    ["from a metadata service", { resolved: "http://169.254.169.254/dep.tgz" }, "was not contacted"],
  ])("%s are not installed, none of them, and that is said", async (_what, more, why) => {
    const good = await lockedDep()
    const result = await installWith({ "node_modules/good": good, "node_modules/dep": { ...good, ...more } })
    expect(result.notes).toEqual([expect.stringContaining(why)])
    expect(existsSync(join(result.installPath, "node_modules"))).toBe(false)
  })

  test.each([
    "node_modules/../../../escaped",
    "packages/a/node_modules/dep",
    "node_modules/.bin",
    "x/../node_modules/dep",
  ])("are not put anywhere else: %s", async (place) => {
    const result = await installWith({ [place]: await lockedDep() })
    expect(result.notes).toEqual([expect.stringMatching(/outside of its node_modules|lockfile/)])
    expect(existsSync(join(bench().root, "escaped"))).toBe(false)
  })

  test("are not installed from a lockfile that is too old or does not fit, and that is said", async () => {
    const old = await installWith({}, { "package-lock.json": { lockfileVersion: 1, dependencies: {} } })
    expect(old.notes).toEqual([expect.stringContaining("of a version before npm 7")])
  })

  test("must all be in the lockfile", async () => {
    const result = await installWith({}, {}, { dependencies: { left: "1.0.0" } })
    expect(result.notes).toEqual([expect.stringContaining("does not name left")])
  })

  test("are fetched without npm: a machine that has none installs them too", async () => {
    const dep = await lockedDep()
    const fake = bench().write("path", { npm: evil(), node: evil(), git: `#!/bin/sh\nexec /usr/bin/git "$@"\n` })
    for (const name of ["npm", "node", "git"]) chmodSync(join(fake, name), 0o755)
    const before = process.env["PATH"]
    process.env["PATH"] = `${fake}:${before ?? ""}`
    try {
      const result = await installWith({ "node_modules/dep": dep })
      expect(result.notes).toEqual([])
      expect(has(result, "dep/index.js")).toBe(true)
    } finally {
      process.env["PATH"] = before
    }
  })
})

test("packages that somebody changed on disk are fetched anew by the next install", async () => {
  const first = await installWith({ "node_modules/dep": await lockedDep() })
  const file = join(first.installPath, "node_modules/dep/index.js")
  writeFileSync(file, "steal()")
  // As Claude Code 2.1.197 and 2.1.325 write it of servers that did not start, and then do not start them.
  const notes = bench().claude("mcp-needs-auth-cache.json")
  writeFileSync(notes, JSON.stringify({ "plugin:p:s": { timestamp: 1 }, "plugin:q:s": { timestamp: 1 } }))
  const again = await installPlugin(bench().context(), { plugin: "p@m", scope: "user", ask: () => true })
  expect([again.already, readFileSync(file, "utf8")]).toEqual([false, "module.exports = 7"])
  expect(Object.keys(JSON.parse(readFileSync(notes, "utf8")) as object)).toEqual(["plugin:q:s"])
  const settled = await installPlugin(bench().context(), { plugin: "p@m", scope: "user", ask: () => false })
  expect(settled.already).toBe(true)
})

test("a lock is not kept by packages that somebody changed or removed, until they are fetched anew", async () => {
  const { installPath } = await installWith({ "node_modules/dep": await lockedDep() }, {}, {}, "project")
  const packages = join(installPath, "node_modules")
  expect(await checkLock(bench().context())).toEqual([])
  for (const harm of [
    () => writeFileSync(join(packages, "dep/index.js"), "steal()"),
    () => rmSync(packages, { recursive: true }),
  ]) {
    harm()
    expect(await checkLock(bench().context())).toMatchObject([{ id: "p@m", kind: "changed" }])
    await installPlugin(bench().context(), { plugin: "p@m", scope: "project", ask: () => true })
    expect([await checkLock(bench().context()), existsSync(join(packages, "dep/index.js"))]).toEqual([[], true])
  }
})
