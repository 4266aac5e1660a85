// Loaded by OpenCode itself, in its own process. Only functions may be exported, nothing may throw, nothing may be waited for.
import { connect, type Socket } from "node:net"
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

/**
 * Tells the listener what this OpenCode process does, and OpenCode what a person answered elsewhere; inert outside a
 * Chorus terminal.
 */
export async function ChorusStatus(input: { directory?: string; client?: Client }) {
  const socketPath = process.env["CHORUS_SOCK"]
  const terminalId = process.env["CHORUS_TERMINAL_ID"]
  if (socketPath === undefined || terminalId === undefined) return {}
  const tracker = openCodeTracker(input.directory ?? process.cwd())
  const wire = lineWire(socketPath, (text) => {
    const [, id, permissionID, decision] = /"ask":"([\w-]+)\/([\w-]+)","decision":"(approve|deny)"/.exec(text) ?? []
    if (id === undefined || permissionID === undefined) return
    const body = { response: decision === "approve" ? "once" : "reject" } as const
    input.client?.postSessionIdPermissionsPermissionId?.({ path: { id, permissionID }, body }).catch(() => undefined)
  })
  const tell = (read: () => OpenCodeLine[]) => {
    try {
      for (const line of read()) wire.send({ terminalId, agent: "opencode", at: Date.now(), pid: process.pid, ...line })
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

/** One connection for the life of the process, opened again when the listener was restarted. */
function lineWire(path: string, hear: (text: string) => void) {
  let socket: Socket | undefined
  return {
    send(line: object) {
      if (socket === undefined || socket.destroyed) {
        socket = connect(path)
        socket.on("error", () => {})
        socket.on("data", (text) => hear(String(text)))
        socket.unref()
      }
      socket.write(`${JSON.stringify(line)}\n`)
    },
    close: () => new Promise<void>((done) => (socket === undefined || socket.destroyed ? done() : socket.end(done))),
  }
}
