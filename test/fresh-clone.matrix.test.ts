import { execFileSync, spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { killTree, temporaryDirectory, type TemporaryDirectory, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, test } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const INSTALL_MS = 600_000
const stress = process.env["CHORUS_STRESS"] === "1"

let directory: TemporaryDirectory
let clone: string

beforeAll(() => {
  directory = temporaryDirectory("chorus-clone-")
  clone = join(directory.path, "clone")
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, clone])
})

afterAll(() => directory.remove())

test(
  "in a fresh clone on a machine without our Node, `npm start` runs the server",
  { timeout: INSTALL_MS },
  async () => {
    const server = npm(["start", "--", "--port", "0", "--data", join(directory.path, "data")])
    try {
      const url = await waitFor(
        () => /ready at (http:\S+)/.exec(server.output())?.[1] ?? server.failure(),
        INSTALL_MS,
        () => `the ready line after:\n${server.output()}`,
      )
      expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ status: "ok", engine: "sqlite" })
      expect(server.output()).toMatch(/sign in \(once, within 15 minutes\): http:\S+\/sign-in#\S+/)
      const chorus = execFileSync(
        "npx",
        ["--no-install", "chorus", "project", "list", "--json", "--data", join(directory.path, "data")],
        { cwd: clone, env: environment(), encoding: "utf8" },
      )
      expect(JSON.parse(chorus)).toEqual([])
    } finally {
      await server.stop()
    }
    expect(existsSync(join(directory.path, "data", "server.json"))).toBe(false)
  },
)

test("commands started side by side build it once, and nothing is left to build", { timeout: INSTALL_MS }, async () => {
  rmSync(join(clone, "dist"), { recursive: true })
  const builds = [1, 2, 3].map(() => npm(["run", "build"]))
  expect(await Promise.all(builds.map(({ ended }) => ended))).toEqual([0, 0, 0])
  const built = builds.flatMap(({ output }) => output().match(/built the \w+/g) ?? [])
  expect(built.toSorted()).toEqual(["bill", "command", "package", "page", "plugin"].map((part) => `built the ${part}`))
})

test("and `npm test` checks and tests it", { timeout: INSTALL_MS }, async () => {
  // The whole is what this test is part of; here it is about getting that far from nothing.
  const tests = npm(["test", "--", "--only", stress ? "check,unit" : "unit", ...(stress ? [] : ["packages/contracts"])])
  const code = await tests.ended
  expect(tests.output()).toMatch(/\n\d{2,} passed, 0 failed\n/)
  expect(code).toBe(0)
  expect(execFileSync("git", ["status", "--porcelain"], { cwd: clone, encoding: "utf8" })).toBe("")
})

/**
 * npm as on a machine that has never seen this product: whichever Node the system has, nothing of ours in the caches. What
 * npm itself has fetched before is fetched again under stress only: that is the registry's speed, not ours.
 */
function npm(args: readonly string[]) {
  const child = spawn("npm", args, { cwd: clone, env: environment(), stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)))
  return {
    output: () => text,
    ended,
    failure: () => {
      if (child.exitCode !== null) throw new Error(`npm ended with ${child.exitCode}`)
      return undefined
    },
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) await killTree(child.pid, "SIGTERM", 30_000)
      await ended
    },
  }
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(HOME|TMPDIR|LANG|USER|npm_config_registry|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i.test(name),
  )
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !/node-\d+\.\d+\.\d+|node_modules/.test(folder))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(":"),
    ...(stress ? { npm_config_cache: join(directory.path, "npm-cache") } : { npm_config_prefer_offline: "true" }),
    CHORUS_CACHE: join(directory.path, "cache"),
  }
}
