import { createServer, type Server as HttpServer } from "node:http"
import { join } from "node:path"
import { getRequestListener } from "@hono/node-server"
import { ChorusError } from "@chorus/contracts"
import { openSqliteStore, type Store } from "@chorus/store"
import { type Logger, pino } from "pino"
import { ensureOwner, makeSignInToken, signInLink } from "./bootstrap.ts"
import { holdDirectory } from "./data-directory.ts"
import { mcpDoor } from "./doors/mcp.ts"
import { EventHub } from "./event-hub.ts"
import { httpApp } from "./http-app.ts"
import { makeLocalCredential } from "./local-credential.ts"
import { accessLog } from "./observe/access-log.ts"
import { metrics } from "./observe/metrics.ts"
import { observers } from "./observe/observer.ts"
import { startTracing } from "./observe/tracing.ts"
import { operations } from "./operations/index.ts"
import { Registry } from "./registry.ts"
import { VERSION } from "./version.ts"

export interface ServerOptions {
  readonly dataDirectory: string
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** A postgres:// address; the embedded store in the data directory when left out. */
  readonly database?: string | undefined
  readonly allowHosts?: readonly string[] | undefined
  readonly log?: Logger | undefined
  /** An OTLP/HTTP address for traces; none are made when left out. */
  readonly traceTo?: string | undefined
}

export interface ChorusServer {
  readonly url: string
  readonly store: Store
  readonly registry: Registry
  /** On the very first start, the link by which the owner signs in. */
  readonly firstSignIn: string | undefined
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<ChorusServer> {
  const host = options.host ?? "127.0.0.1"
  const log = options.log ?? pino({ level: process.env["CHORUS_LOG"] ?? "warn" })
  const held = holdDirectory(options.dataDirectory)
  const undo: (() => unknown)[] = [() => held.release()]
  try {
    const store = await openStore(options)
    undo.push(() => store.close())
    const owner = await ensureOwner(store, new Date())
    const hub = new EventHub(store)
    undo.push(() => hub.close())
    const measured = metrics(() => hub.readers())
    const tracing = options.traceTo === undefined ? undefined : await startTracing(options.traceTo, VERSION)
    if (tracing !== undefined) undo.push(() => tracing.close())
    const observer = observers(measured, accessLog(log), ...(tracing === undefined ? [] : [tracing]))
    const registry = new Registry(store, operations, { observer, checkOutput: process.env["CHORUS_CHECK_OUTPUT"] === "1" })
    const mcp = mcpDoor(registry, { onFault: (error, requestId) => log.error({ err: error, requestId }, "tool failed") })
    undo.push(() => mcp.close())
    const local = makeLocalCredential()
    const app = httpApp({ store, registry, hub, mcp, log, local, metrics: measured, hosts: [...(options.allowHosts ?? []), ...(isLoopback(host) ? [] : [host])] })
    const http = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 2000, keepAliveTimeout: 65_000 }, getRequestListener(app.fetch))
    await listen(http, host, options.port ?? 8637)
    undo.push(() => closeHttp(http))
    const url = addressOf(http, host)
    held.announce({ pid: process.pid, url, startedAt: new Date().toISOString(), engine: store.engine, token: local.token })
    return {
      url,
      store,
      registry,
      firstSignIn: owner.first ? signInLink(url, await makeSignInToken(store, owner.userUuid, new Date())) : undefined,
      close: async () => {
        for (const step of undo.toReversed()) await step()
      },
    }
  } catch (error) {
    for (const step of undo.toReversed()) await step()
    throw error
  }
}

async function openStore({ database, dataDirectory }: ServerOptions): Promise<Store> {
  if (database === undefined) return openSqliteStore(join(dataDirectory, "chorus.sqlite"))
  const { openPostgresStore } = await import("@chorus/store/postgres")
  return openPostgresStore(database)
}

function listen(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => reject(error.code === "EADDRINUSE" ? portInUse(host, port) : error))
    http.listen(port, host, () => resolve())
  })
}

function portInUse(host: string, port: number): ChorusError {
  return new ChorusError("port_in_use", `Another program listens on ${host}:${port}.`, {
    status: 409,
    next: `Stop it, or start with --port N.`,
    details: { host, port },
  })
}

async function closeHttp(http: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()))
  http.closeAllConnections()
  await closed
}

function addressOf(http: HttpServer, host: string): string {
  const address = http.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.")
}
