import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { packedCommandDoor, packedCommandPath } from "./packed-command.ts"

const home = temporaryDirectory()
const LONG = `${"long-".repeat(12)}/${"deep-".repeat(12)}/file.md`
let root: string

beforeEach((context) => {
  root = join(home.path, context.task.id)
})

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text, { mode })
}

async function unpacked(name = "/chorus.tgz"): Promise<string> {
  const answer = await packedCommandDoor(join(root, "dist")).request(name)
  const folder = join(root, "..", `${root}-unpacked`)
  mkdirSync(folder, { recursive: true })
  execFileSync("tar", ["-xz", "-C", folder], { input: Buffer.from(await answer.arrayBuffer()) })
  return join(folder, "package")
}

describe("the packed command", () => {
  it("is the installed package as it lies there, whatever it is called", async () => {
    put("package.json", "{}")
    put("bin/chorus.mjs", "start", 0o755)
    put("dist/chorus.js", "command")
    put("node_modules/other/x.js", "not ours")
    put(`plugin/${LONG}`, "far down")
    const folder = await unpacked("/chorus-0123abcd.tgz")
    expect(readFileSync(join(folder, "plugin", LONG), "utf8")).toBe("far down")
    expect(statSync(join(folder, "bin", "chorus.mjs")).mode & 0o111).not.toBe(0)
    expect(() => statSync(join(folder, "node_modules"))).toThrow("ENOENT")
  })

  it("is put together in a clone, without what only the build needs", async () => {
    put("scripts/secret.mjs", "not for others")
    put("dist/package/package.json", "{}")
    put("dist/package/bin/chorus.mjs", "start")
    for (const name of ["chorus.js", "chorus.js.map", "chunks/a.js", ".built-page", "web.12.tmp/x.js"])
      put(`dist/${name}`, name)
    const folder = await unpacked()
    const files = execFileSync("find", [".", "-type", "f"], { cwd: folder, encoding: "utf8" }).trim().split("\n")
    expect(files.toSorted()).toEqual(["./bin/chorus.mjs", "./dist/chorus.js", "./dist/chunks/a.js", "./package.json"])
  })

  it("has another address after another build, and is packed anew", async () => {
    put("bin/chorus.mjs", "start")
    put("dist/chorus.js", "one")
    const door = packedCommandDoor(join(root, "dist"))
    const before = packedCommandPath(join(root, "dist"))
    const first = await door.request(before)
    const etag = first.headers.get("etag") ?? ""
    expect((await door.request(before, { headers: { "if-none-match": etag } })).status).toBe(304)
    put("dist/chorus.js", "two")
    utimesSync(join(root, "dist", "chorus.js"), 9, 9)
    expect(packedCommandPath(join(root, "dist"))).not.toBe(before)
    expect((await door.request(before, { headers: { "if-none-match": etag } })).status).toBe(200)
  })

  it("is not there before anything was built", async () => {
    expect((await packedCommandDoor(join(root, "dist")).request("/chorus.tgz")).status).toBe(404)
    expect(packedCommandPath(join(root, "dist"))).toBe("/chorus.tgz")
  })
})
