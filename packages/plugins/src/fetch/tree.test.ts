import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { contentHash, copyTree, stripUnhashed, vetTree } from "./tree.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chorus-tree-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(name: string, text = "x"): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}

test("the hash changes with bytes, names, execute bits and links, and with nothing else", () => {
  write("p/a", "1")
  write("p/b/c", "2")
  const hash = () => contentHash(join(root, "p"))
  const first = hash()
  mkdirSync(join(root, "p/empty"))
  write("p/.git/HEAD", "ignored")
  write("p/.orphaned_at", "1")
  expect(hash()).toBe(first)
  write("p/a", "11")
  const second = hash()
  expect(second).not.toBe(first)
  chmodSync(join(root, "p/a"), 0o755)
  const third = hash()
  expect(third).not.toBe(second)
  symlinkSync("a", join(root, "p/l"))
  expect(hash()).not.toBe(third)
})

test("a copy has the hash of its original, also with links inside it and to what its marketplace shares", () => {
  write("m/shared/lib/x.js")
  write("m/shared/one.md")
  write("m/p/real/file")
  symlinkSync("./real/../real/file", join(root, "m/p/inner"))
  symlinkSync("../shared/one.md", join(root, "m/p/one.md"))
  symlinkSync("../shared/lib", join(root, "m/p/lib"))
  copyTree(join(root, "m/p"), join(root, "copy"), join(root, "m"))
  expect(contentHash(join(root, "copy"))).toBe(contentHash(join(root, "m/p")))
  vetTree(join(root, "copy"))
})

test("links that lead out, nowhere or in circles do not get through", () => {
  write("p/a")
  symlinkSync("/etc/passwd", join(root, "p/out"))
  expect(() => vetTree(join(root, "p"))).toThrow(/leads out/)
  expect(() => copyTree(join(root, "p"), join(root, "c1"))).toThrow(/leads out/)
  rmSync(join(root, "p/out"))
  symlinkSync("gone", join(root, "p/dangling"))
  expect(() => copyTree(join(root, "p"), join(root, "c2"))).toThrow(/leads nowhere/)
  rmSync(join(root, "p/dangling"))
  symlinkSync("loop2", join(root, "p/loop1"))
  symlinkSync("loop1", join(root, "p/loop2"))
  expect(() => copyTree(join(root, "p"), join(root, "c3"))).toThrow(/leads nowhere/)
})

test("nothing the hash does not cover stays in a fetched plugin", () => {
  write("p/a")
  write("p/deep/.git/hooks/evil")
  write("p/.in_use/evil")
  write("p/package.json", "{}")
  write("p/package-lock.json", "{}")
  write("p/node_modules/x/evil.js")
  const before = contentHash(join(root, "p"))
  stripUnhashed(join(root, "p"))
  for (const gone of ["deep/.git/hooks/evil", ".in_use/evil", "node_modules/x/evil.js"]) expect(() => chmodSync(join(root, "p", gone), 0o644)).toThrow(/ENOENT/)
  expect(contentHash(join(root, "p"))).toBe(before)
})
