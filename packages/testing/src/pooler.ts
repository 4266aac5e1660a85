import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { debianDaemon } from "./debian.ts"
import { freePort } from "./free-port.ts"
import { lastWill } from "./last-will.ts"
import { temporaryDirectory } from "./temporary-directory.ts"
import { waitFor } from "./wait.ts"

const START_TIMEOUT = 30_000

export interface Pooler extends AsyncDisposable {
  /** The same database, by way of the pooler. */
  readonly url: string
  /** Ends it with every connection through it, and starts another one at the same address. */
  restart(): Promise<void>
}

/** A PgBouncer before a database, which hands out its connections by session. */
export async function startPooler(database: string): Promise<Pooler> {
  const program = await debianDaemon("pgbouncer")
  const directory = temporaryDirectory("pooler-")
  const port = await freePort()
  const { hostname, port: behind, username } = new URL(database)
  const url = new URL(database)
  url.port = String(port)
  const file = join(directory.path, "pgbouncer.ini")
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${behind} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 150
max_client_conn = 300
`,
  )
  const start = async () => {
    // It does not run as root, and lays that down once it has read this.
    const child = spawn(program, [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file], { stdio: "ignore" })
    const will = lastWill(["sh", "-c", 'kill -KILL "$1"', "sh", String(child.pid)])
    const ended = once(child, "exit")
    await waitFor(() => child.exitCode !== null || answers(url.href), START_TIMEOUT, "PgBouncer to answer")
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`)
    return async () => {
      child.kill("SIGKILL")
      await ended
      will.revoke()
    }
  }
  let stop = await start()
  return {
    url: url.href,
    async restart() {
      await stop()
      stop = await start()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await directory.remove()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  await client.query("select 1").finally(() => client.end())
  return true
}
