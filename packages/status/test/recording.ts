import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/**
 * Writes down what an agent program says and keeps while a test drives it, for the daily test of its outcomes to read.
 */
export interface Recording {
  /** Where the program shall report; what arrives is passed on. */
  readonly socketPath: string
  mark(name: string): void
}

export async function record(file: string, home: string, listener: string): Promise<Recording> {
  const socketPath = `${listener}.heard`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "")
  const note = (entry: object) => appendFileSync(file, `${JSON.stringify(entry).replaceAll(home, "/home/person")}\n`)
  const server = createServer((socket) => {
    const out = connect(listener)
    let text = ""
    socket.on("data", (chunk) => {
      out.write(chunk)
      const lines = (text + chunk.toString()).split("\n")
      text = lines.pop() ?? ""
      for (const line of lines) note({ heard: JSON.parse(line) })
    })
    socket.on("end", () => out.end())
    for (const one of [socket, out]) one.on("error", () => {})
  })
  await new Promise<void>((done) => server.listen(socketPath, done))
  writePlugin(home, file)
  const seen = new Map<string, string>()
  const read = new Map<string, number>()
  const timer = setInterval(() => {
    for (const path of filesIn(join(home, ".claude", "sessions"), ".json")) {
      const now = readFileSync(path, "utf8")
      if (seen.get(path) === now || now === "") continue
      seen.set(path, now)
      note({ session: JSON.parse(now) })
    }
    for (const path of [
      ...filesIn(join(home, ".claude", "projects"), ".jsonl"),
      ...filesIn(join(home, ".codex", "sessions"), ".jsonl"),
    ]) {
      const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
      for (const line of lines.slice(read.get(path) ?? 0)) if (isAboutTurns(line)) note({ kept: line })
      read.set(path, lines.length)
    }
  }, 20)
  onTestFinished(() => {
    clearInterval(timer)
    server.close()
  })
  return { socketPath, mark: (name) => note({ mark: name }) }
}

/** What was said and done; not the attachments, settings and counts in between. */
function isAboutTurns(line: string): boolean {
  return /^\{(?!"type":"(api-request|attachment)).*"type":"(user|assistant|event_msg)"/.test(line) ||
    line.includes('_call_output"')
    ? !/"type":"(thread_settings_applied|token_count)"/.test(line)
    : false
}

function filesIn(folder: string, end: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(end))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** OpenCode's events as its own plugins get them. */
function writePlugin(home: string, file: string): void {
  const folder = join(home, ".config", "opencode", "plugin")
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "recorder.js"),
    `import { appendFileSync } from "node:fs"
const told = /^(session\\.(created|status|error|idle)|message\\.(updated|part\\.updated)|permission|question)/
const text = (entry) => JSON.stringify({ at: Date.now(), ...entry }).replaceAll(${JSON.stringify(home)}, "/home/person")
const note = (entry) => appendFileSync(${JSON.stringify(file)}, text(entry) + "\\n")
export const Recorder = async () => ({
  "chat.message": async ({ sessionID }, { parts }) => note({ chat: { sessionID, parts } }),
  "tool.execute.before": async ({ sessionID, tool }, { args }) => note({ tool: { sessionID, tool, args } }),
  event: async ({ event }) => told.test(event.type) && note({ event }),
})
`,
  )
}
