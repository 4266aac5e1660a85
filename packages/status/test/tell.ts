import { connect } from "node:net"

/** Sends lines to a listener and hangs up; resolves when the listener has read them all. */
export function tell(socketPath: string, ...lines: (object | string)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () =>
      socket.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")),
    )
    socket.on("error", reject)
    socket.resume().once("close", () => resolve())
  })
}
