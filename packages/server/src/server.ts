import { createServer, type Server as HttpServer } from "node:http"
import { join } from "node:path"
import { getRequestListener } from "@hono/node-server"
import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"
import { openSqliteStore, type Store } from "@chorus/store"
import { type Logger, pino } from "pino"
import { ensureOwner, makeSignInToken, signInLink } from "./bootstrap.ts"
import { holdDirectory, inDirectory, refuseLostData } from "./data-directory.ts"
import { Demo } from "./demo/demo.ts"
import { startPostOffice } from "./deliveries/post-office.ts"
import { drainOnClose } from "./drain.ts"
import type { GuardOptions } from "./doors/guard.ts"
import type { OwnMachine } from "./doors/own-machine.ts"
import { mcpDoor } from "./doors/mcp.ts"
import { EventHub } from "./event-hub.ts"
import { startHousekeeping } from "./housekeeping.ts"
import { httpApp } from "./http-app.ts"
import { makeLocalCredential } from "./local-credential.ts"
import { accessLog } from "./observe/access-log.ts"
import { metrics } from "./observe/metrics.ts"
import { observers } from "./observe/observer.ts"
import { startTracing } from "./observe/tracing.ts"
import { operations } from "./operations/index.ts"
import { watchPermissions } from "./operations/agents/permission-watch.ts"
import { Presence } from "./presence/presence.ts"
import { mailerOf } from "./channels/mailer.ts"
import { pushSender } from "./push/sender.ts"
import { Registry } from "./registry.ts"
import { assertSafeToExpose } from "./sign-in/exposure.ts"
import { type OidcOptions, oidcSettings } from "./sign-in/oidc-settings.ts"
import { reception } from "./sign-in/reception.ts"
import { keepPrivate, openSecrets, sharedSecrets } from "./sign-in/secrets.ts"
import { type Outside, outsideOf } from "./sign-in/visitor.ts"
import { VERSION } from "./version.ts"
import { webhookSender } from "./webhooks/sender.ts"

/** So many bytes are read in the blink of an eye; more are read beside the work. */
const CHECKED_AT_START = 32 * 1024 * 1024

export interface ServerOptions {
  readonly dataDirectory: string
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** A postgres:// address; the embedded store in the data directory when left out. */
  readonly database?: string | undefined
  /** Further names this server answers to, `name` or `name:port`: those of a proxy in front. */
  readonly allowHosts?: readonly string[] | undefined
  /** The address people type, when a proxy stands in front: `https://chorus.example.com`. */
  readonly publicUrl?: string | undefined
  /** Whether a proxy in front is to be believed about whom it speaks for. */
  readonly trustProxy?: boolean | undefined
  /** Sign-in through an OpenID Connect provider; from the environment when left out. */
  readonly oidc?: OidcOptions | undefined
  readonly log?: Logger | undefined
  /** Events older than this are dropped; kept for ever when left out. */
  readonly eventsKeptDays?: number | undefined
  /** An OTLP/HTTP address for traces; none are made when left out. */
  readonly traceTo?: string | undefined
  /** Where agents run on this server's own machine: what its owner may allow there from the page. */
  readonly machine?: OwnMachine | undefined
}

