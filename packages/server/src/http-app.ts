import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { dirname } from "node:path"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { ChorusError } from "@chorus/contracts"
import { hostReach } from "@chorus/core"
import type { Store } from "@chorus/store"
import { type Context, Hono } from "hono"
import type { Logger } from "pino"
import { BELOW } from "./data-directory.ts"
import type { Demo } from "./demo/demo.ts"
import { API_PAGE_STYLE, apiPage } from "./doors/api-page.ts"
import { bridgeDoor } from "./doors/bridge.ts"
import { demoDoor } from "./doors/demo.ts"
import { type DoorEnv, isForwarded } from "./doors/door-env.ts"
import { parseLastEventId, streamEvents } from "./doors/events.ts"
import { fileDoor } from "./doors/files.ts"
import { assertHostAndOrigin, assertOwnPage, type GuardOptions } from "./doors/guard.ts"
import { agentReportDoor } from "./doors/agent-report.ts"
import { hookDoor } from "./doors/hook.ts"
import { readJson } from "./doors/json-body.ts"
import { isSubscription, type McpDoor } from "./doors/mcp.ts"
import { streamNotifications } from "./doors/notification-stream.ts"
import { openApi } from "./doors/openapi.ts"
import { type OwnMachine, ownMachineDoor } from "./doors/own-machine.ts"
import { packedCommandDoor } from "./doors/packed-command.ts"
import { builtPage, pageDoor } from "./doors/page.ts"
import { restDoor } from "./doors/rest.ts"
import { toolProfile } from "./doors/tool-list.ts"
import { whileKnown } from "./doors/while-known.ts"
import type { EventHub } from "./event-hub.ts"
import { type Actor, asChorusError, focusOf } from "./operation.ts"
import { goneSignal } from "./patience.ts"
import type { Metrics } from "./observe/metrics.ts"
import { agentUsing, type LocalCredential, ownerActor } from "./local-credential.ts"
import type { Presence } from "./presence/presence.ts"
import type { Registry } from "./registry.ts"
import type { Identity } from "./sign-in/authenticate.ts"
import type { Reception } from "./sign-in/reception.ts"

/** A companion that is gone is told within two seconds. */
const COMEBACK_MS = 1200

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

export interface AppParts {
  readonly store: Store
  readonly registry: Registry
  readonly hub: EventHub
  readonly presence: Presence
  readonly mcp: McpDoor
  readonly log: Logger
  readonly guard: GuardOptions
  /** The address people type, where it was set. */
  readonly publicUrl?: string | undefined
  readonly signIn: Reception
  readonly local: LocalCredential
  readonly metrics: Metrics
  readonly demo: Demo
  readonly machine?: OwnMachine | undefined
  readonly closing: AbortSignal
}

