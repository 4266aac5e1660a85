import type { Readable, Writable } from "node:stream"

/** Longer lines are no frames of any use; they are dropped as they come, not gathered. */
const LONGEST_LINE = 32 * 1024 * 1024
const METHOD_NOT_FOUND = -32_601
const INTERNAL = -32_603

/** What every open request is told when the agent says nothing more. */
export const ENDED = "The agent ended without an answer."

type Fields = Readonly<Record<string, unknown>>

/** What the other side refused, in the protocol's terms. */
export class AcpError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface AcpOptions {
  /** What the agent says, and where it listens. */
  readonly from: Readable
  readonly to: Writable
  /** Sees every line before it is taken; as long as it takes, nothing more is read. */
  onLine?(direction: "in" | "out", line: string): Promise<void> | undefined
  /** Answers a request of the agent's; undefined says that the method is not known. */
  onRequest(method: string, params: Fields, id: string): Promise<unknown> | undefined
  onNotification(method: string, params: Fields): void
}

export interface AcpConnection {
  request(method: string, params: object, timeoutMs?: number): Promise<Fields>
  notify(method: string, params: object): void
  /** Resolves when the agent says nothing more. */
  readonly closed: Promise<void>
}

/**
 * JSON-RPC by lines, as agents really speak it: what is no frame is skipped, what is not known is kept or refused at
 * once, and nothing an agent sends can end the connection but its end. Ids are matched as they are; the agent counts
 * its own.
 */
export function connectAcp({ from, to, onLine, onRequest, onNotification }: AcpOptions): AcpConnection {
  const waiting = new Map<number, { resolve(result: Fields): void; reject(error: Error): void }>()
  let last = 0
  to.on("error", () => undefined)
  const closed = read().catch(() => undefined)
  void closed.then(() => {
    for (const { reject } of waiting.values()) reject(new AcpError(INTERNAL, ENDED))
    waiting.clear()
  })

  async function read(): Promise<void> {
    for await (const line of linesOf(from)) {
      const seen = onLine?.("in", line)
      if (seen !== undefined) await seen
      const frame = frameIn(line)
      if (frame !== undefined) take(frame)
    }
  }

  function take(frame: Fields): void {
    const { id, method } = frame
    const params = fieldsOf(frame["params"])
    if (typeof method !== "string") return settle(frame)
    if (id === undefined || id === null) return onNotification(method, params)
    void answer(id, method, params)
  }

  function settle({ id, result, error }: Fields): void {
    const asked = typeof id === "number" ? waiting.get(id) : undefined
    if (asked === undefined || typeof id !== "number") return
    waiting.delete(id)
    if (error === undefined) return asked.resolve(fieldsOf(result))
    const { code, message, data } = fieldsOf(error)
    asked.reject(new AcpError(typeof code === "number" ? code : INTERNAL, String(message ?? "refused"), data))
  }

  async function answer(id: unknown, method: string, params: Fields): Promise<void> {
    const given = onRequest(method, params, String(id))
    if (given === undefined) return send({ id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } })
    await given.then(
      (result) => send({ id, result }),
      (error: unknown) => send({ id, error: { code: INTERNAL, message: String(error) } }),
    )
  }

  function send(frame: object): void {
    const line = JSON.stringify({ jsonrpc: "2.0", ...frame })
    void onLine?.("out", line)
    if (to.writable) to.write(`${line}\n`)
  }

  return {
    request: (method, params, timeoutMs) => {
      const id = ++last
      const given = new Promise<Fields>((resolve, reject) => waiting.set(id, { resolve, reject }))
      send({ id, method, params })
      if (timeoutMs === undefined) return given
      const late = setTimeout(() => {
        waiting.get(id)?.reject(new AcpError(INTERNAL, `No answer to ${method} within ${timeoutMs / 1000} seconds.`))
        waiting.delete(id)
      }, timeoutMs)
      return given.finally(() => clearTimeout(late))
    },
    notify: (method, params) => send({ method, params }),
    closed,
  }
}

/** Reads only as fast as whoever asks for lines. */
export async function* linesOf(from: Readable, longest = LONGEST_LINE): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let kept = ""
  let tooLong = false
  for await (const chunk of from) {
    const pieces = (kept + decoder.decode(chunk as Buffer, { stream: true })).split("\n")
    kept = pieces.pop() ?? ""
    for (const [at, piece] of pieces.entries()) {
      if (at === 0 && tooLong) tooLong = false
      else if (piece.trim() !== "") yield piece
    }
    if (kept.length <= longest) continue
    kept = ""
    tooLong = true
  }
}

function frameIn(line: string): Fields | undefined {
  try {
    const frame: unknown = JSON.parse(line)
    return typeof frame === "object" && frame !== null && !Array.isArray(frame) ? (frame as Fields) : undefined
  } catch {
    return undefined
  }
}

/** Whatever it is, as an object that can be asked for fields. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
