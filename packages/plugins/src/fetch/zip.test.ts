import { existsSync, readdirSync, statSync } from "node:fs"
import { assert, property, string, uint8Array, array, tuple } from "fast-check"
import { zipSync, type Zippable } from "fflate"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import { entryNameFault, readFromZip, unzip } from "./zip.ts"

const scratch = useFolder()
type Files = Record<string, string | { text: string; mode: number }>

function pack(files: Files, level: 0 | 6 = 6): Buffer {
  const zippable: Zippable = {}
  for (const [name, file] of Object.entries(files)) {
    const mode = typeof file === "string" ? undefined : file.mode
    zippable[name] = [
      Buffer.from(typeof file === "string" ? file : file.text),
      { level, ...(mode === undefined ? {} : { os: 3, attrs: (mode << 16) >>> 0 }) },
    ]
  }
  return Buffer.from(zipSync(zippable))
}

/** Changes a number in the directory entry of the last file. */
function patched(zip: Buffer, offset: number, value: number, width: 2 | 4 = 4): Buffer {
  const at = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + offset
  if (width === 4) zip.writeUInt32LE(value, at)
  else zip.writeUInt16LE(value, at)
  return zip
}

function unpack(zip: Uint8Array): string[] {
  scratch.write({ "a.zip": zip })
  unzip(scratch.at("a.zip"), scratch.at("out"))
  return readdirSync(scratch.at("out"), { recursive: true, encoding: "utf8" }).sort()
}

