import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { claudeHookSettings } from "../src/claude/settings-flag.ts"
import { statusPrograms } from "../src/launch/programs.ts"

const EVENT = JSON.stringify({
  session_id: "s1",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "x".repeat(60_000) },
})
const HUGE = JSON.stringify({ session_id: "s1", hook_event_name: "PostToolUse", tool_response: "x".repeat(5_000_000) })

// How little a hook costs is measured in the real programs by the status bench; here is that nothing it meets can hold an agent up.
describe("the emitter", () => {
  it("is quiet and succeeds outside a Chorus terminal, without a listener, and with a socket that is none", async () => {
    await using folder = temporaryDirectory("emit-")
    for (const env of [
      {},
      terminal(join(folder.path, "nobody.sock")),
      terminal(folder.path),
      terminal("/".repeat(400)),
    ]) {
      expect(await emit(EVENT, env)).toEqual({ code: 0, said: "" })
    }
  })

  it("reads its input to the end however large, so that the agent never writes into a closed pipe", async () => {
    expect(await emit(HUGE, {})).toEqual({ code: 0, said: "" })
  })

  it("gives up on a listener that takes nothing", async () => {
    await using folder = temporaryDirectory("emit-")
    const path = join(folder.path, "s.sock")
    const server = createServer({ pauseOnConnect: true })
    server.listen(path)
    await once(server, "listening")
    // As many as a stuck listener's buffers hold, and more.
    const ends = await Promise.all(Array.from({ length: 8 }, () => emit(EVENT, terminal(path))))
    expect(ends).toEqual(ends.map(() => ({ code: 0, said: "" })))
    server.close()
  })

  it("waits where it is told to, says what a person decided, and lets go when nobody asks any more", async () => {
    await using folder = temporaryDirectory("emit-")
    const path = join(folder.path, "s.sock")
    const answers = ["approve", "deny", undefined]
    const server = createServer((socket) => {
      socket.once("data", (line) => {
        expect(JSON.parse(String(line))).toMatchObject({ hook: "claude", ask: expect.stringMatching(/^claude-\d+-/) })
        const decision = answers.shift()
        socket.end(decision === undefined ? "" : `${JSON.stringify({ answer: { ask: "x", decision } })}\n`)
      })
    })
    server.listen(path)
    await once(server, "listening")
    const said = async () => (await emit(EVENT, terminal(path), "await")).said
    const decided = (decision: object) => ({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })
    expect(JSON.parse(await said())).toEqual(decided({ behavior: "allow" }))
    expect(JSON.parse(await said())).toEqual(
      decided({ behavior: "deny", message: "A person refused this.", interrupt: true }),
    )
    expect(await said()).toBe("")
    server.close()
  })

  it("is started by Claude Code itself, without a shell in between, and bounded there too", () => {
    const { PermissionRequest: _waits, ...hooks } = claudeHookSettings(statusPrograms().emitter).hooks
    for (const groups of Object.values(hooks))
      expect(groups).toEqual([
        { hooks: [{ type: "command", command: statusPrograms().emitter, args: [], timeout: 3 }] },
      ])
  })
})

function terminal(socket: string): Record<string, string> {
  return { CHORUS_SOCK: socket, CHORUS_TERMINAL_ID: "t1", CHORUS_AGENT: "claude" }
}

async function emit(
  input: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(statusPrograms().emitter, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text))
  child.stdin.end(input)
  const [code] = (await once(child, "close")) as [number | null]
  return { code, said }
}
