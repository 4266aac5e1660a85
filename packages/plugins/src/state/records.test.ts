import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { InstalledPlugin } from "@chorus/contracts"
import { useWorkbench } from "../../test/scratch.ts"
import {
  appliesHere,
  changeInstalled,
  changeKnown,
  installedPath,
  knownPath,
  readInstalled,
  readKnown,
  setOrigin,
} from "./records.ts"

const bench = useWorkbench()
const home = () => bench().context().home
const write = (name: string, content: unknown) => bench().write("../home/.claude/plugins", { [name]: content })
const record = (more: Partial<InstalledPlugin> = {}): InstalledPlugin => ({
  scope: "user",
  installPath: "/x",
  version: "1.0.0",
  ...more,
})

describe("what is installed", () => {
  it("is nothing on a new machine", () => {
    expect(readInstalled(home())).toEqual(new Map())
  })

  it("is a list of records for each id; what cannot be read is left out, and never the others", () => {
    write("installed_plugins.json", {
      version: 2,
      plugins: {
        "a@m": [record(), record({ scope: "project", projectPath: "/p" }), { scope: "galactic" }],
        "b@m": [7],
        "c@m": "x",
        "d@m": [record({ novel: 1 })],
      },
    })
    expect([...readInstalled(home())]).toEqual([
      ["a@m", [record(), record({ scope: "project", projectPath: "/p" })]],
      ["d@m", [record({ novel: 1 })]],
    ])
  })

  it("was in version 1 one record for each id, which counts as the user's", () => {
    write("installed_plugins.json", { version: 1, plugins: { "a@m": { installPath: "/x", version: "1.0.0" } } })
    expect(readInstalled(home()).get("a@m")).toEqual([record()])
  })

  it.each([{ version: 2 }, { version: 2, plugins: [] }, {}])("is nothing in %j", (content) => {
    write("installed_plugins.json", content)
    expect(readInstalled(home()).size).toBe(0)
  })
})

describe("changing the records of a plugin", () => {
  it("leaves the other plugins, and records of its own that we cannot read", async () => {
    const foreign = { scope: "galactic", installPath: "/y" }
    write("installed_plugins.json", {
      version: 2,
      future: 1,
      plugins: { "a@m": [record(), foreign], "b@m": [record()] },
    })
    await changeInstalled(home(), "a@m", (records) => records.map((one) => ({ ...one, version: "2.0.0" })))
    expect(bench().json(installedPath(home()))).toEqual({
      version: 2,
      future: 1,
      plugins: { "a@m": [record({ version: "2.0.0" }), foreign], "b@m": [record()] },
    })
  })

  it("to none removes the plugin", async () => {
    write("installed_plugins.json", { version: 2, plugins: { "a@m": [record()] } })
    await changeInstalled(home(), "a@m", () => [])
    expect(bench().json(installedPath(home()))).toEqual({ version: 2, plugins: {} })
  })

  it("starts the file where there is none", async () => {
    await changeInstalled(home(), "a@m", (records) => [...records, record()])
    expect(bench().json(installedPath(home()))).toEqual({ version: 2, plugins: { "a@m": [record()] } })
  })

  it("brings a file of version 1 to version 2 whole: nothing is doubled, nothing is left behind in the old form", async () => {
    const old = { installPath: "/x", version: "1.0.0" }
    write("installed_plugins.json", { version: 1, plugins: { "a@m": old, "b@m": old } })
    await changeInstalled(home(), "a@m", (records) => records.map((one) => ({ ...one, version: "2.0.0" })))
    expect(bench().json(installedPath(home()))).toEqual({
      version: 2,
      plugins: { "a@m": [record({ version: "2.0.0" })], "b@m": [record()] },
    })
    await changeInstalled(home(), "a@m", () => [])
    expect(Object.keys(bench().installed)).toEqual(["b@m"])
  })
})

describe("a record", () => {
  it("counts everywhere, or in its project alone", () => {
    const here = bench().project
    expect(
      [record(), record({ projectPath: here }), record({ projectPath: "/elsewhere" })].map((one) =>
        appliesHere(home(), one),
      ),
    ).toEqual([true, true, false])
  })
})

describe("the marketplaces that are known", () => {
  const source = { source: "directory" as const, path: "/m" }
  const known = { source, installLocation: "/m" }

  it("are those that can be read, with where they really come from", async () => {
    write("known_marketplaces.json", {
      m: known,
      bad: { source: { source: "carrier-pigeon" }, installLocation: "/" },
      worse: 7,
    })
    expect([...readKnown(home())]).toEqual([["m", { ...known, origin: source }]])
    await setOrigin(home(), "m", { source: "archive", url: "https://x.example/m.zip" })
    expect(readKnown(home()).get("m")).toEqual({
      ...known,
      origin: { source: "archive", url: "https://x.example/m.zip" },
    })
    await setOrigin(home(), "m", undefined)
    expect(readKnown(home()).get("m")?.origin).toEqual(source)
  })

  it("called like a property of every object have no origin of their own", () => {
    write("known_marketplaces.json", { constructor: known })
    expect(readKnown(home()).get("constructor")?.origin).toEqual(source)
  })

  it("whose origin was never kept leave no file when it is forgotten", async () => {
    await setOrigin(home(), "m", undefined)
    expect(existsSync(home().chorus)).toBe(false)
  })

  it("are changed with what we do not know of them kept", async () => {
    write("known_marketplaces.json", { m: { ...known, novel: 1 } })
    await changeKnown(home(), (all) => void (all["n"] = known))
    expect(bench().json(knownPath(home()))).toEqual({ m: { ...known, novel: 1 }, n: known })
  })
})
