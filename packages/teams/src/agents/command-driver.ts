import { ChorusError } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import { Program, type ProgramOptions } from "./program.ts"

/** Any command as a member: it is run once for each turn, reads the messages on its input, and what it prints is its answer. */
export function commandDriver(options: ProgramOptions): Driver {
  let running: Program | undefined
  return {
    answersInWords: true,
    async turn(turn) {
      const program = new Program({ ...options, env: { ...options.env, CHORUS_TEAM_MODE: turn.mode } })
      running = program
      turn.heard({ pid: program.child.pid })
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      let out = ""
      program.child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
      program.child.stdin.end(turn.text)
      try {
        const code = await program.ended
        if (code !== 0)
          throw new ChorusError("program_failed", program.howEnded(options.argv[0] ?? "It"), { status: 502 })
        return out.trim()
      } finally {
        turn.signal.removeEventListener("abort", stop)
      }
    },
    async close() {
      await running?.stop()
    },
  }
}
