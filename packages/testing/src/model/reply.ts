import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import type { Turn } from "./turn.ts"

const CHUNK = 400

/** One answer on its way: JSON at once, or a stream of server-sent events. Writing after the agent hung up does nothing. */
export class Reply {
  readonly #response: ServerResponse
  readonly #left = new AbortController()

  constructor(response: ServerResponse) {
    this.#response = response
    response.once("close", () => this.#left.abort())
  }

  json(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, { "content-type": "application/json", ...headers })
    this.#response.end(JSON.stringify(body))
  }

  stream(): void {
    this.#response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" })
  }

  event(name: string | undefined, data: unknown): void {
    const head = name === undefined ? "" : `event: ${name}\n`
    this.#response.write(`${head}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)
  }

  end(): void {
    this.#response.end()
  }

  /** Breaks the connection, after what was said so far reached it. */
  async drop(): Promise<void> {
    if (this.#response.headersSent) await new Promise((sent) => this.#response.write(": the end is missing\n\n", sent))
    this.#response.destroy()
  }

  /** Resolves when the agent hangs up or the server stops. */
  async hang(): Promise<void> {
    if (!this.#left.signal.aborted) await once(this.#left.signal, "abort")
  }

  async wait(milliseconds: number | undefined): Promise<void> {
    if (milliseconds) await pause(milliseconds, undefined, { signal: this.#left.signal }).catch(() => {})
  }

  /** Hands the text over in pieces, at the pace the turn asks for. */
  async pieces(turn: Turn, write: (piece: string) => void): Promise<void> {
    const size = turn.chunkDelay ? 8 : CHUNK
    for (let at = 0; at < (turn.text?.length ?? 0); at += size) {
      write(turn.text?.slice(at, at + size) ?? "")
      await this.wait(turn.chunkDelay)
    }
  }

  /** The way a turn breaks off before its proper end; false when it does not. */
  async breaksOff(turn: Turn): Promise<boolean> {
    if (turn.drop) await this.drop()
    if (turn.hang) await this.hang()
    return turn.drop === true || turn.hang === true
  }
}
