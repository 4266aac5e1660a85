// Loaded by OpenCode through the file that `chorus connect opencode` wrote; runs in OpenCode's own process. Nothing may throw.
import { spawn } from "node:child_process"
import { isRecord } from "../line/index.ts"
import { type BoardEvent, boardTracker, type HookAnswer } from "./board-tracker.ts"

export interface BoardOptions {
  /** Where the board is. */
  readonly url: string
  /** The program that tells it, or keeps what it cannot tell. */
  readonly hook: string
}

interface Client {
  session?: { get?(request: { path: { id: string } }): Promise<{ data?: { parentID?: string } }> }
}

const PATIENCE_MS = 5000

/** Puts OpenCode's sessions and their children onto the board; inert without a key. */
export async function boardHooks(input: { directory?: string; client?: Client }, { url, hook }: BoardOptions) {
  if ((process.env["CHORUS_OPENCODE_KEY"] ?? process.env["CHORUS_API_KEY"]) === undefined) return {}
  const cwd = input.directory ?? process.cwd()
  let last: Promise<unknown> = Promise.resolve()
  // One after the other: what happened first is told first.
  const ask = (event: BoardEvent): Promise<HookAnswer> => {
    const variables = { CHORUS_URL: url, CHORUS_HOOK_PROGRAM: "opencode" }
    const told = last.then(() => runHook(hook, variables, { ...event, cwd }))
    last = told
    return told
  }
  const parentOf = async (id: string) => (await input.client?.session?.get?.({ path: { id } }))?.data?.parentID
  const tracker = boardTracker({ ask, parentOf })
  return {
    "chat.message": quietly(tracker.chatMessage),
    "experimental.chat.system.transform": quietly(tracker.system),
    "tool.execute.before": quietly(tracker.toolBefore),
    "tool.execute.after": quietly(tracker.toolAfter),
    event: quietly(tracker.event),
    dispose: quietly(async () => {
      tracker.end()
      await last
    }),
  }
}

/** The agent's work comes first. */
function quietly<Args extends unknown[]>(work: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return (...args) => work(...args).catch(() => undefined)
}

function runHook(
  program: string,
  variables: Record<string, string>,
  event: BoardEvent & { cwd: string },
): Promise<HookAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, [event.hook_event_name, event.session_id], {
      cwd: event.cwd,
      env: { ...process.env, ...variables },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: PATIENCE_MS,
    })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.once("error", () => resolve({}))
    child.once("close", () => resolve(parsed(said)))
    child.stdin.on("error", () => undefined)
    child.stdin.end(JSON.stringify(event))
  })
}

function parsed(text: string): HookAnswer {
  try {
    const answer: unknown = JSON.parse(text)
    return isRecord(answer) ? answer : {}
  } catch {
    return {}
  }
}
