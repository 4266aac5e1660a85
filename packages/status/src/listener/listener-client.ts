import { connect, type Socket } from "node:net"
import { ChorusError, type StatusRow } from "@chorus/contracts"
import { isRecord } from "../line/index.ts"

const ANSWER_WAIT_MS = 2000
/** A terminal program may take its time to come to the front. */
const JUMP_WAIT_MS = 16_000

export interface Pong {
  pid: number
  protocol: number
}

/** Who listens on the socket, or nothing when nobody answers in time. */
export async function ping(path: string, wait = ANSWER_WAIT_MS): Promise<Pong | undefined> {
  try {
    const { pong } = await ask(path, { ask: "ping" }, wait)
    return isRecord(pong) ? { pid: Number(pong["pid"]), protocol: Number(pong["protocol"]) } : undefined
  } catch {
    return undefined
  }
}

/** The terminals as they are now. */
export async function readRows(path: string): Promise<StatusRow[]> {
  return rowsIn(path, await ask(path, { ask: "rows" }, ANSWER_WAIT_MS))
}

/** Takes a terminal off the list. */
export async function forgetTerminal(path: string, terminalId: string): Promise<StatusRow[]> {
  return rowsIn(path, await ask(path, { ask: "forget", terminalId }, ANSWER_WAIT_MS))
}

/** What a person does about a terminal from elsewhere. */
export type TerminalAct =
  | { readonly ask: "jump" | "seen" }
  | { readonly ask: "answer"; readonly question: string; readonly decision: "approve" | "deny" }

/** Has the listener do it; what it could not do is thrown as it says. */
export async function tellTerminal(path: string, terminalId: string, act: TerminalAct): Promise<void> {
  const { error } = await ask(path, { ...act, terminalId }, JUMP_WAIT_MS)
  if (isRecord(error))
    throw new ChorusError(String(error["code"]), String(error["message"]), { next: String(error["next"]), status: 409 })
  if (error !== undefined) throw silent(path, error)
}

function rowsIn(path: string, { rows }: Record<string, unknown>): StatusRow[] {
  if (!Array.isArray(rows)) throw silent(path)
  return rows as StatusRow[]
}

export interface RowWatch {
  /** The newest rows, by terminal. */
  readonly rows: ReadonlyMap<string, StatusRow>
  close(): void
}

/** Follows the terminals; `onChange` comes after each change, `onEnd` when the listener went away. */
export function watchRows(path: string, onChange: () => void, onEnd: (error?: Error) => void): RowWatch {
  const rows = new Map<string, StatusRow>()
  const socket = connect(path)
  socket.once("connect", () => socket.write('{"ask":"watch"}\n'))
  let failure: Error | undefined
  socket.once("error", (error) => (failure = error))
  socket.once("close", () => onEnd(failure))
  eachMessage(socket, (message) => {
    if (Array.isArray(message["rows"])) {
      rows.clear()
      for (const row of message["rows"] as StatusRow[]) rows.set(row.terminalId, row)
    }
    if (isRecord(message["row"])) rows.set(String(message["row"]["terminalId"]), message["row"] as StatusRow)
    if (typeof message["removed"] === "string") rows.delete(message["removed"])
    onChange()
  })
  return { rows, close: () => socket.destroy() }
}

function ask(path: string, request: object, wait: number): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    const fail = (cause?: unknown) => {
      socket.destroy()
      reject(silent(path, cause))
    }
    const timer = setTimeout(fail, wait)
    socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`))
    socket.once("error", fail)
    // Whoever hangs up without an answer has not answered; after an answer this changes nothing.
    socket.once("close", () => {
      clearTimeout(timer)
      fail()
    })
    eachMessage(socket, (message) => {
      resolve(message)
      socket.destroy()
    })
  })
}

function silent(path: string, cause?: unknown): ChorusError {
  return new ChorusError("listener_silent", `No status listener answers on ${path}.`, {
    next: "Start one with `chorus status listen`, or an agent with `chorus run`.",
    status: 503,
    cause,
  })
}

/** Somebody who does not speak our language is not our listener: the line is cut. */
function eachMessage(socket: Socket, read: (message: Record<string, unknown>) => void): void {
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n")
    text = lines.pop() ?? ""
    for (const line of lines) {
      const message = parsed(line)
      if (message === undefined) return void socket.destroy()
      read(message)
    }
  })
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return isRecord(message) ? message : undefined
  } catch {
    return undefined
  }
}
