import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { foundChecks } from "./found-checks.ts"

const commands = (files: Readonly<Record<string, string>>) => {
  const folder = temporaryDirectory("found-").path
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return foundChecks(folder).map(({ name, command }) => `${name}: ${command}`)
}
const manifest = (scripts: object) => JSON.stringify({ scripts })

describe("checks that a repository names by itself", () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      "scripts that check something, by the program whose lock file is there",
      { "package.json": manifest({ test: "vitest", start: "node .", lint: "oxlint" }), "pnpm-lock.yaml": "" },
      ["lint: pnpm run lint", "test: pnpm run test"],
    ],
    [
      "no test that npm made up",
      { "package.json": manifest({ test: 'echo "Error: no test specified" && exit 1' }) },
      [],
    ],
    [
      "targets of a Makefile, unless a script has their name",
      { "package.json": manifest({ test: "vitest" }), Makefile: "test: lint\n\tnpm test\nlint:\n\ttrue\nbuild := x\n" },
      ["test: npm run test", "lint: make lint"],
    ],
    [
      "tools of a Python project",
      { "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[dependency-groups]\ndev = ['pytest']\n" },
      ["lint: ruff check", "typecheck: mypy .", "test: pytest"],
    ],
    ["a crate", { "Cargo.toml": "" }, ["build: cargo build", "test: cargo test"]],
    ["a Go module", { "go.mod": "" }, ["build: go build ./...", "vet: go vet ./...", "test: go test ./..."]],
    ["nothing where a file cannot be read as what it is", { "package.json": "{", Makefile: "all:\n" }, []],
  ])("are %s", (_, files, expected) => expect(commands(files)).toEqual(expected))

  it("are none where nothing is, and where a name is a folder", () => {
    const folder = temporaryDirectory("found-").path
    mkdirSync(join(folder, "package.json"))
    expect(foundChecks(folder)).toEqual([])
  })
})
