import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as contracts from "./index.ts"

const families = readdirSync(new URL("./operations", import.meta.url))
  .filter((name) => !name.endsWith(".test.ts") && name !== "signatures.ts")
  .map((name) => name.replace(".ts", ""))
const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

describe("the public face of the contracts", () => {
  it.each(families)("has the family %s under its own name", (family) => {
    const exported: Record<string, unknown> = { ...contracts }
    expect(Object.keys(exported[camelCase(family)] ?? {}).length).toBeGreaterThan(0)
  })

  it("has everything that the other files state for use elsewhere", () => {
    const files = readdirSync(new URL(".", import.meta.url)).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "index.ts",
    )
    const stated = files.flatMap((file) =>
      [
        ...readFileSync(new URL(file, import.meta.url), "utf8").matchAll(/^export (?:const|class|function) (\w+)/gm),
      ].map(([, name = ""]) => name),
    )
    expect(stated.filter((name) => !(name in contracts)).sort()).toEqual(["PluginOffer", "pagesOf"])
  })

  it("has no logic to import: whatever is exported is a schema, a table, a signature or one of these", () => {
    const functions = Object.entries(contracts)
      .filter(([, member]) => typeof member === "function")
      .map(([name]) => name)
    expect(functions.sort()).toEqual(["ChorusError", "line", "prose", "signature"])
  })

  it("imports nothing but the library of schemas", () => {
    const everywhere = ["", "operations/"].flatMap((folder) =>
      readdirSync(new URL(`./${folder}`, import.meta.url))
        .filter((name) => /^[a-z-]+\.ts$/.test(name))
        .map((name) => `${folder}${name}`),
    )
    const imported = new Set(
      everywhere
        .flatMap((file) =>
          [...readFileSync(new URL(file, import.meta.url), "utf8").matchAll(/from "([^"]+)"/g)].map(
            ([, from = ""]) => from,
          ),
        )
        .filter((from) => !from.startsWith(".")),
    )
    expect([...imported]).toEqual(["zod"])
  })
})
