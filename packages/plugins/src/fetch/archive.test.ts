import { createHash } from "node:crypto"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { zipSync } from "fflate"
import { create } from "tar"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { tarBytes, tarEntry } from "../../test/tar-bytes.ts"
import { expectDigest, fileDigest, liftSingleFolder, unpack } from "./archive.ts"
import { untar } from "./tarball.ts"

const scratch = useFolder()

async function tarOf(tree: Record<string, string>, options: { gzip?: boolean } = {}): Promise<Buffer> {
  scratch.write(Object.fromEntries(Object.entries(tree).map(([name, text]) => [`src/${name}`, text])))
  await create({ file: scratch.at("made.tar"), cwd: scratch.at("src"), gzip: options.gzip === true }, Object.keys(tree))
  return readFileSync(scratch.at("made.tar"))
}

function unpacked(bytes: Uint8Array): Promise<void> {
  scratch.write({ "a.bin": bytes })
  return unpack(scratch.at("a.bin"), scratch.at("out"))
}

describe("an archive", () => {
  it("is unpacked by what it is, whatever it is called", async () => {
    const tree = { "a.txt": "one", "d/b.txt": "two" }
    for (const bytes of [
      zipSync({ "a.txt": Buffer.from("one"), "d/b.txt": Buffer.from("two") }),
      await tarOf(tree),
      await tarOf(tree, { gzip: true }),
    ]) {
      await unpacked(bytes)
      expect([scratch.read("out/a.txt"), scratch.read("out/d/b.txt")]).toEqual(["one", "two"])
      scratch.remove()
    }
  })

  it.each([
    ["text", Buffer.from("hello".repeat(200))],
    ["nothing", Buffer.alloc(0)],
    ["one byte", Buffer.from("P")],
  ])("that is %s is refused", async (_what, bytes) => {
    await expect(unpacked(bytes)).rejects.toMatchObject({
      code: "content_refused",
      message: expect.stringContaining("neither a zip nor a tar") as string,
    })
  })

  it("keeps who may execute what", async () => {
    scratch.write({ "src/run": "x", "src/data": "x" })
    chmodSync(scratch.at("src/run"), 0o755)
    await create({ file: scratch.at("a.tar"), cwd: scratch.at("src") }, ["run", "data"])
    await unpack(scratch.at("a.tar"), scratch.at("out"))
    expect(["run", "data"].map((name) => (statSync(scratch.at(`out/${name}`)).mode & 0o111) !== 0)).toEqual([
      true,
      false,
    ])
  })
})

describe("a tar that is refused", () => {
  it.each([
    ["leads out", tarBytes(tarEntry("../evil", "x")), /leads out of the archive/],
    ["is absolute", tarBytes(tarEntry("/etc/evil", "x")), /absolute or foreign/],
    ["has backslashes", tarBytes(tarEntry("a\\b", "x")), /absolute or foreign/],
    ["holds a link", tarBytes(tarEntry("l", "", "2", "/etc/passwd")), /is a link or device/],
    ["holds a hard link", tarBytes(tarEntry("l", "", "1", "/etc/passwd")), /is a link or device/],
    ["holds a device", tarBytes(tarEntry("n", "", "3")), /is a link or device/],
    ["holds a pipe", tarBytes(tarEntry("n", "", "6")), /is a link or device/],
  ])("%s, and nothing of it is written", async (_what, tar, message) => {
    for (const bytes of [tar, gzipSync(tar)]) {
      await expect(unpacked(bytes)).rejects.toMatchObject({
        code: "content_refused",
        message: expect.stringMatching(message) as string,
      })
      expect([existsSync(scratch.at("out")), existsSync(scratch.at("evil"))]).toEqual([false, false])
    }
  })

  it("is cut off, or damaged where it is packed", async () => {
    const sound = gzipSync(tarBytes(tarEntry("a", "x".repeat(3000))))
    for (const hurt of [
      sound.subarray(0, -12),
      Buffer.concat([sound.subarray(0, 12), Buffer.alloc(20, 0xff), sound.subarray(32)]),
    ]) {
      await expect(unpacked(hurt)).rejects.toMatchObject({
        code: "content_refused",
        message: expect.stringContaining("damaged") as string,
        next: expect.stringContaining("Download it again") as string,
      })
    }
  })

  it("unpacks to far more than it is", async () => {
    await expect(
      unpacked(gzipSync(Buffer.concat([tarEntry("a", ""), Buffer.alloc(20 * 1024 * 1024)]))),
    ).rejects.toMatchObject({ code: "content_refused" })
  })
})

