import type { runs } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { usualProgram } from "./usual-program.ts"

const has = (program: runs.RunProgram, more: Partial<runs.RunnerProgram> = {}): runs.RunnerProgram => ({
  program,
  version: null,
  missing: null,
  ...more,
})

describe("the program for work for which nobody chose one", () => {
  it.each([
    ["is what the project says for it", { build: { program: "codex" }, review: { program: "gemini" } }, [], "gemini"],
    ["is what the project builds with", { build: { program: "codex" } }, [has("claude")], "codex"],
    ["is Claude Code where a machine has it", {}, [has("codex"), has("claude")], "claude"],
    [
      "is another where no machine has Claude Code",
      {},
      [has("claude", { missing: "No adapter." }), has("qwen")],
      "qwen",
    ],
    ["is Claude Code where no machine has any", {}, [has("command")], "claude"],
  ] as const)("%s", (_, work, programs, program) => {
    expect(usualProgram(work, "review", programs)).toEqual({ program })
  })

  it("is the command that a machine starts where it has nothing else", () => {
    expect(usualProgram({}, "build", [has("command", { commands: ["my-agent --acp"] })])).toEqual({
      program: "command",
      command: "my-agent --acp",
    })
  })
})
