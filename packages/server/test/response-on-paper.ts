import { IncomingMessage, ServerResponse } from "node:http"
import { Duplex } from "node:stream"

/** A real response of Node's, written to where it can be read instead of to a network. */
export interface PaperResponse {
  readonly response: ServerResponse
  /** What a client would have received after the head. */
  body(): string
  head(): string
  /** The client leaves. */
  leave(): void
  /** From now on the client takes nothing more. */
  stall(): void
}

export function responseOnPaper(): PaperResponse {
  let text = ""
  let stalled = false
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, taken) => {
      if (stalled) return
      text += chunk.toString()
      taken()
    },
  })
  const response = new ServerResponse(new IncomingMessage(socket as never))
  response.assignSocket(socket as never)
  const split = () => text.indexOf("\r\n\r\n") + 4
  return {
    response,
    body: () => text.slice(split()),
    head: () => text.slice(0, split()),
    leave: () => {
      socket.destroy()
      response.destroy()
    },
    stall: () => void (stalled = true),
  }
}
