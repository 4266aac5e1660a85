import { describe, expect, it } from "vitest"
import { changePoints, type PointedFile } from "./change-points.ts"

const file = (path: string, more: Partial<PointedFile> = {}): PointedFile => ({
  path,
  oldPath: null,
  status: "modified",
  oldMode: "100644",
  newMode: "100644",
  patch: "",
  ...more,
})
const patch = (removed: string[], added: string[]) =>
  [
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ].join("\n")
const points = (one: PointedFile, commands: string[] = [], reserved: { glob: string; agent: string }[] = []) =>
  changePoints([one], { commands, reserved }).map(({ kind, what }) => `${kind}: ${what}`)

describe("what deserves a look before the list of files", () => {
  it.each([
    ["a deleted test", file("src/door.test.ts", { status: "deleted" }), ["deleted_test: a test file was deleted"]],
    [
      "tests that went out of a file",
      file("test/door.ts", { patch: patch(['it("a", () => {', 'it("b", () => {'], ['it("a", () => {']) }),
      ["deleted_test: 1 test fewer"],
    ],
    ["a test that was only renamed", file("a.test.ts", { patch: patch(['it("a")'], ['it("b")']) }), []],
    [
      "a test that is switched off",
      file("a.test.ts", { patch: patch(['  it("a", () => {'], ['  it.skip("a", () => {']) }),
      ["deleted_test: switched off in 1 place"],
    ],
    [
      "all but one, and one by another name",
      file("a.test.ts", { patch: patch(['it("a")', 'it("b")'], ['it.only("a")', 'xit("b")']) }),
      ["deleted_test: switched off in 2 places"],
    ],
    [
      "a Python one that is switched off",
      file("test_a.py", { patch: patch([], ["@pytest.mark.skip(reason='slow')"]) }),
      ["deleted_test: switched off in 1 place"],
    ],
    [
      "a Go one that is switched off",
      file("a_test.go", { patch: patch([], ["\tt.Skip()"]) }),
      ["deleted_test: switched off in 1 place"],
    ],
    ["one that is switched on again", file("a.test.ts", { patch: patch(['it.skip("a")'], ['it("a")']) }), []],
    ["how tests are run", file("vitest.config.ts"), ["sensitive: how tests are run"]],
    [
      "a dependency",
      file("package.json", { patch: patch(['"zod": "4.0.0",'], ['"zod": "4.1.0",', '"left-pad": "^1.0.0",']) }),
      ["dependency: left-pad"],
    ],
    ["what is no dependency", file("package.json", { patch: patch([], ['"version": "1.2.3",']) }), []],
    ["a Python one", file("requirements.txt", { patch: patch([], ["flask==3.0", "# note"]) }), ["dependency: flask"]],
    ["a Go one", file("go.mod", { patch: patch([], ["\tgithub.com/a/b v1.2.3"]) }), ["dependency: github.com/a/b"]],
    ["a program", file("run.sh", { oldMode: null, newMode: "100755" }), ["executable: it can be run now"]],
    ["what CI runs", file(".github/workflows/ci.yml"), ["sensitive: what CI runs"]],
    ["what may be a secret", file("deploy/.env.production"), ["sensitive: may hold secrets"]],
    ["what agents are told", file("CLAUDE.md"), ["sensitive: what agents are told"]],
    ["nothing of all that", file("src/door.ts", { patch: patch(["one"], ["two"]) }), []],
  ])("is %s", (_, one, said) => expect(points(one)).toEqual(said))

  it("is what a criterion runs: the file it names, or the script that stands in it", () => {
    expect(points(file("scripts/check.sh"), ["bash ./scripts/check.sh --all"])).toEqual([
      "criterion: a criterion runs it: bash ./scripts/check.sh --all",
    ])
    const scripts = file("package.json", { patch: patch(['"test": "vitest"'], ['"test": "true"']) })
    expect(points(scripts, ["npm test"])).toEqual(["criterion: a criterion runs it: npm test"])
    expect(points(scripts, ["npm run build"])).toEqual([])
  })

  it.each([
    ["grep -q SAVE10 README.md", []],
    ["test -f README.md && cat README.md | wc -l", []],
    ["! FOO=1 grep -q SAVE10 ./README.md", []],
    ["grep -q a b.txt && ./README.md", ["criterion: a criterion runs it: grep -q a b.txt && ./README.md"]],
  ])("is no file that a command only reads: %s", (command, said) => {
    expect(points(file("README.md"), [command])).toEqual(said)
  })

  it("is what somebody else reserved", () => {
    expect(points(file("src/door.ts"), [], [{ glob: "src/**", agent: "Rival" }])).toEqual([
      "reserved: Rival reserved src/**",
    ])
  })
})
