import { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { Reply } from "../src/model/reply.ts"

export interface Wire {
  readonly reply: Reply
  /** What went over the wire so far: its first line and headers, and what follows them. */
  head(): string
  body(): string
  /** The data of each event of a stream, as JSON where it is. */
  events(): Record<string, unknown>[]
  json(): Record<string, unknown>
  /** Whether the answer has come to its end or was broken off. */
  isOver(): boolean
  hangUp(): Promise<void>
}

/** An answer of a real HTTP response on a wire that ends in memory. */
export function openWire(): Wire {
  const chunks: Buffer[] = []
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  const request = new IncomingMessage(socket as Socket)
  // Without chunks, so that the body stands on the wire as it was written.
  request.httpVersionMajor = 1
  request.httpVersionMinor = 0
  const response = new ServerResponse(request)
  response.assignSocket(socket as Socket)
  const written = () => Buffer.concat(chunks).toString("utf8")
  const body = () => written().slice(written().indexOf("\r\n\r\n") + 4)
  return {
    reply: new Reply(response),
    head: () => written().split("\r\n\r\n")[0] ?? "",
    body,
    events: () =>
      [...body().matchAll(/^data: (.*)$/gm)]
        .map(([, data = ""]) => data)
        .filter((data) => data !== "[DONE]")
        .map((data) => JSON.parse(data) as Record<string, unknown>),
    json: () => JSON.parse(body()) as Record<string, unknown>,
    isOver: () => response.writableEnded || response.destroyed,
    hangUp: () =>
      new Promise((closed) => {
        response.once("close", () => closed())
        socket.destroy()
      }),
  }
}
