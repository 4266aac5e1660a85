import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { temporaryDirectory } from "@chorus/testing"
import { beforeAll, describe, expect, it } from "vitest"
import { pageDoor } from "./page.ts"

const home = temporaryDirectory()
const directory = join(home.path, "web")

beforeAll(() => {
  mkdirSync(join(directory, "assets"), { recursive: true })
  writeFileSync(
    join(directory, "index.html"),
    '<!doctype html><meta property="csp-nonce" nonce="CHORUS_NONCE"><meta content="CHORUS_ADDRESS">page',
  )
  writeFileSync(join(directory, "assets", "a-1.js"), "code")
  writeFileSync(join(directory, "assets", "b-1.js"), "x".repeat(10_000))
  writeFileSync(join(home.path, "secret.txt"), "secret")
})

const get = async (path: string, headers: Record<string, string> = {}) => pageDoor(directory).request(path, { headers })

describe("the page door", () => {
  it("answers every place of the page with the page, under a strict policy", async () => {
    const response = await get("/projects/1/board")
    expect(await response.text()).toContain("page")
    expect(response.headers.get("content-security-policy")).toContain("script-src 'self'")
    expect(response.headers.get("cache-control")).toBe("no-cache")
  })

  it("gives every answer a nonce of its own", async () => {
    const [first, second] = await Promise.all([get("/"), get("/")])
    const nonce = /nonce-([^']+)'/.exec(first.headers.get("content-security-policy") ?? "")?.[1]
    expect(nonce).toBeTypeOf("string")
    expect(await first.text()).toContain(`nonce="${nonce}"`)
    expect(second.headers.get("content-security-policy")).not.toContain(nonce)
  })

  it("says at which address others reach the server, where that was set", async () => {
    expect(await (await get("/")).text()).toContain('<meta content="">')
    const set = await pageDoor(directory, "https://chorus.example.com/").request("/")
    expect(await set.text()).toContain('<meta content="https://chorus.example.com">')
  })

  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
    ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
  ] as const)("packs code for a browser that unpacks %s as %s", async (accepted, encoding, unpack) => {
    const packed = await get("/assets/b-1.js", { "accept-encoding": accepted })
    expect(packed.headers.get("content-encoding")).toBe(encoding)
    const bytes = Buffer.from(await packed.arrayBuffer())
    expect(bytes.byteLength).toBeLessThan(1000)
    const plain = await get("/assets/b-1.js")
    expect(plain.headers.get("content-encoding")).toBeNull()
    expect(await plain.text()).toBe(unpack(bytes).toString())
  })

  it("lets browsers keep hashed files for ever", async () => {
    const response = await get("/assets/a-1.js")
    expect(await response.text()).toBe("code")
    expect(response.headers.get("cache-control")).toContain("immutable")
  })

  it("answers an address too long for any file with the page", async () => {
    expect((await get(`/${"a".repeat(300)}`)).status).toBe(200)
    expect((await get(`/${"a".repeat(300)}.js`)).status).toBe(404)
  })

  it("lets a script that runs without a page load and call nothing of others", async () => {
    expect((await get("/assets/a-1.js")).headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
  })

  it.each([
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/%00.txt",
    "/missing.js",
  ])("gives nothing at %s", async (path) => {
    const response = await get(path)
    expect(response.status === 404 || !(await response.text()).includes("secret")).toBe(true)
  })
})