describe("a zip", () => {
  it.each([6, 0] as const)("at level %i is unpacked with its folders", (level) => {
    expect(unpack(pack({ "a.txt": "x".repeat(5000), "d/e/b.txt": "ü", "empty.txt": "" }, level))).toEqual([
      "a.txt",
      "d",
      "d/e",
      "d/e/b.txt",
      "empty.txt",
    ])
    expect([scratch.read("out/a.txt").length, scratch.read("out/d/e/b.txt"), scratch.read("out/empty.txt")]).toEqual([
      5000,
      "ü",
      "",
    ])
  })

  it("gives back whatever was put in", () => {
    const name = string({ minLength: 1, maxLength: 8 }).filter((text) => /^[a-z0-9]+$/.test(text))
    let run = 0
    assert(
      property(array(tuple(name, uint8Array({ maxLength: 300 })), { minLength: 1, maxLength: 4 }), (files) => {
        const tree = Object.fromEntries(files)
        scratch.write({ [`p${(run += 1)}.zip`]: zipSync(tree) })
        for (const [file, bytes] of Object.entries(tree))
          expect(readFromZip(scratch.at(`p${run}.zip`), file, 1000)).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 20 },
    )
  })

  it("keeps who may execute what, and nothing else of the rights", () => {
    unpack(
      pack({
        "run.sh": { text: "#!/bin/sh", mode: 0o100755 },
        data: { text: "x", mode: 0o100666 },
        suid: { text: "x", mode: 0o104711 },
      }),
    )
    expect(["run.sh", "data", "suid"].map((name) => statSync(scratch.at(`out/${name}`)).mode & 0o7777)).toEqual([
      0o755, 0o644, 0o755,
    ])
  })

  it("with folders of their own in its list is unpacked like one without", () => {
    expect(unpack(pack({ "d/": "", "d/x": "1" }))).toEqual(["d", "d/x"])
  })

  it("with nothing in it is an empty folder", () => {
    expect(unpack(Buffer.from(zipSync({})))).toEqual([])
  })
})

describe("a zip that is refused", () => {
  const zip = (name: string, mode?: number) =>
    pack({ "ok.txt": "x", [name]: mode === undefined ? "x" : { text: "/etc/passwd", mode } })

  it.each([
    ["leads out", () => zip("../evil"), /leads out of the archive/],
    ["leads out further down", () => zip("a/../../evil"), /leads out of the archive/],
    ["is absolute", () => zip("/etc/evil"), /absolute or foreign path/],
    ["is for Windows", () => zip("C:evil"), /absolute or foreign path/],
    ["has backslashes", () => zip("a\\..\\evil"), /absolute or foreign path/],
    ["holds a link", () => zip("link", 0o120777), /is a link or device/],
    ["holds a device", () => zip("null", 0o020666), /is a link or device/],
    ["holds one name twice", () => zip("./ok.txt"), /is there twice/],
    [
      "holds a file where another has a folder",
      () => pack({ a: "x", "a/b": "y" }),
      /cannot be written beside the others/,
    ],
    ["is encrypted", () => patched(zip("b"), 8, 1, 2), /it is encrypted/],
    ["is packed in an unknown way", () => patched(zip("b"), 10, 12, 2), /packed in an unknown way/],
    ["says that it is longer than it is", () => patched(zip("b"), 20, 1_000_000), /longer than the archive/],
    [
      "says that an entry is shorter than it is",
      () => patched(pack({ b: "x".repeat(500) }), 24, 3),
      /is not what the archive says/,
    ],
    ["says that an entry is longer than it is", () => patched(zip("b"), 24, 900), /is not what the archive says/],
    ["unpacks to far more than it is", () => patched(zip("b"), 24, 900_000_000), /more than a plugin may be/],
    ["points beside its entries", () => patched(zip("b"), 42, 3), /an entry is damaged/],
    ["is cut off at its end", () => zip("b").subarray(0, -10), /not a zip archive/],
    ["is text", () => Buffer.from("PK this is no zip"), /not a zip archive/],
    ["is empty", () => Buffer.alloc(0), /not a zip archive/],
  ])("%s, before anything of it is written", (_what, make, message) => {
    scratch.write({ "a.zip": make() })
    expect(() => unzip(scratch.at("a.zip"), scratch.at("out"))).toThrow(
      expect.objectContaining({
        code: "content_refused",
        message: expect.stringMatching(message) as string,
        next: expect.stringContaining("do not install") as string,
      }) as Error,
    )
    expect(existsSync(scratch.at("evil"))).toBe(false)
  })

  it("has a list that is not one", () => {
    const broken = zip("b")
    broken.writeUInt32LE(0, broken.indexOf(Buffer.from([0x50, 0x4b, 1, 2])))
    scratch.write({ "a.zip": broken })
    expect(() => unzip(scratch.at("a.zip"), scratch.at("out"))).toThrow(/directory is damaged/)
  })

  it("is damaged in any byte: it is refused, or what is read is what was packed", () => {
    const sound = pack({ "a.txt": "hello", "d/b.txt": "x".repeat(40) })
    const read = (bytes: Buffer) => {
      scratch.write({ "a.zip": bytes })
      try {
        return readFromZip(scratch.at("a.zip"), "a.txt", 1000)?.toString() ?? "not there"
      } catch (error) {
        return (error as { code?: string }).code
      }
    }
    for (let at = 0; at < sound.length; at += 1) {
      const hurt = Buffer.from(sound)
      hurt[at] = (hurt[at] ?? 0) ^ 0xff
      expect(["hello", "not there", "content_refused"]).toContain(read(hurt))
    }
  })
})

describe("one file of a zip", () => {
  it("is read without the rest, and is not there when it is not", () => {
    scratch.write({ "a.zip": pack({ "m.json": "{}", other: "x" }) })
    expect(readFromZip(scratch.at("a.zip"), "m.json", 10)?.toString()).toBe("{}")
    expect(readFromZip(scratch.at("a.zip"), "none", 10)).toBeUndefined()
  })

  it("is read up to the limit and refused beyond it", () => {
    scratch.write({ "a.zip": pack({ "m.json": "x".repeat(100) }) })
    expect(readFromZip(scratch.at("a.zip"), "m.json", 100)?.length).toBe(100)
    expect(() => readFromZip(scratch.at("a.zip"), "m.json", 99)).toThrow(/larger than it may be/)
  })
})

describe("a name in an archive", () => {
  it.each(["a", "a/b", "./a", "..a", "a..b/c", "a b", "ü", "a/"])("%j may be written", (name) => {
    expect(entryNameFault(name)).toBeUndefined()
  })

  it.each(["", "a\0b", "/a", "C:/a", "c:a", "a\\b", "..", "../a", "a/..", "a/../b"])("%j may not", (name) => {
    expect(entryNameFault(name)).toBeDefined()
  })
})
