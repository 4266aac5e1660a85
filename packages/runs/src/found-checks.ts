import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { runs } from "@chorus/contracts"

/** What a repository says by itself that all work in it has to hold. */
const SCRIPTS = ["build", "typecheck", "lint", "check", "test"]
const LOCKS: readonly (readonly [file: string, program: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
]
/** What `npm init` writes where nobody has a test. */
const NO_TEST = "no test specified"

/**
 * The commands by which a repository could check what is done in it, as its own files name them. They are only
 * proposed: none is run before a person has confirmed it.
 */
export function foundChecks(repository: string): runs.FoundCheck[] {
  const read = (name: string) => {
    try {
      return readFileSync(join(repository, name), "utf8")
    } catch {
      return ""
    }
  }
  const has = (name: string) => existsSync(join(repository, name))
  const program = LOCKS.find(([file]) => has(file))?.[1] ?? "npm"
  const python = read("pyproject.toml")
  const found: runs.FoundCheck[] = [
    ...scriptsOf(read("package.json")).map((name) => ({ name, command: `${program} run ${name}` })),
    ...targetsOf(read("Makefile")).map((name) => ({ name, command: `make ${name}` })),
    ...(/^\[tool\.ruff/m.test(python) ? [{ name: "lint", command: "ruff check" }] : []),
    ...(/^\[tool\.mypy/m.test(python) ? [{ name: "typecheck", command: "mypy ." }] : []),
    ...(/\bpytest\b/.test(python) ? [{ name: "test", command: "pytest" }] : []),
    ...(has("Cargo.toml") ? named("cargo build", "cargo test") : []),
    ...(has("go.mod") ? named("go build ./...", "go vet ./...", "go test ./...") : []),
  ]
  // A Makefile that calls the scripts of package.json is the same check twice.
  return found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at)
}

function scriptsOf(manifest: string): string[] {
  try {
    const { scripts = {} } = JSON.parse(manifest) as { scripts?: Record<string, unknown> }
    return SCRIPTS.filter((name) => typeof scripts[name] === "string" && !scripts[name].includes(NO_TEST))
  } catch {
    return []
  }
}

function targetsOf(makefile: string): string[] {
  return SCRIPTS.filter((name) => new RegExp(`^${name}\\s*:(?!=)`, "m").test(makefile))
}

function named(...commands: string[]): runs.FoundCheck[] {
  return commands.map((command) => ({ name: command.split(" ")[1] ?? command, command }))
}
