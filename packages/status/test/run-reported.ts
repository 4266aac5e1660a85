// The program tests start in place of `chorus run`: run-reported.ts AGENT ARGUMENTS...
import { runReported } from "@chorus/status"

const [agent, ...args] = process.argv.slice(2)
if (agent !== "claude" && agent !== "codex" && agent !== "opencode") throw new Error(`no agent ${agent}`)
process.exitCode = await runReported({ agent, args })