describe("what follows the end of a tar", () => {
  it("is part of nothing, and much of it costs no more than little", async () => {
    await unpacked(
      gzipSync(
        Buffer.concat([
          tarBytes(tarEntry("a.txt", "one")),
          Buffer.alloc(12 * 1024 * 1024),
          tarEntry("late.txt", "two"),
        ]),
      ),
    )
    expect(readdirSync(scratch.at("out"))).toEqual(["a.txt"])
  })
})

describe("a package of a registry", () => {
  it("loses the folder everything is in, whatever that is called; what lies beside it is dropped", async () => {
    scratch.write({
      "p.tgz": gzipSync(
        tarBytes(tarEntry("package/index.js", "1"), tarEntry("package/lib/x.js", "2"), tarEntry("stray.txt", "3")),
      ),
    })
    await untar(scratch.at("p.tgz"), scratch.at("out"), { strip: 1, gzip: true })
    expect(readdirSync(scratch.at("out"), { recursive: true, encoding: "utf8" }).sort()).toEqual([
      "index.js",
      "lib",
      "lib/x.js",
    ])
  })
})

describe("a plugin one folder down", () => {
  const lifted = (tree: Record<string, unknown>) => {
    scratch.write(Object.fromEntries(Object.entries(tree).map(([name, content]) => [`p/${name}`, content])))
    liftSingleFolder(scratch.at("p"))
    return readdirSync(scratch.at("p")).sort()
  }

  it("is lifted to the top, past what other systems leave in archives", () => {
    expect(
      lifted({ "tool-1.0/.claude-plugin/plugin.json": "{}", "tool-1.0/x": "", "__MACOSX/y": "", ".DS_Store": "" }),
    ).toEqual([".claude-plugin", "x"])
    expect(readdirSync(scratch.path)).toEqual(["p"])
  })

  it.each([
    ".claude-plugin/plugin.json",
    "skills/s/SKILL.md",
    "commands/c.md",
    "agents/a.md",
    "hooks/hooks.json",
    ".mcp.json",
    ".lsp.json",
    "SKILL.md",
    "output-styles/o.md",
  ])("stays where it is when %s shows that the top is the plugin", (mark) => {
    expect(lifted({ [mark]: "x" })).toEqual([mark.split("/")[0]])
  })

  it("stays when there are two folders or a file beside it", () => {
    expect(lifted({ "a/x": "", "b/y": "" })).toEqual(["a", "b"])
    scratch.remove()
    expect(lifted({ "a/x": "", "README.md": "" })).toEqual(["README.md", "a"])
    scratch.remove()
    expect(lifted({ "only.txt": "" })).toEqual(["only.txt"])
  })

  it("is lifted once, not again and again", () => {
    expect(lifted({ "a/b/.claude-plugin/plugin.json": "{}" })).toEqual(["b"])
  })
})

describe("the digest of a download", () => {
  it("is compared without regard to case, and returned when nobody promised one", async () => {
    scratch.write({ f: "hello" })
    const sha256 = createHash("sha256").update("hello").digest("hex")
    expect(await expectDigest(scratch.at("f"), undefined, "u")).toBe(sha256)
    expect(await expectDigest(scratch.at("f"), sha256.toUpperCase(), "u")).toBe(sha256)
    await expect(expectDigest(scratch.at("f"), "0".repeat(64), "https://x.example/a")).rejects.toMatchObject({
      code: "digest_mismatch",
      message: `https://x.example/a is not what was promised: sha256 ${sha256}, expected ${"0".repeat(64)}.`,
    })
  })

  it("is of any kind and spelling", async () => {
    scratch.write({ f: "hello" })
    expect(await fileDigest(scratch.at("f"), "sha512", "base64")).toBe(
      createHash("sha512").update("hello").digest("base64"),
    )
  })
})
