import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

/** Speaks as one of the agent programs does and obeys the last word in angle brackets: <say …>, <fail …>, <die …>, <hang>. */
const [kind = "", ...args] = process.argv.slice(2)
const log = (line: unknown) => appendFileSync(process.env["AGENT_LOG"] ?? "", `${JSON.stringify(line)}\n`)
const print = (...events: object[]) =>
  process.stdout.write(events.map((event) => `${JSON.stringify(event)}\n`).join(""))
log({ args, mode: process.env["CHORUS_TEAM_MODE"], config: process.env["OPENCODE_CONFIG_CONTENT"] })

const SPOKEN: Record<string, { said(words: string): object[]; failed(words: string): object[] }> = {
  claude: {
    said: (words) => [
      { type: "system", session_id: "session-1" },
      { type: "assistant" },
      { type: "result", result: words, session_id: "session-1" },
    ],
    failed: (words) => [{ type: "result", is_error: true, subtype: "error_during_execution", result: words }],
  },
  codex: {
    said: (words) => [
      { type: "thread.started", thread_id: "thread-1" },
      { type: "item.completed", item: { type: "reasoning", text: "hm" } },
      { type: "item.completed", item: { type: "agent_message", text: words } },
    ],
    failed: (words) => [{ type: "turn.failed", error: { message: words } }],
  },
  opencode: {
    said: (words) => [
      { type: "step_start", sessionID: "ses_1" },
      { type: "text", sessionID: "ses_1", part: { text: words } },
    ],
    failed: (words) => [{ type: "error", sessionID: "ses_1", error: { name: words } }],
  },
}

if (kind === "claude") for await (const line of createInterface({ input: process.stdin })) obey(line)
else obey(await text(process.stdin))

function obey(given: string): void {
  log({ given })
  const [, order, words = ""] = [...given.matchAll(/<(say|fail|die|hang) ?([^>]*)>/g)].at(-1) ?? []
  process.stdout.write("not JSON at all\n{broken\n")
  if (order === "say") print(...(SPOKEN[kind]?.said(words) ?? []))
  if (order === "fail") print(...(SPOKEN[kind]?.failed(words) ?? []))
  if (order === "hang") setInterval(() => undefined, 60_000)
  if (order !== "die") return
  process.stderr.write(`${words}\n`)
  process.exit(3)
}
