import { ChorusError } from "@chorus/contracts"
import type { Driver } from "../runtime/driver.ts"
import type { AgentOptions } from "./claude-driver.ts"
import { jsonLine, Program } from "./program.ts"
import { teamBriefing } from "./team-tools.ts"

/** OpenCode without a terminal: `opencode run` for each turn, on one session. The prompt goes through its input. */
export function opencodeDriver(options: AgentOptions): Driver {
  let session: string | undefined
  let running: Program | undefined
  return {
    decidesInTurn: true,
    async turn(turn) {
      const first = session === undefined
      const argv = [
        options.program ?? "opencode",
        "run", "--format", "json",
        ...(session === undefined ? [] : ["--session", session]),
        ...(turn.mode === "plan" ? ["--agent", "plan"] : []),
        ...(turn.mode === "bypassPermissions" || turn.mode === "acceptEdits" ? ["--auto"] : []),
        ...(options.model === undefined ? [] : ["--model", options.model]),
      ]
      const program = new Program({ argv, cwd: options.cwd, env: { ...options.env, OPENCODE_CONFIG_CONTENT: configOf(options) } })
      running = program
      const stop = () => void program.stop()
      turn.signal.addEventListener("abort", stop)
      let said = ""
      let failure: string | undefined
      program.lines((line) => {
        const event = jsonLine(line)
        if (typeof event?.["sessionID"] === "string") session = event["sessionID"]
        if (event?.["type"] === "text") said = (event["part"] as { text?: string } | undefined)?.text ?? said
        if (event?.["type"] === "error") failure = JSON.stringify(event["error"])
      })
      program.child.stdin.end(first ? `${teamBriefing(options)}\n\n${turn.text}` : turn.text)
      try {
        const code = await program.ended
        if (failure !== undefined || code !== 0) throw new ChorusError("agent_failed", failure ?? `OpenCode ended with ${code ?? "a signal"}: ${program.lastWords}`, { status: 502 })
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

/** Adds our server to whatever configuration was already handed over this way. */
function configOf(options: AgentOptions): string {
  const given = jsonLine(options.env["OPENCODE_CONFIG_CONTENT"] ?? "") ?? {}
  const { command, args, env } = options.tools
  const mcp = { ...(given["mcp"] as object | undefined), team: { type: "local", command: [command, ...args], environment: env, enabled: true } }
  return JSON.stringify({ ...given, mcp })
}
