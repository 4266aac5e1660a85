import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { chownSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Client } from "pg"
import { freePort } from "./free-port.ts"
import { lastWill, unrefPipe, type LastWill } from "./last-will.ts"
import { binariesFor, embeddedPostgres, installedPostgres, serverAccount, type Account } from "./postgres-binaries.ts"
import { killTree } from "./process-tree.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

const USER = "chorus"
const START_TIMEOUT = 30_000
const START_ATTEMPTS = 20

export interface PostgresOptions {
  /**
   * Off, commits do not wait for the disk: faster, and still safe against `kill`, which ends processes and not the
   * machine. Default on.
   */
  fsync?: boolean
  /** Which programs; by default the installed ones, and the npm package where none are. */
  binaries?: "installed" | "embedded"
  /** Follows this server as its standby, until `select pg_promote()` makes it one that writes. */
  standbyOf?: Postgres
  /** Further server settings, as in postgresql.conf. */
  settings?: Record<string, string>
}

export interface Postgres extends AsyncDisposable {
  /** The maintenance database, over loopback TCP. */
  readonly url: string
  readonly port: number
  readonly socketDirectory: string
  /** Creates a database and gives its URL: an empty one, or a copy of one that nobody is connected to, by its name. */
  database(copyOf?: string): Promise<string>
  /**
   * SIGKILL ends every server process at once, as a crash does; any other signal goes to the postmaster. Resolves when
   * it ended.
   */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Starts the server again on the same data, port and URLs, stopping it first if it runs. */
  restart(): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

/** A private PostgreSQL server in a temporary folder, reachable over loopback and a Unix socket without a password. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const directory = temporaryDirectory("pg-")
  const account = serverAccount()
  if (account) chownSync(directory.path, account.uid, account.gid)
  try {
    const found = options.binaries === "embedded" ? undefined : installedPostgres()
    const binaries = binariesFor(account, found ?? (await embeddedPostgres()), directory.path)
    return await openCluster(directory, account, binaries, options)
  } catch (error) {
    await directory.remove()
    throw error
  }
}

async function openCluster(
  directory: { path: string; remove(): Promise<void> },
  account: Account | undefined,
  binaries: string,
  options: PostgresOptions,
): Promise<Postgres> {
  const data = join(directory.path, "data")
  const place = { cwd: directory.path, env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" }, ...account }
  const made =
    options.standbyOf === undefined
      ? ["initdb", "-U", USER, "--auth=trust", "--no-locale", "--encoding=UTF8"]
      : ["pg_basebackup", "-d", options.standbyOf.url, "--checkpoint=fast", "--write-recovery-conf"]
  const [program = "", ...args] = [...made, "--no-sync", "-D", data]
  await promisify(execFile)(join(binaries, program), args, place)
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory.path,
    fsync: options.fsync === false ? "off" : "on",
    max_connections: "200",
    ...options.settings,
  }
  const start = (port: number): Promise<RunningServer> => {
    const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ])
    return startServer(
      () =>
        spawn(join(binaries, "postgres"), ["-D", data, ...flags], { ...place, stdio: ["ignore", "ignore", "pipe"] }),
      directory.path,
    )
  }
  const { port, server: first } = await startOnFreePort(start)
  let server: RunningServer | undefined = first
  let databases = 0
  const urlOf = (name: string): string => `postgres://${USER}@127.0.0.1:${port}/${name}`
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server
    server = undefined
    await ending?.end(signal)
  }
  const stop = async (): Promise<void> => {
    // "Fast" shutdown: connections left open by a test are closed.
    await end("SIGINT")
    await directory.remove()
  }
  return {
    url: urlOf("postgres"),
    port,
    socketDirectory: directory.path,
    async database(copyOf) {
      const name = `test_${process.pid}_${++databases}`
      await run(urlOf("postgres"), `create database ${name} ${copyOf ? `template ${copyOf}` : ""}`)
      return urlOf(name)
    },
    kill: (signal = "SIGKILL") => end(signal),
    async restart() {
      await end("SIGINT")
      server = await start(port)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

interface RunningServer {
  end(signal: NodeJS.Signals): Promise<void>
}

async function startOnFreePort(
  start: (port: number) => Promise<RunningServer>,
): Promise<{ port: number; server: RunningServer }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { port, server: await start(port) }
    } catch (error) {
      // Somebody else took the port in between: PostgreSQL cannot listen on port 0 itself.
      if (attempt === START_ATTEMPTS || !/Address already in use/.test(String(error))) throw error
    }
  }
}

async function startServer(launch: () => ChildProcess, directory: string): Promise<RunningServer> {
  const child = launch()
  const will = lastWill([
    "sh",
    "-c",
    'kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf -- "$2"',
    "sh",
    String(child.pid),
    directory,
  ])
  try {
    await untilReady(child)
  } catch (error) {
    child.kill("SIGKILL")
    will.revoke()
    throw error
  }
  child.unref()
  unrefPipe(child.stderr)
  return { end: (signal) => endServer(child, will, signal) }
}

function untilReady(child: ChildProcess): Promise<void> {
  let log = ""
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL was not ready after ${START_TIMEOUT} ms:\n${log}`)),
      START_TIMEOUT,
    )
    const fail = (error: Error): void => {
      clearTimeout(timer)
      reject(error)
    }
    child.once("error", fail)
    child.once("exit", (code) => fail(new Error(`PostgreSQL ended with code ${code} while starting:\n${log}`)))
    // The log is read on after the start too: a full pipe would stop the server.
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-20_000)
      if (!/ready to accept (read-only )?connections/.test(log)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

async function endServer(child: ChildProcess, will: LastWill, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const ended = once(child, "exit")
    child.ref()
    if (signal === "SIGKILL") await killTree(child.pid)
    else child.kill(signal)
    await ended
  }
  will.revoke()
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
