import type { ServerResponse } from "node:http"
import { ChorusError, type LogEvent } from "@chorus/contracts"
import { maySee } from "../may-see.ts"
import type { Actor } from "../operation.ts"
import type { EventHub } from "../event-hub.ts"
import type { Presence, Sighting } from "../presence/presence.ts"

const KEEP_ALIVE_MS = 15_000
/** A reader that lets this much pile up is cut off; it resumes from its last event id. */
const MAX_BACKLOG_BYTES = 1024 * 1024

export interface EventStreamRequest {
  readonly actor: Actor
  readonly lastEventId: number | undefined
  readonly projectUuid: string | undefined
  readonly kinds: ReadonlySet<string> | undefined
  /**
   * Where to hear what agents touch right now; undefined for a reader that did not ask. Such news has no id and is not
   * repeated.
   */
  readonly presence: Presence | undefined
  /** Whether the caller may still listen; asked at each keep-alive, and when somebody's rights have changed. */
  stillAllowed(): Promise<boolean>
}

/** `GET /api/events`: the log as server-sent events, written straight to the socket. */
export async function streamEvents(
  hub: EventHub,
  response: ServerResponse,
  request: EventStreamRequest,
): Promise<void> {
  // Ends with its connection, so that what goes to a thousand readers needs no chunk framed for each of them.
  response.useChunkedEncodingByDefault = false
  // A store that is away is said by the status; once the head is out it is too late for that.
  const { actor } = request
  const resume = await resumePoint(hub, request)
  await hub.prepare(actor.workspaceUuid)
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-accel-buffering": "no",
    connection: "close",
  })
  response.write(": connected\nretry: 1000\n\n")
  if (resume.isGap) response.write(`event: gap\nid: ${resume.after}\ndata: {}\n\n`)
  const timer = setInterval(() => void keepAlive(), KEEP_ALIVE_MS)
  let draining: Promise<void> | undefined
  const subscription = await hub.subscribe({
    workspaceUuid: actor.workspaceUuid,
    caller: actor.uuid,
    after: resume.after,
    wants: (event) => maySee(actor, event) && matches(request, event),
    only: { kinds: request.kinds && [...request.kinds], projectUuids: reachOf(request) },
    recheck: () => void leaveIfRefused(),
    deliver: (events) => {
      if (response.writableLength > MAX_BACKLOG_BYTES) {
        response.destroy()
        return
      }
      if (response.write(bytesOf(events))) return
      return (draining ??= drained(response).finally(() => (draining = undefined)))
    },
  })
  const leave = request.presence?.watch((sighting) => {
    if (response.writableLength < MAX_BACKLOG_BYTES && maySense(request, sighting))
      response.write(`event: presence\ndata: ${JSON.stringify(sighting)}\n\n`)
  })
  const stop = () => {
    clearInterval(timer)
    subscription.close()
    leave?.()
  }
  response.on("close", stop)
  if (response.destroyed) stop()

  async function keepAlive(): Promise<void> {
    if (await leaveIfRefused()) return
    response.write(": alive\n\n")
  }

  async function leaveIfRefused(): Promise<boolean> {
    const refused = !(await request.stillAllowed().catch(() => true))
    if (refused) response.end()
    return refused
  }
}

/** Where to go on. A position that is no longer kept, or lies ahead of a restored log, means: load afresh. */
async function resumePoint(
  hub: EventHub,
  { actor, lastEventId }: EventStreamRequest,
): Promise<{ after: number | undefined; isGap: boolean }> {
  if (lastEventId === undefined) return { after: undefined, isGap: false }
  const { first, last } = await hub.bounds(actor.workspaceUuid)
  const isGap = lastEventId < first || lastEventId > last
  return { after: isGap ? last : lastEventId, isGap }
}

/** Resolves when the reader can take more, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((ready) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      ready()
    }
    response.on("drain", done)
    response.on("close", done)
  })
}

export function parseLastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id
  throw new ChorusError("invalid_input", "Last-Event-ID must be the number of an event.", {
    next: "Leave it out to start at the end of the log.",
  })
}

const batches = new WeakMap<readonly LogEvent[], Buffer>()
const frames = new WeakMap<LogEvent, string>()

/** The same batch goes to many readers; its bytes are made once. */
function bytesOf(events: readonly LogEvent[]): Buffer {
  const known = batches.get(events)
  if (known !== undefined) return known
  const bytes = Buffer.from(events.map(frame).join(""))
  batches.set(events, bytes)
  return bytes
}

/** The same event stands in several batches; it is put into words once. */
function frame(event: LogEvent): string {
  const known = frames.get(event)
  if (known !== undefined) return known
  const text = `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
  frames.set(event, text)
  return text
}

function maySense({ actor, projectUuid }: EventStreamRequest, sighting: Sighting): boolean {
  if (
    sighting.workspaceUuid !== actor.workspaceUuid ||
    (projectUuid !== undefined && sighting.projectUuid !== projectUuid)
  )
    return false
  return actor.projectUuids === null || (sighting.projectUuid !== null && actor.projectUuids.has(sighting.projectUuid))
}

/** The projects whose events can be seen at all; undefined when that is not a matter of projects. */
function reachOf({ actor, projectUuid }: EventStreamRequest): readonly string[] | undefined {
  if (projectUuid !== undefined) return [projectUuid]
  return actor.projectUuids === null ? undefined : [...actor.projectUuids]
}

function matches({ projectUuid, kinds }: EventStreamRequest, event: LogEvent): boolean {
  if (projectUuid !== undefined && event.projectUuid !== projectUuid) return false
  return kinds === undefined || kinds.has(event.kind)
}
