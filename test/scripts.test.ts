import { execFileSync } from "node:child_process"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, describe, expect, it, vi } from "vitest"

interface Node24 {
  cacheDirectory(): string
  environmentFor(node: string): NodeJS.ProcessEnv
  node24(): string
  installNode(folder: string, name: string, integrity?: string): string | undefined
  NODE_VERSION: string
}

interface PackNotices {
  bundledPackages(metafile: { inputs: Record<string, object> }): string[]
  notices(places: readonly string[]): string
  packagesOf(room: string): string[]
}

const { cacheDirectory, environmentFor, installNode, node24, NODE_VERSION } = await script<Node24>("node24.mjs")
const { bundledPackages, notices, packagesOf } = await script<PackNotices>("pack-notices.mjs")

afterEach(() => void vi.unstubAllEnvs())

describe("the Node that Chorus runs on", () => {
  it("is this one where this one will do", () => {
    expect(node24()).toBe(process.execPath)
  })

  it("is installed only with the bytes that we know, and runs nothing while it is", async () => {
    await using directory = temporaryDirectory()
    const name = `node-${process.platform}-${process.arch}`
    const other = `sha512-${Buffer.alloc(64, 7).toString("base64")}`
    expect(installNode(join(directory.path, "other"), name, other)).toMatch(/EINTEGRITY/)
    expect(installNode(join(directory.path, "ours"), name)).toBeUndefined()
    const node = join(directory.path, "ours", "node_modules", name, "bin", "node")
    expect(execFileSync(node, ["--version"], { encoding: "utf8" }).trim()).toBe(`v${NODE_VERSION}`)
  }, 120_000)

  it("is what children find first", () => {
    expect(environmentFor("/opt/node/bin/node")["PATH"]?.split(delimiter)[0]).toBe("/opt/node/bin")
    expect(environmentFor(process.execPath)["HOME"]).toBe(process.env["HOME"])
  })

  it.each([
    ["where it is told to be", { CHORUS_CACHE: "/somewhere", XDG_CACHE_HOME: "/cache" }, "/somewhere"],
    ["in the cache of the person otherwise", { CHORUS_CACHE: "", XDG_CACHE_HOME: "/cache" }, "/cache/chorus"],
    [
      "never in the folder one happens to be in",
      { CHORUS_CACHE: "", XDG_CACHE_HOME: "" },
      join(homedir(), ".cache", "chorus"),
    ],
  ])("is kept %s", (_, env, path) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect(cacheDirectory()).toBe(path)
  })
})

describe("the notices", () => {
  it("know a bundled file's package, however deep it lies, and that ours have none", () => {
    const inputs = {
      "packages/cli/src/main.ts": {},
      "node_modules/zod/v4/core.js": {},
      "node_modules/@scope/name/index.js": {},
      "node_modules/a/node_modules/b/lib/x.js": {},
    }
    expect(bundledPackages({ inputs })).toEqual([
      "node_modules/zod",
      "node_modules/@scope/name",
      "node_modules/a/node_modules/b",
    ])
  })

  it("name each package once, in order, with the words of its licence", () => {
    const text = notices(["node_modules/zod", "node_modules/commander", "node_modules/zod", "node_modules/not-there"])
    const titles = [...text.matchAll(/^## (\S+) \d\S* \(\S+\)$/gm)].map(([, name]) => name)
    expect(titles).toEqual(["commander", "zod"])
    expect(text.match(/Permission is hereby granted/g)).toHaveLength(2)
  })

  it("follow what a room needs to what that needs in turn, and leave out our own rooms", () => {
    const places = packagesOf("web")
    expect(places).toContain("node_modules/react-dom")
    expect(places).toContain("node_modules/scheduler")
    expect(places.filter((place) => place.includes("@chorus/"))).toEqual([])
    expect(new Set(places).size).toBe(places.length)
  })
})

async function script<T>(name: string): Promise<T> {
  return (await import(join(dirname(import.meta.dirname), "scripts", name))) as T
}
