import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { contentHash, copyTree, LIMITS, listTree, stripUnhashed, vetTree } from "./tree.ts"

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
  for (const gone of ["deep/.git/hooks/evil", ".in_use/evil", "node_modules/x/evil.js"])
    expect(() => chmodSync(join(root, "p", gone), 0o644)).toThrow(/ENOENT/)
  expect(contentHash(join(root, "p"))).toBe(before)
})

test("folders that share each other are refused, not copied for ever", () => {
  write("m/p/a")
  write("m/q/b")
  symlinkSync("../q", join(root, "m/p/to-q"))
  symlinkSync("../p", join(root, "m/q/to-p"))
  expect(() => copyTree(join(root, "m/p"), join(root, "copy"), join(root, "m"))).toThrow(/leads back/)
  expect(contentHash(join(root, "m/p"))).toMatch(/^sha256-/)
})

test("folders that share others, and those again others, are copied", () => {
  for (const name of ["p", "q", "r", "s"]) write(`m/${name}/${name}.txt`, name)
  for (const [from, to] of [
    ["p", "q"],
    ["q", "r"],
    ["r", "s"],
  ])
    symlinkSync(`../${to}`, join(root, `m/${from}/next`))
  copyTree(join(root, "m/p"), join(root, "copy"), join(root, "m"))
  expect(readFileSync(join(root, "copy/next/next/next/s.txt"), "utf8")).toBe("s")
  expect(contentHash(join(root, "copy"))).toBe(contentHash(join(root, "m/p")))
})

test("the hash of a tree is that of its files, in whatever order they came", () => {
  const names = ["b", "a/c", "a.b", "a-b", "Z", "\u00e9", "a/b/c"]
  for (const name of names) write(`one/${name}`, name)
  for (const name of names.toReversed()) write(`two/${name}`, name)
  expect(contentHash(join(root, "one"))).toBe(contentHash(join(root, "two")))
})

test("what moves between two files, or between a name and its content, is another tree", () => {
  write("one/a", "xy")
  write("one/b", "")
  write("two/a", "x")
  write("two/b", "y")
  write("three/ab", "xy")
  const hashes = ["one", "two", "three"].map((name) => contentHash(join(root, name)))
  expect(new Set(hashes).size).toBe(3)
})

test("packages count as part of a plugin that has no lockfile for them", () => {
  write("p/node_modules/x/i.js", "1")
  const before = contentHash(join(root, "p"))
  write("p/node_modules/x/i.js", "2")
  expect(contentHash(join(root, "p"))).not.toBe(before)
  write("p/package.json", "{}")
  write("p/npm-shrinkwrap.json", "{}")
  const locked = contentHash(join(root, "p"))
  write("p/node_modules/x/i.js", "3")
  expect(contentHash(join(root, "p"))).toBe(locked)
  write("p/lib/node_modules/x/i.js", "4")
  expect(contentHash(join(root, "p"))).not.toBe(locked)
})

test("a list of a tree has its files and links, sorted, with their sizes and who may execute them", () => {
  write("p/b", "12")
  write("p/a/c", "1")
  write("p/.git/HEAD")
  chmodSync(join(root, "p/b"), 0o755)
  symlinkSync("b", join(root, "p/l"))
  expect(listTree(join(root, "p"))).toEqual([
    { path: "a/c", kind: "file", executable: false, bytes: 1 },
    { path: "b", kind: "file", executable: true, bytes: 2 },
    { path: "l", kind: "link", executable: true, bytes: 1 },
  ])
})

test("a tree of more or larger files than a plugin may have is refused before anything is read", () => {
  write("p/huge")
  truncateSync(join(root, "p/huge"), LIMITS.fileBytes + 1)
  for (const look of [
    () => listTree(join(root, "p")),
    () => contentHash(join(root, "p")),
    () => copyTree(join(root, "p"), join(root, "c")),
    () => vetTree(join(root, "p")),
  ])
    expect(look).toThrow(/larger than a plugin may be/)
  truncateSync(join(root, "p/huge"), LIMITS.fileBytes)
  for (const name of ["b", "c"]) {
    write(`p/${name}`)
    truncateSync(join(root, `p/${name}`), LIMITS.fileBytes)
  }
  expect(() => listTree(join(root, "p"))).toThrow(/larger than a plugin may be/)
})

test("a link that stays inside is let through, also one to nothing and one in a folder", () => {
  write("p/a/b/c")
  symlinkSync("../a/b", join(root, "p/a/up"))
  symlinkSync("gone", join(root, "p/later"))
  vetTree(join(root, "p"))
  symlinkSync(join(root, "p/a"), join(root, "p/absolute"))
  expect(() => vetTree(join(root, "p"))).toThrow(/the link absolute leads out/)
})

test("a link that leads out by way of another link is refused", () => {
  write("p/a")
  write("other/secret")
  symlinkSync("..", join(root, "p/up"))
  symlinkSync("up/other/secret", join(root, "p/sly"))
  expect(() => vetTree(join(root, "p"))).toThrow(/leads out/)
})
