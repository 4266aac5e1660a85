import { createServer } from "node:http"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type Postgres, startPostgres } from "./postgres.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The socket on which `sharedDatabase` asks. */
    sharedPostgres: string
  }
}

/**
 * One PostgreSQL for all files of a run, each with databases of its own; started when the first of them asks. It does
 * not wait for the disk: tests that cut the power or restart the server start their own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = temporaryDirectory("shared-pg-")
  const socket = join(directory.path, "ask")
  let postgres: Promise<Postgres> | undefined
  const door = createServer(({ url = "/" }, response) => {
    // Each of hundreds of databases would get a worker a minute that cleans up behind the few rows of a test.
    postgres ??= startPostgres({ fsync: false, settings: { max_connections: "400", autovacuum: "off" } })
    postgres
      .then((server) => server.database(url.slice(1)))
      .then(
        (url) => response.end(url),
        (error) => response.writeHead(500).end(String(error)),
      )
  })
  await new Promise<void>((listening) => door.listen(socket, listening))
  project.provide("sharedPostgres", socket)
  return async () => {
    door.closeAllConnections()
    door.close()
    // Its files go with this process, in the background: there are tens of thousands, and nobody needs to wait for that.
    await (await postgres)?.kill("SIGINT")
  }
}
