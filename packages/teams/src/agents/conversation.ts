import { ChorusError } from "@chorus/contracts"
import { type Turn, WORDLESS } from "../runtime/driver.ts"
import { jsonLine, type Program } from "./program.ts"

export type Fields = Readonly<Record<string, unknown>>

const METHOD_NOT_FOUND = -32_601

interface Listener {
  /** What the program asks for; undefined says that the method is not known. */
  asked(method: string, params: Fields): Promise<object> | undefined
  told(method: string, params: Fields): void
}

/** JSON-RPC with a program, a line each: how a program that can ask within a turn is spoken to. */
export class Conversation {
  readonly #program: Program
  readonly #waiting = new Map<number, { resolve(result: Fields): void; reject(error: Error): void }>()
  #last = 0
  #ended: Error | undefined

  constructor(program: Program, name: string, { asked, told }: Listener) {
    this.#program = program
    program.lines((line) => {
      const frame = jsonLine(line)
      if (frame === undefined) return
      const { id, method } = frame
      if (typeof method !== "string") return this.#settle(frame)
      if (id === undefined || id === null) return told(method, fieldsOf(frame["params"]))
      const unknown = { error: { code: METHOD_NOT_FOUND, message: `${method} is not known here.` } }
      const answer = asked(method, fieldsOf(frame["params"]))?.then((result) => ({ result }))
      void (answer ?? Promise.resolve(unknown))
        .catch((error: unknown) => ({ error: { code: METHOD_NOT_FOUND, message: String(error) } }))
        .then((said) => this.#say({ id, ...said }))
    })
    const ended = (error: Error) => {
      this.#ended = error
      for (const { reject } of this.#waiting.values()) reject(error)
    }
    program.ended.then(() => ended(agentFailed(program.howEnded(name))), ended)
  }

  request(method: string, params: object): Promise<Fields> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const id = ++this.#last
    this.#say({ id, method, params })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  notify(method: string, params: object): void {
    this.#say({ method, params })
  }

  #settle({ id, result, error }: Fields): void {
    const asked = this.#waiting.get(Number(id))
    this.#waiting.delete(Number(id))
    const { message, data } = fieldsOf(error)
    if (error === undefined) asked?.resolve(fieldsOf(result))
    else asked?.reject(agentFailed(`${String(message)}${data === undefined ? "" : ` ${JSON.stringify(data)}`}`))
  }

  #say(frame: object): void {
    this.#program.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`)
  }
}

/** Asks a person for a turn, and keeps the words with which they refuse: the programs' own answers have no room for any. */
export class Permissions {
  readonly #turn: Turn
  readonly #refused: string[] = []

  constructor(turn: Turn) {
    this.#turn = turn
  }

  async isAllowed(tool: string, id: unknown, says: unknown, input: Fields): Promise<boolean> {
    const ask = { toolName: tool, toolUseId: textOf(id), description: textOf(says), input }
    const answer = await this.#turn.permission(ask)
    if (!answer.allowed && answer.reason !== WORDLESS)
      this.#refused.push(`What you asked for (${tool} ${JSON.stringify(input)}) was refused: ${answer.reason}`)
    return answer.allowed
  }

  /** What the agent has not been told yet; empty where nothing was said. */
  toTell(): string {
    return this.#refused.splice(0).join("\n\n")
  }
}

export function agentFailed(message: string): ChorusError {
  return new ChorusError("agent_failed", message, { status: 502 })
}

/** The state of a tool's use that came to nothing, as Codex and OpenCode call it. */
export function isRefused(status: unknown): boolean {
  return status === "failed" || status === "declined" || status === "error"
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
