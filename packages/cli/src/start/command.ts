import { hostname } from "node:os"
import { ChorusError } from "@chorus/contracts"
import { type ChorusServer, startServer } from "@chorus/server"
import { settleFolders } from "@chorus/status/hook-program"
import { Command, Option } from "commander"
import { paint, printJson, type Target, withData } from "../output.ts"
import { ownMachine } from "../runner/own-machine.ts"
import { type RunnerService, startRunnerService } from "../runner/service.ts"
import { wholeNumber } from "../whole-number.ts"
import { nameTheHolder } from "./port-holder.ts"
import { giveBackMemory } from "./start-memory.ts"

const SAME_SIGNAL_MS = 1000

interface StartOptions extends Target {
  readonly port: number
  readonly host: string
  readonly allowHost: string[]
  readonly publicUrl?: string
  readonly trustProxy?: boolean
  readonly keepEvents?: number
  readonly traceTo?: string
  readonly runner: boolean
}

export function startCommand(): Command {
  return withData(new Command("start"))
    .addOption(
      new Option("--port <number>", "where to listen; 0 takes any free one")
        .env("CHORUS_PORT")
        .default(8637)
        .argParser(wholeNumber("A port is a number from 0 to 65535.", 0, 65_535)),
    )
    .addOption(
      new Option("--host <address>", "on which address; other machines reach it only when this is not loopback")
        .env("CHORUS_HOST")
        .default("127.0.0.1"),
    )
    .addOption(
      new Option("--allow-host <name...>", "further host names to answer to, behind a proxy").default([], "none"),
    )
    .addOption(
      new Option("--public-url <address>", "the address people type, when a proxy stands in front").env(
        "CHORUS_PUBLIC_URL",
      ),
    )
    .addOption(new Option("--trust-proxy", "trust the proxy's headers about the caller and the address"))
    .addOption(
      new Option("--keep-events <days>", "drop events older than this; kept for ever when left out")
        .env("CHORUS_KEEP_EVENTS")
        .argParser(wholeNumber("Give a whole number of days.", 1)),
    )
    .addOption(
      new Option("--trace-to <address>", "send OpenTelemetry traces to this OTLP/HTTP address").env("CHORUS_TRACE_TO"),
    )
    .addOption(new Option("--no-runner", "leave running agents on this machine to `chorus runner`"))
    .action(async (options: StartOptions) => {
      const server = await start(options)
      const runner = options.runner ? startRunnerService({ data: options.data, machine: hostname() }) : undefined
      const ended = closeOnSignal(server, runner)
      printReady(server, options.json ?? false)
      settleFolders()
      giveBackMemory()
      await ended
    })
}

async function start(options: StartOptions): Promise<ChorusServer> {
  const { data, port, host, database, allowHost, publicUrl, trustProxy, keepEvents, traceTo, runner } = options
  try {
    return await startServer({
      dataDirectory: data,
      port,
      host,
      database,
      allowHosts: allowHost,
      publicUrl,
      trustProxy,
      eventsKeptDays: keepEvents,
      traceTo,
      machine: runner ? ownMachine(data) : undefined,
    })
  } catch (error) {
    if (error instanceof ChorusError && error.code === "port_in_use") throw await nameTheHolder(error, host, port)
    throw error
  }
}

function printReady(server: ChorusServer, json: boolean): void {
  if (json) return printJson({ url: server.url, pid: process.pid, signIn: server.firstSignIn ?? null })
  const link = server.firstSignIn
  const signIn = link === undefined ? "" : `sign in (once, within 15 minutes): ${paint("cyan", link)}\n`
  // At once: whoever waits for the first line looks for the second beside it.
  process.stdout.write(`${paint("green", "chorus")} ready at ${paint("bold", server.url)}\n${signIn}`)
}

/**
 * Resolves when the server has closed in good order; somebody who asks again does not have to wait for that. Ctrl-C
 * under npm arrives more than once, from the terminal and from npm, which is not asking again.
 */
function closeOnSignal(server: ChorusServer, runner: RunnerService | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked: number | undefined
    const close = () => {
      if (asked !== undefined && Date.now() - asked > SAME_SIGNAL_MS) process.exit(130)
      if (asked !== undefined) return
      asked = Date.now()
      Promise.resolve(runner?.close())
        .then(() => server.close())
        .then(resolve, reject)
    }
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, close)
  })
}
