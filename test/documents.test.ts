import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const documents = ["README.md", "CONTRIBUTING.md", "GLOSSARY.md", ...readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")).map((name) => join("docs", name))]

test.each(documents)("every link of %s leads to a file that is there", (document) => {
  const links = [...read(document).matchAll(/(?<!!)\[[^\]]*\]\((?!https?:|#)([^)#]+)/g)].map((match) => String(match[1]))
  for (const link of links) expect(existsSync(join(ROOT, dirname(document), link)), link).toBe(true)
})

test("every dependency has its reason", () => {
  const reasons = read("docs/dependencies.md")
  const rooms = readdirSync(join(ROOT, "packages")).map((room) => join("packages", room, "package.json"))
  for (const manifest of ["package.json", ...rooms]) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(manifest)) as Record<string, Record<string, string>>
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !/^@(chorus|types)\//.test(name))
    for (const name of names) expect(reasons, `${name} in ${manifest}`).toContain(`\`${name}\``)
  }
})

test("every command of the manual exists", async () => {
  const { NOUNS } = await import("../packages/cli/src/nouns.ts")
  const shown = [...read("docs/cli.md").matchAll(/^chorus ([a-z-]+)/gm)].map((match) => String(match[1]))
  expect(shown.length).toBeGreaterThan(15)
  for (const noun of shown) expect(Object.keys(NOUNS)).toContain(noun)
})

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}
