import { hostname } from "node:os"
import { createClient } from "@chorus/client"
import { ChorusError } from "@chorus/contracts"
import { holdDirectory } from "@chorus/server/data-directory"
import { socketPath } from "@chorus/status"
import { Command, Option } from "commander"
import { paint, type Target, withTarget } from "../output.ts"
import { ownKey } from "../own-key.ts"
import { commandContext } from "../plugin/context.ts"
import { startRunnerService } from "../runner/service.ts"
import { wholeNumber } from "../whole-number.ts"
import { serverAddress } from "../server-address.ts"
import { type Askers, openAskers } from "./askers.ts"
import { companionDirectory, startCompanion } from "./companion.ts"
import { disableCommand, enableCommand } from "./on-demand.ts"

const LOOK_MS = 2000

interface CompanionFlags extends Target {
  readonly machine: string
  readonly for?: number
}

export function companionCommand(): Command {
  return withTarget(new Command("companion"))
    .addOption(new Option("--machine <name>", "what this machine is called on the board").default(hostname()))
    .addOption(
      new Option(
        "--for <pid>",
        "only as long as this process, or another that asked, or a member of a team runs",
      ).argParser(wholeNumber("Give the id of a process.", 2)),
    )
    .action(run)
    .enablePositionalOptions()
    .addCommand(enableCommand())
    .addCommand(disableCommand())
}

async function run(flags: CompanionFlags): Promise<void> {
  const { url, key } = await credentials(flags)
  const directory = companionDirectory(flags.data)
  const askers = openAskers(directory)
  const onDemand = flags.for !== undefined
  if (flags.for !== undefined) askers.ask(flags.for)
  const asked = untilAsked()
  do {
    const held = hold(directory, onDemand)
    if (held === undefined) return
    const companion = startCompanion({
      client: createClient({ url, key }),
      machine: flags.machine,
      socketPath: socketPath(),
      data: flags.data,
      plugins: () => commandContext({ json: true }),
      claudeDirectory: process.env["CLAUDE_CONFIG_DIR"],
      onConnection: (connected) =>
        process.stdout.write(connected ? `connected to ${url}\n` : `${url} is away; it is tried again\n`),
    })
    // One that goes with a session of its person's would take the agents along.
    const runner = onDemand ? undefined : startRunnerService({ data: flags.data, url, key, machine: flags.machine })
    process.stdout.write(`${paint("green", "companion")} of ${flags.machine} reports to ${url}\n`)
    await Promise.race([asked.toStop, ...(onDemand ? [untilNobody(askers, asked.signal)] : [])])
    await runner?.close()
    await companion.close()
    held.release()
    // Somebody may have asked while this one was closing, and found it still there.
  } while (onDemand && !asked.signal.aborted && (await askers.remain()))
}

/**
 * One per machine and user; the lock goes with the process that holds it. Who only asks for one is content with
 * another's.
 */
function hold(directory: string, onDemand: boolean): ReturnType<typeof holdDirectory> | undefined {
  try {
    return holdDirectory(directory)
  } catch (error) {
    if (onDemand && error instanceof ChorusError && error.code === "data_in_use") return undefined
    throw error
  }
}

function untilAsked(): { readonly toStop: Promise<void>; readonly signal: AbortSignal } {
  const stopped = new AbortController()
  const toStop = new Promise<void>((stop) => stopped.signal.addEventListener("abort", () => stop(), { once: true }))
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort())
  return { toStop, signal: stopped.signal }
}

async function untilNobody(askers: Askers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await askers.remain())) await new Promise((wake) => setTimeout(wake, LOOK_MS))
}

/** What was given, or on the server's own machine what it makes itself. */
async function credentials({ url, key, data }: Target): Promise<{ url: string; key: string }> {
  const given = key ?? process.env["CHORUS_API_KEY"]
  const found = given ?? (url === undefined ? await ownKey(data, "companion") : undefined)
  if (found !== undefined) return { url: url ?? serverAddress(data), key: found }
  throw new ChorusError("key_missing", "The companion needs an agent's key.", {
    next: "Start the server on this machine, or make a key (`chorus agent add NAME --json`) and give it as --key.",
  })
}
