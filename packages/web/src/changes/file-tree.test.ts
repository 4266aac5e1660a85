import { expect, it } from "vitest"
import { fileTree, nameOf } from "./file-tree.ts"

const file = (path: string) => ({ path, additions: 2, deletions: 1 })

it("puts files into their folders with what changed in each, and long ways into one line", () => {
  const tree = fileTree(["README.md", "src/deep/down/a.ts", "src/deep/down/b.ts", "src/c.ts"].map(file))
  expect(tree).toMatchObject({
    files: [{ path: "README.md" }],
    additions: 8,
    deletions: 4,
    folders: [
      {
        name: "src",
        additions: 6,
        files: [{ path: "src/c.ts" }],
        folders: [{ name: "deep/down", path: "src/deep/down/", additions: 4, deletions: 2 }],
      },
    ],
  })
  expect(tree.folders[0]?.folders[0]?.files.map(nameOf)).toEqual(["a.ts", "b.ts"])
  expect(fileTree([]).folders).toEqual([])
})
