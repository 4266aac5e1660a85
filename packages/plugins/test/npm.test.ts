import { existsSync, readFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { npmFetch, npmResolve, registryOf, type NpmRequest } from "../src/fetch/npm.ts"
import { codeOf, plugin, type Workbench } from "./workbench.ts"
import { useWorkbench } from "./scratch.ts"

const bench = useWorkbench()

const options = (at: Workbench = bench()) => ({
  policy: at.context().network,
  downloads: join(at.root, "downloads"),
  env: at.env,
})
const resolve = (request: NpmRequest) => npmResolve(request, options())
const into = () => join(bench().root, "out")

/** A registry that answers one document for every package. */
async function registry(document: unknown, tarball: Uint8Array = Buffer.alloc(0)): Promise<string> {
  bench().registry = await bench().serve((request, response) =>
    response.end(
      request.url?.endsWith(".tgz") === true
        ? tarball
        : typeof document === "string"
          ? document
          : JSON.stringify(document),
    ),
  )
  return bench().registry
}

describe("which version of a package is meant", () => {
  const versions = ["1.0.0", "1.2.0", "2.0.0-beta.1", "2.0.0"]
  const packument = () => ({
    "dist-tags": { latest: "1.2.0", next: "2.0.0-beta.1" },
    versions: Object.fromEntries(
      versions.map((version) => [
        version,
        { dist: { tarball: `https://r.example/${version}.tgz`, integrity: "sha512-x", shasum: "y" } },
      ]),
    ),
  })

  test.each([
    [{ package: "p" }, "1.2.0"],
    [{ package: "p", version: "latest" }, "1.2.0"],
    [{ package: "p", version: "next" }, "2.0.0-beta.1"],
    [{ package: "p@next" }, "2.0.0-beta.1"],
    [{ package: "p@1.0.0" }, "1.0.0"],
    [{ package: "p", version: "^1.0" }, "1.2.0"],
    [{ package: "p", version: ">=1 <3" }, "2.0.0"],
    [{ package: "@o/p@~1.0.0" }, "1.0.0"],
    [{ package: "p@1.0.0", version: "2.0.0" }, "2.0.0"],
    [{ package: "p", version: "" }, "1.2.0"],
  ])("by %j is %s", async (request, version) => {
    await registry(packument())
    expect(await resolve(request)).toEqual({
      version,
      tarball: `https://r.example/${version}.tgz`,
      integrity: "sha512-x",
      shasum: "y",
    })
  })

  test.each([
    { package: "p", version: "^9" },
    { package: "p", version: "none" },
    { package: "p", version: "3.0.0" },
    { package: "p", version: "constructor" },
  ])("by %j is none", async (request) => {
    await registry(packument())
    expect(await codeOf(resolve(request))).toBe("error_not_found")
  })

  test.each([
    "github:o/r",
    "git+ssh://git@h/o/r",
    "file:../x",
    "../x",
    "/abs",
    "npm:other@1",
    "a b",
    "@o",
    "",
    "p@$(id)",
    "p@github:o/r",
  ])("%j names no package of a registry, and is refused before anything is asked", async (name) => {
    bench().registry = "http://127.0.0.1:9"
    expect(await codeOf(resolve({ package: name }))).toBe("error_policy")
  })

  test.each([
    ["a page", "<html>sign in</html>"],
    ["a list", "[]"],
    ["nothing", ""],
    ["no versions", "{}"],
    ["versions that are none", '{"versions":[]}'],
  ])("from a registry that answers %s is told as the registry's fault", async (_what, text) => {
    await registry(text)
    expect(await resolve({ package: "p" }).catch((error: unknown) => error)).toMatchObject({
      code: "error_network",
      message: expect.stringContaining("is not a package of an npm registry") as string,
    })
  })

  test("that the registry does not know is not found", async () => {
    await bench().npmRegistry({})
    expect(await codeOf(resolve({ package: "p" }))).toBe("error_not_found")
  })
})

describe("a package", () => {
  test("is unpacked to its place and leaves no download behind", async () => {
    await bench().npmRegistry({ "@o/p": { "1.0.0": { ".claude-plugin/plugin.json": plugin("p"), "lib/x.js": "1" } } })
    expect(await npmFetch({ package: "@o/p" }, into(), options())).toMatchObject({ version: "1.0.0" })
    expect(readFileSync(join(into(), "lib/x.js"), "utf8")).toBe("1")
    expect(existsSync(join(bench().root, "downloads"))).toBe(true)
  })

  test("may be a link to a tarball, which has no version and nobody's promise", async () => {
    const tarball = await bench().tarball({ "x.js": "1" })
    const url = await bench().serveFiles({ "/p.tgz": tarball })
    expect(await npmFetch({ package: `${url}/p.tgz` }, into(), options())).toMatchObject({
      version: undefined,
      integrity: expect.stringMatching(/^sha512-/) as string,
    })
    expect(existsSync(join(into(), "x.js"))).toBe(true)
  })

  const promised = async (dist: Record<string, unknown>) => {
    const tarball = await bench().tarball({ "x.js": "1" })
    const url = await registry("", tarball)
    const hash = (algorithm: string, encoding: "hex" | "base64") =>
      createHash(algorithm).update(tarball).digest(encoding)
    const filled = Object.fromEntries(
      Object.entries(dist).map(([key, value]) => [
        key,
        typeof value === "string"
          ? value
              .replace("{512}", hash("sha512", "base64"))
              .replace("{1}", hash("sha1", "base64"))
              .replace("{hex}", hash("sha1", "hex"))
          : value,
      ]),
    )
    bench().registry = await bench().serve((request, response) =>
      response.end(
        request.url?.endsWith(".tgz") === true
          ? tarball
          : JSON.stringify({
              "dist-tags": { latest: "1.0.0" },
              versions: { "1.0.0": { dist: { tarball: `${url}/p.tgz`, ...filled } } },
            }),
      ),
    )
    return codeOf(npmFetch({ package: "p" }, into(), options()))
  }

  test.each([
    [{ integrity: "sha512-{512}" }, "nothing was refused"],
    [{ integrity: "sha1-{1} sha512-{512}" }, "nothing was refused"],
    [{ integrity: "sha512-{512}?opt" }, "nothing was refused"],
    [{ shasum: "{hex}" }, "nothing was refused"],
    [{ integrity: "sha1-{1} sha512-AAAA" }, "digest_mismatch"],
    [{ integrity: "sha512-AAAA", shasum: "{hex}" }, "digest_mismatch"],
    [{ shasum: "00" }, "digest_mismatch"],
    [{ integrity: "md5-AAAA" }, "digest_missing"],
    [{ integrity: "" }, "digest_missing"],
    [{}, "digest_missing"],
  ])("promised as %j: %s", async (dist, code) => {
    expect(await promised(dist)).toBe(code)
    if (code !== "nothing was refused") expect(existsSync(into())).toBe(false)
  })
})

describe("the registry", () => {
  test("is the one a request names, then the environment's, then the one of the person's own file", () => {
    bench().write("../home", { ".npmrc": '; comment\nregistry = "https://rc.example/"\n//rc.example/:_authToken=x\n' })
    const env = { HOME: bench().home }
    expect(
      registryOf(
        { package: "p", registry: "https://named.example//" },
        { ...env, npm_config_registry: "https://env.example" },
      ),
    ).toBe("https://named.example")
    expect(registryOf({ package: "p" }, { ...env, npm_config_registry: "https://env.example/" })).toBe(
      "https://env.example",
    )
    expect(registryOf({ package: "p" }, { ...env, NPM_CONFIG_REGISTRY: "https://upper.example" })).toBe(
      "https://upper.example",
    )
    expect(registryOf({ package: "p" }, env)).toBe("https://rc.example")
    bench().write("../home", { other: "registry=https://other.example" })
    expect(registryOf({ package: "p" }, { ...env, npm_config_userconfig: join(bench().home, "other") })).toBe(
      "https://other.example",
    )
  })

  test("is not known where npm is not there to say", () => {
    expect(() => registryOf({ package: "p" }, { HOME: bench().home, PATH: bench().home })).toThrow(
      expect.objectContaining({ code: "registry_unknown" }) as Error,
    )
  })
})
