import { createServer, type Socket } from "node:net"
import { ChorusError, type StatusLine } from "@chorus/contracts"
import { claudeHookLines } from "../claude/hook-lines.ts"
import { codexHookLines } from "../codex/hook-lines.ts"
import { oscLine } from "../codex/osc.ts"
import { claimSocket } from "@chorus/disk"
import { type HookCall, isRecord, readAt, readHookCall, readStatusLine } from "../line/index.ts"
import { lineReader, type LineBudget } from "./line-reader.ts"
import { openQuestions } from "./open-questions.ts"
import { settledLines } from "./settled-lines.ts"
import { type TerminalBook, terminalBook } from "./terminal-book.ts"

/** All unfinished lines of all connections together. */
const PENDING_BYTES = 32 * 1024 * 1024
/** Who reads more slowly than this: a view gets the whole picture later instead of every step, a question no answer. */
const BACKLOG_BYTES = 1024 * 1024

export const PROTOCOL = 1

export interface ListenerOptions {
  socketPath: string
  /** The listener's clock. */
  now?: () => number
  /** Sees every hook call before its lines are read, to look further where the agent itself keeps more. */
  onHook?: (call: HookCall) => void
  /** A person took a terminal off the list. */
  onForget?: (terminalId: string) => void
  /** Brings a terminal to the front. */
  onJump?: (terminalId: string) => Promise<void>
  /** The terminal of an agent that was not started through us, by the first line that it says itself. */
  terminalOf?: (line: StatusLine) => Promise<string | undefined>
  /** What is told is only collected at first, until `begin` reads it in the order in which it happened. */
  collects?: boolean
}

export interface Listener {
  readonly socketPath: string
  readonly book: TerminalBook
  /** Takes a line as if it had come over the socket. */
  accept(line: unknown): void
  /** Takes a line from a second source: one that says "idle" waits for the hook that may know more. */
  settle(line: StatusLine): void
  /** Reads what was collected, and from now on whatever comes as it comes. */
  begin(): void
  /** How many views are looking. An agent's own connection is not one. */
  viewers(): number
  /** How many connections are open, of whatever kind. */
  connections(): number
  close(): Promise<void>
}

