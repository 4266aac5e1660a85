// `chorus run` on a machine that has no Perl: run-without-perl.ts run AGENT ARGUMENTS...
import { givenNonBlocking } from "../src/given-descriptors.ts"

process.env["CHORUS_NON_BLOCKING"] = givenNonBlocking().join()
const { isAgent, runReported, statusPrograms } = await import("@chorus/status")
const [, agent = "", ...args] = process.argv.slice(2)
if (!isAgent(agent)) throw new Error(`no agent ${agent}`)
// As the command does: it has said something before it starts the agent.
process.stderr.write("")
process.exitCode = await runReported({ agent, args, programs: statusPrograms("/no/perl") })
