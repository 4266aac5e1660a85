import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { patchHead, patchRows, patchSections } from "./patch.ts"

const EDIT = [
  "diff --git a/src/door.ts b/src/door.ts",
  "index 1111111..2222222 100644",
  "--- a/src/door.ts",
  "+++ b/src/door.ts",
  "@@ -1,3 +1,3 @@ export",
  " one",
  "-two",
  "--- three",
  "+2",
  "+++ 3",
  "\\ No newline at end of file",
  "",
].join("\n")

describe("the rows of a patch", () => {
  it("have the numbers of both sides, and what looks like a head inside a hunk is a line", () => {
    expect(patchRows(EDIT)).toEqual([
      { kind: "hunk", before: null, after: null, text: "@@ -1,3 +1,3 @@ export" },
      { kind: "same", before: 1, after: 1, text: "one" },
      { kind: "removed", before: 2, after: null, text: "two" },
      { kind: "removed", before: 3, after: null, text: "-- three" },
      { kind: "added", before: null, after: 2, text: "2" },
      { kind: "added", before: null, after: 3, text: "++ 3" },
      { kind: "note", before: null, after: null, text: "No newline at end of file" },
    ])
  })

  it("keep the end of a line that git did not", () => {
    const rows = patchRows("@@ -0,0 +1 @@\n+one\r\n")
    expect(rows[1]).toMatchObject({ kind: "added", text: "one\r" })
  })
})

describe("the parts of a patch", () => {
  it("are the patch again, whatever stands in it", () => {
    const lines = fc.array(fc.constantFrom("diff --git a/x b/x", " diff --git a/y b/y", "+diff --git", "@@", ""))
    fc.assert(
      fc.property(lines, (rest) => {
        const patch = ["diff --git a/a b/a", ...rest, ""].join("\n")
        expect(patchSections(patch).join("")).toBe(patch)
      }),
    )
    expect(patchSections("no patch at all")).toEqual([])
  })
})

describe("the head of a patch", () => {
  it("tells an edit", () => {
    expect(patchHead(EDIT)).toEqual({
      path: "src/door.ts",
      oldPath: null,
      status: "modified",
      oldMode: "100644",
      newMode: "100644",
      binary: false,
      additions: 2,
      deletions: 2,
      rows: 7,
    })
  })

  it.each([
    [
      "a rename",
      "diff --git a/a b.ts b/c d.ts\nsimilarity index 98%\nrename from a b.ts\nrename to c d.ts\n",
      { path: "c d.ts", oldPath: "a b.ts", status: "renamed" },
    ],
    [
      "a new file",
      "diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+x\n",
      { path: "run.sh", status: "added", oldMode: null, newMode: "100755", additions: 1 },
    ],
    [
      "a deleted file",
      "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      { path: "x", status: "deleted", oldMode: "100644", newMode: null, deletions: 1 },
    ],
    [
      "other rights",
      "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n",
      { path: "run.sh", status: "modified", oldMode: "100644", newMode: "100755" },
    ],
    [
      "a binary",
      "diff --git a/a.png b/a.png\nindex 1..2 100644\nBinary files a/a.png and b/a.png differ\n",
      { path: "a.png", binary: true },
    ],
    [
      "an unusual name",
      'diff --git "a/\\303\\244\\t\\"b" "b/\\303\\244\\t\\"b"\nold mode 100644\nnew mode 100755\n',
      { path: 'ä\t"b' },
    ],
    [
      "a name with a blank",
      "diff --git a/a b b/a b\nindex 1..2 100644\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-x\n+y\n",
      { path: "a b", status: "modified" },
    ],
  ])("tells %s", (_, patch, head) => expect(patchHead(patch)).toMatchObject(head))
})
