import { join } from "node:path"
import {
  drive,
  type Scenario,
  type ScriptedModel,
  scratchHome,
  type ScratchHome,
  startModel,
  type ToolCall,
  waitFor,
} from "@chorus/testing"
import { onTestFinished } from "vitest"
import { createTeam, type LeadEvent, TeamRuntime } from "../src/index.ts"

/** A team that we lead, and whatever its lead hears. */
export async function ledTeam(root: string) {
  const team = await createTeam({ name: "t" }, { root })
  const events: LeadEvent[] = []
  const runtime = new TeamRuntime(team, { onEvent: (event) => events.push(event) })
  onTestFinished(() => runtime.close())
  const said = (from: string, words: string | RegExp) =>
    waitFor(
      () =>
        events.some(
          (event) =>
            event.event === "message" &&
            event.message.entry.from === from &&
            new RegExp(words).test(event.message.entry.text),
        ),
      90_000,
      () => `${from} to say ${words}; heard ${JSON.stringify(events).slice(-2000)}`,
    )
  return { team, runtime, events, said }
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
