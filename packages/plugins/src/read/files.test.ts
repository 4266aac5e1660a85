import type { ChorusError } from "@chorus/contracts"
import { truncateSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { useFolder } from "../../test/scratch.ts"
import {
  entriesOf,
  errorCode,
  isInside,
  isMissing,
  kindInside,
  listFiles,
  listFolders,
  MAX_FILE_BYTES,
  readText,
} from "./files.ts"

const scratch = useFolder()

describe("the text of a file", () => {
  it("is read whole, as UTF-8", () => {
    scratch.write({ "a.txt": "grüße 你好\n" })
    expect(readText(scratch.at("a.txt"))).toBe("grüße 你好\n")
  })

  it("is empty for an empty file, and not there for none, for a folder and for a name no file can have", () => {
    scratch.write({ "empty.txt": "", "d/x": "" })
    expect(readText(scratch.at("empty.txt"))).toBe("")
    for (const name of ["none.txt", "d", "empty.txt/below", "x".repeat(300)])
      expect([name, readText(scratch.at(name))]).toEqual([name, undefined])
    expect(readText(`${scratch.path}/a\0b`)).toBeUndefined()
  })

  it("is not there behind a link that goes round in circles", () => {
    scratch.link("one", "two")
    scratch.link("two", "one")
    expect(readText(scratch.at("one"))).toBeUndefined()
  })

  it("is read at the limit and refused one byte beyond it, with both sizes and what to do", () => {
    scratch.write({ "a.txt": "x".repeat(2048) })
    expect(readText(scratch.at("a.txt"), 2048)?.length).toBe(2048)
    expect(() => readText(scratch.at("a.txt"), 2047)).toThrow(
      expect.objectContaining({
        code: "file_too_large",
        message: `${scratch.at("a.txt")} is 2 KiB; at most 2 KiB are read.`,
        next: expect.stringContaining("smaller") as string,
      }) as ChorusError,
    )
  })

  it("has a limit of five mebibytes unless told otherwise", () => {
    scratch.write({ "a.txt": "" })
    truncateSync(scratch.at("a.txt"), MAX_FILE_BYTES + 1)
    expect(() => readText(scratch.at("a.txt"))).toThrow(/5120 KiB are read/)
  })
})

describe("what a path inside a folder is", () => {
  it("is a file, a folder or missing", () => {
    scratch.write({ "f.md": "x", "d/e/g.md": "x" })
    for (const [path, kind] of [
      ["f.md", "file"],
      ["./f.md", "file"],
      ["d", "directory"],
      ["d/", "directory"],
      ["d/e/../e", "directory"],
      ["", "directory"],
      [".", "directory"],
      ["none", "missing"],
      ["f.md/below", "missing"],
    ] as const) {
      expect([path, kindInside(scratch.path, path)]).toEqual([path, kind])
    }
  })

  it.each(["..", "../x", "d/../../x", "./../x"])("%s escapes, whether there is something or not", (path) => {
    scratch.write({ "d/x": "" })
    expect(kindInside(scratch.path, path)).toBe("escapes")
  })

  it("an absolute path is read from the folder, not from the machine", () => {
    expect(kindInside(scratch.path, "/etc/passwd")).toBe("missing")
  })

  it("counts links by where they lead: inside as what is there, outside and nowhere as escaping", () => {
    scratch.write({ "real/f": "x" })
    scratch.link("in", "real")
    scratch.link("file", "real/f")
    scratch.link("out", "/etc")
    scratch.link("out-file", "/etc/passwd")
    scratch.link("dangling", "gone")
    const kinds = ["in", "in/f", "file", "out", "out/passwd", "out-file", "dangling"].map((name) => [
      name,
      kindInside(scratch.path, name),
    ])
    expect(kinds).toEqual([
      ["in", "directory"],
      ["in/f", "file"],
      ["file", "file"],
      ["out", "escapes"],
      ["out/passwd", "escapes"],
      ["out-file", "escapes"],
      ["dangling", "escapes"],
    ])
  })

  it("is the same when the folder itself is reached through a link", () => {
    scratch.write({ "real/f": "x" })
    scratch.link("alias", "real")
    expect(kindInside(scratch.at("alias"), "f")).toBe("file")
  })

  it("a folder whose name starts with two dots is inside", () => {
    scratch.write({ "..data/f": "x" })
    expect(kindInside(scratch.path, "..data/f")).toBe("file")
    expect(isInside("/a", "/a/..b")).toBe(true)
  })
})

describe("inside", () => {
  it.each([
    ["/a", "/a", true],
    ["/a", "/a/b/c", true],
    ["/a", "/ab", false],
    ["/a", "/", false],
    ["/a/b", "/a", false],
    ["/a", "/b/../a/x", true],
  ])("of %s is %s: %s", (root, path, expected) => {
    expect(isInside(root, path)).toBe(expected)
  })
})

describe("lists of a folder", () => {
  it("hold files by their ending at any depth, sorted, without links", () => {
    scratch.write({ "b.md": "", "a/z.md": "", "a/y.txt": "", "a/deep/x.md": "", README: "" })
    scratch.link("link.md", "b.md")
    scratch.link("linked", "a")
    expect(listFiles(scratch.path, ".md")).toEqual(["a/deep/x.md", "a/z.md", "b.md"])
    expect(listFiles(scratch.path, "")).toEqual(["README", "a/deep/x.md", "a/y.txt", "a/z.md", "b.md"])
  })

  it("go twelve folders deep and no deeper, so that no tree is endless", () => {
    const deep = (levels: number) => Array.from({ length: levels }, (_, index) => `d${index}`).join("/")
    scratch.write({ [`${deep(12)}/twelve.md`]: "", [`${deep(13)}/thirteen.md`]: "" })
    expect(listFiles(scratch.path, ".md")).toEqual([`${deep(12)}/twelve.md`])
  })

  it("name folders directly below, sorted, links left out", () => {
    scratch.write({ "b/x": "", "a/y/z": "", f: "" })
    scratch.link("c", "a")
    expect(listFolders(scratch.path)).toEqual(["a", "b"])
  })

  it("are empty for what is not a folder", () => {
    scratch.write({ f: "" })
    expect([listFiles(scratch.at("none"), ""), listFolders(scratch.at("f")), entriesOf(scratch.at("none"))]).toEqual([
      [],
      [],
      [],
    ])
  })
})

describe("an error of the file system", () => {
  it("means missing for what is not there, and nothing else does", () => {
    const fault = (code: string) => Object.assign(new Error(code), { code })
    for (const code of ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ERR_INVALID_ARG_VALUE"])
      expect([code, isMissing(fault(code))]).toEqual([code, true])
    for (const code of ["EACCES", "EIO", "EMFILE"]) expect([code, isMissing(fault(code))]).toEqual([code, false])
  })

  it("has a code when it is an error that carries one", () => {
    expect([
      errorCode(new Error("x")),
      errorCode({ code: "ENOENT" }),
      errorCode(undefined),
      errorCode(Object.assign(new Error("x"), { code: 7 })),
    ]).toEqual([undefined, undefined, undefined, undefined])
  })
})