export interface ChorusServer {
  readonly url: string
  readonly store: Store
  readonly registry: Registry
  /** On the very first start, the link by which the owner signs in. */
  readonly firstSignIn: string | undefined
  /** Open event streams. */
  readers(): number
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<ChorusServer> {
  const host = options.host ?? "127.0.0.1"
  const log = options.log ?? pino({ level: process.env["CHORUS_LOG"] ?? "warn" })
  const held = holdDirectory(options.dataDirectory)
  const undo: (() => unknown)[] = [() => held.release()]
  try {
    if (!keepPrivate(options.dataDirectory))
      log.warn(
        { directory: options.dataDirectory },
        "the data directory belongs to another account and is open to others",
      )
    const store = await openStore(options)
    undo.push(() => store.close())
    const isChecked = await store.check(CHECKED_AT_START)
    const owner = await ensureOwner(store, new Date())
    const oidc = oidcSettings(options.oidc, process.env)
    await assertSafeToExpose(store.db, host, oidc !== undefined)
    const hub = new EventHub(store)
    undo.push(() => hub.close())
    const measured = metrics(
      () => hub.readers(),
      () => store.load(),
    )
    const tracing = options.traceTo === undefined ? undefined : await startTracing(options.traceTo, VERSION)
    if (tracing !== undefined) undo.push(() => tracing.close())
    const observer = observers(measured, accessLog(log), ...(tracing === undefined ? [] : [tracing]))
    const closing = new AbortController()
    const presence = new Presence(store)
    undo.push(() => presence.close())
    const registry = new Registry(store, operations, {
      observer,
      onTouch: (touch) => presence.note(touch),
      waitingRoom: { hub, closing: closing.signal },
      checkOutput: process.env["CHORUS_CHECK_OUTPUT"] === "1",
    })
    const mcp = mcpDoor(registry, {
      onFault: (error, requestId) => log.error({ err: error, requestId }, "tool failed"),
    })
    undo.push(() => mcp.close())
    const watch = await watchPermissions(store, owner.workspaceUuid, () => mcp.toolsChanged())
    undo.push(() => watch.close())
    const outside = outsideOf(options, process.env)
    const signIn = reception({
      store,
      workspaceUuid: owner.workspaceUuid,
      secrets: await sharedSecrets(
        store,
        inDirectory(options.dataDirectory, () => openSecrets(options.dataDirectory)),
      ),
      outside,
      oidc,
      log,
    })
    undo.push(() => signIn.close())
    const housekeeping = startHousekeeping(store, registry, { eventsKeptDays: options.eventsKeptDays, isChecked }, log)
    undo.push(() => housekeeping.close())
    let url = ""
    const channels = { page: () => outside.publicUrl ?? url, mailer: mailerOf(process.env) }
    const senders = [webhookSender(store, registry), pushSender(store, { subject: outside.publicUrl, channels })]
    const postOffice = startPostOffice(store, senders, { log })
    undo.push(() => postOffice.close())
    const local = makeLocalCredential()
    const demo = new Demo(registry, log)
    const app = httpApp({
      demo,
      machine: options.machine,
      store,
      registry,
      hub,
      presence,
      mcp,
      log,
      local,
      metrics: measured,
      signIn,
      guard: guardOptions(options, host, outside),
      publicUrl: outside.publicUrl,
      closing: closing.signal,
    })
    const http = createServer(
      {
        maxHeaderSize: 32 * 1024,
        requestTimeout: 30_000,
        headersTimeout: 10_000,
        connectionsCheckingInterval: 2000,
        keepAliveTimeout: 65_000,
      },
      getRequestListener(app.fetch),
    )
    const drain = drainOnClose(http)
    await listen(http, host, options.port ?? 8637)
    undo.push(() => drain())
    undo.push(() => closing.abort())
    undo.push(() => demo.close())
    url = addressOf(http, host)
    held.announce({
      pid: process.pid,
      url,
      startedAt: new Date().toISOString(),
      engine: store.engine,
      token: local.token,
    })
    return {
      url,
      store,
      registry,
      readers: () => hub.readers(),
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
  if (database === undefined) {
    refuseLostData(dataDirectory)
    return openSqliteStore(join(dataDirectory, "chorus.sqlite"))
  }
  const { openPostgresStore } = await import("@chorus/store/postgres")
  return openPostgresStore(database)
}

function listen(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portInUse(host, port) : error),
    )
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

function addressOf(http: HttpServer, host: string): string {
  const address = http.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

function guardOptions({ allowHosts = [] }: ServerOptions, host: string, { publicUrl }: Outside): GuardOptions {
  const pages = [...allowHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])].map((name) =>
    name.toLowerCase(),
  )
  return { hosts: hostReach(host) === "loopback" ? pages : [...pages, host.includes(":") ? `[${host}]` : host], pages }
}
