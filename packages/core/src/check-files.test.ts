import { expect, it } from "vitest"
import { touchedBy } from "./check-files.ts"

const scripts = { test: "node --test test/door.js && npm run lint", lint: "node lint.mjs", build: "tsc" }
const same = (changed: string[], rewritten: string[] = []) => ({ changed, rewritten, before: scripts, now: scripts })

it("tells which files of a check the work itself changed", () => {
  expect(touchedBy("node ./check.mjs --all", same(["check.mjs", "src/door.ts"]))).toEqual(["check.mjs"])
  expect(touchedBy("npm test", same(["test/door.js", "lint.mjs", "src/door.ts"]))).toEqual(["test/door.js", "lint.mjs"])
  expect(touchedBy("make all", same(["Makefile"]))).toEqual(["Makefile"])
  expect(touchedBy("npx vitest run", same(["src/door.test.ts", "package.json"]))).toEqual([])
})

it("tells tests that are collected and no longer what they were from such that were added", () => {
  const all = ["src/door.test.ts", "src/door.ts", "vitest.config.ts", "tests/conftest.py", "tests/test_new.py"]
  const touched = (command: string, rewritten: string[]) => touchedBy(command, same(all, rewritten))
  const settings = ["vitest.config.ts", "tests/conftest.py"]
  expect(touched("npx vitest run", ["src/door.ts"])).toEqual(settings)
  expect(touched("npx vitest run", ["src/door.ts", "src/door.test.ts"])).toEqual(["src/door.test.ts", ...settings])
  expect(touched("pytest -q", [])).toEqual(settings)
  expect(touched("tsc -b", all)).toEqual([])
  const now = { test: "vitest run" }
  expect(touchedBy("npm test", { changed: all, rewritten: all.slice(0, 1), before: now, now })).toEqual([
    "src/door.test.ts",
    ...settings,
  ])
})

it("takes a file that is only read for the work itself", () => {
  const read = (command: string) => touchedBy(command, same(["door.txt", "x.sh"]))
  expect(read("grep -q green door.txt && test -x x.sh")).toEqual([])
  expect(read("! LC_ALL=C grep -q red door.txt | wc -l")).toEqual([])
  for (const command of [
    "cat x.sh | sh",
    'sh -c "$(cat x.sh)"',
    "grep -q a b; ./x.sh",
    "cat `./x.sh`",
    "xargs x.sh",
    "diff x.sh out",
    "grep -qf x.sh out",
  ])
    expect(read(command), command).toEqual(["x.sh"])
})

it("tells a changed script from a package that changed elsewhere", () => {
  const now = { ...scripts, test: "true", pretest: "true" }
  expect(touchedBy("npm test", { changed: ["package.json"], rewritten: [], before: scripts, now })).toEqual([
    "package.json",
  ])
  expect(touchedBy("npm run build", { changed: ["package.json"], rewritten: [], before: scripts, now })).toEqual([])
  expect(touchedBy("CI=1 npm run lint; ./x.sh", { changed: ["x.sh"], rewritten: [], before: {}, now: {} })).toEqual([
    "x.sh",
  ])
})

it("ends where scripts call each other", () => {
  const loop = { one: "npm run two", two: "npm run one" }
  expect(touchedBy("npm run one", { changed: ["a"], rewritten: [], before: loop, now: loop })).toEqual([])
})