/** Puts the doors into one application: guard first, then who calls, then the door. */
export function httpApp({
  store,
  registry,
  hub,
  presence,
  mcp,
  log,
  guard,
  publicUrl,
  signIn,
  local,
  metrics,
  demo,
  machine: ownMachine,
  closing,
}: AppParts): Hono<DoorEnv> {
  const app = new Hono<DoorEnv>()

  app.use(async (c, next) => {
    const requestId = randomUUID()
    c.set("requestId", requestId)
    c.header("x-request-id", requestId)
    c.header("x-content-type-options", "nosniff")
    assertHostAndOrigin(incomingOf(c.req.raw), guard)
    await next()
  })

  app.on(METHODS, ["/api/*", "/metrics"], async (c, next) => {
    c.set("local", isLocal(c))
    const identity = await identify(c)
    if (identity?.actor.type === "user" && !c.get("local")) assertOwnPage(incomingOf(c.req.raw))
    c.set("identity", identity)
    c.set("actor", identity?.actor)
    await next()
    await signIn.refresh(c, identity)
  })

  app.get("/api/health", async (c) =>
    c.json(
      (await registry.execute("chorus_health", {}, { actor: c.get("actor"), requestId: c.get("requestId") })) as object,
    ),
  )
  app.route("/api/v1", restDoor(registry))
  app.route("/api/files", fileDoor(registry))
  app.route("/api/hook", hookDoor(registry))
  app.route("/api/agent-report", agentReportDoor(registry))
  app.route("/api/bridges", bridgeDoor(store))
  app.route("/api/auth", signIn.routes)
  app.route("/api/demo", demoDoor(demo))
  app.route("/api/machine", ownMachineDoor(ownMachine))
  app.get("/api/openapi.json", (c) => c.json(openApi(registry)))
  app.get("/api/docs", (c) => c.html(apiPage(registry)))
  app.get("/api/docs.css", (c) => c.body(API_PAGE_STYLE, 200, { "content-type": "text/css" }))

  app.all("/api/mcp", async (c) => {
    const actor = c.get("actor")
    if (actor === undefined) throw needsKey()
    const body = c.req.method === "POST" ? await readJson(c.env.incoming) : undefined
    const answer = await mcp.handle(c.req.raw, body, {
      actor,
      requestId: c.get("requestId"),
      focus: focusOf((name) => c.req.header(name)),
      profile: toolProfile(c.req.query("tools")),
      gone: () => goneSignal(c.env.outgoing),
      attended: c.req.query("ask") === "window",
    })
    const identity = c.get("identity")
    // Made anew, because an answer that is handed through as it is lacks the headers of every answer.
    if (answer.body === null || identity === undefined || !isSubscription(body))
      return c.newResponse(answer.body, answer)
    const stillKnown = () => stillAllowed(c, identity, signIn.stillKnown)
    return c.newResponse(await whileKnown(answer.body, hub, actor.workspaceUuid, stillKnown), answer)
  })

  app.get("/api/events", async (c) => {
    const identity = c.get("identity")
    if (identity === undefined) throw needsKey()
    const kinds = c.req.queries("kind")
    const machine = c.req.query("machine")
    if (machine !== undefined) hostCompanion(identity.actor, machine, c.env.outgoing)
    await streamEvents(hub, c.env.outgoing, {
      actor: identity.actor,
      lastEventId: parseLastEventId(c.req.header("last-event-id") ?? c.req.query("lastEventId")),
      projectUuid: c.req.query("projectUuid"),
      kinds: kinds && new Set(kinds),
      presence: c.req.query("presence") === "1" ? presence : undefined,
      stillAllowed: () => stillAllowed(c, identity),
    })
    return RESPONSE_ALREADY_SENT
  })

  const companions = new Map<string, ServerResponse>()

  /** One that comes back at once, as after a proxy's time is over, has not left. */
  function hostCompanion(actor: Actor, machine: string, stream: ServerResponse): void {
    const whose = `${actor.uuid} ${machine}`
    companions.set(whose, stream)
    stream.once("close", () => {
      const closedAt = new Date().toISOString()
      const tell = async () => {
        if (closing.aborted || companions.get(whose) !== stream) return
        companions.delete(whose)
        // It may have come back to another server; where there is none, what it last sent can be younger than its end.
        const leftAt = store.engine === "sqlite" ? new Date().toISOString() : closedAt
        await registry.execute("chorus_report_machine", { machine, leftAt }, { actor, requestId: randomUUID() })
      }
      setTimeout(() => void tell().catch(() => undefined), COMEBACK_MS).unref()
    })
  }

  app.get("/api/events/notifications", async (c) => {
    const identity = c.get("identity")
    if (identity === undefined) throw needsKey()
    await streamNotifications(hub, store, c.env.outgoing, {
      actor: identity.actor,
      stillAllowed: () => stillAllowed(c, identity),
    })
    return RESPONSE_ALREADY_SENT
  })

  app.get("/metrics", async (c) => {
    // A proxy on this machine speaks for others, so its requests need a key like anybody's.
    const local = hostReach(c.env.incoming.socket.remoteAddress ?? "") === "loopback" && !isForwarded(c)
    if (!local && c.get("actor") === undefined) throw needsKey()
    return c.body(await metrics.text(), 200, { "content-type": metrics.contentType })
  })

  const page = builtPage()
  if (page !== undefined) {
    app.route("/", packedCommandDoor(dirname(page)))
    app.route("/", pageDoor(page, publicUrl))
  }

  app.notFound((c) => {
    const error = new ChorusError("not_found", `There is nothing at ${c.req.path}.`, {
      status: 404,
      next: "See /api/docs for what there is.",
    })
    return c.json({ error: error.toBody() }, 404)
  })

  app.onError((error, c) => {
    const requestId = c.get("requestId") ?? "unknown"
    const fault = asChorusError(error, requestId)
    if (fault.status >= 500) log.error({ err: error, requestId, path: c.req.path }, "request failed")
    if (fault.status === 401) c.header("www-authenticate", 'Bearer realm="chorus"')
    return c.json({ error: fault.toBody() }, fault.status as 400)
  })

  return app

  function isLocal(c: Context<DoorEnv>): boolean {
    const { origin, fetchSite } = incomingOf(c.req.raw)
    return local.vouchesFor({
      authorization: c.req.header("authorization"),
      remoteAddress: c.env.incoming.socket.remoteAddress,
      origin,
      fetchSite,
      forwarded: isForwarded(c),
    })
  }

  async function identify(c: Context<DoorEnv>): Promise<Identity | undefined> {
    if (!c.get("local")) return signIn.identify(c)
    const { localPort = 0, remotePort = 0 } = c.env.incoming.socket
    const below = () => agentUsing({ localPort, remotePort }, c.req.header(BELOW))
    return { actor: { ...(await ownerActor(store, new Date())), below } }
  }

  /** A store that does not answer ends no stream; a key or sign-in that no longer holds does. */
  async function stillAllowed(
    c: Context<DoorEnv>,
    identity: Identity,
    question: Reception["stillHolds"] = signIn.stillHolds,
  ): Promise<boolean> {
    if (c.get("local")) return true
    return question(c, identity).catch((error: unknown) => !(error instanceof ChorusError && error.status === 401))
  }
}

function incomingOf(request: Request) {
  return {
    method: request.method,
    host: request.headers.get("host") ?? undefined,
    origin: request.headers.get("origin") ?? undefined,
    fetchSite: request.headers.get("sec-fetch-site") ?? undefined,
  }
}

function needsKey(): ChorusError {
  return new ChorusError("unauthenticated", "This needs a signed-in person or an API key.", {
    status: 401,
    next: "Send the header Authorization: Bearer cho_….",
  })
}
