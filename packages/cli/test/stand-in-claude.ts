import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface StandIn {
  readonly path: string
  /** How it was called, each as one line. */
  calls(): string[]
  /** What it last read from its standard input. */
  heard(): string
}

/** A program in Claude Code's place that says its version, answers some commands as told, does some as scripted, and everything else with success. */
export function standInClaude(
  folder: string,
  version: string,
  answers: Readonly<Record<string, { says: string; code?: number }>> = {},
  does: Readonly<Record<string, string>> = {},
): StandIn {
  mkdirSync(folder, { recursive: true })
  const [path, log, input] = ["claude", "calls", "input"].map((name) => join(folder, name)) as [string, string, string]
  const cases = Object.entries(answers).map(
    ([call, { says, code = 0 }]) => `  '${call}') printf '%s\\n' '${says}'; exit ${code} ;;`,
  )
  cases.push(...Object.entries(does).map(([call, script]) => `  '${call}') ${script} ;;`))
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\ncase "$*" in\n  --version) printf '%s\\n' '${version}'; exit 0 ;;\n${cases.join("\n")}\n  *--values-stdin) cat > '${input}' ;;\nesac\n`,
  )
  chmodSync(path, 0o755)
  const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "")
  return {
    path,
    calls: () =>
      read(log)
        .split("\n")
        .filter((line) => line !== "" && line !== "--version"),
    heard: () => read(input),
  }
}
