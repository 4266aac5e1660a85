import type { runPolicy, runs } from "@chorus/contracts"

type Choice = NonNullable<runPolicy.RunPolicy["work"]["build"]>

/** How a kind of work is done where nobody chose: as the project says, else by a program that some machine has. */
export function usualProgram(
  work: runPolicy.RunPolicy["work"],
  kind: runPolicy.RunWork,
  programs: readonly runs.RunnerProgram[],
): Choice {
  const said = work[kind] ?? work.build
  if (said !== undefined) return said
  const able = programs.filter(({ missing }) => missing === null)
  const first = able.find(({ program }) => program === "claude") ?? able.find(isWhole)
  if (first === undefined) return { program: "claude" }
  const [command] = first.commands ?? []
  return { program: first.program, ...(first.program === "command" && command !== undefined ? { command } : {}) }
}

/** Of the program `command` a machine has to say what it starts. */
function isWhole({ program, commands = [] }: runs.RunnerProgram): boolean {
  return program !== "command" || commands.length > 0
}