/** Listens for status lines on a Unix socket and answers views. Nothing that arrives can end it. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const now = options.now ?? Date.now
  const book = terminalBook()
  const budget: LineBudget = { left: PENDING_BYTES }
  const connections = new Set<Socket>()
  const viewers = new Set<Socket>()
  let collected: { socket: Socket; value: Record<string, unknown> }[] | undefined = options.collects ? [] : undefined

  const accept = (value: unknown): void => {
    const receivedAt = now()
    const line = readStatusLine(value, receivedAt)
    if (line !== undefined) book.accept(line, receivedAt)
  }

  const settled = settledLines(accept)
  const questions = openQuestions(book)

  const hook = (call: HookCall, socket: Socket): void => {
    for (const line of hookLines(call)) accept(line)
    if (call.ask !== undefined) questions.add(call.ask, call.terminalId, socket, true)
    options.onHook?.(call)
  }

  const read = (socket: Socket, text: string): void => {
    const value = parse(text)
    if (!isRecord(value)) return
    if (typeof value["ask"] === "string" && value["event"] === undefined && value["hook"] === undefined)
      return answer(socket, value["ask"], value)
    if (collected === undefined) return take(socket, value)
    collected.push({ socket, value })
  }

  const begin = (): void => {
    const told = collected ?? []
    collected = undefined
    const at = ({ value }: (typeof told)[number]) => readAt(value["at"], now())
    for (const { socket, value } of told.toSorted((one, other) => at(one) - at(other))) take(socket, value)
  }

  const places = new WeakMap<Socket, Promise<string | undefined>>()
  const takeFromOutside = async (socket: Socket, value: Record<string, unknown>): Promise<void> => {
    const line = readStatusLine(value, now())
    if (line === undefined || options.terminalOf === undefined) return
    const place = places.get(socket) ?? options.terminalOf(line)
    places.set(socket, place)
    const terminalId = await place
    if (terminalId !== undefined) say(socket, { ...value, terminalId })
  }

  const take = (socket: Socket, value: Record<string, unknown>): void => {
    if (value["outside"] === true) return void takeFromOutside(socket, value)
    const call = readHookCall(value, now())
    if (call !== undefined) return hook(call, socket)
    const osc = oscLine(value, now())
    if (osc !== undefined) return settled.pass(osc)
    say(socket, value)
  }

  const say = (socket: Socket, value: Record<string, unknown>): void => {
    accept(value)
    if (typeof value["ask"] === "string" && typeof value["terminalId"] === "string")
      questions.add(value["ask"], value["terminalId"], socket, false)
  }

  const answer = (socket: Socket, ask: string, request: Record<string, unknown>): void => {
    if (socket.writableLength > BACKLOG_BYTES) return
    if (ask === "ping") return reply(socket, { pong: { pid: process.pid, protocol: PROTOCOL } })
    if (ask === "forget" && typeof request["terminalId"] === "string") forget(request["terminalId"])
    if (ask === "watch") watch(socket)
    if (ask === "jump" || ask === "seen" || ask === "answer") return act(socket, ask, request)
    return reply(socket, { rows: book.rows() })
  }

  /** What a person does about a terminal from elsewhere; to do something about it is to have looked. */
  const act = (socket: Socket, what: "jump" | "seen" | "answer", request: Record<string, unknown>): void => {
    const carryOut = async () => {
      const status = book.get(String(request["terminalId"]))?.status
      if (status === undefined) throw gone(String(request["terminalId"]))
      const { terminalId, agent } = status
      const see = () =>
        accept({ terminalId, agent, event: "seen", at: Math.max(now(), status.sourceAt), source: "person" })
      // Where a program has ended there is nowhere to go; whoever wanted to has seen that.
      if (status.ended) see()
      if (what === "answer") questions.answer(String(request["question"]), request["decision"] === "approve")
      if (what === "jump") await options.onJump?.(terminalId)
      see()
    }
    carryOut().then(
      () => reply(socket, { done: true }),
      (error: unknown) => reply(socket, { error: error instanceof ChorusError ? error.toBody() : String(error) }),
    )
  }

  const forget = (terminalId: string): void => {
    book.forget(terminalId)
    options.onForget?.(terminalId)
  }

  const watch = (socket: Socket): void => {
    if (viewers.has(socket)) return
    viewers.add(socket)
    let behind = false
    const tell = (change: object) => {
      behind ||= socket.writableLength > BACKLOG_BYTES
      if (!behind) reply(socket, change)
    }
    const stop = book.forward({
      changed: (row) => tell({ row }),
      removed: (terminalId) => tell({ removed: terminalId }),
    })
    socket.on("drain", () => {
      if (behind) reply(socket, { rows: book.rows() })
      behind = false
    })
    socket.once("close", () => {
      stop()
      viewers.delete(socket)
    })
  }

  const server = createServer((socket) => {
    connections.add(socket)
    const lines = lineReader(budget, (text) => read(socket, text))
    socket.on("data", (chunk: Buffer) => lines.push(chunk))
    socket.on("error", () => socket.destroy())
    socket.once("close", () => {
      lines.close()
      connections.delete(socket)
    })
  })
  await claimSocket(server, options.socketPath)

  return {
    socketPath: options.socketPath,
    book,
    accept,
    settle: settled.pass,
    begin,
    viewers: () => viewers.size,
    connections: () => connections.size,
    close: () =>
      new Promise((resolve) => {
        settled.close()
        for (const socket of connections) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function gone(terminalId: string): ChorusError {
  return new ChorusError("terminal_gone", `There is no terminal ${terminalId} any more.`, {
    next: "See `chorus status`.",
    status: 404,
  })
}

function hookLines(call: HookCall): StatusLine[] {
  if (call.agent === "claude") return claudeHookLines(call)
  return call.agent === "codex" ? codexHookLines(call) : []
}

function reply(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
