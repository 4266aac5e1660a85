import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, createClient } from "@chorus/client"
import { ownerActor, operations, Registry } from "@chorus/server"
import { openPostgresStore } from "@chorus/store/postgres"
import type { Store } from "@chorus/store"
import { freePort, type Nginx, type Postgres, startNginx, startPostgres, temporaryDirectory } from "@chorus/testing"
import { type RunningChorus, startChorus } from "../../packages/cli/test/chorus-process.ts"

const SITE = readFileSync(join(import.meta.dirname, "..", "..", "deploy", "nginx.conf"), "utf8")
/** The servers that the site names. */
export const SERVERS = [...SITE.matchAll(/^ *server 127\.0\.0\.1:(\d+)/gm)].map((match) => String(match[1]))

export type Preset = "admin" | "pm" | "developer"

/** Server processes behind the proxy as deploy/nginx.conf sets it up, on one PostgreSQL. */
export interface Cluster extends AsyncDisposable {
  /** The proxy's address. */
  readonly url: string
  readonly postgres: Postgres
  /** A look at the database that needs no server. */
  readonly store: Store
  /** The server with that number, past the proxy. */
  server(index: number): string
  /** A new agent's key. */
  key(name: string, preset: Preset): Promise<string>
  client(key: string, at?: string): Client
  /** A link by which the owner signs in, once. */
  readonly signIn: string
  /** Ends a server as a crash does. */
  kill(index: number, signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
  revive(index: number): Promise<void>
}

export async function startCluster(count = SERVERS.length): Promise<Cluster> {
  const postgres = await startPostgres({ settings: { max_connections: "300" } })
  const database = await postgres.database()
  const store = await openPostgresStore(database)
  const named = SERVERS.slice(0, count)
  const places = await Promise.all(named.map(async () => ({ data: temporaryDirectory().path, port: await freePort() })))
  const start = ({ data, port }: { data: string; port: number }) =>
    startChorus(["--port", String(port), "--data", data, "--database", database, "--trust-proxy"])
  const servers: RunningChorus[] = await Promise.all(places.map(start))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const nginx: Nginx = await startNginx(
    siteFor(
      port,
      places.map((place) => place.port),
    ),
    async () => (await fetch(`${url}/api/health`)).ok,
  )
  const owner = await ownerActor(store, new Date())
  const registry = new Registry(store, operations)
  const own = async (name: string, input: object) =>
    (await registry.execute(name, input, { actor: owner, requestId: "cluster" })) as { uuid: string; key: string }
  return {
    url,
    postgres,
    store,
    signIn: servers[0]?.signIn ?? "",
    server: (index) => `http://127.0.0.1:${places[index]?.port}`,
    async key(name, preset) {
      const { uuid } = await own("chorus_create_agent", { name, presets: [preset] })
      return (await own("chorus_create_key", { agentUuid: uuid })).key
    },
    client: (key, at = url) => createClient({ url: at, key }),
    kill: async (index, signal = "SIGKILL") => servers[index]?.end(signal) ?? -1,
    async revive(index) {
      const place = places[index]
      if (place !== undefined) servers[index] = await start(place)
    },
    [Symbol.asyncDispose]: async () => {
      await nginx.stop()
      await Promise.all(servers.map((server) => server.end("SIGKILL").catch(() => undefined)))
      await store.close()
      await postgres.stop()
    },
  }
}

/** The site as operators get it, on other ports and with as many servers as there are. */
function siteFor(port: number, ports: readonly number[]): string {
  const lines = SITE.split("\n").flatMap((line) => {
    const index = SERVERS.findIndex((named) => line.includes(`server 127.0.0.1:${named}`))
    if (index < 0) return [line]
    return ports[index] === undefined ? [] : [line.replace(String(SERVERS[index]), String(ports[index]))]
  })
  return lines.join("\n").replace("listen 80;", `listen 127.0.0.1:${port};`)
}
