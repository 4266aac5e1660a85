import { dirname } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type Agent, agentProgram, runAgent, scratchHome, startModel, type ToolCall, type Turn } from "@chorus/testing"
import { chorus, type RunningChorus } from "../../packages/cli/test/chorus-process.ts"
import { argumentsOf } from "./documents.ts"
import type { Mind, Move } from "./mind.ts"

/** Somebody who does what its person says in the terminal, in words of the documents. */
export interface WalkingAgent extends AsyncDisposable {
  /** All that it was told before it did anything. */
  told(): string
  obey(order: string): Promise<void>
}

export interface Place extends AsyncDisposable {
  /** What the command and the programs are given of this machine. */
  readonly env: Readonly<Record<string, string>>
  connect(server: RunningChorus, line: string): Promise<WalkingAgent>
}

interface Program {
  readonly agent: Agent
  readonly call: (tool: string) => Omit<ToolCall, "input">
  readonly args: (order: string) => string[]
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  "Claude Code": {
    agent: "claude-code",
    call: (tool) => ({ name: `mcp__plugin_chorus_chorus__${tool}` }),
    args: (order) => ["-p", order, "--permission-mode", "bypassPermissions"],
  },
  Codex: {
    agent: "codex",
    call: (name) => ({ name, namespace: "mcp__chorus" }),
    args: (order) => ["exec", "-s", "danger-full-access", order],
  },
  OpenCode: {
    agent: "opencode",
    call: (tool) => ({ name: `chorus_${tool}` }),
    args: (order) => ["run", order],
  },
}

/** A home with one of the programs, whose model is this mind. */
export async function programPlace({ agent, call, args }: Program, mind: Mind): Promise<Place> {
  const model = await startModel(({ prompt, sincePrompt, newest }): Turn => {
    const move = mind.next(prompt, sincePrompt === 0 ? undefined : answerIn(newest))
    return "text" in move ? move : { tools: [{ ...call(move.tool), input: move.input }] }
  })
  const home = scratchHome({ model })
  const env = { ...home.environment, PATH: `${dirname(await agentProgram(agent))}:${home.environment["PATH"]}` }
  return {
    env,
    async connect(_, line) {
      const connected = await chorus(argumentsOf(line), env)
      if (connected.code !== 0) throw new Error(`${line}: ${connected.stderr}`)
      const key = /cho_[\w-]{43}/.exec(connected.stdout)?.[0]
      return {
        told: () => model.requests.find(({ purpose, api }) => purpose === "turn" && api !== "other")?.all ?? "",
        async obey(order) {
          const ran = await runAgent({
            agent,
            home,
            args: args(order),
            ...(key && { env: { [`CHORUS_${agent.toUpperCase()}_KEY`]: key } }),
          })
          if (ran.code !== 0) throw new Error(`${agent} ended with ${ran.code}: ${ran.stdout}\n${ran.stderr}`)
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }
    },
    async [Symbol.asyncDispose]() {
      await model.stop()
      await home.remove()
    },
  }
}

/** The answer of a tool among what surrounds it: each program frames it in its own way, but on a line of its own. */
function answerIn(newest: string): Record<string, unknown> {
  for (const line of newest.split("\n")) {
    const value = parsed(line)
    const text = Array.isArray(value) ? (value[0] as { text?: string } | undefined)?.text : undefined
    const answer = text === undefined ? value : parsed(text)
    if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>
  }
  throw new Error(`no answer of a tool in: ${newest}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A client with nothing but MCP, which shows its mind the tools and the words of docs/mcp.md. */
export async function barePlace(mind: Mind, words: string): Promise<Place> {
  const home = scratchHome()
  return {
    env: home.environment,
    async connect({ url }, line) {
      const [command = "", address = ""] = line.split(" → ")
      const made = await chorus(argumentsOf(command), home.environment)
      const client = new Client({ name: "bare", version: "1" })
      const headers = { authorization: `Bearer ${/cho_[\w-]{43}/.exec(made.stdout)?.[0]}` }
      const target = new URL(address.replace(/^http:\/\/[^/]+/, url))
      await client.connect(new StreamableHTTPClientTransport(target, { requestInit: { headers } }))
      return {
        told: () => words,
        async obey(order) {
          let move: Move = mind.next(order, undefined)
          while ("tool" in move) {
            const { content } = await client.callTool({ name: move.tool, arguments: move.input })
            move = mind.next(order, parsed((content as { text: string }[])[0]?.text ?? "") as Record<string, unknown>)
          }
        },
        [Symbol.asyncDispose]: () => client.close(),
      }
    },
    [Symbol.asyncDispose]: () => home.remove(),
  }
}
