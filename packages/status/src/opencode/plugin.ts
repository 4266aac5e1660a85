// Loaded by OpenCode itself, in its own process. Only functions may be exported, nothing may throw, nothing may be
// waited for.
import { existsSync } from "node:fs"
import { connect, type Socket } from "node:net"
import type { StatusLine } from "@chorus/contracts"
import { openCodeTracker, type OpenCodeLine } from "./event-lines.ts"

interface ToolCall {
  tool?: unknown
  sessionID?: unknown
}

interface Client {
  postSessionIdPermissionsPermissionId?: (answer: {
    path: { id: string; permissionID: string }
    body: { response: "once" | "reject" }
  }) => Promise<unknown>
}

const AGAIN_MS = 300
/** Nobody started a listener for an agent that was not started through us. */
const AGAIN_OUTSIDE_MS = 2000
/** A program that ends waits so long for somebody to hear that. */
const LAST_WORDS_MS = 1500
/** What the next listener is told again: more than a turn's end takes, and what it knows does it no harm. */
const RECENT = 20

/**
 * Tells the listener what this OpenCode process does, and OpenCode what a person answered elsewhere; inert outside a
 * Chorus terminal, unless `chorus connect opencode` said where the listener of one that anybody starts is.
 */
export async function ChorusStatus(
  input: { directory?: string; client?: Client },
  { usual }: { usual?: string | undefined } = {},
) {
  const me = whoAmI(usual)
  if (me === undefined) return {}
  const { socketPath, ...self } = me
  const tracker = openCodeTracker(input.directory ?? process.cwd())
  const begun: StatusLine = { ...self, event: "idle", source: "opencode:start", at: Date.now() }
  const wire = lineWire(socketPath, begun, (text) => {
    const [, permissionID = "", decision] = /"ask":"([\w-]+)","decision":"(approve|deny)"/.exec(text) ?? []
    // OpenCode wants to be told the session too.
    const id = tracker.askerOf(permissionID)
    if (id === undefined) return
    const body = { response: decision === "approve" ? "once" : "reject" } as const
    input.client?.postSessionIdPermissionsPermissionId?.({ path: { id, permissionID }, body }).catch(() => undefined)
  })
  const tell = (read: () => OpenCodeLine[]) => {
    try {
      for (const line of read()) wire.send({ ...self, at: Date.now(), ...line })
    } catch {
      // The agent's work comes first.
    }
  }
  return {
    "chat.message": async (message: { sessionID?: unknown }, output: { parts?: unknown }) =>
      tell(() => tracker.chatMessage(message.sessionID, output.parts)),
    "tool.execute.before": async (call: ToolCall, output: { args?: unknown }) =>
      tell(() => tracker.toolBefore(call.sessionID, call.tool, output.args)),
    event: async ({ event }: { event: { type: unknown; properties: unknown } }) =>
      tell(() => tracker.event(event.type, event.properties)),
    dispose: async () => {
      tell(() => [{ event: "exited", source: "opencode:dispose" }])
      await wire.close()
    },
  }
}

/** A launched OpenCode was told; of any other the listener knows the terminal by its process. */
function whoAmI(usual: string | undefined) {
  const { CHORUS_SOCK: given, CHORUS_TERMINAL_ID: terminalId, CHORUS_AGENT: launched } = process.env
  const self = { agent: "opencode", pid: process.pid } as const
  if (usual !== undefined)
    return launched === undefined
      ? { ...self, socketPath: given ?? usual, terminalId: `process-${self.pid}`, outside: true }
      : undefined
  return given === undefined || terminalId === undefined ? undefined : { ...self, socketPath: given, terminalId }
}

/**
 * One connection for the life of the process. A listener that was killed is followed by another, which is told again
 * what was said last, heard or not, and what goes on here: until OpenCode says something itself, nobody else knows.
 */
function lineWire(path: string, begun: StatusLine, hear: (text: string) => void) {
  let socket: Socket | undefined
  let last = begun
  let recent: StatusLine[] = []
  let isClosed = false

  function open(): void {
    if (socket !== undefined || isClosed) return
    const opened = (socket = connect(path))
    const gone = () => {
      if (socket !== opened) return
      socket = undefined
      opened.destroy()
      setTimeout(open, begun.outside === true ? AGAIN_OUTSIDE_MS : AGAIN_MS).unref()
    }
    opened.on("error", gone)
    opened.once("close", gone)
    // Where a listener dies before all is written, OpenCode's runtime says nothing more than this.
    opened.once("end", gone)
    opened.on("data", (text) => hear(String(text)))
    opened.once("connect", () => {
      for (const line of recent) write(line)
      write({ ...last, at: Date.now(), only: ["unknown"] })
    })
    opened.unref()
  }

  function write(line: StatusLine): void {
    socket?.write(`${JSON.stringify(line)}\n`)
  }

  /** Whether all that was said has gone out to somebody. */
  function end(): Promise<boolean> {
    const to = socket
    if (to?.writable !== true || to.connecting) return Promise.resolve(false)
    return new Promise((done) => {
      to.once("close", () => done(false))
      to.end(() => done(!to.errored))
    })
  }

  open()
  return {
    send(line: StatusLine) {
      const { turnStart: _begun, ...state } = line
      if (line.event !== "note") last = state
      recent = [...recent, line].slice(-RECENT)
      if (socket?.connecting === false) write(line)
      open()
    },
    /** A listener that is being started is waited for a moment; where none was asked for, nobody is. */
    async close() {
      const isAwaited = begun.outside !== true && existsSync(`${path}.log`)
      const until = Date.now() + (isAwaited ? LAST_WORDS_MS : 0)
      while (last !== begun && !(await end()) && Date.now() < until) {
        await new Promise((wake) => setTimeout(wake, 50))
        open()
      }
      isClosed = true
      socket?.destroy()
    },
  }
}
