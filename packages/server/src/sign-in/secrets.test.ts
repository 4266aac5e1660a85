import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { keepPrivate, openSecrets } from "./secrets.ts"

describe("openSecrets", () => {
  it("makes random secrets once, readable to the owner alone", async () => {
    await using one = temporaryDirectory()
    await using two = temporaryDirectory()
    const first = openSecrets(one.path)
    expect(first.signing.byteLength).toBe(32)
    expect(openSecrets(one.path).signing.equals(first.signing)).toBe(true)
    expect(openSecrets(two.path).signing.equals(first.signing)).toBe(false)
    expect(statSync(join(one.path, "secrets.json")).mode & 0o777).toBe(0o600)
    expect(readdirSync(one.path)).toEqual(["secrets.json"])
  })

  it("closes a file that others could read", async () => {
    await using directory = temporaryDirectory()
    openSecrets(directory.path)
    const path = join(directory.path, "secrets.json")
    chmodSync(path, 0o644)
    openSecrets(directory.path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it("refuses a damaged file rather than fall back to something known", async () => {
    await using directory = temporaryDirectory()
    const path = join(directory.path, "secrets.json")
    for (const text of ["", "{}", '{"signing":""}', '{"signing":"short"}']) {
      writeFileSync(path, text)
      expect(() => openSecrets(directory.path)).toThrow(expect.objectContaining({ code: "secrets_damaged" }))
      expect(readFileSync(path, "utf8")).toBe(text)
    }
  })
})

describe("keepPrivate", () => {
  it("closes a directory that others could enter", async () => {
    await using directory = temporaryDirectory()
    const open = join(directory.path, "data")
    mkdirSync(open, { mode: 0o755 })
    chmodSync(open, 0o755)
    keepPrivate(open)
    expect(statSync(open).mode & 0o777).toBe(0o700)
  })
})
