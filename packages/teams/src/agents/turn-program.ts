import { ChorusError, type TeamPermissionMode } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { AgentOptions } from "./claude-driver.ts"
import { jsonLine, Program } from "./program.ts"
import { teamBriefing } from "./team-tools.ts"

/** What a line of a program's output tells us. */
export interface Heard {
  /** What to name in the next turn so that the conversation goes on. */
  readonly thread?: string
  readonly said?: string
  readonly failure?: string
}

export interface TurnProgram {
  readonly name: string
  argv(mode: TeamPermissionMode, thread: string | undefined): string[]
  readonly env: Readonly<Record<string, string>>
  hear(event: Record<string, unknown>): Heard
}

/** An agent that is a program run once for each turn, its prompt given through its input, its events a line of JSON each. */
export function turnProgramDriver(options: AgentOptions, { name, argv, env, hear }: TurnProgram): Driver {
  let thread: string | undefined
  let running: Program | undefined
  return {
    decidesInTurn: true,
    async turn(turn) {
      const first = thread === undefined
      const program = new Program({ argv: argv(turn.mode, thread), cwd: options.cwd, env })
      running = program
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      let said = ""
      let failure: string | undefined
      program.lines((line) => {
        const heard = hear(jsonLine(line) ?? {})
        thread = heard.thread ?? thread
        said = heard.said ?? said
        failure = heard.failure ?? failure
      })
      program.child.stdin.end(first ? `${teamBriefing(options)}\n\n${turn.text}` : turn.text)
      try {
        const code = await program.ended
        if (failure !== undefined || code !== 0)
          throw new ChorusError(
            "agent_failed",
            failure ?? `${name} ended with ${code ?? "a signal"}: ${program.lastWords}`,
            { status: 502 },
          )
        return said
      } finally {
        turn.signal.removeEventListener("abort", stop)
      }
    },
    async close() {
      await running?.stop()
    },
  }
}
