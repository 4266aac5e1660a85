import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ClaudePlugin } from "./claude-plugin.ts"
import { hooksFile } from "./hook-table.ts"

const PROGRAM = join(import.meta.dirname, "..", "program")
const PLUGIN = join(import.meta.dirname, "..", "..", "..", "plugin")
/** Written by hand in the plugin of today; the other one has copies. */
const SHARED = ["agents", "commands", "skills"]

/** What the agent is told about plan mode, whether the server answers or not, and whether it may plan or not. */
const GUIDANCE = {
  EnterPlanMode:
    "This project plans on the Chorus board: if you may write proposals, put the plan there as one (documents, and tasks with acceptance criteria and dependencies; the chorus skill says how) and have it approved before code is written. If you may not, plan your own task and nothing beyond it.",
  ExitPlanMode:
    "Before leaving plan mode: is this plan on the Chorus board as a submitted proposal? If it is not, and you may write proposals, submit it first, so that a person can approve it and its tasks come into being.",
}

export interface MadeFile {
  readonly path: string
  readonly text: string
  readonly mode: number
}

/**
 * The files of both plugins that are made from this room. They are kept in the repository, because it is a marketplace as it is
 * cloned: Claude Code runs nothing before it loads a plugin. `npm run build` writes them, and a test holds them to be fresh.
 */
export function madeFiles(): MadeFile[] {
  const copies = SHARED.flatMap((folder) =>
    readdirSync(join(PLUGIN, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(PLUGIN.length + 1)),
  ).map((path) => made(join("legacy", path), readFileSync(join(PLUGIN, path), "utf8")))
  return [...programFiles("chorus", ""), ...programFiles("chorus-legacy", "legacy"), ...copies]
}

export function writeMadeFiles(): void {
  for (const { path, text, mode } of madeFiles()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
  }
}

function programFiles(plugin: ClaudePlugin, folder: string): MadeFile[] {
  const guidance = Object.entries(GUIDANCE).map(([name, additionalContext]) => ({
    name: `${name}.json`,
    text: JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext } }),
  }))
  return [
    made(join(folder, "bin", "chorus-hook"), readFileSync(join(PROGRAM, "chorus-hook"), "utf8"), 0o755),
    made(join(folder, "bin", "chorus-send.cjs"), readFileSync(join(PROGRAM, "chorus-send.cjs"), "utf8")),
    ...guidance.map(({ name, text }) => made(join(folder, "bin", name), `${text}\n`)),
    made(join(folder, "hooks", "hooks.json"), `${JSON.stringify(hooksFile(plugin), null, 2)}\n`),
  ]
}

function made(path: string, text: string, mode = 0o644): MadeFile {
  return { path: join(PLUGIN, path), text, mode }
}
