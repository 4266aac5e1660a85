import { ChorusError } from "@chorus/contracts"
import { type ChorusServer, startServer } from "@chorus/server"
import { Command, InvalidArgumentError, Option } from "commander"
import { paint, printJson } from "../output.ts"
import { type Target, withData } from "../target.ts"
import { nameTheHolder } from "./port-holder.ts"

const SAME_SIGNAL_MS = 1000

interface StartOptions extends Target {
  readonly port: number
  readonly host: string
  readonly allowHost: string[]
}

export function startCommand(): Command {
  return withData(new Command("start"))
    .addOption(new Option("--port <number>", "where to listen; 0 takes any free one").env("CHORUS_PORT").default(8637).argParser(portNumber))
    .addOption(new Option("--host <address>", "on which address; other machines reach it only when this is not loopback").env("CHORUS_HOST").default("127.0.0.1"))
    .addOption(new Option("--allow-host <name...>", "further host names to answer to, behind a proxy").default([], "none"))
    .action(async (options: StartOptions) => {
      const server = await start(options)
      const ended = closeOnSignal(server)
      await printReady(server, options.json ?? false)
      await ended
    })
}

async function start({ data, port, host, database, allowHost }: StartOptions): Promise<ChorusServer> {
  try {
    return await startServer({ dataDirectory: data, port, host, database, allowHosts: allowHost })
  } catch (error) {
    if (error instanceof ChorusError && error.code === "port_in_use") throw await nameTheHolder(error, host, port)
    throw error
  }
}

async function printReady(server: ChorusServer, json: boolean): Promise<void> {
  if (json) return printJson({ url: server.url, pid: process.pid, signIn: server.firstSignIn ?? null })
  process.stdout.write(`${paint("green", "chorus")} ready at ${paint("bold", server.url)}\n`)
  if (server.firstSignIn !== undefined) {
    process.stdout.write(`sign in (once, within 15 minutes): ${paint("cyan", server.firstSignIn)}\n`)
  } else if (await isUntouched(server)) {
    process.stdout.write(`nobody has signed in yet; \`chorus signin\` makes a link\n`)
  }
}

async function isUntouched({ store }: ChorusServer): Promise<boolean> {
  return (await store.db.selectFrom("signIns").select("uuid").limit(1).executeTakeFirst()) === undefined
}

/**
 * Resolves when the server has closed in good order; somebody who asks again does not have to wait for that. Ctrl-C under npm
 * arrives more than once, from the terminal and from npm, which is not asking again.
 */
function closeOnSignal(server: ChorusServer): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked: number | undefined
    const close = () => {
      if (asked !== undefined && Date.now() - asked > SAME_SIGNAL_MS) process.exit(130)
      if (asked !== undefined) return
      asked = Date.now()
      server.close().then(resolve, reject)
    }
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, close)
  })
}

function portNumber(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError("A port is a number from 0 to 65535.")
}
