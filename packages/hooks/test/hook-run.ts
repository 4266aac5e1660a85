import { spawn } from "node:child_process"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { HookOutput } from "@chorus/contracts"
import {
  type ProgramRequest,
  programAnswer,
  readProgramRequest,
} from "../../server/src/operations/hooks/hook-program.ts"
import { PLUGIN } from "./board.ts"

export interface HookResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface Told {
  readonly hook_event_name: string
  readonly session_id: string
  readonly [field: string]: unknown
}

/** Runs the hook program as Claude Code does: the event on stdin, nothing but the plugin's settings around it. */
export function runHook(
  event: Told,
  {
    project,
    url,
    key = "cho_test",
    as = event.hook_event_name,
    env = {},
    stdin = JSON.stringify(event),
    stopAfter,
  }: {
    project: string
    url: string
    key?: string
    as?: string
    env?: Record<string, string>
    stdin?: string
    /** When it is told to stop, as the program does with a hook that it no longer needs. */
    stopAfter?: Promise<void>
  },
): Promise<HookResult> {
  const settings = {
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: event.session_id,
    CLAUDE_PLUGIN_OPTION_CHORUS_URL: url,
    CLAUDE_PLUGIN_OPTION_CHORUS_API_KEY: key,
  }
  const started = performance.now()
  const child = spawn(join(PLUGIN, "bin", "chorus-hook"), [as], {
    cwd: project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...settings, ...env },
  })
  const heard = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (heard.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (heard.stderr += text))
  child.stdin.end(stdin)
  void stopAfter?.then(() => child.kill("SIGTERM"))
  return new Promise((resolve) =>
    child.once("close", (code) => resolve({ code, ...heard, ms: performance.now() - started })),
  )
}

export interface Heard {
  /** The event as the server reads it. */
  readonly body: ProgramRequest["event"]
  readonly mark: string | undefined
  /** Answers as the server does. */
  reply(output?: HookOutput): void
}

/** A server that answers as the test says and remembers what it heard. */
export async function listen(answer: (heard: Heard, response: ServerResponse) => void) {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const { searchParams } = new URL(request.url ?? "", "http://localhost")
      const told = readProgramRequest(text, Object.fromEntries(searchParams))
      const one = {
        body: told.event,
        mark: request.headers["idempotency-key"] as string | undefined,
        reply: (output: HookOutput = {}) =>
          void response.end(programAnswer(told, told.needsPrompt ? { chorus: { needs: "prompt" } } : output)),
      }
      heard.push(one)
      answer(one, response)
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return text
}
