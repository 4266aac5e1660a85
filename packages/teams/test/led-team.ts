import { join } from "node:path"
import {
  drive,
  type Scenario,
  type ScriptedModel,
  scratchHome,
  type ScratchHome,
  startModel,
  type ToolCall,
} from "@chorus/testing"
import { onTestFinished } from "vitest"
import { createTeam } from "../src/index.ts"
import { leadOf } from "./lead.ts"

/** A team that we lead, and its lead. */
export async function ledTeam(root: string) {
  const team = await createTeam({ name: "t" }, { root })
  return { team, ...leadOf(team) }
}

/** A home for agent programs, with a model that does what it is told. */
export async function scripted(
  scenario: Scenario = drive,
): Promise<{ home: ScratchHome; root: string; model: ScriptedModel }> {
  const model = await startModel(scenario)
  onTestFinished(() => model.stop())
  const home = scratchHome({ model })
  onTestFinished(() => home.remove())
  return { home, root: join(home.path, ".claude"), model }
}

/** How each program is told to write a file and to run a command. */
export const PROGRAMS = [
  {
    program: "claude",
    write: (file: string, content: string): ToolCall => ({ name: "Write", input: { file_path: file, content } }),
    run: (command: string): ToolCall => ({ name: "Bash", input: { command, description: "d" } }),
  },
  {
    program: "codex",
    write: (file: string, content: string): ToolCall => ({
      name: "exec_command",
      input: { cmd: `printf %s '${content}' > '${file}'` },
    }),
    run: (cmd: string): ToolCall => ({ name: "exec_command", input: { cmd } }),
  },
  {
    program: "opencode",
    write: (filePath: string, content: string): ToolCall => ({ name: "write", input: { filePath, content } }),
    run: (command: string): ToolCall => ({ name: "bash", input: { command, description: "d" } }),
  },
] as const
